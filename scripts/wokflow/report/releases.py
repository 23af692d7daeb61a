"""Section of the page: the release, as its own manifest has it, and the findings of its gates."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from wokflow.export.gate_findings import FINDINGS, GATES, printable, read_findings
from wokflow.export.licences import ALLOWED
from wokflow.report.render import Cell, Table, language, shorten

WHOLE = "the whole"
EXAMPLE = 120  # characters of an example


def section(folder: str, accepted: Collection[str]) -> dict[str, Any]:
    """Subsets with rows by split, sources with licences, and what the gates found, with examples, and whether that
    stops the release: findings of `accepted` gates do not, and come last.

    `folder` is that of export_gates. In its examples personal data are masked. They are in no release.
    """
    manifest = json.loads(Path(folder, "release.json").read_text(encoding="utf-8"))
    found = sorted(read_findings(Path(folder, FINDINGS)), key=lambda each: each.gate in accepted)
    subsets = [
        (
            Cell(name, subset["description"]),
            ", ".join(subset["languages"]),
            sum(map(sum, subset["splits"].values())),
            ", ".join(f"{split} {sum(rows):,}" for split, rows in subset["splits"].items()),
        )
        for name, subset in manifest["subsets"].items()
    ]
    sources = [
        (
            Cell(name, source["version"]),
            source["licence"] or "not known",
            ALLOWED[source["release"]],
            source["attribution"],
        )
        for name, source in manifest["sources"].items()
    ]
    findings = [
        (
            Cell(each.gate, GATES[each.gate]),
            each.config or WHOLE,
            each.count,
            "no: accepted" if each.gate in accepted else "yes",
            each.advice,
        )
        for each in found
    ]
    examples = [
        (each.gate, each.config or WHOLE, Cell(shorten(printable(one), EXAMPLE), lang=language(one)))
        for each in found
        for one in each.examples
    ]
    return {
        **{name: manifest[name] for name in ("name", "version", "mode")},
        "subsets": Table(["Subset", "Languages", "Rows", "Splits"], subsets),
        "sources": Table(["Source", "Licence", "May be released", "Name it as"], sources),
        "findings": Table(["Gate", "Part", "Found", "Stops the release", "What to do"], findings),
        "examples": Table(["Gate", "Part", "Example"], examples),
    }
