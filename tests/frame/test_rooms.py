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


def test_no_step_stands_on_what_only_rules_use() -> None:
    """What these modules decide stands in the key, so that an edit of them alone runs no step again."""
    unused = {"wokflow.frame.rules", "wokflow.frame.scope", "wokflow.frame.stages", "wokflow.frame.config"}
    steps = {
        step
        for rules in (ROOT / "rules").glob("*.smk")
        for step in re.findall(r'\*\*step\(\s*"([\w.]+)"', rules.read_text(encoding="utf-8"))
    }
    assert len(steps) > 50
    for step in sorted(steps):
        found = set(code.modules_behind(f"wokflow.{step}"))
        assert not found & unused, step
        assert not [name for name in found if name.endswith((".stage", ".arguments"))], step
