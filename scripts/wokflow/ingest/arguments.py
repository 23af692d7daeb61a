"""What the config gives the steps of stage ingest, where it is not their block alone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wokflow.frame.arguments import Arguments, block_arguments


def sentence_arguments(config: Mapping[str, Any], schema: Mapping[str, Any], corpus: str) -> Arguments:
    """The settings of ingest.sentences, and the kind and pair of a source."""
    given = block_arguments(config, schema, "ingest.sentences")
    source = config["sources"][corpus]
    return replace(given, settings={**given.settings, "kind": source["kind"], "pair": source["pair"]})


def page_arguments(config: Mapping[str, Any]) -> Arguments:
    """Of all keys of ingest.pages those that are not paths."""
    return Arguments({name: config["ingest"]["pages"][name] for name in ("longest", "truncated")})


def download_arguments(config: Mapping[str, Any], corpus: str) -> Arguments:
    """Where a source is fetched from, and how."""
    source = config["sources"][corpus]
    return Arguments(
        settings={"url": source["url"], "sha256": source.get("sha256")},
        options={**config["ingest"]["download"], "contact": config["contact"] or None},
    )
