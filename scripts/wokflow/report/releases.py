"""Section of the page: the release, as its own manifest has it."""

import json
from pathlib import Path
from typing import Any

from wokflow.export.gate_findings import GATES
from wokflow.export.licences import ALLOWED
from wokflow.report.render import Cell, Table


def section(folder: str) -> dict[str, Any]:
    """Subsets with rows by split, sources with licences, and what the gates found."""
    manifest = json.loads(Path(folder, "release.json").read_text(encoding="utf-8"))
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
            Cell(each["gate"], GATES.get(each["gate"], "")),
            each["config"] or "the whole",
            each["count"],
            each["advice"],
        )
        for each in manifest["findings"]
    ]
    return {
        **{name: manifest[name] for name in ("name", "version", "mode")},
        "subsets": Table(["Subset", "Languages", "Rows", "Splits"], subsets),
        "sources": Table(["Source", "Licence", "May be released", "Name it as"], sources),
        "findings": Table(["Gate", "Part", "Found", "What to do"], findings),
    }
