"""Each stage can be run by itself."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from wokflow.annotate.arguments import COLUMNS
from wokflow.frame.stages import STAGES

from tests.workflow.changes import COMPARERS, MODELS, TRANSLATING_RUN
from tests.workflow.conftest import RUNS, new_house
from tests.workflow.planner import Planner

ASKED = (
    "judge",
    "annotate",
    "lexicon",
)  # the first two need tables, the last is included where the config says so
ALWAYS = [stage for stage in STAGES if stage not in ASKED]


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    with Planner(new_house(tmp_path_factory.mktemp("targets") / "house")) as planner:
        yield planner


@pytest.mark.parametrize("stage", ALWAYS)
def test_a_stage_is_a_target(stage: str, unbuilt: Planner) -> None:
    planned = unbuilt.plan("--", stage)
    assert any(rule.startswith(f"{stage}_") for rule in planned.rules)
    assert planned.rules - {stage} < unbuilt.unedited.rules
    assert planned.described == planned.rules - {stage}


def test_all_stages_are_what_is_run_without_a_target(unbuilt: Planner) -> None:
    assert unbuilt.plan("--", *ALWAYS).rules - set(ALWAYS) == unbuilt.unedited.rules


def test_stage_judge_is_a_target_where_there_are_models(unbuilt: Planner, tmp_path: Path) -> None:
    assert unbuilt.plan("--", "judge").message
    (tmp_path / "models.tsv").write_text(MODELS, encoding="utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text(f"judge: {{models: {tmp_path / 'models.tsv'}}}\n", encoding="utf-8")
    planned = unbuilt.plan("--configfile", str(mine), "--", "judge")
    assert planned.rules - {"judge"} == {"judge_instructions", "judge_prompt", "judge_tasks", "judge_ratings"}
    everything = unbuilt.plan("--configfile", str(mine))
    assert everything.rules == unbuilt.unedited.rules | planned.rules - {"judge"} | {
        *("evaluate_ratings", "evaluate_biases", "evaluate_words")
    }


def test_comparers_ask_for_pairs_and_for_nothing_of_recipes(unbuilt: Planner, tmp_path: Path) -> None:
    """Which pairs there are is known behind cutoffs: all of it is planned, whatever they bring."""
    (tmp_path / "models.tsv").write_text(COMPARERS, encoding="utf-8")
    (tmp_path / "runs.tsv").write_text(RUNS + TRANSLATING_RUN, encoding="utf-8")
    mine = tmp_path / "mine.yaml"
    own = {"judge": {"models": str(tmp_path / "models.tsv")}, "runs": str(tmp_path / "runs.tsv")}
    own["generate"] = {"prompt": {"endpoint": "http://127.0.0.1:9/v1"}}
    mine.write_text(json.dumps(own), encoding="utf-8")
    planned = unbuilt.plan("--configfile", str(mine), "--", "judge")
    assert {"judge_pta", "judge_prompt", "judge_ratings", "generate_prompt"} <= planned.rules
    assert not planned.rules & {"judge_instructions", "judge_tasks"}


def test_stage_annotate_is_a_target_where_there_are_studies(unbuilt: Planner, tmp_path: Path) -> None:
    """With sheets alone, until one comes back."""
    assert unbuilt.plan("--", "annotate").message
    raters, mine = tmp_path / "raters.tsv", tmp_path / "mine.yaml"
    raters.write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    mine.write_text(f"annotate: {{studies: {tmp_path / 'studies.tsv'}}}\n", encoding="utf-8")
    for answers, rules in (("", set[str]()), (str(raters), {"annotate_ratings", "annotate_written"})):
        rows = [
            f"{kind}\t{kind}\tzh-en" + "\t" * 7 + f"{raters}\t{answers}\ttasks.dataset=silver\n"
            for kind in ("rating", "writing")
        ]
        (tmp_path / "studies.tsv").write_text("\t".join(COLUMNS) + "\n" + "".join(rows), encoding="utf-8")
        planned = unbuilt.plan("--configfile", str(mine), "--", "annotate")
        assert {rule for rule in planned.rules if rule.startswith("annotate_")} == rules | {
            "annotate_tasks",
            "annotate_sheets",
        }


def test_stage_lexicon_is_a_target_and_part_of_a_whole_run_where_the_config_says_so(
    unbuilt: Planner, tmp_path: Path
) -> None:
    steps = {f"lexicon_{name}" for name in ("vectors", "align", "neighbours", "precision")}
    planned = unbuilt.plan("--", "lexicon")
    assert planned.rules == {"lexicon", "ingest_source", "ingest_recipes"} | steps
    mine = tmp_path / "mine.yaml"
    mine.write_text("lexicon: {included: true}\n", encoding="utf-8")
    assert unbuilt.plan("--configfile", str(mine)).rules == unbuilt.unedited.rules | steps
    mine.write_text("evaluate: {literal: {induced: true}}\n", encoding="utf-8")  # needs its concepts
    assert unbuilt.plan("--configfile", str(mine), "--", "evaluate").rules >= steps
