"""Settings of stage export's steps that depend on the config and on subsets."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wokflow.export.licences import PASSED_ON
from wokflow.export.subsets import GIVEN, WIKIDATA, Available, Subset
from wokflow.frame.arguments import block_arguments
from wokflow.frame.runs import Run
from wokflow.frame.wikidata import ENTITIES

DUMP = re.compile(r"(?:latest|wikidata-\d{8})-all\.json(?:\.\w+)?")  # how Wikidata's dumps are called


def available(
    config: Mapping[str, Any],
    *,
    directions: Mapping[str, tuple[str, str]],
    langs: Mapping[str, str],
    parsed: Iterable[str],
    linked: Mapping[str, str],
    item_languages: Iterable[str],
    dumps: Iterable[str],
    runs: Iterable[Run],
) -> Available:
    """The data that this config can release.

    `linked` are the sources of sentences whose items are known, `dumps` the languages whose Wikipedia is read.
    """
    dish_corpus, entities = config["pivot"]["dishes"]["corpus"], config["enrich"]["entities"]["path"]
    predicted: dict[str, None] = {dish_corpus: None}  # the baselines'
    for run in runs:
        for data in (run.data, (run.lender or run).data):
            predicted |= dict.fromkeys(directions.get(data, (data if data in linked else dish_corpus,)))
    return Available(
        directions=directions,
        langs=langs,
        parsed=list(parsed),
        dish_corpus=dish_corpus,
        sentences=linked,
        item_languages=list(item_languages),
        gold=[direction for direction, path in config["train"]["gold"].items() if path],
        silver=list(directions) if config["match"]["silver"]["accepted"] else [],
        predicted=list(predicted),
        by_people=[
            *(form for form in ("pivots", "orders") if config["pivot"][form]["given"]),
            *gold_by_people(config["export"]["licences"]),
        ],
        published=any(config["train"]["published"].values()),
        entities=WIKIDATA if not entities or DUMP.fullmatch(Path(entities).name) else ENTITIES,
        wikipedia=bool(list(dumps)) or config["enrich"]["pages"]["backend"] == "api",
    )


def gold_by_people(licences: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Gold, if the text of its recipes that are in no corpus may be passed on."""
    return ["gold"] if licences.get(GIVEN.format("gold"), {}).get("release") in PASSED_ON else []


def dataset_given(config: Mapping[str, Any], subset: Subset) -> dict[str, Any]:
    """Settings of export.dataset: the subset, the gold set that it is made from, and the licences of its sources."""
    gold = config["train"]["gold"]["-".join(subset.languages)] if subset.form == "gold" else None
    return {"subset": asdict(subset), "licences": _licences(config, subset.sources), "gold": gold}


def gates_given(
    config: Mapping[str, Any], schema: Mapping[str, Any], subsets: Iterable[Subset]
) -> dict[str, Any]:
    """Settings of export.gates: the subsets of the release, their licences, and how their corpora were read."""
    listed = list(subsets)
    names = dict.fromkeys(source for subset in listed for source in subset.sources)
    corpora = dict.fromkeys(corpus for subset in listed for corpus in subset.texts)
    return {
        "subsets": [asdict(subset) for subset in listed],
        "licences": _licences(config, names),
        "ingest": {corpus: _ingest(config, schema, corpus) for corpus in corpora},
    }


def _ingest(config: Mapping[str, Any], schema: Mapping[str, Any], corpus: str) -> dict[str, Any]:
    """The step that reads a corpus, and the settings that affect its rows."""
    source = config["sources"][corpus]
    step, from_rule = "recipes", {"raw": source["path"]}
    if "kind" in source:
        step, from_rule = "sentences", from_rule | {"kind": source["kind"], "pair": source["pair"]}
    arguments = block_arguments(config, schema, f"ingest.{step}", given=from_rule)
    return {"step": step, "settings": {**arguments.settings}}


def _licences(config: Mapping[str, Any], sources: Iterable[str]) -> dict[str, Any]:
    licences = config["export"]["licences"]
    return {name: licences[name] for name in sources if name in licences}
