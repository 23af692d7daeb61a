"""Section of the page: predictions of all runs for the same recipes."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.models.texts import without_headings
from wokflow.report import inputs
from wokflow.report.charts import Html, beside, esc, folded, paragraph, shorten
from wokflow.report.inputs import Tables

SHOWN = 2  # instances of each test set
LONGEST = 1500  # characters shown of a text
REFERENCES = {"gold": "an adaptation of this source", "silver": "a recipe matched by title"}
WORDING = (
    "The same source recipe as each run has it. Is the dish still the same? Are amounts, tools and names those "
    "of the other kitchen? Could it be cooked?"
)


def section(parts: Tables, names: Mapping[str, str]) -> str:
    """Some instances of each test set of the data `names`, with the predictions of all runs."""
    page = ""
    for data, name in names.items():
        instances = inputs.rows(parts, f"generate/instances/{data}")
        generated = inputs.of(parts, f"generate/predictions/{data}")
        if instances.is_empty() or not generated:
            continue
        wanted = pl.col("instance_id").is_in(instances["instance_id"].implode())
        predictions = tables.scan(generated).filter(wanted).collect()
        cards = [
            instance(row, data, predictions, unfolded=not (page or place))
            for place, row in enumerate(choose(instances, predictions))
        ]
        if cards:
            page += f"<h3>{esc(name)}</h3>\n{''.join(cards)}"
    return paragraph(WORDING) + page if page else paragraph("No run has made predictions of these data.")


def choose(instances: pl.DataFrame, predictions: pl.DataFrame) -> list[dict[str, Any]]:
    """SHOWN instances of each test set, gold first: those with the most predictions; no title comes twice."""
    counts = predictions.group_by("instance_id").len("predictions")
    order = pl.col("dataset").replace_strict(
        {name: place for place, name in enumerate(REFERENCES)}, default=9
    )
    rows = instances.join(counts, on="instance_id").with_columns(order=order)
    rows = rows.sort("order", "dataset", "predictions", "instance_id", descending=[False, False, True, False])
    once = rows.unique("title", keep="first", maintain_order=True)
    return once.group_by("dataset", maintain_order=True).head(SHOWN).to_dicts()


def instance(row: Mapping[str, Any], data: str, predictions: pl.DataFrame, *, unfolded: bool = False) -> Html:
    """Source and reference, then the prediction of each run that has one; folded."""
    source_lang, lang = data.split("-") if "-" in data else ("zh", "zh")
    note = REFERENCES.get(row["dataset"], "")
    texts = [_text("Source", row["source"], source_lang)]
    if row["reference"] is not None:
        texts.append(_text(f"Reference: {note}" if note else "Reference", row["reference"], lang))
    of = predictions.filter(pl.col("instance_id") == row["instance_id"])
    runs = [_text(run, text, lang) for run, text in of.select("run", "prediction").iter_rows()]
    dish = row["title"] if row["base"] is None else f"{row['base']} → {row['title']}"
    head = Html(
        f'<span lang="{source_lang}">{esc(dish)}</span><small>{esc(row["dataset"])}, {esc(row["source_id"])}</small>'
    )
    return folded(head, beside(*texts) + beside(*runs), unfolded=unfolded)


def _text(heading: str, text: str, lang: str) -> Html:
    """A recipe, with its title in bold if it is a line of its own."""
    lines = shorten(without_headings(text), LONGEST).split("\n")
    title = [f'<p class="strong">{esc(lines.pop(0))}</p>\n'] if len(lines) > 1 else []
    body = "".join([*title, *(paragraph(line) for line in lines if line)]) or paragraph(
        "Nothing came.", "note"
    )
    return Html(f'<h4>{esc(heading)}</h4>\n<div class="recipe" lang="{lang}">{body}</div>')
