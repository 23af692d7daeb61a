"""Models on a real server write and rate: what is asked, kept and replayed."""

import os
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.stage import RATING_TABLES
from wokflow.frame import tables
from wokflow.judge.schemas import ANSWERS, RATINGS, TASKS

from tests.generate.asking import PATIENCE, apart
from tests.generate.servers import cut_body, endpoint, error, of_text, response, says, well
from tests.judge.models import ASH, Stage, answers_by_rule, rating

pytestmark = pytest.mark.usefixtures("keyed")
TABLES = ("judge", "judge_ratings", "judge_rejects")


def test_recipes_are_written_and_rated_three_times_each_with_seeds_of_its_own(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
        written = len(server.asked)
        stage.ask("judge", "tasks", server.url, repetitions=3, seed=7, temperature=0.5)
    assert written == 6
    asked = server.asked[written:]
    assert Counter(one.body["seed"] for one in asked) == {7: 6, 8: 6, 9: 6}
    assert {one.body["temperature"] for one in asked} == {0.5}
    assert sorted(one.text for one in server.asked[:1])[0].startswith("Can you apply the elements of ")
    stage.read("judge")
    ratings = stage.table("judge_ratings")
    assert ratings.height == 6 * 3 * 3 and stage.table("judge_rejects").height == 0
    first = ratings.row(0, named=True)
    assert (first["task_id"], first["dimension"], first["value"]) == (
        "ash:pizza:aztec:gen",
        "authenticity",
        "2",
    )
    assert (first["rationale"], first["status"], first["kind"]) == ("It is 2.", "exact", "model")
    for name, schema in (("tasks", TASKS), ("judge", ANSWERS), ("judge_ratings", RATINGS)):
        assert stage.table(name).to_arrow().cast(schema)


def test_the_prompt_shows_dish_cuisine_and_recipe_and_leaves_other_braces(tmp_path: Path) -> None:
    stage = Stage(tmp_path, ["Pizza"], ["Kosher"])
    with endpoint(
        of_text(lambda text: "Bake {cuisine} {x}." if "Can you" in text else answers_by_rule(text))
    ) as server:
        stage.write(server.url, "gen")
        stage.ask("judge", "tasks", server.url)
    form = (ASH / "rating.txt").read_text(encoding="utf-8").rstrip("\n")
    expected = form.replace("{dish}", "Pizza").replace("{cuisine}", "Kosher")
    assert server.asked[1].text == expected.replace("{recipe}", "Bake {cuisine} {x}.")


def test_a_second_start_asks_nothing_and_a_server_is_not_needed(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
        stage.ask("judge", "tasks", server.url, repetitions=3)
        stage.read("judge")
        asked, first = len(server.asked), stage.bytes(*TABLES)
        stage.ask("judge", "tasks", server.url, repetitions=2)
        assert len(server.asked) == asked
    stage.ask("judge", "tasks", server.url, repetitions=3)  # nobody listens there now
    stage.read("judge")
    assert stage.bytes(*TABLES) == first


def test_released_answers_give_the_same_tables_without_an_endpoint(tmp_path: Path) -> None:
    asked, replayed = Stage(tmp_path / "asked"), Stage(tmp_path / "replayed")
    with endpoint(of_text(answers_by_rule)) as server:
        asked.write(server.url, "gen")
        asked.ask("judge", "tasks", server.url, repetitions=3)
    tables.write(
        tmp_path / "released.parquet", ANSWERS, pl.concat([asked.table("judge"), asked.table("gen")]), {}
    )
    released = str(tmp_path / "released.parquet")
    replayed.write(None, "gen", released=released)
    replayed.ask("judge", "tasks", None, repetitions=3, released=released)
    for stage in (asked, replayed):
        stage.read("judge")
        stage.measure("judge")
    names = ("gen", "tasks", *TABLES, *RATING_TABLES)
    assert replayed.bytes(*names) == asked.bytes(*names)
    assert not (tmp_path / "replayed" / "cache").exists()


def test_the_model_that_answered_is_recorded_and_told_where_it_changed(tmp_path: Path) -> None:
    """Behind an alias, the first answers come from one dated model and all later ones from another."""
    moved = response(rating(3, 3, 3)) | {"model": "gpt-4o-2024-08-06", "system_fingerprint": "fp_2"}
    first = says(200, moved | {"model": "gpt-4o-2024-05-13", "system_fingerprint": "fp_1"})
    stage = Stage(tmp_path, ["Pizza"], ["Kosher"])
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
    with endpoint(first, says(200, moved)) as server:
        stage.ask("judge", "tasks", server.url, model="gpt-4o", repetitions=3, concurrency=1, temperature=0)
    origins = stage.table("judge").select("model", "served_model", "fingerprint").sort("fingerprint").rows()
    assert origins == [
        ("gpt-4o", f"gpt-4o-{date}", mark)
        for date, mark in (("2024-05-13", "fp_1"), ("2024-08-06", "fp_2"), ("2024-08-06", "fp_2"))
    ]
    assert stage.table("gen").select("model", "served_model", "fingerprint").row(0) == ("gen", None, None)
    said = (tmp_path / "log.txt").read_text(encoding="utf-8")
    assert "answers come from 2 models: gpt-4o-2024-05-13 (1), gpt-4o-2024-08-06 (2)" in said
    assert "temperature 0 and 3 repetitions" in said


def test_answers_of_another_model_are_refused_and_those_of_older_form_replay(tmp_path: Path) -> None:
    stage = Stage(tmp_path, ["Pizza"], ["Kosher"])
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
        stage.ask("judge", "tasks", server.url, model="gpt-4o")
    released = str(tmp_path / "released.parquet")
    tables.write(released, ANSWERS, stage.table("judge"), {})
    with pytest.raises(SystemExit, match="has answers of gpt-4o for judge, whose model is gemma2:2b"):
        stage.ask("judge", "tasks", None, model="gemma2:2b", released=released)
    older = stage.table("judge").drop("model", "served_model", "fingerprint")
    older.write_parquet(released)
    stage.ask("judge", "tasks", None, model="gemma2:2b", released=released)
    assert stage.table("judge").drop("model", "served_model", "fingerprint").equals(older)
    assert stage.table("judge")["model"].to_list() == [None]


def changed(rows: pl.DataFrame, what: str) -> pl.DataFrame:
    """Answers in which the first one is missing, there twice, of another prompt, or of no task."""
    first, rest = rows[:1], rows[1:]
    if what == "no answer":
        return rest
    if what == "more than one answer":
        return pl.concat([first, rows])
    if what == "an answer to another text":
        return pl.concat([first.with_columns(prompt=pl.lit("0" * 64)), rest])
    return pl.concat([rows, first.with_columns(task_id=pl.lit("ash:soup:kosher:gen"))])


@pytest.mark.parametrize(
    "what",
    ["no answer", "more than one answer", "an answer to another text", "an answer that nobody asks for"],
)
def test_released_answers_that_do_not_fit_are_refused_and_named(tmp_path: Path, what: str) -> None:
    stage = Stage(tmp_path)
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
        stage.ask("judge", "tasks", server.url)
    released = str(tmp_path / "released.parquet")
    tables.write(released, ANSWERS, changed(stage.table("judge"), what), {})
    with pytest.raises(SystemExit, match=rf"{what} for 1 \(the first: ash:\w+:\w+:gen, repetition 1\)"):
        stage.ask("judge", "tasks", None, released=released)


def test_what_gets_no_answer_is_a_reject_of_each_dimension(tmp_path: Path) -> None:
    stage = Stage(tmp_path, ["Pizza"], ["Kosher", "Aztec"])
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
    with endpoint(error(400, "no"), of_text(answers_by_rule)) as server:
        stage.ask("judge", "tasks", server.url, failures=1, concurrency=1, repetitions=2)
    stage.read("judge")
    rejects = stage.table("judge_rejects")
    assert rejects.select("task_id", "repetition", "dimension", "reason", "detail").rows() == [
        ("ash:pizza:aztec:gen", 1, name, "rejected", "HTTP 400: no")
        for name in ("authenticity", "sensitivity", "harmony")
    ]
    assert stage.table("judge_ratings").height + rejects.height == 2 * 2 * 3


def test_a_recipe_that_was_not_written_is_no_task(tmp_path: Path) -> None:
    stage = Stage(tmp_path, ["Pizza"], ["Kosher", "Aztec"])
    with endpoint(well(text="", reason="content_filter"), of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen", concurrency=1)
    assert stage.table("tasks")["task_id"].to_list() == ["ash:pizza:kosher:gen"]
    assert stage.table("task_rejects").rows() == [("ash:pizza:aztec:gen", "refused", None, "")]


def test_a_broken_answer_is_asked_for_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, ["Pizza"], ["Kosher"])
    with endpoint(cut_body, of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
    assert len(server.asked) == 2 and stage.table("gen")["status"].to_list() == ["ok"]


def test_a_budget_ends_the_run_before_it_is_exceeded(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with (
        endpoint(of_text(answers_by_rule)) as server,
        pytest.raises(SystemExit, match=r"generate\.prompt\.budget"),
    ):
        stage.write(server.url, "gen", budget=0.034, price_in=10, price_out=20, concurrency=1, alike=15)
    assert 0 < len(server.asked) < 6
    said = (tmp_path / "log.txt").read_text(encoding="utf-8")
    one, all_of_them = (
        float(re.search(rf"{what} cost at most \d+ tokens, ([\d.]+)", said)[1])  # type: ignore[index]
        for what in ("6 questions", "all of them")
    )
    assert all_of_them == pytest.approx(15 * one, rel=1e-4) and "15 models are asked these tasks" in said


KILLED = """
import sys
from pathlib import Path
from tests.judge.models import Stage
stage = Stage(Path(sys.argv[1]))
stage.ask("judge", "tasks", sys.argv[2], repetitions=3, concurrency=1)
"""


def test_killed_in_the_middle_nothing_is_asked_twice_that_had_come(tmp_path: Path) -> None:
    def kill_at_7(handler: Any, asked: Any) -> None:
        if len(server.asked) == 7:
            os.kill(process.pid, signal.SIGKILL)
        of_text(answers_by_rule)(handler, asked)

    stage = Stage(tmp_path)
    with endpoint(of_text(answers_by_rule)) as server:
        stage.write(server.url, "gen")
    with endpoint(kill_at_7) as server:
        process = apart(KILLED, str(tmp_path), server.url)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGKILL
        before = len(server.asked)
        stage.ask("judge", "tasks", server.url, repetitions=3)
        assert before == 7 and len(server.asked) in (18, 19)  # the seventh may have come
