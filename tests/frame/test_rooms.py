"""Which rooms stand on which: no arrow leads upward."""

import re

from wokflow.frame import code

from tests.conftest import ROOT

PACKAGE = ROOT / "scripts" / "wokflow"


def test_the_frame_and_the_models_stand_on_no_stage() -> None:
    """Nor on the cluster: what they need of these is handed to them, or found by its name."""
    for room in ("frame", "models"):
        for path in sorted((PACKAGE / room).glob("*.py")):
            text = path.read_text(encoding="utf-8")
            imported = re.findall(r"^\s*(?:from|import) wokflow\.(\w+)", text, re.M)
            assert {*imported} <= {"frame", room}, path


def test_a_module_has_a_name_of_its_own_unless_every_stage_has_one_or_its_step_is_called_so() -> None:
    """So that a name says which; and modules called `schemas` or `columns` are read as tables alone (frame.code)."""
    rooms: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.glob("*/*.py")):
        rooms.setdefault(path.stem, []).append(path.parent.name)
    shared = {"__init__", "arguments", "schemas", "settings", "stage"}
    shared |= {"counterfactual"}  # a corpus, and the metric of its recipes
    steps = steps_of_rules()
    assert not [
        (name, stages)
        for name, stages in rooms.items()
        if len(stages) > 1 and name not in shared and not {f"{stage}.{name}" for stage in stages} <= steps
    ]


def steps_of_rules() -> set[str]:
    """The steps that rules run, as match.embed."""
    return {
        step
        for rules in (ROOT / "rules").glob("*.smk")
        for step in re.findall(r'\*\*step\(\s*"([\w.]+)"', rules.read_text(encoding="utf-8"))
    }


def test_no_step_stands_on_what_only_rules_use() -> None:
    """What these modules decide stands in the key, so that an edit of them alone runs no step again."""
    unused = {"wokflow.frame.rules", "wokflow.frame.scope", "wokflow.frame.stages", "wokflow.frame.config"}
    steps = steps_of_rules()
    assert len(steps) > 50
    for step in sorted(steps):
        found = set(code.modules_behind(f"wokflow.{step}"))
        assert not found & unused, step
        assert not [name for name in found if name.endswith((".stage", ".arguments"))], step
