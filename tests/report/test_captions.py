"""Captions of Snakemake's own report: each that a rule names is there, and can be shown."""

import re
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
import yaml
from docutils.core import publish_parts
from wokflow.frame.config import fill, read_schema

from tests.conftest import ROOT

FOLDER = ROOT / "rules" / "captions"
NAMED = {
    name
    for path in (ROOT / "rules").glob("*.smk")
    for name in re.findall(r'"captions/(\S+)"', path.read_text())
}
WRITTEN = {path.name for path in FOLDER.iterdir()}


def test_rules_name_captions_that_are_there() -> None:
    assert {"summary.rst", "page.rst"} <= NAMED <= WRITTEN


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_a_caption_can_be_shown(name: str) -> None:
    config: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    fill(config, read_schema(ROOT))
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(
        (FOLDER / name).read_text(encoding="utf-8")
    )
    text = template.render(snakemake=SimpleNamespace(config=config, wildcards={"run": "mine"}))
    strict = {"halt_level": 2, "report_level": 2}
    assert publish_parts(text, writer="html", settings_overrides=strict)["body"].startswith("<p>")
