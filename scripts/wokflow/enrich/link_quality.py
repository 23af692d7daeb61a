"""Recall and precision of links, against the annotations of published files (kind camt)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.enrich.naming import NAMING
from wokflow.enrich.program import Answer
from wokflow.enrich.published_annotations import english_name, read, released_mentions
from wokflow.enrich.schemas import LINK_QUALITY
from wokflow.enrich.settings import LinkQualitySettings
from wokflow.frame import tables
from wokflow.frame.intervals import wilson
from wokflow.frame.job import Job

ALL, KEPT = "all", "kept"  # which links: every one, or those of items with a category and a country
WORDS, ITEM = "words", "item"  # what must be the same: the words (both ends), or these and the item
Span = tuple[str, int, int]  # sentence and characters
Linked = tuple[Span, str]  # a mention's place, and the item's id


def enrich_link_quality(
    *,
    sentences: Sequence[str],
    mentions: Sequence[str],
    entities: str,
    dictionary: str,
    quality: str,
    corpus: str,
    settings: LinkQualitySettings,
    job: Job,
) -> None:
    """Write recall and precision of the links of a source whose file has annotations; log those of kept items.

    `sentences` and `mentions` are ingest/sentences and enrich/mentions of the source, `dictionary` is enrich/items.
    Raises UserError where the file is not in its form.
    """
    kept = set(tables.read(dictionary, ["qid"])["qid"])
    rows = [*measured(corpus, settings.annotated, sentences, mentions, entities, kept)]
    tables.write(quality, LINK_QUALITY, tables.frame(LINK_QUALITY, rows), job.metadata)
    for row in rows:
        if (row["links"], row["same"]) == (KEPT, WORDS) and row["annotations"] and row["linked"]:
            job.progress.say(
                f"{row['found']} of {row['annotations']} annotations are linked (recall {row['recall']:.3f}), of "
                f"{row['linked']} links to items with a category and a country (precision {row['precision']:.3f})"
            )


def measured(
    corpus: str,
    path: str,
    sentences: Sequence[str],
    mentions: Sequence[str],
    entities: str,
    kept: Collection[str],
) -> Iterator[dict[str, Any]]:
    """Rows of enrich/link_quality for a source whose file at `path` has annotations.

    Counted are annotations whose words the sentence has, in the sentences that were read, and all links in these. An
    item is the same if its id is, or, where the file has no id, its English name, whatever the case of letters.
    `kept` are ids of items with a category and a country. Raises UserError where the file is not in its form.
    """
    rows = tables.read(sentences, ["sentence_id", "source", "source_row"])
    placed, rejected = released_mentions(rows, path, lambda qid: True)
    linked = tables.read(mentions, ["sentence_id", "start", "end", "qid"])
    links = [((sentence, start, end), qid) for sentence, start, end, qid in linked.iter_rows()]
    names = _english(entities, {qid for _, qid in links})
    annotated = _annotated(placed, read(path))
    for which, some in ((ALL, links), (KEPT, [link for link in links if link[1] in kept])):
        for same in (WORDS, ITEM):
            hits = sum(_is_annotated(link, annotated, names, same) for link in some)
            yield {
                "corpus": corpus,
                "links": which,
                "same": same,
                "annotations": len(placed),
                "unplaced": len(rejected),
                "linked": len(some),
                "found": hits,
                **_share("recall", hits, len(placed)),
                **_share("precision", hits, len(some)),
            }


def _annotated(placed: Iterable[Answer], written: Sequence[Mapping[str, Any]]) -> dict[Span, tuple[str, str]]:
    """By place, the id of the annotated item; and its English name in small letters where the file has no id."""
    labels = (label for row in written for label in row["labels"] if not label.get("qid"))
    names = {qid: name.lower() for qid, name in map(english_name, labels)}
    return {(one.sentence, one.start, one.end): (one.qid, names.get(one.qid, "")) for one in placed}


def _is_annotated(
    link: Linked, annotated: Mapping[Span, tuple[str, str]], names: Mapping[str, str], same: str
) -> bool:
    span, qid = link
    if span not in annotated:
        return False
    item, name = annotated[span]
    return same == WORDS or qid == item or bool(name and names.get(qid, "").lower() == name)


def _english(entities: str, qids: Collection[str]) -> dict[str, str]:
    """The English labels of items that have one."""
    wanted = pl.LazyFrame({"qid": list(qids)}, {"qid": pl.String})
    rows = tables.scan(entities, ["qid", "texts"]).join(wanted, on="qid", how="semi").collect()
    texts = rows.explode("texts").drop_nulls("texts").unnest("texts").filter(lang=NAMING)
    return dict(texts.drop_nulls("label").select("qid", "label").iter_rows())


def _share(name: str, hits: int, trials: int) -> dict[str, float | None]:
    """A share with the ends of its interval; null of nothing."""
    low, high = wilson(hits / trials, trials) if trials else (None, None)
    return {name: hits / trials if trials else None, f"{name}_low": low, f"{name}_high": high}
