"""What an edit would run, and whose key it changes: dry runs in one built house, or in a copy where files change."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.workflow.batches import Batch, batches, keys_changed_by, members_changed
from tests.workflow.changes import Settings, setting, then
from tests.workflow.conftest import EVERY, copy_of
from tests.workflow.edits import EDIT_OF_ALL, EDITS, PLANNED_EDITS, WITHOUT_EFFECT
from tests.workflow.keyed import KEYED, SEVERAL_KEYS, SHOWS_SETTINGS
from tests.workflow.keyed_sources import FETCHED
from tests.workflow.planner import Planned, Planner, plan_once
from tests.workflow.run_edits import RUN_EDITS, RUN_SETTINGS
from tests.workflow.setting_edits import CUT_SETTINGS, PLANNED_SETTINGS, SETTINGS

ALL_SETTINGS = SETTINGS | CUT_SETTINGS | PLANNED_SETTINGS | RUN_SETTINGS
ALL_EDITS = PLANNED_EDITS | RUN_EDITS
IDLE = {name: settings for name, (settings, rules) in (PLANNED_SETTINGS | RUN_SETTINGS).items() if not rules}
BATCHES = batches(
    {
        name: (Settings({}), settings, keys_changed_by(settings, runs))
        for name, (settings, runs) in PLANNED_SETTINGS.items()
        if name not in SEVERAL_KEYS
    }
    | KEYED
)
Plan = Callable[..., Planned]


@pytest.fixture(scope="module")
def plan(planner: Planner, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """A dry run of the built house with settings laid over its own, made once for equal settings."""
    folder = tmp_path_factory.mktemp("settings")

    @functools.cache
    def run(*layers: str) -> Planned:
        files = []
        for number, layer in enumerate(layers):
            files.append(str(folder / f"{number}.yaml"))
            Path(files[-1]).write_text(layer, encoding="utf-8")
        return planner.plan("--configfile", *files) if files else planner.plan()

    return lambda *layers: run(*(yaml.safe_dump(layer.overlay, allow_unicode=True) for layer in layers))


def test_a_built_house_has_nothing_to_do(planner: Planner) -> None:
    assert planner.unedited.rules == planner.unedited.described == set()


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_settings_of_different_rules_change_their_keys_exactly(batch: Batch, plan: Plan) -> None:
    """In few dry runs: a batch tells by the names in a key which of its settings changed it (`Batch.wrong`)."""
    planned = plan(batch.given, batch.settings)
    before = plan(batch.given)
    assert planned.message is before.message is None, f"{planned.message} {before.message}"
    changed = members_changed(before.keys, planned.keys)
    wrong = list(batch.wrong({rule: changed[rule] for rule in changed.keys() - SHOWS_SETTINGS}))
    assert not wrong, "\n".join(wrong)
    if batch.given.values:  # settings that the page does not show
        assert not changed.keys() & SHOWS_SETTINGS
    else:
        expected = set().union(*(ALL_SETTINGS[name][1] for name in batch.names))
        assert planned.rules == planned.described == expected


def test_settings_without_effect_run_nothing(plan: Plan, planner: Planner) -> None:
    """All of them at once: a rule that one of them touched would run beside the others, too."""
    together = Settings({key: value for settings in IDLE.values() for key, value in settings.values.items()})
    assert len(together.values) == sum(len(settings.values) for settings in IDLE.values()), "one is set twice"
    planned = plan(together)
    assert planned.rules == planned.described == set()
    assert planned.rules_with_other_keys(planner.unedited) == set()


@pytest.mark.parametrize("name", [name for name in RUN_SETTINGS if name not in IDLE])
def test_the_setting_of_a_run_would_run_exactly(name: str, plan: Plan, planner: Planner) -> None:
    test_a_setting_would_run_exactly(name, plan, planner)


@pytest.mark.parametrize("name", [name for name in (*PLANNED_SETTINGS, *CUT_SETTINGS) if name not in IDLE])
def test_a_setting_would_run_exactly(name: str, plan: Plan, planner: Planner) -> None:
    settings, expected = ALL_SETTINGS[name]
    planned = plan(settings)
    assert planned.rules == planned.described == expected
    changed = planned.rules_with_other_keys(planner.unedited)
    assert changed <= expected
    if name not in SEVERAL_KEYS:
        assert changed - SHOWS_SETTINGS == keys_changed_by(settings, expected) - SHOWS_SETTINGS


def test_code_that_all_steps_share_changes_every_key(built: Path, planner: Planner, tmp_path: Path) -> None:
    house = copy_of(built, tmp_path / "house")
    EDIT_OF_ALL(house)
    planned = plan_once(house)
    assert planned.rules_with_other_keys(planner.unedited) | planned.waiting == EVERY


@pytest.mark.parametrize("name", ALL_EDITS)
def test_an_edit_would_run_exactly(name: str, built: Path, tmp_path: Path) -> None:
    house = copy_of(built, tmp_path / "house")
    edit, expected = ALL_EDITS[name]
    edit(house)
    planned = plan_once(house)
    assert planned.rules == planned.described == expected


def test_edits_without_effect_run_nothing(built: Path, tmp_path: Path) -> None:
    """All of them at once: a rule that one of them touched would run beside the others, too."""
    house = copy_of(built, tmp_path / "house")
    then(*WITHOUT_EFFECT.values())(house)
    planned = plan_once(house)
    assert planned.rules == planned.described == set()


@pytest.mark.parametrize("name", EDITS | SETTINGS)
def test_what_an_edit_before_cutoffs_does_is_described(
    name: str, built: Path, plan: Plan, tmp_path: Path
) -> None:
    """What surely runs is listed, also where only its key shows it; all else behind the cutoffs waits for them."""
    if name in SETTINGS:
        planned = plan(SETTINGS[name][0])
    else:
        house = copy_of(built, tmp_path / "house")
        EDITS[name][0](house)
        planned = plan_once(house)
    assert planned.described and planned.rules <= planned.described


@pytest.mark.parametrize("results", ["results", "new"])
def test_the_papers_settings_can_be_planned(
    results: str, built: Path, planner: Planner, tmp_path: Path
) -> None:
    """Also where a run of theirs has a server of its own, which is a group of two jobs."""
    mine = tmp_path / "mine.yaml"
    mine.write_text(f"results: {results}\n", encoding="utf-8")
    planned = planner.plan("--configfile", str(built / "config" / "papers" / "000-recipes.yaml"), str(mine))
    assert planned.described >= {"generate_server", "generate_prompt", "train_model"}
    assert planned.described == planned.rules


def test_a_checksum_says_which_file_is_fetched(plan: Plan) -> None:
    """Else another version at the same URL would be fetched, and not read."""
    anew = plan(FETCHED, setting("sources.fetched.sha256", "0" * 64))
    assert anew.rules_with_other_keys(plan(FETCHED)) == {"ingest_download", "ingest_source"}


def test_a_file_that_a_command_names_counts_by_content(plan: Plan, tmp_path: Path) -> None:
    """In the same place: a script that is edited, a checkpoint that is replaced."""
    script = tmp_path / "script.py"
    command = ["python", str(script)]
    given = Settings(
        {
            "enrich.link.backend": "command",
            "enrich.link.command": command,
            "evaluate.smatch.parsers.en": command,
            "evaluate.comet.command": command,
            "evaluate.bleurt.command": command,
        }
    )
    plans = []
    for number, text in enumerate(("one", "another")):
        script.write_text(text)
        plans.append(plan(given, setting("contact", f"{number}@example.org")))  # else one plan would be made
    assert plans[1].rules_with_other_keys(plans[0]) == {
        "enrich_link",
        *(f"evaluate_{name}" for name in ("smatch", "comet", "bleurt")),
    }


def test_every_key_of_the_config_is_edited_somewhere() -> None:
    schema = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))

    def free(block: dict[str, Any]) -> dict[str, Any]:
        """Keys with names of the user's own: of the only such block, the source of sentences of this house."""
        return {"lines": block["additionalProperties"]} if block["additionalProperties"] else {}

    def keys(block: dict[str, Any], prefix: str = "") -> set[str]:
        if "properties" not in block:
            return {prefix}
        return {
            key
            for name, inner in {**block["properties"], **free(block)}.items()
            for key in keys(inner, f"{prefix}.{name}" if prefix else name)
        }

    edited = {key for settings, _ in ALL_SETTINGS.values() for key in settings.values}
    edited |= {key for _, settings, _ in KEYED.values() for key in settings.values}
    assert edited | {"results"} == keys(schema)
