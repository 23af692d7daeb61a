"""What stage ingest asks of a config."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.runs import Run


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    for name, source in config["sources"].items():
        if not source.get("path"):
            yield f"sources.{name}: say where it lies (path), or where it is fetched from (url)."


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    simplified = config["ingest"]["recipes"]["simplified"]
    return {"opencc": "ingest.recipes.simplified is true"} if simplified else {}
