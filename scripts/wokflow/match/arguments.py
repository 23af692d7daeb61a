"""What steps of other stages are given of the gold sets."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments


def gold_arguments(config: Mapping[str, Any], direction: str) -> Arguments:
    """Arguments of generate_instances: the direction's gold set, which counts by content."""
    simplified = config["ingest"]["recipes"]["simplified"]
    return Arguments({"simplified": simplified}, {"gold": config["train"]["gold"][direction]})
