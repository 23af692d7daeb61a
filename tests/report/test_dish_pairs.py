"""The section on dish pairs."""

import json
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import tables
from wokflow.pivot import schemas as pivot
from wokflow.pivot.questions import identified
from wokflow.report import dish_pairs
from wokflow.report.dish_pairs import REASONS, reasons, section

from tests.report.parts import ORDERS, WORDS, action, settings, shown, table

PAIR = {"base_dish": "宫保鸡丁", "target_dish": "宫保虾球"}
FREQUENCIES = {
    "base_frequency": 0.5,
    "target_frequency": 0.0,
    "base_recipes": 2,
    "target_recipes": 1,
    "p_value": 1.0,
}


def candidate(verb: str, kind: str, **more: Any) -> dict[str, Any]:
    row = action(
        "", 0, verb, 0, phrases=["炒"], kind=kind, decided_by="frequency", new_ingredient_classes=None
    )
    return PAIR | FREQUENCIES | row | more


def order(before: str, after: str, effect: float | None, flag: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(pivot.ORDERS.names, 0.25) | PAIR
    row |= {"pivot": after, "before": before, "after": after, "flag": flag}
    row |= {"effect": effect, "effect_in_order": effect}
    return row | {
        "n_treated": 3,
        "n_control": 9,
        "matched": 9,
        "both": 3,
        "in_order": 2,
        "p_value": 0.0001,
    }


def stage(
    folder: Path,
    candidates: list[dict[str, Any]] | None = None,
    effects: list[dict[str, Any]] | None = None,
    dishes: tuple[str, ...] = ("宫保鸡丁", "宫保鸡丁", "宫保虾球"),
) -> dict[str, str]:
    """Tables of stage pivot; what frequency decides is a pivot action, what has no flag is an order."""
    rows, tested = candidates or [], effects or []
    recipes = [{"recipe_id": f"r{n}", "dish": dish, "found_by": "field"} for n, dish in enumerate(dishes)]
    decided = [row for row in rows if row["kind"] != "ask"]
    found = [row for row in tested if not row["flag"]]
    return {
        "pivot_dishes": table(folder, "pivot/dishes/xiachufang", pivot.DISHES, recipes),
        "pivot_candidates": table(folder, "pivot/candidates", pivot.CANDIDATES, rows),
        "pivot_pivots": table(folder, "pivot/pivots", pivot.PIVOTS, decided),
        "pivot_votes": table(folder, "pivot/votes", pivot.VOTES, []),
        "pivot_agreement": table(folder, "pivot/agreement", pivot.AGREEMENT, []),
        "pivot_effects": table(folder, "pivot/effects", pivot.ORDERS, tested),
        "pivot_orders": table(folder, "pivot/orders", pivot.ORDERS, found),
    }


def votes(folder: Path, question: str, answers: list[str]) -> str:
    """The table of answers to one question."""
    row = candidate("炒", "ask") | {"question_id": question}
    rows = [
        row | {"annotator": str(number), "answer": answer, "left_out": None}
        for number, answer in enumerate(answers)
    ]
    return table(folder, "pivot/votes", pivot.VOTES, rows)


def write_pairs(folder: Path) -> None:
    head = "base_dish\ttarget_dish\tingredient_removed\tingredient_added\tbase_english\ttarget_english"
    lines = [
        "宫保鸡丁\t宫保虾球\t鸡丁\t虾球\tKung Pao Chicken\tKung Pao Shrimp",
        "粥\t面\t粥\t面\tPorridge\tNoodles",
    ]
    tables.write_text(folder / "pairs.tsv", "\n".join([head, *lines]))


def page(folder: Path, *given: Any) -> str:
    write_pairs(folder)
    return shown("pivot", section(stage(folder, *given), settings(folder), WORDS))


def test_actions_in_both_languages_with_their_shares(tmp_path: Path) -> None:
    classes = {"ingredient_classes": ["鸡肉"], "tool_classes": ["锅"]}
    html = page(
        tmp_path, [candidate("炒", "remove", **classes), candidate("煎", "insert", decided_by="people")]
    )
    assert "Kung Pao Chicken → Kung Pao Shrimp" in html and "Porridge" not in html
    assert "炒 鸡肉（锅）" in html and "stir-fry chicken (wok)" in html
    assert "</span>50.0 %" in html and 'style="width:0.0%"' in html
    assert "煎 · decided by people" in html
    assert "1 of 2 pairs follow" in html


def test_a_replacement_is_shown_with_the_new_ingredient(tmp_path: Path) -> None:
    classes = {"ingredient_classes": ["鸡肉"], "new_ingredient_classes": ["虾"], "tool_classes": ["锅"]}
    html = page(tmp_path, [candidate("炒", "replace", **classes)])
    assert "炒 虾（锅）" in html and "in place of 鸡肉" in html and "1.0 with the ingredient replaced" in html


def test_only_so_many_actions_are_shown(tmp_path: Path) -> None:
    html = page(tmp_path, [candidate(f"煎{number}", "insert") for number in range(dish_pairs.SHOWN + 2)])
    assert (
        f"煎{dish_pairs.SHOWN - 1}<" in html and f"煎{dish_pairs.SHOWN}<" not in html and "And 2 more" in html
    )


def test_questions_wait_until_enough_people_answered(tmp_path: Path) -> None:
    asked = [candidate("炒", "ask"), candidate("煎", "ask")]
    parts = stage(tmp_path, asked)
    first = identified(tables.read(parts["pivot_candidates"]))["question_id"][0]
    for answers, waiting in ((["never"], 2), (["never", "sometimes"], 1)):
        parts["pivot_votes"] = votes(tmp_path / str(waiting), first, answers)
        assert dish_pairs.read(parts, 2).waiting.height == waiting


def test_agreement_is_shown_where_people_answered(tmp_path: Path) -> None:
    parts = stage(tmp_path, [candidate("炒", "remove")])
    write_pairs(tmp_path)
    assert "Krippendorff" not in shown("pivot", section(parts, settings(tmp_path), WORDS))
    row: dict[str, Any] = dict.fromkeys(pivot.AGREEMENT.names, 0) | {"kind": "remove", "questions": 5}
    row |= {"decided": 4, "never": 3, "none": 1, "alpha_nominal": 0.4567, "alpha_ordinal": None}
    parts["pivot_agreement"] = table(tmp_path / "some", "pivot/agreement", pivot.AGREEMENT, [row])
    html = shown("pivot", section(parts, settings(tmp_path), WORDS))
    assert "Krippendorff" in html and "To remove" in html and "0.75" in html and "0.46" in html


def test_orders_and_what_the_data_cannot_tell(tmp_path: Path) -> None:
    effects = [
        order("切/鸡肉/", "炒/鸡肉/锅", 0.63, ""),
        order("切//", "炒/鸡肉/锅", 0.9, "chance,order"),
        order("煎//", "炒/鸡肉/锅", 0.05, "order"),
        order("煎/葱/", "炒/鸡肉/锅", None, "treated"),
    ]
    pivot_action = candidate("炒", "insert", ingredient_classes=["鸡肉"], tool_classes=["锅"])
    html = page(tmp_path, [pivot_action], [*effects, effects[0]])
    assert html.count("0.63") == 1
    assert "stir-fry chicken (wok) · inserted" in html and "cut chicken" in html and "0.63" in html
    assert (
        "&lt; 0.001" in html
        and "possible: 4; with too few recipes to test: 1; told from the data: 1." in html
    )
    assert "the effect may be chance; only 2 of the 3 recipes" in html
    assert "0.90" in html and "0.05<" not in html


def test_every_flag_has_words() -> None:
    assert REASONS.keys() == pivot.FLAGS.keys()
    assert (
        reasons(order("切//", "炒//", None, "treated"), ORDERS)
        == "the first action is in 3 recipes, fewer than 5"
    )
    assert all(reasons(order("切//", "炒//", 0.5, flag), ORDERS) for flag in pivot.FLAGS)


@pytest.mark.parametrize("dishes", [(), ("宫保鸡丁",), ("宫保鸡丁", "宫保虾球")])
def test_nothing_to_tell(tmp_path: Path, dishes: tuple[str, ...]) -> None:
    html = page(tmp_path, [], [], dishes)
    assert ("nothing to test" in html) == (len(dishes) == 2)
    assert ("None of 2 pairs follow" in html) == (len(dishes) < 2)


def test_given_actions_and_orders_are_shown_without_frequencies(tmp_path: Path) -> None:
    """Also where no recipe of the dishes is there, and with pairs as their authors published them."""
    unknown: dict[str, Any] = dict.fromkeys(("base_frequency", "target_frequency"))
    pivot_action = PAIR | unknown | candidate("炒", "insert", decided_by="given") | unknown
    given_order = dict.fromkeys(pivot.ORDERS.names) | PAIR
    given_order |= {"pivot": "炒//", "before": "切/鸡肉/", "after": "炒//", "flag": ""}
    parts = stage(tmp_path, [], [], ())
    parts["pivot_pivots"] = table(tmp_path / "given", "pivot/pivots", pivot.PIVOTS, [pivot_action])
    parts["pivot_orders"] = table(tmp_path / "given", "pivot/orders", pivot.ORDERS, [given_order])
    keys = ("base", "target", "ingredient_removed", "ingredient_added")
    pairs = [dict(zip(keys, ("宫保鸡丁", "宫保虾球", "鸡丁", "虾球"), strict=True))]
    tables.write_text(tmp_path / "pairs.json", json.dumps(pairs))
    chosen = settings(tmp_path, dish_pairs=str(tmp_path / "pairs.json"))
    html = shown("pivot", section(parts, chosen, WORDS))
    assert "stir-fry · given" in html and "%" not in html.split("<details")[1]
    assert "cut chicken" in html and "Orders that are given: 1" in html
