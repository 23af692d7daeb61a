"""The forms of a release's tables: their columns without and with text, and how the text is filled in.

A subset of a release is one table with its splits, which Hugging Face calls a config. Its stand-off form has ids,
offsets and annotations. `fill` makes the full form of it, row by row, from the corpora's text: export and rehydrate
both call it, so that both write the same bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from wokflow.enrich import schemas as enrich
from wokflow.evaluate import schemas as evaluate
from wokflow.export import schemas
from wokflow.export.quotations import fill_predictions
from wokflow.export.source_texts import RECIPE, Texts, corpus_of, recipes
from wokflow.frame.joined_steps import joined
from wokflow.pivot import schemas as pivot

Fill = Callable[[pl.DataFrame, Mapping[str, Texts]], pl.DataFrame]


@dataclass(frozen=True)
class Form:
    """The columns of a table without text (`own`) and with text (`full`), its key, and the rows of a row group.

    `text_of` names the columns of ids whose records have their text in the full form.
    """

    own: pa.Schema
    key: tuple[str, ...]
    group: int
    full: pa.Schema | None = None
    fill: Fill | None = None
    text_of: tuple[str, ...] = ()

    def schema(self, *, full: bool) -> pa.Schema:
        return self.full if full and self.full is not None else self.own

    @property
    def common(self) -> list[str]:
        """The columns that mean the same without and with text, by their descriptions, too."""
        full = self.schema(full=True)
        return [
            field.name
            for field in self.own
            if field.name in full.names and field.equals(full.field(field.name), check_metadata=True)
        ]

    def row_key(self, *, full: bool) -> pl.Expr:
        """The key of a row as text."""
        return pl.concat_str([self._key_part(name, full=full) for name in self.key], separator=" ")

    def _key_part(self, name: str, *, full: bool) -> pl.Expr:
        column = inner_id(name) if name not in self.schema(full=full).names else pl.col(name)
        listed = name in self.own.names and pa.types.is_list(self.own.field(name).type)
        return (column.list.join(",") if listed else column.cast(pl.String)).fill_null("")


def inner_id(name: str) -> pl.Expr:
    """The id of a recipe in the full form, where source_id is source.id."""
    return pl.col(name.removesuffix("_id")).struct.field("id")


def fill_pairs(rows: pl.DataFrame, texts: Mapping[str, Texts]) -> pl.DataFrame:
    """Each source recipe with its targets."""
    flat = rows.select(pl.int_range(pl.len()).alias("row"), "target_ids").explode("target_ids")
    filled = recipes(flat["target_ids"], texts)
    targets = (
        pl.DataFrame({"row": flat["row"], "targets": filled})
        .group_by("row", maintain_order=True)
        .agg("targets")
    )
    return pl.DataFrame(
        [recipes(rows["source_id"], texts).alias("source"), targets["targets"], rows["scores"]]
    )


def fill_gold(rows: pl.DataFrame, texts: Mapping[str, Texts]) -> pl.DataFrame:
    """Each adapted recipe with its adaptation; a recipe of no corpus is the row's own."""
    (corpus,) = texts.values()
    own = rows["source"].struct.unnest().with_columns(dish=pl.lit(None, pl.String))
    found = corpus.take(rows["source_id"]).select(RECIPE)
    source = [found[name].zip_with(found["title"].is_not_null(), own[name]) for name in RECIPE]
    return pl.DataFrame(
        [pl.DataFrame([rows["source_id"].alias("id"), *source]).to_struct("source"), rows["adaptation"]]
    )


def recipe_text(title: str, ingredients: list[str], steps: list[str]) -> str:
    """A recipe as one text; the offsets of spans count its characters."""
    return "\n".join([title, *ingredients, *steps])


def fill_actions(rows: pl.DataFrame, texts: Mapping[str, Texts]) -> pl.DataFrame:
    """Actions with the words at their offsets."""
    corpus = texts[corpus_of(rows["recipe_id"][0])]
    known = corpus.take(rows["recipe_id"]).select("title", "ingredients", "steps")
    words: dict[str, list[object]] = {name: [] for name in ("verb", "text", "ingredients", "tools")}
    spans = rows.select("step", "start", "end", "clause", "ingredient_spans", "tool_spans")
    last, whole = None, ""
    for recipe, (step, start, end, clause, ingredients, tools) in zip(
        known.iter_rows(), spans.iter_rows(), strict=True
    ):
        if recipe != last:
            last, whole = recipe, recipe_text(*recipe)
        text = recipe[2][step]
        words["verb"].append(text[start:end])
        words["text"].append(_cut(text, clause))
        words["ingredients"].append([_cut(whole, span) for span in ingredients])
        words["tools"].append([_cut(whole, span) for span in tools])
    lists = pl.List(pl.String)
    return rows.hstack(
        pl.DataFrame(
            words, schema={"verb": pl.String, "text": pl.String, "ingredients": lists, "tools": lists}
        )
    )


def _cut(text: str, span: Mapping[str, int] | None) -> str | None:
    return None if span is None else text[span["start"] : span["end"]]


def fill_instances(rows: pl.DataFrame, texts: Mapping[str, Texts]) -> pl.DataFrame:
    """Instances of counterfactual generation with the base recipe's steps as one text."""
    corpus = texts[corpus_of(rows["recipe_id"][0])]
    steps = corpus.take(rows["recipe_id"])["steps"].to_list()
    return rows.with_columns(text=pl.Series([joined(each, corpus.lang) for each in steps], dtype=pl.String))


def fill_sentences(rows: pl.DataFrame, texts: Mapping[str, Texts]) -> pl.DataFrame:
    """Sentences with their translation, and the words of each mention."""
    texts_of = texts[corpus_of(rows["sentence_id"][0])].take(rows["sentence_id"]).select("source", "target")
    mentions = [
        [
            {
                "qid": item["qid"],
                "start": item["start"],
                "end": item["end"],
                "mention": source[item["start"] : item["end"]],
                "category": item["category"],
            }
            for item in items
        ]
        for source, items in zip(texts_of["source"], rows["items"].to_list(), strict=True)
    ]
    return pl.DataFrame(
        {
            "sentence_id": rows["sentence_id"],
            "source": texts_of["source"],
            "target": texts_of["target"],
            "items": pl.Series(mentions, dtype=_polars(schemas.SENTENCES, "items")),
        }
    )


def _polars(schema: pa.Schema, name: str) -> pl.DataType:
    """The polars type of a column."""
    frame = pl.from_arrow(schema.empty_table())
    assert isinstance(frame, pl.DataFrame)
    return frame.schema[name]


FORMS: Mapping[str, Form] = {
    "pairs": Form(
        schemas.PAIRS_IDS, ("source_id",), 5_000, schemas.PAIRS, fill_pairs, ("source_id", "target_ids")
    ),
    "gold": Form(schemas.GOLD_IDS, ("source_id",), 5_000, schemas.GOLD, fill_gold, ("source_id",)),
    "actions": Form(
        schemas.ACTIONS_IDS, ("recipe_id", "position"), 50_000, schemas.ACTIONS, fill_actions, ("recipe_id",)
    ),
    "pivots": Form(
        pivot.PIVOTS,
        ("base_dish", "target_dish", "kind", "verb_class", "ingredient_classes", "tool_classes"),
        50_000,
    ),
    "orders": Form(pivot.ORDERS, ("base_dish", "target_dish", "pivot", "before", "after"), 50_000),
    "instances": Form(
        schemas.INSTANCES_IDS, ("instance_id",), 10_000, schemas.INSTANCES, fill_instances, ("recipe_id",)
    ),
    "items": Form(enrich.ITEMS, ("qid", "lang"), 20_000),
    "sentences": Form(
        schemas.SENTENCES_IDS, ("sentence_id",), 20_000, schemas.SENTENCES, fill_sentences, ("sentence_id",)
    ),
    "predictions": Form(
        schemas.PREDICTIONS_IDS,
        ("run", "instance_id"),
        10_000,
        schemas.PREDICTIONS,
        fill_predictions,
        ("record_ids",),
    ),
    "scores": Form(evaluate.SCORES, ("run", "dataset", "metric"), 50_000),
    "records": Form(schemas.RECORDS, ("record_id",), 50_000),
}
