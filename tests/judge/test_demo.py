"""The answers that ship with the demo are those of its rules, and are ratings in the form asked for."""

from pathlib import Path

from wokflow.evaluate.biases import evaluate_biases
from wokflow.evaluate.settings import BiasesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.arguments import biases_given
from wokflow.judge.ratings import judge_ratings
from wokflow.judge.schemas import ANSWERS

from tests.judge.demo_answers import DEMO, made
from tests.judge.demo_dialogues import models


def test_the_demo_s_answers_are_those_of_its_rules_and_show_what_these_like(tmp_path: Path) -> None:
    answers = made(str(tmp_path))
    shipped = tables.read(
        DEMO / "answers.parquet"
    )  # in the form of a release before answers told their model
    assert shipped.equals(answers.select(shipped.columns))
    paths = {name: str(tmp_path / f"{name}.parquet") for name in ("tasks", "ratings", "rejects", "biases")}
    rated = answers.filter(~answers["asked"].str.ends_with("-writes"))
    tables.write(tmp_path / "answers.parquet", ANSWERS, rated, {})
    judge_ratings(
        tasks=paths["tasks"],
        answers=str(tmp_path / "answers.parquet"),
        ratings=paths["ratings"],
        rejects=paths["rejects"],
        job=Job({}),
    )
    assert tables.read(paths["rejects"]).height == 0
    assert set(tables.read(paths["ratings"])["status"]) == {"exact"}
    evaluate_biases(
        tasks=paths["tasks"],
        ratings=[paths["ratings"]],
        biases=paths["biases"],
        settings=BiasesSettings(**biases_given(models())),
        job=Job({}),
    )
    biases = tables.read(paths["biases"]).filter(dimension="harmony")
    clear = biases.filter(biases["low"] > 0)["rater", "bias"].rows()
    assert clear == [("lengthy-rates", "length"), ("bold-rates", "self")]
