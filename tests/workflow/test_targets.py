"""Each stage that the README lists can be run by itself."""

import re
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT
from tests.workflow.conftest import new_house
from tests.workflow.planner import Planner

README = (ROOT / "README.md").read_text(encoding="utf-8")
STAGES = re.findall(r"^\| (\w+) \|", README.partition("| stage |")[2].partition("\n\n")[0], re.M)


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    with Planner(new_house(tmp_path_factory.mktemp("targets") / "house")) as planner:
        yield planner


def test_the_readme_lists_ten_stages() -> None:
    assert len(STAGES) == 10


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_a_target(stage: str, unbuilt: Planner) -> None:
    planned = unbuilt.plan("--", stage)
    assert any(rule.startswith(f"{stage}_") for rule in planned.rules)
    assert planned.rules - {stage} < unbuilt.unedited.rules
    assert planned.described == planned.rules - {stage}


def test_all_stages_are_what_is_run_without_a_target(unbuilt: Planner) -> None:
    assert unbuilt.plan("--", *STAGES).rules - set(STAGES) == unbuilt.unedited.rules
