"""CAMT's published files as what Wokflow reads: a dump of entities, and pairs of sentences."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.enrich.facts import entity

PAIRS = ("en-zh", "en-es", "en-hi")
ITEMS, COUNTRIES = 90_000_001, 80_000_001  # the ids begin here, since CAMT has none


def rows(folder: Path, pair: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / f"{pair}.json").read_bytes())
    return found


def annotations(folder: Path, pair: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Number of the sentence, the words that are annotated, and the annotation; those without words are left out."""
    for number, row in enumerate(rows(folder, pair)):
        for label in row["labels"]:
            if value := " ".join(label["value"].split()):
                yield number, value, label


def entities(folder: Path) -> list[dict[str, Any]]:
    """An item for each English label, country and topic, of all files; and the countries."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    countries: dict[str, str] = {}
    for pair in PAIRS:
        for _, value, label in annotations(folder, pair):
            name = name_of(label, value)
            country = label["country_of_origin"]
            made = _item(name, label, countries.setdefault(country, f"Q{COUNTRIES + len(countries)}"))
            known = found.setdefault((name, country), made)
            for member in ("labels", "descriptions", "aliases", "sitelinks", "summaries"):
                known[member] = made[member] | known[member]
    for number, made in enumerate(found.values()):
        made["id"] = f"Q{ITEMS + number}"
    return [*found.values(), *(entity(qid, {"en": name}) for name, qid in countries.items())]


def name_of(label: Mapping[str, Any], value: str) -> str:
    """The English name of an annotation's item, or else its words."""
    return _texts(label["metadata"], "labels").get("en", value)


def names(label: Mapping[str, Any], lang: str) -> tuple[str, list[str]]:
    """The label, which may be empty, and the aliases of an annotation's item in a language."""
    return _texts(label["metadata"], "labels").get(lang, ""), _aliases(label["metadata"]).get(lang, [])


def _item(name: str, label: Mapping[str, Any], country: str) -> dict[str, Any]:
    about = label["metadata"]
    aliases = _aliases(about)
    links = about.get("sitelinks", {})
    made = entity(
        "Q1",
        {"en": name, **_texts(about, "labels")},
        descriptions=_texts(about, "descriptions"),
        aliases={lang: names for lang, names in aliases.items() if names},
        titles={wiki.removesuffix("wiki"): link["title"] for wiki, link in links.items() if link},
        origins=[country],
    )
    made["summaries"] = _texts(about, "summarys")
    made["topics"] = [label["category"]] if label["category"] else []
    return made


def _aliases(about: Mapping[str, Any]) -> dict[str, list[str]]:
    return {
        lang: list(given["value"]) if isinstance(given, dict) else [one["value"] for one in given]
        for lang, given in about["aliases"].items()
    }


def _texts(about: Mapping[str, Any], member: str) -> dict[str, str]:
    return {lang: one["value"] for lang, one in about.get(member, {}).items() if one and one["value"]}


def write(folder: Path, into: Path) -> None:
    """entities.jsonl, and PAIR.en and PAIR.zh and so on."""
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in entities(folder))
    (into / "entities.jsonl").write_text("".join(lines), encoding="utf-8")
    for pair in PAIRS:
        for side, lang in zip(("source", "target"), pair.split("-"), strict=True):
            text = "".join(" ".join(row[side].split()) + "\n" for row in rows(folder, pair))
            (into / f"{pair}.{lang}").write_text(text, encoding="utf-8")
