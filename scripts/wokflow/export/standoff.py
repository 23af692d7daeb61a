"""Reads the rows of a release's tables in their stand-off form from the tables of a run, in batches."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl
import pyarrow.parquet as pq

from wokflow.export.forms import recipe_text
from wokflow.export.licences import Source
from wokflow.export.quotations import quoted, referred, sha256
from wokflow.export.source_texts import Texts, corpus_of, numbers
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.match.gold import SOURCE, TARGET

BATCH = 1 << 17  # rows read at once
GOLD = "gold:"  # before the ids of recipes of gold sets in those of instances


def batches(parts: Sequence[str], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The rows of a table's parts in order, in batches."""
    for part in parts:
        with tables.opened(part) as file:
            for batch in file.iter_batches(BATCH, columns=list(columns) if columns else None):
                frame = pl.from_arrow(batch)
                assert isinstance(frame, pl.DataFrame)
                yield frame


def pairs(parts: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of match/pairs or match/silver: each source with its targets, best first, their scores, and its split.

    Raises ValueError if sources are not in the order of their corpus.
    """
    silver = "split" not in pq.read_schema(parts[0]).names
    columns = ["source_id", "target_id", *([] if silver else ["score", "split"])]
    kept: pl.DataFrame | None = None
    for frame in batches(parts, columns):
        if silver:
            frame = frame.with_columns(score=pl.lit(None, pl.Float32), split=pl.lit("test"))
        rows = frame if kept is None else pl.concat([kept, frame])
        if not numbers(rows["source_id"]).is_sorted():
            raise ValueError(f"{parts[0]}: sources are not in the order of the corpus")
        ending = rows["source_id"] == rows["source_id"][-1]
        kept = rows.filter(ending)
        yield _by_source(rows.filter(~ending), silver=silver)
    if kept is not None:
        yield _by_source(kept, silver=silver)


def _by_source(rows: pl.DataFrame, *, silver: bool) -> pl.DataFrame:
    grouped = rows.group_by("source_id", maintain_order=True).agg(
        pl.col("target_id").alias("target_ids"), pl.col("score").alias("scores"), pl.col("split").first()
    )
    return grouped.with_columns(scores=pl.lit(None, pl.List(pl.Float32))) if silver else grouped


def actions(parts: Sequence[str], texts: Mapping[str, Texts]) -> Iterator[pl.DataFrame]:
    """The rows of parse/actions with offsets in place of words."""
    for rows in batches(parts):
        corpus = texts[corpus_of(rows["recipe_id"][0])]
        recipes = corpus.take(rows["recipe_id"]).select("title", "ingredients", "steps")
        words = rows.select("step", "start", "text", "ingredients", "tools")
        clauses, ingredients, tools = [], [], []
        last, whole, offsets = None, "", [0]
        for recipe, (step, start, text, named, used) in zip(
            recipes.iter_rows(), words.iter_rows(), strict=True
        ):
            if recipe != last:
                last, whole = recipe, recipe_text(*recipe)
                offsets = _offsets(recipe[0], recipe[1], recipe[2])
            begin = _nearest(recipe[2][step], text, start)
            clauses.append(None if begin is None else {"start": begin, "end": begin + len(text)})
            at = offsets[step] + (start if begin is None else begin)
            ingredients.append([_span(whole, word, at) for word in named])
            tools.append([_span(whole, word, at) for word in used])
        corpus.forget()
        span = pl.Struct({"start": pl.Int32, "end": pl.Int32})
        yield rows.drop("verb", "text", "ingredients", "tools").with_columns(
            clause=pl.Series(clauses, dtype=span),
            ingredient_spans=pl.Series(ingredients, dtype=pl.List(span)),
            tool_spans=pl.Series(tools, dtype=pl.List(span)),
            split=pl.lit("train"),
        )


def _offsets(title: str, ingredients: Sequence[str], steps: Sequence[str]) -> list[int]:
    """The offset of each step in recipe_text."""
    at = len(title) + 1 + sum(len(each) + 1 for each in ingredients)
    offsets = []
    for step in steps:
        offsets.append(at)
        at += len(step) + 1
    return offsets


def _nearest(step: str, clause: str, verb: int) -> int | None:
    """The offset in the step of the clause that contains the verb's offset; None if there is no such clause."""
    begin = step.rfind(clause, 0, verb + len(clause))
    return begin if begin >= 0 and begin <= verb < begin + len(clause) else None


def _span(text: str, word: str, at: int) -> dict[str, int] | None:
    """The place of the mention of a word that is nearest to the clause's beginning `at`; None if it is not in the
    text.
    """
    begin = text.find(word, at)
    before = text.rfind(word, 0, at)
    if before >= 0 and (begin < 0 or at - before < begin - at - len(word)):
        begin = before
    return None if begin < 0 or not word else {"start": begin, "end": begin + len(word)}


def plain(parts: Sequence[str], columns: Sequence[str], split: str) -> Iterator[pl.DataFrame]:
    """The rows of a table, unchanged, in one split."""
    for rows in batches(parts, columns):
        yield rows.with_columns(split=pl.lit(split))


def sentences(parts: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of enrich/sentences without words."""
    names = ("qid", "start", "end", "category")
    items = pl.col("items").list.eval(pl.struct(pl.element().struct.field(name) for name in names))
    for rows in batches(parts, ("sentence_id", "items")):
        yield rows.with_columns(items=items, split=pl.lit("train"))


def gold(
    path: str, rows: pl.DataFrame, corpus: Texts, *, text: bool, given: Source | None
) -> Iterator[pl.DataFrame]:
    """The rows of a gold set, read by wokflow.match.gold from `path`.

    Without `text`, adaptations are null. Recipes of no corpus are of the source `given`, which must let their text,
    and what is derived from it, pass.
    Raises UserError for a recipe that is in no corpus and did not come with the set.
    """
    there = corpus.take(rows["source_id"])["title"].is_not_null()
    if gone := rows.filter(~there & pl.col("source_steps").is_null()).rows(named=True):
        raise UserError(
            f"{path}, line {gone[0]['line']}: {gone[0]['source_id']} is not among the recipes of {corpus.corpus}, so "
            f"the release would lack its text ({len(gone)} of {len(rows)} rows). Give the recipe itself in the "
            f"columns {', '.join(SOURCE)}, or take the row out."
        )
    derived = given is not None and given.derivable
    shown = pl.when(pl.lit(there)).then(pl.lit(text)).otherwise(pl.lit(derived))
    came = pl.struct(pl.col(name).alias(part) for name, part in zip(SOURCE, TARGET, strict=True))
    yield rows.select(
        "source_id",
        source=pl.when(pl.lit(given is not None) & ~pl.lit(there)).then(came),
        adaptation=pl.when(shown).then(pl.struct(TARGET)),
        split=pl.lit("test"),
    )


def predictions(
    parts: Sequence[str], texts: Mapping[str, Texts], *, text: bool, given: Source | None
) -> Iterator[pl.DataFrame]:
    """The predictions of all runs with their digests, and references to records in place of what they quote.

    Without `text`, the predictions are null. So are those of recipes that a gold set brought and no corpus has,
    unless their source `given` lets what is derived from it pass.
    """
    derived = given is not None and given.derivable
    read = (rows["prediction"] for rows in batches(parts, ("prediction",)))
    places = quoted(read, texts) if text else {}
    for rows in batches(parts):
        digests = pl.Series(map(sha256, rows["prediction"]), dtype=pl.String)
        withheld = pl.lit(not text) | (pl.lit(_of_no_corpus(rows["instance_id"], texts)) & (not derived))
        shown = rows.select(pl.when(~withheld).then("prediction"))["prediction"]
        yield rows.select("instance_id", "run", sha256=digests, split=pl.lit("test")).hstack(
            referred(shown, places)
        )


def _of_no_corpus(instances: pl.Series, texts: Mapping[str, Texts]) -> pl.Series:
    """Which instances are of a gold set, and of a recipe that none of the corpora has."""
    gold = instances.str.strip_prefix(GOLD).filter(instances.str.starts_with(GOLD)).unique()
    lacking = set[str]()
    for name in gold:
        corpus = texts.get(corpus_of(name))
        if corpus is None or corpus.take(pl.Series([name]))["title"][0] is None:
            lacking.add(f"{GOLD}{name}")
    return instances.is_in(list(lacking))
