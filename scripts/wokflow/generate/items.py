"""Instances of translation: sentences that mention items, each with the dictionary of its items. A cutoff."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.language_codes import languages_of
from wokflow.generate import schemas
from wokflow.generate.settings import ItemsSettings


def generate_items(
    *,
    sentences: str,
    dictionary: str,
    held_out: str,
    data: str,
    digest: str,
    plain: Sequence[str],
    settings: ItemsSettings,
    job: Job,
) -> None:
    """Write the sentences of a source (enrich/sentences) as generate/instances to `data`, and a `digest`.

    `plain` are two more such files: the same without items, and the digest of what models read of it. So runs that do
    not read items are not repeated when the dictionary of items grows.

    Each item has its translations into the target language and its explanation in the source language, of
    enrich/items (`dictionary`). Exemplars are `held_out` of the instances of all runs, for prompts to show
    (generate/exemplars); see `_exemplars`. Raises UserError if there are fewer than the settings want.
    """
    source_lang, target_lang = languages_of(settings.pair)
    known = tables.read(dictionary, ["qid", "lang", "translations", "explanation"])
    translations = dict(known.filter(lang=target_lang).select("qid", "translations").iter_rows())
    explanations = dict(known.filter(lang=source_lang).select("qid", "explanation").iter_rows())
    rows = [
        {
            "instance_id": row["sentence_id"],
            "dataset": settings.corpus,
            "source": row["source"],
            "reference": row["target"],
            "items": [
                {name: item[name] for name in ("qid", "start", "end", "mention")}
                | {
                    "translations": translations.get(item["qid"]) or [],
                    "explanation": explanations.get(item["qid"]),
                }
                for item in row["items"]
            ],
        }
        for row in tables.read(sentences).iter_rows(named=True)
    ]
    shown = _exemplars(rows, settings)
    names = {row["instance_id"] for row in shown}
    asked = [row for row in rows if row["instance_id"] not in names]
    bare = [row | {"items": []} for row in asked]
    for path, some in ((data, asked), (held_out, shown), (plain[0], bare)):
        tables.write(path, schemas.SENTENCES, some, job.metadata)
    _write_digest(digest, [*asked, None, *shown])
    sources = [(row["instance_id"], row["source"]) for row in asked]
    _write_digest(plain[1], [*sources, None, *((row["source"], row["reference"]) for row in shown)])
    job.progress.say(f"{len(asked)} sentences, {len(shown)} exemplars are held out")


def _write_digest(path: str, read: Iterable[Any]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) for row in read]
    tables.write_text(path, tables.strings_digest(pl.Series(lines, dtype=pl.String)) + "\n")


def _exemplars(rows: list[dict[str, Any]], settings: ItemsSettings) -> list[dict[str, Any]]:
    """The first sentences by a seeded hash of their text, among those that share nothing with another sentence.

    Neither their items nor their texts, on either side, are found in another sentence; and all of their items have
    a translation and an explanation, so that each prompt can show them. Raises UserError for fewer than are wanted.
    """
    count, seed = settings.exemplars, settings.seed
    if not count:
        return []
    seen: dict[tuple[str, str], int] = {}
    for row in rows:
        for mark in _marks(row):
            seen[mark] = seen.get(mark, 0) + 1
    fit = [
        row
        for row in rows
        if all(seen[mark] == 1 for mark in _marks(row))
        and all(item["translations"] and item["explanation"] for item in row["items"])
    ]
    if len(fit) < count:
        raise UserError(
            f"generate.items.exemplars: {settings.corpus} has {len(fit)} sentences that can be exemplars, not "
            f"{count}. No other sentence may mention their items, which need a translation and an explanation. Lower "
            "it, or take more sentences."
        )
    return sorted(fit, key=lambda row: hashlib.sha256(f"{seed}:{row['source']}".encode()).digest())[:count]


def _marks(row: dict[str, Any]) -> set[tuple[str, str]]:
    """What a sentence must not share with an exemplar."""
    return {("source", row["source"]), ("target", row["reference"])} | {
        ("item", item["qid"]) for item in row["items"]
    }
