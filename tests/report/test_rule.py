"""The rule of the page gives it the tables that it shows, under the names that it looks for."""

import inspect

import pytest
from wokflow.frame.plan import dry_workflow
from wokflow.report.inputs import input_name
from wokflow.report.page import TABLES, report_page

from tests.conftest import ROOT

OPTIONAL = (
    "counterfactual"  # a corpus that users may not have; the page does not show the runs that rewrite it
)


def test_the_rule_names_its_tables_as_the_page_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    workflow = dry_workflow(["--list-rules"])
    rule = next(rule for rule in workflow.rules if rule.name == "report_page")
    given = set(rule.input.keys()) - inspect.signature(report_page).parameters.keys() - {"after"}
    shown = {input_name(table): OPTIONAL in table for table in TABLES}
    assert given <= shown.keys()
    assert {table for table, optional in shown.items() if not optional} <= given
