"""CAMT's published files as input: its items as a table of entities, and its annotations as mentions.

    python -m wokflow.enrich.released entities en-zh.json en-es.json > entities.jsonl
    python -m wokflow.enrich.released mentions camt=en-zh.json < questions > mentions

The second is a program for `enrich.link.command` (docs/items.md), with the file of each source of sentences. Files
that enrich.assemble wrote have the same form, and an id for each item. The published ones have none: an item is known
by its English name, description, country and topic. Paper: Yao et al. 2024, appendix A.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError

ENGLISH = "en"
FIRST, IDS = 10**14, 9 * 10**14  # made ids have 15 digits: Wikidata's own are far shorter
TEXTS = {"labels": "labels", "descriptions": "descriptions", "summarys": "summaries"}


def read(path: str) -> list[Any]:
    """The sentences of a file. Raises UserError where it is no array of objects with source, target and labels."""
    try:
        rows = json.loads(Path(path).read_bytes())
        for number, row in enumerate(rows):
            for label in row["labels"]:
                (
                    label["value"].strip(),
                    label["metadata"].items(),
                    label["country_of_origin"],
                    label["category"],
                )
            if not isinstance(row["source"], str) or not isinstance(row["target"], str):
                raise TypeError(f"record {number}: source and target are texts")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(
            f"{path} is not in the form of CAMT's files, an array of objects with source, target and labels "
            f"({type(error).__name__}: {error})."
        ) from error
    return list(rows)


def entities(paths: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The items of all files in the form of Wikidata's JSON, each once with its names in all languages; then the
    countries that they come from.
    """
    found: dict[str, dict[str, Any]] = {}
    countries: dict[str, dict[str, Any]] = {}
    for path in paths:
        for label in (label for row in read(path) for label in row["labels"]):
            made = _entity(label)
            known = found.setdefault(made["id"], made)
            for member in (*TEXTS.values(), "aliases", "sitelinks"):
                known[member] = made[member] | known[member]
            if country := label["country_of_origin"]:
                named = {ENGLISH: {"language": ENGLISH, "value": country}}
                countries[_country(country)] = {"id": _country(country), "labels": named}
    yield from found.values()
    yield from countries.values()


def mentions(questions: Iterable[str], files: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The annotations of each sentence that is asked about, where its text has their words.

    `files` are the files of the sources of sentences, by the sources' names. Of words that the text has twice, each
    annotation gets the next ones, and those with other capitals last.
    """
    rows = {name: read(path) for name, path in files.items()}
    for line in filter(str.strip, questions):
        asked = json.loads(line)
        name, _, number = asked["sentence_id"].rpartition(":")
        if name not in rows or int(number) >= len(rows[name]):
            raise UserError(
                f"No file has {asked['sentence_id']}: give {name}=FILE.json, the file of sources.{name}."
            )
        used: set[int] = set()
        for label in rows[name][int(number)]["labels"]:
            words = " ".join(label["value"].split())
            start = next((at for at in _places(asked["text"], words) if at not in used), None)
            if start is not None:
                used.add(start)
                place = {"start": start, "end": start + len(words)}
                yield {"sentence_id": asked["sentence_id"], "qid": item_id(label), **place}


def _places(text: str, words: str) -> Iterator[int]:
    """Where a text has some words, in any capitals, those as they are written first; nowhere without words."""
    for one, sought in ((text, words), (text.lower(), words.lower())):
        if words and len(one) == len(text):  # a few letters have two in lower case
            yield from (match.start() for match in re.finditer(re.escape(sought), one))


def item_id(label: Mapping[str, Any]) -> str:
    """The item's id in Wikidata where the file has it, else one that is made of what is known of it."""
    if "qid" in label:
        return str(label["qid"])
    about = label["metadata"]
    english = [_texts(about, member).get(ENGLISH) for member in ("labels", "descriptions")]
    name, description = (one["value"] if one else None for one in english)
    return _made(name or label["value"], description, label["country_of_origin"], label["category"])


def _country(name: str) -> str:
    return _made(name)


def _made(*parts: str | None) -> str:
    digest = blake2b(json.dumps(parts).encode(), digest_size=8).digest()
    return f"Q{FIRST + int.from_bytes(digest, 'big') % IDS}"


def _entity(label: Mapping[str, Any]) -> dict[str, Any]:
    about, country = label["metadata"], label["country_of_origin"]
    texts = {ours: _texts(about, theirs) for theirs, ours in TEXTS.items()}
    texts["labels"] = texts["labels"] or {ENGLISH: {"language": ENGLISH, "value": label["value"]}}
    origin = {"mainsnak": {"datavalue": {"value": {"id": _country(country)}}}}
    return {
        "id": item_id(label),
        **texts,
        "summaries": {lang: text["value"] for lang, text in texts["summaries"].items()},
        "aliases": {
            lang: [{"language": lang, "value": name} for name in names if name]
            for lang, given in about.get("aliases", {}).items()
            if (names := given["value"] if isinstance(given, dict) else [one["value"] for one in given])
        },
        "sitelinks": {wiki: link for wiki, link in about.get("sitelinks", {}).items() if link},
        "claims": {"P495": [origin]} if country else {},
        "topics": [label["category"]] if label["category"] else [],
    }


def _texts(about: Mapping[str, Any], member: str) -> dict[str, dict[str, str]]:
    return {
        lang: {"language": lang, "value": one["value"]}
        for lang, one in about.get(member, {}).items()
        if one and one["value"]
    }


def main(arguments: Sequence[str]) -> None:
    """Write JSON, a line each: `entities FILES`, or `mentions NAME=FILE ...` for questions on standard input."""
    what, *files = arguments or ("",)
    if what == "entities" and files:
        lines = entities(files)
    elif what == "mentions" and files and all("=" in file for file in files):
        named = dict(file.split("=", 1) for file in files)
        lines = mentions((line.decode() for line in sys.stdin.buffer), named)
    else:
        raise UserError("Say `entities FILES`, or `mentions NAME=FILE ...`.")
    for line in lines:
        sys.stdout.buffer.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
