"""What a run shows on the screen: a line for each job, what came out, what was not found, and what went wrong."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.workflow.changes import replace, setting
from tests.workflow.conftest import copy_of, new_house


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("WOKFLOW_SCREEN")
    return new_house(tmp_path / "house")


def test_a_run_shows_a_line_for_each_job_and_ends_with_what_came_out(house: Path) -> None:
    lines = snakemake(house, "--", "ingest").stdout.splitlines()
    shown = [line.split("  ")[1:] for line in lines if "ingest_" in line and " of " in line]
    assert sorted(name for name, _ in shown) == [
        *("ingest_recipes recipenlg", "ingest_recipes xiachufang"),
        "ingest_sentences lines",
        *("ingest_source lines", "ingest_source recipenlg", "ingest_source xiachufang"),
    ]
    assert "about 6 jobs; .snakemake/log has all that Snakemake says" in lines
    counts = [count for _, count in shown]
    sources = max(number for number, (name, _) in enumerate(shown) if name.startswith("ingest_source"))
    assert counts == [f"({done} of {'about ' * (done <= sources)}6)" for done in range(1, 7)]
    assert "Recipes   7 of 9 rows of recipenlg, 7 of 8 rows of xiachufang: results/ingest/recipes" in lines
    assert "Left out  ingest: 1 of 4 rows of lines (1 empty_side)" in lines
    assert "          ingest: 2 of 9 rows of recipenlg (1 duplicate, 1 empty_title)" in lines
    assert len(lines) < 20
    [log] = (house / ".snakemake/log").iterdir()
    assert "checkpoint ingest_source:" in log.read_text(encoding="utf-8"), "the log has Snakemake's own lines"


def test_snakemakes_own_lines_can_be_shown(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOKFLOW_SCREEN", "full")
    shown = snakemake(house, "--", "results/ingest/source/lines.json").stdout
    assert "checkpoint ingest_source:" in shown and "Select jobs to execute" in shown
    monkeypatch.delenv("WOKFLOW_SCREEN")
    assert "rule match_pair:" in snakemake(house, "--dry-run").stdout, "a dry run shows all"


def test_a_swapped_corpus_stops_the_run_and_says_so_on_the_screen(house: Path) -> None:
    shutil.copy(house / "data/en.csv", house / "data/zh.json")
    done = snakemake(house, "--", "match", check=False)
    assert done.returncode != 0
    assert (
        "data/zh.json is the file that recipenlg publishes. Are the paths in `sources` swapped?"
        in done.stdout
    )
    assert (
        "ingest_recipes xiachufang failed\n    log: results/logs/ingest_recipes/xiachufang.log" in done.stdout
    )
    assert "Traceback" not in done.stdout and "CalledProcessError" not in done.stdout
    assert not (house / "results/match/pairs").exists()


def test_ctrl_c_leaves_no_traceback_and_the_same_command_goes_on(house: Path) -> None:
    code = "scripts/wokflow/ingest/recipes.py"
    told = "    reader = READERS"
    assert told in (house / code).read_text(encoding="utf-8")
    asleep = house / "asleep"
    wait = f"    __import__('pathlib').Path({str(asleep)!r}).touch()\n    __import__('time').sleep(600)\n"
    replace(code, told, wait + told)(house)
    log = house / "results/logs/ingest_recipes/recipenlg.log"
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        "1",
        "results/ingest/recipes/recipenlg/part-00000.parquet",
    ]
    with subprocess.Popen(
        command,
        cwd=house,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # in the background it is ignored
    ) as run:
        while run.poll() is None and not asleep.exists():
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        shown, _ = run.communicate(timeout=600)
    assert "stopping ingest_recipes recipenlg; 1 done before" in shown and "Stopped by Ctrl-C." in shown
    assert "Traceback" not in shown and "failed" not in shown
    assert log.read_text(encoding="utf-8").endswith(" interrupted\n")
    replace(code, wait + told, told)(house)
    assert "ingest_source" not in snakemake(house, "--", command[-1]).stdout


def test_what_was_not_found_stands_at_the_end_and_in_the_report(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WOKFLOW_SCREEN")
    house = copy_of(built, tmp_path / "house")
    setting("match.pair.threshold", 1)(house)
    setting("runs", "config/runs.tsv")(house)
    (house / "data/pairs.tsv").write_text(
        "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n佛跳墙\t蛋炒饭\t鲍鱼\t饭\n",
        encoding="utf-8",
    )
    (house / "data/en.csv").write_text(
        (house / "data/en.csv").read_text(encoding="utf-8").splitlines()[0]
        + '\n0,Toast,"[""bread""]","[""Toast it.""]",x,y,[]\n',
        encoding="utf-8",
    )
    shown = snakemake(house, cores=2).stdout
    page = (house / "results/report/page/index.html").read_text(encoding="utf-8")
    for note in (
        "zh-en: no two titles reach match.pair.threshold (1), so there are no pairs.",
        "1 of 1 pairs of dishes cannot be compared: there are no recipes of 佛跳墙.",
        "There is nothing to ask people about in pivot/questions/questions.tsv: no two dishes could be compared.",
    ):
        assert f"  - {note}" in shown
        assert note in page
    assert "  - No model is trained or scored: the table of runs is empty." in shown
    assert "No run was evaluated" in page
    assert "Report    results/report/page/index.html (open it in a browser)" in shown
    assert "pkg_resources" not in shown and "Loading weights" not in shown
