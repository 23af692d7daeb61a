"""How fast ratings are read and analysed, in how much memory; and how well requests fill a server's time."""

import json
import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.bench import measure
from tests.bench.measure import Call, Clock

CUISINES = {"tiny": 2, "small": 40, "full": 40}  # of 20 dishes by 6 systems, which 9 raters rate 3 times each
DISHES, SYSTEMS, RATERS, REPETITIONS = 20, 6, 9, 3
ASKED = {"tiny": 40, "small": 4_000, "full": 20_000}  # requests
STEPS = ("read", "figures", "biases")
SECONDS, CONCURRENCY = 0.05, 64
MEBIBYTES, MINUTE, BUSY = 1024, 60, 90
FORMS = (
    "AUTHENTICITY: {}\nReason: {}\nSENSITIVITY: {}\nReason: {}\nHARMONY: {}\nReason: {}",
    "**AUTHENTICITY:** {}/5\n**Reason:** {}\n**SENSITIVITY:** {}/5\n**Reason:** {}\n**HARMONY:** {}/5\n{}",
    "1. Authenticity - {}\n{}\n2. Sensitivity - {}\n{}\n3. Harmony - {}\n{}",
)
REASON = "The recipe keeps what makes the dish what it is, and brings in spices that belong there."


def test_ratings(data: Path) -> None:
    cuisines = CUISINES[measure.scale()]
    call = Call(ratings, {"folder": str(data), "cuisines": cuisines})
    [found] = measure.in_turn({"ratings": call}, 1)["ratings"]
    answers, outcome = SYSTEMS * DISHES * cuisines * RATERS * REPETITIONS, found.outcome
    assert outcome["ratings"] == answers * 3
    seconds, memory = measure.at_most(found.wall, MINUTE), measure.at_most(found.peak, MEBIBYTES)
    measure.publish(
        "ratings",
        "Ratings read and analysed",
        f"""{answers:,} answers as the paper has them (20 dishes, {cuisines} cuisines, {SYSTEMS} systems,
        {RATERS} raters, {REPETITIONS} repetitions), a third of them each in the form asked for, in bold with /5,
        and as a list. {outcome["ratings"]:,} ratings are read (judge_ratings), and become means, agreement,
        differences and calibration (evaluate_ratings) and biases (evaluate_biases), with 1,000 resamples for each
        interval, all in one process. {measure.repeat("test_judge.py")}""",
        measure.machine("polars", "numpy"),
        measure.table(["step", "s"], [[name, f"{outcome[name]:.1f}"] for name in STEPS]),
        f"Seconds for all: {seconds}. MiB: {memory}.",
        targets=[seconds, memory],
    )


def ratings(clock: Clock, folder: str, cuisines: int) -> dict[str, float]:
    """Seconds of each step, and how many ratings were read."""
    from wokflow.evaluate.biases import evaluate_biases
    from wokflow.evaluate.ratings import evaluate_ratings
    from wokflow.evaluate.settings import BiasesSettings, RatingsSettings
    from wokflow.evaluate.stage import RATING_TABLES
    from wokflow.frame import tables
    from wokflow.frame.job import Job
    from wokflow.judge.ratings import judge_ratings

    raters = [f"r{number}" for number in range(RATERS)]
    write(folder, cuisines, raters)
    paths = {name: f"{folder}/{name}.parquet" for name in ("tasks", *RATING_TABLES, "biases")}
    rated = {"tasks": paths["tasks"], "ratings": [f"{folder}/{rater}_ratings.parquet" for rater in raters]}
    models = [(name, name, name) for name in (*raters, *(f"w{number}" for number in range(SYSTEMS)))]
    times = [time.perf_counter()]
    with clock:
        for rater in raters:
            judge_ratings(
                tasks=paths["tasks"],
                answers=f"{folder}/{rater}.parquet",
                ratings=f"{folder}/{rater}_ratings.parquet",
                rejects=f"{folder}/{rater}_rejects.parquet",
                job=Job(),
            )
        times.append(time.perf_counter())
        figures = [paths[name] for name in RATING_TABLES]
        evaluate_ratings(**rated, figures=figures, settings=RatingsSettings(), job=Job())
        times.append(time.perf_counter())
        evaluate_biases(**rated, biases=paths["biases"], settings=BiasesSettings(models=models), job=Job())
        times.append(time.perf_counter())
    seconds = [after - before for before, after in pairwise(times)]
    return dict(zip(STEPS, seconds, strict=True)) | {"ratings": tables.rows(rated["ratings"])}


def write(folder: str, cuisines: int, raters: list[str]) -> None:
    """The tasks, and a table of answers of each rater."""
    import polars as pl
    from wokflow.frame import tables
    from wokflow.judge.schemas import ANSWERS, TASKS
    from wokflow.judge.tasks import read_dimensions

    draw, dimensions = random.Random(3), read_dimensions(str(measure.ROOT / "resources/ash/dimensions.tsv"))
    tasks = [
        {
            "task_id": f"ash:d{dish}:c{cuisine}:w{system}",
            "study": "ash",
            "item": f"ash:d{dish}:c{cuisine}",
            "system": f"w{system}",
            "shown": [
                {"name": "dish", "text": f"Dish {dish}"},
                {"name": "cuisine", "text": f"Cuisine {cuisine}"},
                {"name": "recipe", "text": REASON * draw.randint(3, 12)},
            ],
            "dimensions": dimensions,
        }
        for dish in range(DISHES)
        for cuisine in range(cuisines)
        for system in range(SYSTEMS)
    ]
    made = pl.DataFrame(tasks, pl.DataFrame(TASKS.empty_table()).schema)
    tables.write(f"{folder}/tasks.parquet", TASKS, made, {})
    for rater in raters:
        rows: list[dict[str, Any]] = []
        for task in tasks:
            for repetition in range(1, REPETITIONS + 1):
                said = [part for _ in range(3) for part in (draw.randint(2, 5), REASON)]
                text = FORMS[draw.randrange(len(FORMS))].format(*said)
                row = {"task_id": task["task_id"], "asked": rater, "repetition": repetition, "answer": text}
                rows.append(row | {"prompt": "", "request": "", "status": "ok"})
        answers = pl.DataFrame(rows, pl.DataFrame(ANSWERS.empty_table()).schema)
        tables.write(f"{folder}/{rater}.parquet", ANSWERS, answers, {})


def test_requests(data: Path) -> None:
    count = ASKED[measure.scale()]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.bench.slow_server", str(port), str(SECONDS)]
    with subprocess.Popen(command, cwd=measure.ROOT) as server:
        try:
            reached(port)
            call = Call(requests, {"folder": str(data), "count": count, "port": port})
            [found] = measure.in_turn({"requests": call}, 1)["requests"]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                flying = json.load(answer)
        finally:
            server.terminate()
    assert found.outcome == count
    slots = measure.at_least(100 * flying["flying"] / CONCURRENCY, BUSY)
    some = measure.at_least(100 * flying["some"], BUSY)
    figures = f"{count:,}", f"{found.wall:.1f}", f"{found.cpu:.1f}", f"{count / found.wall:,.0f}"
    measure.publish(
        "requests",
        "Requests in flight",
        f"""{count:,} requests of judge_prompt to a server on this machine that takes {1000 * SECONDS:g} ms for
        each, with {CONCURRENCY} at once (generate.prompt.concurrency); client and server share the cores. The
        server counts, from the first request to the last answer, how many it has in flight.
        {measure.repeat("test_judge.py")}""",
        measure.machine("httpx"),
        measure.table(
            ["requests", "s", "CPU s", "requests/s", "in flight"], [[*figures, f"{flying['flying']:.1f}"]]
        ),
        f"""Places taken, of {CONCURRENCY}, in percent: {slots}. Time with at least one taken, in percent: {some}.""",
        targets=[slots, some],
    )


def reached(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)


def requests(clock: Clock, folder: str, count: int, port: int) -> int:
    """How many were answered."""
    from tests.judge.models import Stage

    os.environ["OPENAI_API_KEY"] = "sk-none"
    dishes, cuisines = (
        [f"{kind}{number}" for number in range(many)] for kind, many in (("d", count // 20), ("c", 20))
    )
    stage = Stage(Path(folder), dishes, cuisines)
    with clock:
        stage.ask("gen", "instructions", f"http://127.0.0.1:{port}/v1", "recipe", concurrency=CONCURRENCY)
    return int((stage.table("gen")["status"] == "ok").sum())
