"""Files in the form of CAMT's: annotations, and what the stage makes of them as links."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from wokflow import cli
from wokflow.enrich.assemble import enrich_assemble
from wokflow.enrich.categorise import enrich_categorise
from wokflow.enrich.entities import enrich_entities
from wokflow.enrich.items import enrich_items
from wokflow.enrich.link import enrich_link
from wokflow.enrich.lookup import enrich_lookup
from wokflow.enrich.names import enrich_names
from wokflow.enrich.published_annotations import (
    OTHERWISE,
)
from wokflow.enrich.settings import AssembleSettings, ItemsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.ingest.sentences import ingest_sentences
from wokflow.ingest.source import ingest_source

from tests.enrich.defaults import categorise_settings, entities_settings, link_settings, lookup_settings
from tests.ingest.defaults import sentences_settings

UNCHECKED = {"identical": False, "language": False, "duplicates": False, "ratio": None, "longest": None}


def label(words: str, english: str, chinese: str = "", country: str = "Italy", **more: Any) -> dict[str, Any]:
    """An annotation, as the files of one half of the pairs have them."""
    names = {"en": english} | ({"zh": chinese} if chinese else {})
    texts = {lang: {"value": name, "language": lang} for lang, name in names.items()}
    aliases = {"en": {"value": ["maize mush"], "language": "en"}} if english == "polenta" else {}
    about = {"descriptions": {}, "aliases": aliases, "labels": texts, "summarys": texts}
    topic = "Culture.Food and drink"
    return {"value": words, "metadata": about, "country_of_origin": country, "category": topic} | more


ROWS: list[dict[str, Any]] = [
    {
        "source": "Polenta and polenta, with  ragù, in Bologna.",
        "target": "波伦塔和波伦塔，配肉酱。",
        "labels": [
            label("polenta", "polenta", "波伦塔"),
            label("polenta", "polenta", "波伦塔"),
            label("ragù", "ragù"),
            label("tagliatelle", "tagliatelle"),  # not in the sentence
            label("", "Bologna"),  # without words
        ],
    },
    {"source": "Nothing of note.", "target": "没什么。", "labels": []},
    {
        "source": "A film: Polenta.",
        "target": "电影。",
        "labels": [label("Polenta", "polenta", "玉米", "France")],
    },
]


def through(file: Path, pair: str, folder: Path, log: StringIO | None = None) -> list[dict[str, Any]]:
    """What enrich.assemble writes of a file, its annotations as links; with the places of items as `spans`."""
    folder.mkdir()
    job, languages = Job({"key": "{}"}, Progress(log)), ["en", pair.split("-")[1]]
    path = {
        name: str(folder / name) for name in ("source", "entities", "rejects", "names", "m", "s", "r", "json")
    }
    path |= {
        name: str(folder / name)
        for name in ("categories", "lookups", "items", "assembled", "sha", "mr", "ar")
    }
    dump = folder / "entities.jsonl"
    assert cli.main(["papers", "camt-entities", str(file), "--to", str(dump)]) == 0
    ingest_source(raw=str(dump), data=path["source"], job=job)
    enrich_entities(
        source=path["source"], entities=path["entities"], rejects=path["rejects"],
        settings=entities_settings(str(dump), languages), job=job,
    )  # fmt: skip
    enrich_names(entities=path["entities"], names=path["names"], digest=path["sha"], lang="en", job=job)
    ingest_source(raw=[str(file)], data=path["source"], job=job)
    ingest_sentences(
        source=path["source"], sentences=[path["s"]], rejects=[path["r"]], corpus="camt",
        settings=sentences_settings("camt", [str(file)], pair, **UNCHECKED), job=job,
    )  # fmt: skip
    enrich_link(
        sentences=path["s"], corpus_sentences=[path["s"]], names=path["names"], mentions=path["m"],
        rejects=path["mr"], corpus="camt", job=job,
        settings=link_settings(pair, backend="released", annotated=str(file)),
    )  # fmt: skip
    enrich_categorise(
        mentions=[path["m"]], entities=path["entities"], categories=path["categories"],
        settings=categorise_settings(), job=job,
    )  # fmt: skip
    enrich_lookup(
        categories=path["categories"], entities=path["entities"], lookups=path["lookups"],
        settings=lookup_settings(languages), job=job,
    )  # fmt: skip
    enrich_items(
        categories=path["categories"], lookups=path["lookups"], pages=[], dictionary=path["items"],
        settings=ItemsSettings(languages=tuple(languages)), job=job,
    )  # fmt: skip
    enrich_assemble(
        sentences=[path["s"]], mentions=[path["m"]], about=[path["categories"], path["items"]],
        assembled=path["assembled"], rejects=path["ar"], camt=path["json"],
        settings=AssembleSettings(pair=pair), job=job,
    )  # fmt: skip
    written: list[dict[str, Any]] = json.loads(Path(path["json"]).read_bytes())
    rows = tables.read(path["assembled"]).to_dicts()
    for one, row in zip(written, rows, strict=True):
        one["spans"] = [(item["qid"], item["start"], item["end"]) for item in row["items"]]
    return written


def known(label: dict[str, Any]) -> dict[str, Any]:
    """What a record says of an item, in one of the two forms of the files; not what it says in languages in which the
    item has no name, as that is not kept.
    """
    about = label["metadata"]
    country = label["country_of_origin"]
    found: dict[str, Any] = {"country": OTHERWISE.get(country, country), "topic": label["category"]}
    for member in ("labels", "descriptions", "summarys"):
        for lang, one in about.get(member, {}).items():
            if one and one["value"]:
                found[f"{member} {lang}"] = one["value"]
    for lang, given in about.get("aliases", {}).items():
        names = given["value"] if isinstance(given, dict) else [one["value"] for one in given]
        if own := frozenset(filter(None, names)):
            found[f"aliases {lang}"] = own
    named = {key.split()[1] for key in found if key.startswith(("labels ", "aliases "))}
    named |= {lang.removesuffix("wiki") for lang, link in about.get("sitelinks", {}).items() if link}
    return {key: text for key, text in found.items() if " " not in key or key.split()[1] in named}


def labels(rows: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((row["source"], label) for row in rows for label in row["labels"])
