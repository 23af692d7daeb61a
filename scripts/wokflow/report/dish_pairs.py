"""Section of the page: pivot actions of dish pairs, and their orders."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.parse.glossary import Glossary
from wokflow.pivot.dishes import ENGLISH, pair_rows
from wokflow.pivot.occurrences import written
from wokflow.pivot.people_answers import SCALE
from wokflow.pivot.pivots import majority, per_pair
from wokflow.pivot.questions import identified
from wokflow.pivot.replacements import split
from wokflow.report import gloss, inputs, shortfalls
from wokflow.report.inputs import Tables
from wokflow.report.render import Cell, Table, p_value, share
from wokflow.report.settings import OrderLimits, PageSettings

PAIR = ("base_dish", "target_dish")
KINDS = {
    "remove": "Actions to remove",
    "insert": "Actions to insert",
    "replace": "Actions with the new ingredient",
}
AGREED = {"remove": "To remove", "insert": "To insert", "ask": "To ask about", "all": "All"}
NOTES = {"people": "decided by people", "given": "given"}  # how an action was decided
SHOWN = 8  # actions shown of each kind
UNDECIDED = 3  # effects shown that the data cannot decide
REASONS = {  # of pivot.schemas.FLAGS, for the columns of pivot/effects and the limits of pivot.orders
    "treated": "the first action is in {n_treated} recipes, fewer than {units}",
    "control": "all but {n_control} recipes have the first action",
    "overlap": "recipes with the first action and recipes without are too unlike to compare",
    "balance": "recipes with the first action and without also differ in other actions",
    "chance": "the effect may be chance",
    "order": "only {in_order} of the {both} recipes with both have them in this order",
}


class Found(NamedTuple):
    """The tables of stage pivot, and the number of recipes of each dish, in all."""

    pivots: pl.DataFrame
    orders: pl.DataFrame
    effects: pl.DataFrame
    waiting: pl.DataFrame
    recipes: dict[str, int]
    questions: int


def section(parts: Tables, settings: PageSettings, words: Glossary) -> dict[str, Any]:
    """The pairs of which both dishes have recipes, with each pair's actions and orders."""
    known, orders = read(parts, settings.annotators), settings.orders
    every = pair_rows(settings.dish_pairs)
    decided = set(known.pivots.select(PAIR).iter_rows())  # also given ones, of dishes without recipes
    here = [
        row
        for row in every
        if all(known.recipes.get(row[name]) for name in PAIR) or tuple(row[name] for name in PAIR) in decided
    ]
    named = [(row[PAIR[0]], row[PAIR[1]]) for row in every]
    notes = [*shortfalls.of_dishes(named, known.recipes, orders.units)]
    return {
        "corrected": orders.correct,
        "in_order": orders.estimate == "effect_in_order",
        "here": len(here),
        "every": len(every),
        "notes": [*notes, *shortfalls.of_questions(known.questions, len(here)), *counts(known.pivots)],
        "summary": summary(here, known),
        "agreement": agreement(tables.read(inputs.of(parts, "pivot/agreement"))),
        "pairs": [
            {"names": names(row), "actions": actions(row, known, words)}
            | constraints(row, known, orders, words)
            for row in here
        ],
    }


def read(parts: Tables, annotators: int) -> Found:
    """The section's data. An order of two inserted actions, which was tested for both, comes once."""
    candidates = identified(tables.read(inputs.of(parts, "pivot/candidates")).drop("phrases"))
    given = tables.read(inputs.of(parts, "pivot/votes")).select("question_id", "answer")
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


def _share(row: Mapping[str, Any], answer: str) -> float | None:
    return row[answer] / row["decided"] if row["decided"] else None


def agreement(shares: pl.DataFrame) -> Table:
    """What most annotators say of actions that frequency would remove, insert or ask about; and their agreement."""
    rows = [
        (
            AGREED[row["kind"]],
            row["questions"],
            row["answers"],
            *(Cell(_share(row, answer), digits=2) for answer in (*SCALE, "none")),
            *(Cell(row[f"alpha_{name}"], digits=2) for name in ("nominal", "ordinal")),
        )
        for row in shares.iter_rows(named=True)
    ]
    answers = [answer.capitalize() for answer in SCALE]
    return Table(
        ["By frequency", "Questions", "Answers", *answers, "No majority", "α", "α, as a scale"], rows
    )


def counts(pivots: pl.DataFrame) -> Iterator[str]:
    """How many pivot actions a pair has on average, beside the paper's."""
    if not pivots.is_empty():
        yield per_pair(pivots)


def names(row: Mapping[str, str]) -> tuple[str, str]:
    """The pair's dishes, and their English names where the file of pairs has them."""
    base, target = (row[name] for name in ENGLISH)
    return f"{row['base_dish']} → {row['target_dish']}", f"{base} → {target}" if base and target else ""


def summary(pairs: Sequence[Mapping[str, str]], known: Found) -> Table:
    """A row for each pair: recipes, actions by kind, questions without enough answers, orders."""
    rows = []
    for row in pairs:
        kinds = of_pair(known.pivots, row)["kind"].to_list()
        counts = [known.recipes.get(row[side], 0) for side in PAIR] + [kinds.count(kind) for kind in KINDS]
        counts += [of_pair(frame, row).height for frame in (known.waiting, known.orders)]
        rows.append((gloss.with_english(*names(row)), *counts))
    head = [
        "Pair",
        "Base recipes",
        "Target recipes",
        "Remove",
        "Insert",
        "Replace",
        "Questions open",
        "Orders",
    ]
    return Table(head, rows)


def actions(row: Mapping[str, str], known: Found, words: Glossary) -> list[tuple[str, Table, int]]:
    """Actions of each kind with their shares in both dishes; how many more there are of each.

    The target dish's share of a replacement is that of the new action.
    """
    shown = []
    for kind, title in KINDS.items():
        chosen = of_pair(known.pivots, row).filter(pl.col("kind") == kind)
        rows = [
            (
                gloss.written(words, *_told(action)),
                *(share(action[f"{side}_frequency"]) for side in ("base", "target")),
            )
            for action in chosen.head(SHOWN).iter_rows(named=True)
        ]
        head = ["Action", "Base dish", "Target dish"]
        shown.append((title, Table(head, rows), max(0, chosen.height - SHOWN)))
    return shown


def _told(action: Mapping[str, Any]) -> tuple[str, ...]:
    """An action as `written` gives it, with notes. A replacement is its new action; a note has the replaced words."""
    note = NOTES.get(action["decided_by"], "")
    if action["kind"] != "replace":
        return action["action"], note
    old = [name for name in action["ingredient_classes"] if name not in action["new_ingredient_classes"]]
    verb, _, tools = action["action"].split("/")
    return (
        f"{verb}/{','.join(action['new_ingredient_classes'])}/{tools}",
        f"in place of {'、'.join(old)}",
        note,
    )


def constraints(row: Mapping[str, str], known: Found, limits: OrderLimits, words: Glossary) -> dict[str, Any]:
    """Orders that were found or given, and the strongest effects that remain undecided, with the reasons."""
    orders, effects = of_pair(known.orders, row), of_pair(known.effects, row)
    pivots = split(of_pair(known.pivots, row)).with_columns(action=written())
    inserted = set(pivots.filter(pl.col("kind") == "insert")["action"])
    given = not orders.is_empty() and orders["effect"].is_null().all()
    estimate = limits.estimate
    strong = effects.filter((pl.col(estimate) > limits.effect) & (pl.col("flag") != ""))

    def strongest(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.sort(estimate, descending=True, maintain_order=True)

    def rows(frame: pl.DataFrame, last: Callable[[dict[str, Any]], str]) -> list[list[Cell]]:
        return [
            [*_both(each, inserted, words), Cell(each[estimate], digits=2), Cell(last(each))]
            for each in frame.iter_rows(named=True)
        ]

    if given:
        listed = Table(["First", "Then"], (row[:2] for row in rows(orders.head(SHOWN), str)))
    else:
        told = rows(strongest(orders), lambda each: p_value(each["p_value"]))
        listed = Table(["First", "Then", "Effect", "p"], told)
    undecided = rows(strongest(strong).head(UNDECIDED), lambda each: reasons(each, limits))
    return {
        "given": given,
        "orders": listed,
        "found": orders.height,
        "possible": effects.height,
        "untested": effects["effect"].null_count(),
        "undecided": Table(["First", "Then", "Effect", "Why not"], undecided),
    }


def reasons(row: Mapping[str, Any], limits: OrderLimits) -> str:
    """Why the data cannot decide, in words."""
    flags = row["flag"].split(",")
    return "; ".join(REASONS[flag].format(**{"units": limits.units, **row}) for flag in flags)


def _both(row: Mapping[str, Any], inserted: Container[str], words: Glossary) -> list[Cell]:
    """The first action and the second; inserted ones have a note."""
    return [
        gloss.written(words, row[side], "inserted" if row[side] in inserted else "")
        for side in ("before", "after")
    ]
