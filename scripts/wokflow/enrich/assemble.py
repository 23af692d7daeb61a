"""The corpus: sentences that mention culture-specific items, as a table and in CAMT's format."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.enrich.schemas import REJECTED_SENTENCES, SENTENCES
from wokflow.enrich.settings import AssembleSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import languages_of


def enrich_assemble(
    *,
    sentences: Sequence[str],
    mentions: Sequence[str],
    about: Sequence[str],
    assembled: str,
    rejects: str,
    camt: str,
    settings: AssembleSettings,
    job: Job,
) -> None:
    """Write the sentences that mention an item of enrich/items as enrich/sentences, the others as rejects.

    `about` are the tables enrich/categories (all mentioned items) and enrich/items (those with a country). `camt` is
    the corpus as JSON, in the format of the paper's corpus (Yao et al. 2024, appendix A).
    """
    categories, dictionary = about
    known = tables.read(dictionary)
    category_of = dict(known.select("qid", "category").unique().iter_rows())
    categorised = set(tables.read(categories).drop_nulls("category")["qid"])
    of_sentence: dict[str, list[dict[str, Any]]] = {}
    for row in tables.read(mentions).iter_rows(named=True):
        of_sentence.setdefault(row["sentence_id"], []).append(row)
    kept, left = [], []
    columns = ["sentence_id", "source", "target", "corpus", "source_row"]
    for sentence, source, target, corpus, number in tables.read(sentences, columns).iter_rows():
        mentioned = of_sentence.get(sentence, [])
        own = [
            {name: item[name] for name in ("qid", "start", "end", "mention")}
            | {"category": category_of[item["qid"]]}
            for item in mentioned
            if item["qid"] in category_of
        ]
        if own:
            kept.append({"sentence_id": sentence, "source": source, "target": target, "items": own})
        else:
            named = [item["qid"] for item in mentioned]
            left.append((corpus, number, _reason(named, categorised), ", ".join(named) or None, sentence))
    tables.write(assembled, SENTENCES, kept, job.metadata)
    tables.write(rejects, REJECTED_SENTENCES, left, job.metadata)
    languages = languages_of(settings.pair)
    items = {qid: _camt_item(rows, languages) for (qid,), rows in known.group_by("qid")}
    made = [_camt_sentence(row, items) for row in kept]
    tables.write_text(camt, json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    job.progress.say(f"{len(kept)} sentences of {len(kept) + len(left)} mention an item")


def _reason(qids: Sequence[str], categorised: set[str]) -> str:
    if not qids:
        return "no_mention"
    return "no_country" if categorised.intersection(qids) else "no_category"


def _camt_item(rows: pl.DataFrame, languages: Sequence[str]) -> dict[str, Any]:
    """CAMT's record of an item, without the words of the sentence."""
    by_lang = {row["lang"]: row for row in rows.iter_rows(named=True) if row["lang"] in languages}
    texts = {
        "descriptions": "description",
        "aliases": "aliases",
        "labels": "label",
        "summarys": "explanation",
    }
    first = rows.row(0, named=True)
    return {
        "metadata": {
            member: {
                lang: {"value": row[column], "language": lang} for lang, row in by_lang.items() if row[column]
            }
            for member, column in texts.items()
        },
        "country_of_origin": first["country_of_origin"],
        "category": first["topics"][0],
        "qid": first["qid"],
    }


def _camt_sentence(row: Mapping[str, Any], about: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    labels = [{"value": item["mention"], **about[item["qid"]]} for item in row["items"]]
    return {"source": row["source"], "target": row["target"], "labels": labels}
