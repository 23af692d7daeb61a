"""Retrieval gives what lies beside an instance."""

from pathlib import Path

import polars as pl
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.generate import schemas
from wokflow.generate.retrieval import generate_retrieval


def test_matches_are_predictions_and_instances_without_one_are_left_out(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "instance_id": ["b", "c", "a"],
            "dataset": ["silver"] * 3,
            "source_id": ["x:1", "x:2", "x:3"],
            "title": ["t"] * 3,
            "source": ["Title: t"] * 3,
            "retrieved": ["rice\negg", None, ""],
        }
    ).with_columns(pl.lit(None, pl.String).alias(name) for name in ("base", "reference", "reference_id"))
    tables.write(tmp_path / "instances", schemas.INSTANCES, frame, {})
    with (tmp_path / "log").open("w+") as log:
        generate_retrieval(
            instances=str(tmp_path / "instances"),
            predictions=str(tmp_path / "out"),
            run="pairs",
            job=Job({"key": "k"}, Progress(log)),
        )
        log.seek(0)
        assert "1 of 3 instances have no match and are left out" in log.read()
    found = tables.read(tmp_path / "out")
    assert found.columns == schemas.PREDICTIONS.names
    assert found.rows() == [("a", "pairs", ""), ("b", "pairs", "rice\negg")]
