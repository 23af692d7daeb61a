"""How long the workflow itself takes: a plan of many shards, a run with nothing to do, the demo."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench import measure
from tests.bench.measure import Measured, at_most, timed
from tests.conftest import copy_house, snakemake

SHARDS = {"tiny": 20, "small": 200, "full": 200}[measure.scale()]
TARGETS = {"tiny": ("match",), "small": (), "full": ()}  # of the demo
ROUNDS = {"tiny": 1, "small": 3, "full": 3}
DEMO_SECONDS, START_SECONDS = 300, 10  # at most: the demo; what happens before the first job
DEMO = ("--configfile", "config/demo.yaml")
SHARDED = (
    f"match: {{translate: {{shards: {SHARDS}}}, embed: {{shards: {SHARDS}}}, search: {{shards: {SHARDS}}}}}"
)
ALONE, NEW, DONE, PLANNED = (
    "Snakemake alone, one rule",
    f"dry run, {SHARDS} shards, no results",
    "run with nothing to do",
    f"dry run, {SHARDS} shards, results there",
)


def test_workflow(data: Path) -> None:
    new, done, alone = copy_house(data / "new"), copy_house(data / "done"), data / "alone"
    alone.mkdir()
    (alone / "Snakefile").write_text(
        'rule all:\n    output:\n        "made"\n    shell:\n        "touch {output}"\n'
    )
    plan = ["-n", *DEMO, str(data / "shards.yaml")]
    (data / "shards.yaml").write_text(SHARDED)
    demo, targets = [*DEMO, "--quiet", "host", "progress"], TARGETS[measure.scale()]
    first = timed(lambda: snakemake(done, *demo, "--", *targets, cores=measure.THREADS))
    assert targets or (done / "results" / "report" / "page" / "index.html").exists()
    runs = {
        ALONE: lambda: snakemake(alone, "-n").stdout,
        NEW: lambda: snakemake(new, *plan).stdout,
        DONE: lambda: snakemake(done, *DEMO, "--", *targets, cores=measure.THREADS).stdout,
        PLANNED: lambda: snakemake(done, *plan).stdout,
    }
    measured = in_turn(runs)
    for empty in measured[DONE]:
        assert "Nothing to be done" in empty.outcome, empty.outcome
    assert all(jobs(dry.outcome) > 2 * SHARDS for name in (NEW, PLANNED) for dry in measured[name])
    publish(first, measured)


def in_turn(runs: dict[str, Callable[[], Any]]) -> dict[str, list[Measured]]:
    measured: dict[str, list[Measured]] = {name: [] for name in runs}
    for _ in range(ROUNDS[measure.scale()]):
        for name, run in runs.items():
            measured[name].append(timed(run))
            print(f"  {name}: {measured[name][-1].wall:.2f} s", flush=True)
    return measured


def jobs(output: str) -> int:
    """The number of jobs that a dry run would run."""
    found = re.search(r"^total\s+(\d+)", output, re.M)
    return int(found[1]) if found else 0


def publish(demo: Measured, measured: dict[str, list[Measured]]) -> None:
    targets = " ".join(TARGETS[measure.scale()])
    what, most = (f"first run of {targets}", "") if targets else ("first run of the demo", f"{DEMO_SECONDS}")
    rows = [[what, "", f"{demo.wall:.1f}", f"{demo.cpu:.1f}", "", most]]
    rows += [
        [
            name,
            f"{jobs(results[0].outcome):,}",
            f"{measure.middle(results, 'wall'):.1f}",
            f"{measure.middle(results, 'cpu'):.1f}",
            f"{measure.ratio(results, measured[ALONE]):.1f}",
            "" if name == ALONE else f"{START_SECONDS}",
        ]
        for name, results in measured.items()
    ]
    measure.publish(
        "workflow",
        "The workflow itself",
        f"""Three sorts of run of Snakemake: a dry run with {SHARDS} shards each of translation, embedding
        and search, before any results and with those of the demo in place; a run with nothing to do;
        and the demo, from raw corpora to release and report on {measure.THREADS} cores, the
        environment being there. For comparison, a dry run of a Snakefile with a single rule.
        {measure.repeat("test_workflow.py")}""",
        measure.machine("snakemake"),
        measure.table(["what", "jobs", "s", "CPU s", "times Snakemake alone", "target, at most s"], rows),
        targets=[
            *([] if targets else [at_most(demo.wall, DEMO_SECONDS)]),
            *(
                at_most(measure.middle(measured[name], "wall"), START_SECONDS)
                for name in (NEW, DONE, PLANNED)
            ),
        ],
    )
