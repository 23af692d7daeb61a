"""All runs in one table: baselines, published scores beside, and the table with tabs."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from wokflow.evaluate import comparisons, schemas
from wokflow.evaluate.settings import SummarySettings
from wokflow.evaluate.summary import HEADINGS, as_text, evaluate_summary, read_published
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError

from tests.conftest import ROOT
from tests.evaluate.adapted import METADATA, write_parts

PUBLISHED = str(ROOT / "resources" / "published.tsv")
BOOTSTRAP = {"samples": 50, "seed": 1}


@pytest.fixture(autouse=True, scope="module")
def few_instances_suffice() -> Iterator[None]:
    """So that examples can be reckoned by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparisons, "LEAST", 1)
        yield


def part(run: str, dataset: str = "zh-en/silver", **values: float) -> list[dict[str, object]]:
    """Two instances of a run; a metric's values are one above and one below what is given."""
    return [
        {
            "instance_id": f"i{sign}",
            "run": run,
            "dataset": dataset,
            "metric": metric,
            "parts": [float(value + sign), 1.0],
        }
        for metric, value in values.items()
        for sign in (-1, 1)
    ]


def judged(**runs: list[str]) -> pl.DataFrame:
    """A table evaluate/outputs of zh-en/silver: the warnings of each run; a run called smoke is a smoke test."""
    empty = tables.frame(schemas.OUTPUTS)
    counts = dict.fromkeys(("distinct_sources", "predictions", "distinct"), 2)
    rows = [
        {"run": run, "dataset": "zh-en/silver", "warnings": said, "smoke_test": run == "smoke"} | counts
        for run, said in runs.items()
    ]
    return pl.concat([empty, pl.DataFrame(rows, empty.schema)]) if rows else empty


def summed(
    folder: Path,
    rows: list[dict[str, object]],
    *,
    log: io.StringIO | None = None,
    seen: pl.DataFrame | None = None,
    **baselines: str | None,
) -> dict[str, Any]:
    names = ("scores", "comparisons", "summary", "table")
    outputs = {name: str(folder / "out" / name) for name in names}
    parts = [write_parts(folder / "parts", rows)] if rows else []
    tables.write(folder / "seen", schemas.OUTPUTS, judged() if seen is None else seen, METADATA)
    of_data = {name.replace("_", "-"): run for name, run in baselines.items()}
    given = {"baselines": of_data, "bootstrap": BOOTSTRAP, "trials": 100, "published": PUBLISHED}
    evaluate_summary(
        parts=parts,
        outputs=[str(folder / "seen")],
        **outputs,
        settings=SummarySettings.model_validate(given),
        job=Job(METADATA, Progress(log)),
    )
    read: dict[str, Any] = {name: tables.read(path) for name, path in outputs.items() if name != "table"}
    return read | {"table": Path(outputs["table"]).read_text(encoding="utf-8")}


def test_runs_are_scored_and_compared_with_the_baseline_of_their_data(tmp_path: Path) -> None:
    rows = [*part("a", bleu=30, tokens=5), *part("b", bleu=20), *part("c", "en-zh/gold", bleu=9)]
    found = summed(tmp_path, rows, zh_en="b", en_zh=None)
    assert found["scores"].select("run", "dataset", "metric", "value", "instances").rows() == [
        ("c", "en-zh/gold", "bleu", 9, 2),
        ("a", "zh-en/silver", "bleu", 30, 2),
        ("a", "zh-en/silver", "tokens", 5, 2),
        ("b", "zh-en/silver", "bleu", 20, 2),
    ]
    (row,) = found["comparisons"].to_dicts()
    assert (row["metric"], row["run"], row["baseline"], row["instances"]) == ("bleu", "a", "b", 2)
    assert row["difference"] == 10 and row["p_value"] == 1 / 2  # of two instances that both are better by 10


def test_published_scores_stand_below_the_runs_of_their_data_set(tmp_path: Path) -> None:
    summary = summed(tmp_path, part("z", bleu=30))["summary"]
    assert summary.select("run", "origin").rows() == [
        ("z", "this run"),
        *((run, "published") for run in ("MT-zs", "MT-ft", "mT5", "mBART50")),
    ]
    scores = {"bleu": 60.0, "chrf": 37.2, "rouge_l": 19.5, "bertscore": 62.9, "smatch": 31.0, "tokens": 85.2}
    names = {"dataset": "zh-en/silver", "run": "mT5", "origin": "published", "note": None}
    row = summary.filter(pl.col("run") == "mT5").row(0, named=True)
    assert row == dict.fromkeys(schemas.MEASURES) | scores | names
    assert summary["bleu"][0] == 30 and summary["chrf"][0] is None


def test_published_figures_that_are_no_scores_stand_beside_no_run(tmp_path: Path) -> None:
    """Not even where a source of sentences has the name of a published table: zh-en/people are ratings."""
    summary = summed(tmp_path, part("mine", "zh-en/people", bleu=30))["summary"]
    assert summary["run"].to_list() == ["mine"]


def test_published_bleu_of_chinese_is_of_jiebas_words(tmp_path: Path) -> None:
    summary = summed(tmp_path, part("z", "en-zh/gold", bleu=30))["summary"]
    retrieval = summary.filter(pl.col("run") == "Retrieval").row(0, named=True)
    assert (retrieval["bleu"], retrieval["bleu_jieba"]) == (None, 32.8)


def test_a_name_that_is_a_formula_is_text_in_the_table() -> None:
    row = dict.fromkeys(HEADINGS, -0.25) | {
        "run": "=1+1",
        "dataset": "zh-en/silver",
        "origin": None,
        "note": "＠a",
    }
    cells = as_text(pl.DataFrame(row, schema_overrides={"origin": pl.String})).splitlines()[1].split("\t")
    assert (cells[:4], cells[-1]) == (["zh-en/silver", "'=1+1", "", "-0.2"], "'＠a")


def test_the_table_has_the_columns_of_the_papers(tmp_path: Path) -> None:
    head, *lines = summed(tmp_path, part("z", bleu=30.06, tokens=99))["table"].splitlines()
    assert head.startswith("Data\tMethod\tOrigin\tBLEU\tBLEU (jieba)\t") and head.endswith("\t# Tok.\tNote")
    own, published = (dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines[:2])
    assert {name: cell for name, cell in own.items() if cell} == {
        "Data": "zh-en/silver",
        "Method": "z",
        "Origin": "this run",
        "BLEU": "30.1",
        "# Tok.": "99.0",
    }
    assert {name: cell for name, cell in published.items() if cell} == {
        "Data": "zh-en/silver",
        "Method": "MT-zs",
        "Origin": "published",
        "BLEU": "6.8",
        "ChrF": "28.7",
        "R-L": "12.0",
        "B-Sc": "54.0",
        "Smatch": "23.7",
        "# Tok.": "82.4",
    }


def test_published_columns_that_are_in_doubt_say_so(tmp_path: Path) -> None:
    summary = summed(tmp_path, part("z", "en-zh/gold", bleu=30))["summary"].rows_by_key("run", named=True)
    assert "they may be the other way round" in summary["BLOOM"][0]["note"]
    assert "counts characters and, twice each, the blanks" in summary["BLOOM"][0]["note"]
    assert "other way round" not in summary["mT5"][0]["note"] and summary["z"][0]["note"] is None
    assert (summary["GPT-4"][0]["rouge_l"], summary["GPT-4"][0]["rouge_l_blanks"]) == (None, 61.0)


def test_warnings_stand_beside_scores_and_smoke_tests_have_none(tmp_path: Path) -> None:
    rows = [*part("a", bleu=30), *part("b", bleu=20), *part("smoke", bleu=90)]
    seen = judged(a=["1 distinct texts for 2 sources", "2 of 2 predictions are empty"], b=[], smoke=["x"])
    found = summed(tmp_path, rows, seen=seen, zh_en="b")
    ours = found["summary"].filter(origin="this run").select("run", "note")
    assert ours.rows() == [("a", "1 distinct texts for 2 sources; 2 of 2 predictions are empty"), ("b", None)]
    assert set(found["comparisons"]["run"]) == {"a"} and "smoke" not in found["table"]
    assert "smoke" in set(found["scores"]["run"])


def test_a_run_called_like_a_published_one_is_a_row_of_its_own(tmp_path: Path) -> None:
    summary = summed(tmp_path, part("MT-ft", bleu=30))["summary"].filter(pl.col("run") == "MT-ft")
    assert summary.select("origin", "bleu").rows() == [("this run", 30), ("published", 68.9)]


def test_without_runs_all_tables_are_empty(tmp_path: Path) -> None:
    found = summed(tmp_path, [], zh_en="a")
    assert all(found[name].is_empty() for name in ("scores", "comparisons", "summary"))
    assert found["table"].count("\n") == 1
    written = pq.read_schema(tmp_path / "out" / "summary")
    assert written.names == schemas.SUMMARY.names


def test_with_a_baseline_that_was_not_scored_nothing_is_compared(tmp_path: Path) -> None:
    log = io.StringIO()
    found = summed(tmp_path, [*part("b", bleu=1), *part("a", bleu=1)], log=log, zh_en="x")
    assert found["comparisons"].is_empty()
    assert found["scores"].height == 2
    assert "the baseline x was not scored on zh-en: nothing is compared with it" in log.getvalue()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data\tdataset\trun\tmetric\n", "line 1: missing column value"),
        (
            "data\tdataset\trun\tmetric\tvalue\nzh-en\tgold\tx\tbleu\tmany\n",
            "line 2, column value: 'many' is not a number",
        ),
        (
            "data\tdataset\trun\tmetric\tvalue\tdeviation\nzh-en\tgold\tx\tbleu\t1\t\nzh-en\tgold\ty\tbleu\t1\t±2\n",
            "line 3, column deviation: '±2' is not a number",
        ),
        (
            "data\tdataset\trun\tmetric\tvalue\nzh-en\tgold\tx\tbleu\t1\nzh-en\tgold\tx\tbleu\t2\n",
            "line 3: line 2 already has this figure",
        ),
    ],
)
def test_published_scores_that_are_none_are_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "published.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_published(str(path))


def test_published_scores_are_all_there() -> None:
    rows = read_published(PUBLISHED)
    of_recipes = rows.filter(
        pl.col("dataset").str.ends_with("gold") | pl.col("dataset").str.ends_with("silver")
    )
    assert set(of_recipes["metric"]) <= set(schemas.MEASURES)
    langs = ("zh", "fr", "es", "hi", "ta", "te")
    of_sentences = {f"{pair}/camt": 32 for lang in langs for pair in (f"en-{lang}", f"{lang}-en")}
    of_sentences |= {f"{pair}/sentences": 4 for pair in (*(f"en-{lang}" for lang in langs), "all")}
    adapted = {"gold": 48, "silver": 24, "recipes": 14, "people": 32, "correlations": 25}
    of_adaptation = {
        f"{pair}/{name}": count for pair in ("zh-en", "en-zh") for name, count in adapted.items()
    }
    assert dict(rows.group_by("dataset").len().iter_rows()) == of_adaptation | of_sentences | {
        "lexicon/words": 5,
        "ash/pairs": 2,
        "ash/cuisines": 120,
        "ash/people": 27,
        "counterfactual/models": 61,
        "counterfactual/best_worst": 12,
        "counterfactual/pivots": 2,
        "counterfactual/corpus": 6,
        "counterfactual/parsed": 4,
        "en-zh/pta": 34,
        "zh-en/pta": 12,
        "en-zh/pearson": 12,
        "dialogues/dialogues": 15,
        "dialogues/edited": 3,
        "dialogues/edits": 21,
        "dialogues/items": 1,
        "dialogues/people": 5,
    }
    assert not rows.select("dataset", "run", "metric").is_duplicated().any()
