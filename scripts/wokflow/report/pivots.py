"""Section of the page: pivot actions of dish pairs, and their orders."""

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.parse.glossary import Glossary
from wokflow.pivot.dishes import ENGLISH, pair_rows
from wokflow.pivot.occurrences import written
from wokflow.pivot.pivots import majority
from wokflow.pivot.questions import identified, read_answers
from wokflow.report import findings, gloss, inputs
from wokflow.report.charts import Html, bar, esc, number, paragraph, percent, table, zh
from wokflow.report.inputs import Tables

PAIR = ("base_dish", "target_dish")
KINDS = {"remove": "Actions to remove", "insert": "Actions to insert"}
NOTES = {"people": "decided by people", "given": "given"}  # how an action was decided
SHOWN = 8  # actions shown of each kind
OPEN = 3  # pairs that are open at first; the others are folded
UNDECIDED = 3  # effects shown that the data cannot decide
WORDING = (
    "To make one dish into another, actions of the base dish that the target dish does not have are removed, and "
    "actions that it calls for are inserted (Counterfactual Recipe Generation, section 4.2). Bars are shares of "
    "a dish’s recipes that have the action. Where frequency cannot decide, people are asked. Of each inserted "
    "action it is tested what must come before it, and after it: effect is by how much more often the second "
    "action follows where the first was done (section 4.3), p the chance of seeing as much without one. "
)
REASONS = {  # of pivot.schemas.FLAGS, for the columns of pivot/effects and the settings pivot.orders
    "treated": "the first action is in {n_treated} recipes, fewer than {units}",
    "control": "all but {n_control} recipes have the first action",
    "overlap": "recipes with the first action and recipes without are too unlike to compare",
    "balance": "recipes with the first action and without also differ in other actions",
    "chance": "the effect may be chance",
    "order": "{in_order} of the {both} recipes with both have them in this order: may be chance",
}


class Found(NamedTuple):
    """The tables of stage pivot, and the number of recipes of each dish, in all."""

    pivots: pl.DataFrame
    orders: pl.DataFrame
    effects: pl.DataFrame
    waiting: pl.DataFrame
    recipes: dict[str, int]
    questions: int


def section(
    parts: Tables,
    *,
    pairs: str,
    answers: Sequence[str],
    annotators: int,
    orders: Mapping[str, Any],
    words: Glossary,
) -> str:
    """A table of the pairs of which both dishes have recipes, then each pair's actions and orders.

    `pairs` is the file of dish pairs, `answers` are people's sheets, of which a question needs `annotators`;
    `orders` are the settings pivot.orders.
    """
    found = read(parts, answers, annotators)
    every = pair_rows(pairs)
    decided = set(found.pivots.select(PAIR).iter_rows())  # also given ones, of dishes without recipes
    here = [
        row
        for row in every
        if all(found.recipes.get(row[name]) for name in PAIR) or tuple(row[name] for name in PAIR) in decided
    ]
    corrected = "corrected" if orders["correct"] else "not corrected"
    page: str = paragraph(f"{WORDING}It is {corrected} for the number of tests.")
    if len(here) < len(every):
        text = f"{len(here) or 'None'} of {len(every)} pairs follow; of the others a dish has no recipe."
        page += paragraph(text)
    named = [(row[PAIR[0]], row[PAIR[1]]) for row in every]
    notes = [*findings.of_dishes(named, found.recipes, orders["units"])]
    notes += findings.of_questions(found.questions, len(here))
    page += "".join(paragraph(note, "note") for note in notes)
    if here:
        page += summary(here, found)
    for place, row in enumerate(here):
        page += (
            f"<details{' open' if place < OPEN else ''}><summary>{heading(row)}</summary>\n"
            f"{actions(row, found, words)}{constraints(row, found, orders, words)}</details>\n"
        )
    return page


def read(parts: Tables, answers: Sequence[str], annotators: int) -> Found:
    """The section's data. An order of two inserted actions, which was tested for both, comes once."""
    candidates = identified(tables.read(inputs.of(parts, "pivot/candidates")).drop("phrases"))
    given = read_answers(answers, set(candidates["question_id"]))
    asked = candidates.filter(pl.col("kind") == "ask")
    dishes = tables.scan(inputs.of(parts, "pivot/dishes"), ["dish"])
    recipes = dishes.group_by("dish").len().collect(engine="streaming")
    orders, effects = (
        tables.read(inputs.of(parts, f"pivot/{table}")).unique(
            [*PAIR, "before", "after"], keep="first", maintain_order=True
        )
        for table in ("orders", "effects")
    )
    waiting = asked.join(majority(given, annotators), on="question_id", how="anti")
    pivots = tables.read(inputs.of(parts, "pivot/pivots")).with_columns(action=written())
    return Found(pivots, orders, effects, waiting, dict(recipes.iter_rows()), asked.height)


def of_pair(frame: pl.DataFrame, row: Mapping[str, str]) -> pl.DataFrame:
    return frame.filter(*(pl.col(name) == row[name] for name in PAIR))


def names(row: Mapping[str, str]) -> tuple[str, str]:
    """The pair's dishes, and their English names where the file of pairs has them."""
    base, target = (row[name] for name in ENGLISH)
    return f"{row['base_dish']} → {row['target_dish']}", f"{base} → {target}" if base and target else ""


def heading(row: Mapping[str, str]) -> Html:
    chinese, english = names(row)
    return Html(f"<h3>{zh(chinese)}</h3> <small>{esc(english)}</small>")


def summary(pairs: Sequence[Mapping[str, str]], found: Found) -> Html:
    """A row for each pair: recipes, actions by kind, questions without enough answers, orders."""
    rows = []
    for row in pairs:
        kinds = of_pair(found.pivots, row)["kind"].to_list()
        counts = [found.recipes.get(row[side], 0) for side in PAIR] + [kinds.count(kind) for kind in KINDS]
        counts += [of_pair(frame, row).height for frame in (found.waiting, found.orders)]
        rows.append((gloss.with_english(*names(row)), *map(number, counts)))
    head = ["Pair", "#Base recipes", "#Target recipes", "#Remove", "#Insert", "#Questions open", "#Orders"]
    return table(head, rows)


def actions(row: Mapping[str, str], found: Found, words: Glossary) -> Html:
    """Actions to remove and to insert, the most frequent first, with their shares in both dishes."""
    page = ""
    for kind, title in KINDS.items():
        chosen = of_pair(found.pivots, row).filter(pl.col("kind") == kind)
        page += f"<div><h4>{title}</h4>\n"
        if chosen.is_empty():
            page += paragraph("None.")
        else:
            rows = [_action(action, words) for action in chosen.head(SHOWN).iter_rows(named=True)]
            page += table(["Action", "=Base dish", "=Target dish"], rows)
        if chosen.height > SHOWN:
            page += paragraph(f"And {chosen.height - SHOWN} more, in pivot/pivots.", "note")
        page += "</div>\n"
    return Html(f'<div class="beside">{page}</div>\n')


def _action(row: dict[str, Any], words: Glossary) -> tuple[Html, ...]:
    note = NOTES.get(row["decided_by"], "")
    classes = row["verb_class"], row["ingredient_classes"], row["tool_classes"]
    return gloss.action(words, *classes, note), *(
        share(row[f"{side}_frequency"]) for side in ("base", "target")
    )


def share(frequency: float | None) -> Html:
    """A bar with the share; nothing where it is not known."""
    if frequency is None:
        return Html()
    return Html(f"{bar(frequency) if frequency else ''}<small>{percent(frequency)}</small>")


def constraints(row: Mapping[str, str], found: Found, settings: Mapping[str, Any], words: Glossary) -> Html:
    """Orders that were found, then the strongest of those that the data cannot decide."""
    orders, effects = of_pair(found.orders, row), of_pair(found.effects, row)
    inserted = set(of_pair(found.pivots, row).filter(pl.col("kind") == "insert")["action"])
    page = "<h4>Orders</h4>\n"
    if not orders.is_empty() and orders["effect"].is_null().all():
        listed = orders.head(SHOWN).iter_rows(named=True)
        page += table(["First", "Then"], [(*_both(order, inserted, words),) for order in listed])
        return Html(page + paragraph(f"Orders that are given: {number(orders.height)}, in pivot/orders."))
    if effects.is_empty():
        return Html(page + paragraph("There was nothing to test: no inserted action."))
    if not orders.is_empty():
        rows = [
            (*_both(order, inserted, words), number(order["effect"], 2), _p(order["adjusted_p"]))
            for order in orders.sort("effect", descending=True, maintain_order=True).iter_rows(named=True)
        ]
        page += table(["First", "Then", "#Effect", "#p"], rows)
    few = effects["effect"].null_count()
    page += paragraph(
        f"Orders that are possible: {number(effects.height)}; with too few recipes to test: {number(few)}; told "
        f"from the data: {number(orders.height)}."
    )
    return Html(page + undecided(effects, inserted, settings, words))


def undecided(
    effects: pl.DataFrame, inserted: Container[str], settings: Mapping[str, Any], words: Glossary
) -> Html:
    """The strongest effects that the data cannot decide, and why; nothing if all are weak."""
    strong = effects.filter((pl.col("effect") > settings["effect"]) & (pl.col("flag") != ""))
    chosen = strong.sort("effect", descending=True, maintain_order=True).head(UNDECIDED)
    rows = [
        (*_both(row, inserted, words), number(row["effect"], 2), reasons(row, settings))
        for row in chosen.iter_rows(named=True)
    ]
    if not rows:
        return Html()
    text = "The strongest of those that the data cannot tell:"
    return Html(paragraph(text) + table(["First", "Then", "#Effect", "Why not"], rows))


def reasons(row: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Why the data cannot decide, in words."""
    return "; ".join(REASONS[flag].format(**{**settings, **row}) for flag in row["flag"].split(","))


def _both(row: Mapping[str, Any], inserted: Container[str], words: Glossary) -> list[Html]:
    """The first action and the second; inserted ones have a note."""
    return [
        gloss.written(words, row[side], "inserted" if row[side] in inserted else "")
        for side in ("before", "after")
    ]


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
