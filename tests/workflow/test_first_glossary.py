"""A first glossary can be made without another one."""

import json
from pathlib import Path

import pytest

from tests.workflow.test_rules import job, rules_with


@pytest.mark.parametrize(("words", "given"), [("glossary", True), ("dictionary", False)])
def test_a_first_glossary_needs_no_other(words: str, given: bool, tmp_path: Path) -> None:
    config = f"parse: {{vectors: {{words: {words}}}}}\n"
    with rules_with(config, tmp_path / "config.yaml") as rules:
        for name in ("parse_vectors", "parse_induce"):
            described = job(rules[name])
            assert ("glossary" in json.loads(described.key)["resources"]) == given
            assert ("glossary" in described.unkeyed) == given
