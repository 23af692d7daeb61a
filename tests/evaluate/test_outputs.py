"""Degenerate predictions: each kind planted among good ones, and found."""

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.outputs import evaluate_outputs
from wokflow.evaluate.settings import OutputsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.generate import schemas as generate
from wokflow.train import schemas as train

from tests.evaluate.adapted import JOB, METADATA, write_instances, write_predictions

COUNT = 10
IDS = [f"silver:{number}" for number in range(COUNT)]
GOOD = {name: f"Tofu soup {number}\nTofu, salt.\nCook it." for number, name in enumerate(IDS)}
LEARNT = ["Title: Braised pork\nIngredients: pork\nSteps: Braise it.\n"]


def judged(folder: Path, texts: dict[str, str], *statuses: list[str]) -> dict[str, Any]:
    """The one row of a run whose sources are in Chinese; it learnt LEARNT, or was asked, by turn, with statuses."""
    rows: list[dict[str, str | None]] = [
        {
            "instance_id": name,
            "source": f"Title: 豆腐汤{number}\nIngredients: 豆腐，盐\nSteps: 煮。\n",
            "reference": "Tofu soup\nTofu\nCook.",
        }
        for number, name in enumerate(IDS)
    ]
    examples, calls = str(folder / "examples"), str(folder / "calls")
    told = {"instance_id": "x", "split": "train", "title": "t", "source": "s"}
    learnt = pl.DataFrame([told | {"target": target} for target in LEARNT])
    tables.write(examples, train.EXAMPLES, learnt, METADATA)
    if statuses:
        empty = tables.frame(generate.CALLS)
        asked = [
            pl.DataFrame({"instance_id": IDS, "status": given}).with_columns(
                run=pl.lit("r"),
                prompt=pl.lit("p"),
                request=pl.lit("q"),
                answer=pl.lit(""),
                turn=pl.lit(turn, pl.Int32),
            )
            for turn, given in enumerate(statuses, start=1)
        ]
        rows_asked = pl.concat([empty, *asked], how="diagonal").sort("instance_id", "turn")
        tables.write(calls, generate.CALLS, rows_asked, METADATA)
    evaluate_outputs(
        instances=write_instances(folder / "instances", rows),
        predictions=write_predictions(folder / "predictions", "r", texts),
        examples=[] if statuses else examples,
        calls=calls if statuses else [],
        outputs=str(folder / "out"),
        run="r",
        settings=OutputsSettings(data="zh-en", lang="en", smoke_test=False),
        job=JOB,
    )
    return tables.read(folder / "out").row(0, named=True)


def test_nothing_is_found_in_good_predictions(tmp_path: Path) -> None:
    row = judged(tmp_path, GOOD)
    assert row.pop("warnings") == [] and row.pop("smoke_test") is False
    assert row == {
        "run": "r",
        "dataset": "zh-en/silver",
        "distinct_sources": 10,
        "predictions": 10,
        "distinct": 10,
        "copied_train": 0,
        "copied_source": 0,
        "empty": 0,
        "wrong_language": 0,
        "refused": None,
        "truncated": 0,
    }


def planted(*texts: str) -> dict[str, str]:
    return GOOD | dict(zip(IDS, texts, strict=False))


KINDS = {
    "copied_train": (
        planted("Braised pork\npork\nBraise it.", "Braised  pork pork Braise it."),
        "2 of 10 predictions are targets of the training, word for word",
    ),
    "copied_source": (
        planted("豆腐汤0\n豆腐，盐\n煮。", "豆腐汤1\n豆腐，盐\n煮。"),
        "2 of 10 predictions are their source, unchanged",
    ),
    "empty": (planted("", " \n"), "2 of 10 predictions are empty"),
    "wrong_language": (
        planted("豆腐汤，煮豆腐。", "Tofu 汤，煮豆腐。"),
        "2 of 10 predictions are not in the language asked for",
    ),
    "truncated": (
        planted("Tofu soup\nTofu\nCook the", "Cut"),
        "2 of 10 predictions end before they are complete",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_and_said(tmp_path: Path, kind: str) -> None:
    texts, said = KINDS[kind]
    row = judged(tmp_path, texts)
    assert row[kind] == 2 and said in row["warnings"]
    others = {"copied_train", "empty", "truncated"} - {kind}
    assert all(row[other] == 0 for other in others)


GERMAN = (
    "Title: Mehlsuppe\nIngredients: 500 g Mehl, 2 Eier\nSteps: Das Mehl in Butter anrösten, ablöschen und {}."
)
BORROWED = (
    "Title: Coq au vin\nIngredients: 1 bouquet garni, crème fraîche\nSteps: Fry chicken, add the wine and {}."
)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GERMAN, 2),
        (BORROWED, 0),
        ("Title: {}\nGulasch, Knödel, Sauerkraut", 0),  # too short to tell
    ],
)
def test_another_language_of_the_same_script_is_found_where_it_is_certain(
    tmp_path: Path, text: str, wrong: int
) -> None:
    row = judged(tmp_path, planted(text.format("kurz kochen"), text.format("die Eier darin verquirlen")))
    assert row["wrong_language"] == wrong


def test_one_faulty_prediction_in_ten_is_counted_without_a_warning(tmp_path: Path) -> None:
    row = judged(tmp_path, planted(""))
    assert row["empty"] == 1 and row["warnings"] == []


def test_the_same_text_for_different_sources_is_said(tmp_path: Path) -> None:
    row = judged(tmp_path, dict.fromkeys(IDS, "Kung Pao chicken. Fry it."))
    assert row["distinct"] == 1 and row["warnings"] == ["1 distinct text for 10 sources"]
    assert (
        judged(
            tmp_path, dict.fromkeys(IDS[:6], "Kung Pao chicken.") | dict(zip(IDS[6:], "abcd", strict=True))
        )["distinct"]
        == 5
    )


def test_what_an_endpoint_refused_and_cut_is_counted_by_its_own_word(tmp_path: Path) -> None:
    statuses = ["refused", "refused", "refused", "cut", "cut", *["ok"] * 5]
    row = judged(tmp_path, GOOD | dict.fromkeys(IDS[:3], "I cannot help."), statuses)
    assert (row["refused"], row["truncated"], row["copied_train"]) == (3, 2, None)
    assert "3 of 10 predictions were refused" in row["warnings"]


def test_a_first_answer_that_was_cut_does_not_cut_the_prediction(tmp_path: Path) -> None:
    """Two questions were asked; the answer to the second one is the prediction."""
    assert judged(tmp_path, GOOD, ["cut", *["ok"] * 9], ["ok", "cut", *["ok"] * 8])["truncated"] == 1


def test_rewritten_recipes_have_no_reference_and_one_data_set(tmp_path: Path) -> None:
    log = io.StringIO()
    source = "五花肉切块。"
    rows = [
        {"instance_id": name, "dataset": "counterfactual", "source": source, "reference": None}
        for name in "ab"
    ]
    evaluate_outputs(
        instances=write_instances(tmp_path / "i", rows),
        predictions=write_predictions(tmp_path / "p", "r", {"a": source, "b": "鲫鱼切块"}),
        examples=[],
        calls=[],
        outputs=str(tmp_path / "out"),
        run="r",
        settings=OutputsSettings(data="counterfactual", lang="zh", smoke_test=True),
        job=Job(METADATA, Progress(log)),
    )
    row = tables.read(tmp_path / "out").row(0, named=True)
    assert (row["dataset"], row["truncated"], row["copied_source"]) == ("counterfactual", None, 1)
    assert row["smoke_test"] and row["warnings"] == ["1 of 2 predictions are their source, unchanged"]
    assert "counterfactual: 1 of 2 predictions are their source, unchanged" in log.getvalue()
