"""The demo's dialogues have items of all kinds; the answers that ship are those of its rules, and can all be read."""

from pathlib import Path

import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.schemas import CALLS
from wokflow.ingest.annotations import read_categories
from wokflow.judge.ratings import judge_ratings
from wokflow.judge.schemas import ANSWERS

from tests.judge.demo_dialogues import DEMO, RESOURCES, Demo, runs


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Through all steps, with the calls that its rules make."""
    made = Demo(tmp_path_factory.mktemp("demo"))
    tables.write(made.path("calls"), CALLS, made.calls(), {})
    made.adapt()
    return made


def test_the_readme_counts_dialogues_and_items_and_these_are_of_all_categories_and_degrees(
    demo: Demo,
) -> None:
    items = demo.table("annotations")
    assert (demo.table("utterances")["dialogue_id"].n_unique(), items.height) == (22, 66)
    assert set(items["category"]) == set(read_categories(str(RESOURCES / "categories.tsv")).values())
    assert set(items["foreignness"]) == {2, 3}
    assert demo.table("left").height == demo.table("left_marks").height == 0


def test_the_adaptations_that_ship_are_those_of_the_rules_and_one_does_not_fit(demo: Demo) -> None:
    shipped = tables.read(DEMO / "calls.parquet")  # in the form of a release before answers told their model
    assert shipped.equals(demo.table("calls").select(shipped.columns))
    rejects = {name: demo.table(f"rejected_{name}")["reason"].to_list() for name in runs()}
    assert rejects == {"bold-adapts": ["fewer_utterances"], "mild-adapts": []}
    assert {repair for row in demo.table("adapted_mild-adapts")["repairs"] for repair in row} == {
        "words_around"
    }


def test_the_judgements_that_ship_are_those_of_the_rules_and_are_read(demo: Demo, tmp_path: Path) -> None:
    answers = demo.answers()
    shipped = tables.read(DEMO / "answers.parquet")
    assert shipped.equals(answers.select(shipped.columns))
    assert demo.table("no_edits").height == 0
    for asked, tasks in (
        ("plain-scores", "dialogues"),
        ("plain-rates-edits", "edits"),
        ("names-strategies", "strategies"),
    ):
        paths = {
            name: str(tmp_path / f"{asked}_{name}.parquet") for name in ("answers", "ratings", "rejects")
        }
        tables.write(paths["answers"], ANSWERS, answers.filter(asked=asked), {})
        judge_ratings(tasks=demo.path(tasks), job=Job({}), **paths)
        assert tables.read(paths["rejects"]).height == 0 and tables.read(paths["ratings"]).height > 60
