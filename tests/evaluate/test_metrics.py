"""A run's predictions to parts: which instances count, and what is written of them."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.evaluate.contributions import one_line
from wokflow.evaluate.metrics import evaluate_metrics
from wokflow.evaluate.settings import MetricsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError

from tests.evaluate.adapted import JOB, METADATA, write_instances, write_predictions

INSTANCES = [
    {"instance_id": "silver:b", "reference": "Tofu\nsoup"},
    {"instance_id": "silver:a", "reference": "Tofu\nsoup"},
    {"instance_id": "silver:c", "reference": None},
    {"instance_id": "silver:d", "reference": "Rice"},
    {"instance_id": "gold:a", "dataset": "gold", "reference": "Tofu soup of four words"},
]
PREDICTIONS = {"silver:a": "Tofu\nsoup", "silver:b": "", "silver:c": "x", "gold:a": "Tofu soup"}


def written(folder: Path, progress: Progress | None = None, data: str = "zh-en") -> pl.DataFrame:
    out = folder / "parts.parquet"
    evaluate_metrics(
        instances=write_instances(folder / "instances.parquet", INSTANCES),
        predictions=write_predictions(folder / "predictions.parquet", "r", PREDICTIONS),
        parts=str(out),
        run="r",
        settings=MetricsSettings(data=data),
        job=Job(METADATA, progress or Progress()),
    )
    return tables.read(out)


def test_instances_with_reference_and_prediction_count_by_data_set(tmp_path: Path) -> None:
    rows = written(tmp_path).filter(pl.col("metric") == "tokens")
    assert rows.select("dataset", "instance_id", "run", "statistic").rows() == [
        ("zh-en/gold", "gold:a", "r", "mean"),
        ("zh-en/silver", "silver:a", "r", "mean"),
        ("zh-en/silver", "silver:b", "r", "mean"),
    ]
    assert rows["parts"].to_list() == [
        [2, 1],
        [2, 1],
        [0, 1],
    ]  # the empty one is scored, and the missing one not


def test_all_metrics_are_there_and_what_was_left_out_says_why(tmp_path: Path) -> None:
    rows = written(tmp_path).filter(pl.col("instance_id") == "silver:a").rows_by_key("metric", named=True)
    assert {name: row[0]["statistic"] for name, row in rows.items()} == {
        "bleu": "bleu:13a",
        "bleu_jieba": "mean",
        "chrf": "chrf",
        "rouge_l": "mean",
        "rouge_l_blanks": "mean",
        "tokens": "mean",
    }
    assert rows["bleu_jieba"][0]["value"] is None and "English" in rows["bleu_jieba"][0]["note"]
    bleu = rows["bleu"][0]
    assert (bleu["text"], bleu["reference"]) == ("Tofu soup", "Tofu soup") and bleu["value"] == pytest.approx(
        100
    )
    assert bleu["parts"] is None and bleu["note"] is None
    assert "version:" in rows["chrf"][0]["signature"]


def test_into_chinese_there_are_two_kinds_of_bleu(tmp_path: Path) -> None:
    rows = written(tmp_path, data="en-zh")
    assert rows.filter(pl.col("metric") == "bleu_jieba")["value"].null_count() == 0
    assert "tok:zh" in rows.filter(pl.col("metric") == "bleu")["signature"][0]


def test_the_log_says_what_is_missing(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as log:
        written(tmp_path, Progress(log))
        log.seek(0)
        assert "r: 1 of 4 instances have no prediction and are left out" in log.read()


def test_a_run_without_predictions_gives_an_empty_table(tmp_path: Path) -> None:
    out = tmp_path / "parts.parquet"
    evaluate_metrics(
        instances=write_instances(tmp_path / "i.parquet", INSTANCES),
        predictions=write_predictions(tmp_path / "p.parquet", "r", {"other": "x"}),
        parts=str(out),
        run="r",
        settings=MetricsSettings(data="zh-en"),
        job=JOB,
    )
    assert tables.read(out).is_empty()


def test_two_predictions_for_one_instance_are_refused(tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "p.parquet", "r", PREDICTIONS)
    twice = pl.concat([pl.read_parquet(path)] * 2)
    twice.write_parquet(path)
    with pytest.raises(UserError, match=r"p\.parquet: run r has instance \S+ twice"):
        evaluate_metrics(
            instances=write_instances(tmp_path / "i.parquet", INSTANCES),
            predictions=path,
            parts=str(tmp_path / "out"),
            run="r",
            settings=MetricsSettings(data="zh-en"),
            job=JOB,
        )


def test_line_breaks_of_all_kinds_become_spaces() -> None:
    assert one_line("a\nb\r\nc\u2028d\n") == "a b c d"
