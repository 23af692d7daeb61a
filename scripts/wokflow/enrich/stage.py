"""What stage enrich asks of a config."""

from collections.abc import Iterator, Mapping
from typing import Any


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    lookup, link = config["enrich"]["lookup"], config["enrich"]["link"]
    if lookup["backend"] in ("store", "endpoint") and not lookup[lookup["backend"]]:
        yield f"enrich.lookup.{lookup['backend']}: backend {lookup['backend']} needs it."
    if link["backend"] == "command" and not link["command"]:
        yield "enrich.link.command: backend command needs it."
