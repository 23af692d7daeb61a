"""The rule of the page gives it the tables that it shows, under the names that it looks for."""

import inspect
from pathlib import Path

import pytest
from wokflow.frame.plan import dry_workflow
from wokflow.frame.runs import DIALOGUES, Run
from wokflow.frame.stages import sections
from wokflow.judge.arguments import AskedModel
from wokflow.report import inputs
from wokflow.report.arguments import TEMPLATES, ruled
from wokflow.report.page import report_page

from tests.conftest import ROOT
from tests.report.test_page import page

# What users may not have: the corpus counterfactual, parallel sentences, stage lexicon, runs that ask an endpoint,
# models that rate or choose.
OPTIONAL = (
    "counterfactual",
    "lexicon_",
    "enrich_",
    "csi_match",
    "lines",
    "calls",
    "evaluate_ratings",
    "evaluate_pta",
    "evaluate_words",
)


def test_the_rule_names_its_tables_as_the_page_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: set[str] = set()

    def of(parts: inputs.Tables, table: str) -> list[str]:
        asked.add(inputs.input_name(table))
        return given_parts(parts, table)

    given_parts = inputs.of
    for module in ("inputs", "recipe_pairs"):
        monkeypatch.setattr(f"wokflow.report.{module}.of", of)
    page(tmp_path, 5)
    monkeypatch.chdir(ROOT)
    workflow = dry_workflow(["--list-rules"])
    rule = next(rule for rule in workflow.rules if rule.name == "report_page")
    given = set(rule.input.keys()) - inspect.signature(report_page).parameters.keys() - {"after"}
    assert given <= asked
    assert {name for name in asked if not any(map(name.count, OPTIONAL))} <= given


def test_each_section_of_a_stage_has_a_template_and_no_template_is_left_over() -> None:
    """A section without content fails in every test of the page."""
    templates = {path.stem for path in TEMPLATES.glob("*.html")} - {"page", "interactive", "macros"}
    assert sorted(template for template, *_ in sections()) == sorted(templates)


def test_what_rules_made_is_named_in_its_sections() -> None:
    runs = [
        Run("mt", "none", "prompt", "rules:mt", "ted", "", pair="en-zh"),
        Run("chat", "none", "prompt", "rules", DIALOGUES, ""),
        Run("real", "none", "prompt", "ruler-7b", DIALOGUES, ""),
    ]
    roles = ("evaluator", "comparer", "editor")
    asked = [AskedModel(role, role, "rules:fair", "") for role in roles]
    assert ruled(runs, asked) == {
        "generate": ["mt", "chat"],
        "judge": ["evaluator"],
        "pta": ["mt", "comparer"],
        "spoken": ["chat", "editor"],
    }
