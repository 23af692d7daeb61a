"""The section on counterfactual evaluation."""

from pathlib import Path
from typing import Any

import pytest
from wokflow.evaluate import schemas
from wokflow.evaluate.changes import signature
from wokflow.report import adaptation
from wokflow.report.evaluation import LEVELS, OF_PAPER, section
from wokflow.report.published import published

from tests.conftest import ROOT
from tests.report.parts import shown, table

PUBLISHED = str(ROOT / "resources" / "published.tsv")


def score(run: str, metric: str, value: float | None, dataset: str = "counterfactual") -> dict[str, Any]:
    row: dict[str, Any] = {"run": run, "dataset": dataset, "metric": metric, "value": value, "signature": ""}
    ends = {"low": None, "high": None} if value is None else {"low": value - 1, "high": value + 1}
    return row | ends | {"instances": 7, "note": None if value is not None else "No model is given."}


def page(folder: Path, rows: list[dict[str, Any]]) -> str:
    parts = {"evaluate_scores": table(folder, "evaluate/scores", schemas.SCORES, rows)}
    return shown("counterfactual", section(parts, 0.9, PUBLISHED))


def test_scores_with_intervals_beside_the_paper(tmp_path: Path) -> None:
    pair = score("copy", "bleu", 50.0, "counterfactual/宫保鸡丁/宫保虾球")
    html = page(tmp_path, [score("copy", "bleu", 12.34), score("mine <1>", "hard_f1", 9.0), pair])
    assert '<td class="n">12.3<small>11.3 to 13.3</small>' in html and "50.0" not in html
    assert "7 instances (dish pairs: 1)" in html and "(90 %)" in html
    assert "mine &lt;1&gt;" in html and "the base recipe as it is" in html
    assert "GPT-2 (D+R)<small>the paper</small>" in html


def test_missing_scores_say_why(tmp_path: Path) -> None:
    rows = [score(run, "bertscore", None) for run in ("copy", "retrieve")]
    assert "– BERTScore: No model is given." in page(tmp_path / "all", rows)
    html = page(tmp_path / "some", [*rows, score("mine", "bertscore", 80.0)])
    assert html.count("No model is given.") == 1 and "– BERTScore (copy, retrieve): No" in html


def test_metrics_lacking_for_one_reason_are_each_named_with_their_runs(tmp_path: Path) -> None:
    rows = [score("copy", "bertscore", None), score("mine", "bertscore", 9.0)]
    rows += [score("copy", "bleu", 9.0), score("mine", "bleu", None)]
    html = page(tmp_path, rows)
    assert "– BERTScore (copy): No" in html and "– BLEU (mine): No" in html
    every = [(data, run) for data in ("a/silver", "a/gold", "b/silver") for run in ("r", "s")]
    names = {"a": "A", "b": "B"}
    for some, where in (
        (every, ""),
        (every[:4], "A"),
        (every[:2], "A silver"),
        (every[:1], "A silver, r"),
        (every[::2], "r"),
        ([every[0], every[3]], "s on A gold, r on A silver"),
    ):
        assert adaptation._where(some, every, names) == where


def test_a_metric_of_fewer_instances_says_of_how_many(tmp_path: Path) -> None:
    rows = [score("mine", "hard_f1", 9.0), score("mine", "order_accuracy", 100.0) | {"instances": 1}]
    assert "Instances that count: 7; for In order 1." in page(tmp_path, rows)


def test_each_figure_of_the_paper_has_a_column(tmp_path: Path) -> None:
    figures = published(PUBLISHED, OF_PAPER)
    assert figures.pop("Human experts") == {"bleu": 65.2}
    names = {name for metrics in LEVELS.values() for name in metrics} - {"bleu_sentence"}
    assert {run: row.keys() for run, row in figures.items()} == dict.fromkeys(figures, names)
    assert figures["EDUCAT"]["bertscore"] == 81.4 and figures["DELOREAN"]["order_accuracy"] == 80
    html = page(tmp_path, [])
    assert all(f"{run}<small>the paper</small>" in html for run in ("GPT-2 (D)", "EDUCAT", "Human experts"))


@pytest.mark.parametrize("definition", ["paper", "possible"])
def test_the_page_says_which_pivot_actions_count(definition: str, tmp_path: Path) -> None:
    html = page(tmp_path, [score("mine", "hard_f1", 9.0) | {"signature": signature(definition)}])
    assert ("all of them, as in the paper" in html) == (definition == "paper")
    assert ("neither credit nor fault" in html) == (definition == "possible")


def test_no_runs(tmp_path: Path) -> None:
    html = page(tmp_path, [])
    assert "No run was evaluated" in html and "DELOREAN" in html
