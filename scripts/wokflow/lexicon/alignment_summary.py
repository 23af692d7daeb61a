"""The summary of an alignment, a file beside its vectors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SUMMARY = "summary.json"
SIDES = ("zh", "en")  # the spaces of an alignment


def write_summary(folder: Path, summary: Mapping[str, Any]) -> None:
    text = json.dumps(summary, ensure_ascii=False, indent=1)
    (folder / SUMMARY).write_text(text + "\n", encoding="utf-8", newline="\n")


def read_summary(folder: str | Path) -> dict[str, Any]:
    """What lexicon_align says of an alignment."""
    summary: dict[str, Any] = json.loads((Path(folder) / SUMMARY).read_text(encoding="utf-8"))
    return summary
