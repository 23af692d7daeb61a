"""Replaces what predictions quote from a corpus by references to its records, and fills it in again.

Systems copy and retrieve recipes, and a stand-off release must not hold these. Predictions are cut at punctuation
and line ends. A part that a record has, too, becomes a reference to the first such record; a part in which a system
has changed a character stays as it is.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from wokflow.export.source_texts import Texts, corpus_of

_MARKS = r"\n.,;:!?…。，、；：！？"
PART = rf"[^\s{_MARKS}](?:[^{_MARKS}]*[^\s{_MARKS}])?"
_PARTS = re.compile(PART)
SPANS = pl.List(pl.Struct({"at": pl.Int32, "start": pl.Int32, "end": pl.Int32}))
Place = tuple[str, int, int]  # a record's id, and where the part begins and ends in the record's text


def quoted(predictions: Iterable[pl.Series], texts: Mapping[str, Texts]) -> dict[str, Place]:
    """The parts of the predictions that stand in a record, each with its place in the first one.

    The distinct parts are in memory; each corpus is read once, some records at a time.
    """
    wanted = pl.Series([], dtype=pl.String)
    for each in predictions:
        wanted = pl.concat([wanted, each.str.extract_all(PART).explode().drop_nulls()]).unique()
    found: dict[str, Place] = {}
    for corpus in texts.values():
        for records in corpus.whole():
            parts = records.with_columns(part=pl.col("text").str.extract_all(PART)).explode("part")
            hits = parts.filter(pl.col("part").is_in(wanted.implode()))
            for record, text, part in hits.unique("part", keep="first", maintain_order=True).iter_rows():
                begin = text.index(part)
                found.setdefault(part, (record, begin, begin + len(part)))
    return found


def referred(predictions: pl.Series, places: Mapping[str, Place]) -> pl.DataFrame:
    """The predictions without the parts that have a place: `prediction`, `record_ids` and `spans`."""
    rows: list[dict[str, Any]] = []
    for text in predictions:
        own, records, spans, done = "", [], [], 0
        for match in _PARTS.finditer(text or ""):
            if place := places.get(match.group()):
                own += text[done : match.start()]
                done = match.end()
                records.append(place[0])
                spans.append({"at": len(own), "start": place[1], "end": place[2]})
        rest = None if text is None else own + text[done:]
        rows.append({"prediction": rest, "record_ids": records, "spans": spans})
    return pl.DataFrame(rows, {"prediction": pl.String, "record_ids": pl.List(pl.String), "spans": SPANS})


def fill_predictions(rows: pl.DataFrame, texts: Mapping[str, Texts]) -> pl.DataFrame:
    """Predictions with what they quote from records.

    Raises ValueError for one whose digest is not that of the result, and KeyError for a record of an unknown corpus.
    """
    ids = rows["record_ids"].explode().drop_nulls().unique(maintain_order=True)
    known: dict[str, str] = {}
    for (corpus,), own in ids.to_frame("id").group_by(pl.col("id").map_elements(corpus_of, pl.String)):
        taken = texts[str(corpus)].text_at(own["id"])
        known |= dict(zip(own["id"], taken, strict=True))
    filled: list[str | None] = []
    for text, records, spans, digest in rows.select(
        "prediction", "record_ids", "spans", "sha256"
    ).iter_rows():
        if text is None:  # it may not be passed on
            filled.append(None)
            continue
        whole, done = "", 0
        for record, span in zip(records, spans, strict=True):
            whole += text[done : span["at"]] + known[record][span["start"] : span["end"]]
            done = span["at"]
        whole += text[done:]
        if sha256(whole) != digest:
            raise ValueError(f"what it quotes from {', '.join(records[:3])} gives another prediction")
        filled.append(whole)
    return rows.drop("record_ids", "spans").with_columns(prediction=pl.Series(filled, dtype=pl.String))


def sha256(text: str | None) -> str | None:
    """The digest of a prediction."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
