"""What the config gives a step beside its block, where it depends on the sources of sentences."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, block_arguments


def with_settings(config: Mapping[str, Any], schema: Mapping[str, Any], step: str, **more: Any) -> Arguments:
    """The arguments of a step's block, and settings that depend on the sources of sentences."""
    given = block_arguments(config, schema, step)
    return Arguments({**given.settings, **more}, given.resources, given.options, given.layout)
