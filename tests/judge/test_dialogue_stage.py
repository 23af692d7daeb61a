"""Dialogues through the workflow: adapted, measured and judged by the answers that ship with the demo."""

from pathlib import Path

import polars as pl
from wokflow.evaluate.stage import ADAPTATION_FIGURES, ADAPTATION_TABLES
from wokflow.frame import tables

from tests.conftest import copy_house, rules_run, snakemake


def test_the_demo_s_dialogues_are_adapted_measured_and_judged_without_an_endpoint(tmp_path: Path) -> None:
    house = copy_house(tmp_path / "house")
    folder = "results/evaluate/dialogues"
    wanted = [f"{folder}/{table}/part-00000.parquet" for table in (*ADAPTATION_TABLES, *ADAPTATION_FIGURES)]
    ran = snakemake(house, *wanted, "--configfile", "config/demo.yaml", cores=2)
    assert rules_run(ran.stdout) == {
        *("ingest_dialogues", "ingest_annotations", "generate_dialogues", "generate_prompt"),
        *("generate_adaptations", "judge_dialogues", "judge_prompt", "judge_edits", "judge_edit_tasks"),
        *("judge_ratings", "evaluate_dialogues", "evaluate_adaptations"),
    }
    edited = tables.read(house / folder / "edited/part-00000.parquet").filter(by="all", threshold=90.0)
    shares = dict(edited.select("run", "share").iter_rows())
    assert shares["bold-adapts"] > 90 > shares["mild-adapts"] > 40
    means = tables.read(house / folder / "means/part-00000.parquet").filter(dimension="localisation")
    assert set(means["study"]) == {"dialogues", "edits"} and set(means["run"]) == shares.keys()
    aspects = tables.read(house / folder / "aspects/part-00000.parquet")
    bold = aspects.filter(
        pl.col("rater").is_null(), run="bold-adapts", dimension="naturalness", other="stereotypical"
    )
    assert bold["tau"].item() < 0
