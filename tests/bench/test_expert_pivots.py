"""How many of the experts' actions to remove are found in the recipes of the base dish, by both styles."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock

if TYPE_CHECKING:
    from wokflow.parse.extract import Action

STYLES = ("paper", "house")
LEAST = 0.85  # of the experts' actions, by style paper
ACTIONS = 15, 30  # distinct ones in a recipe by style paper; the paper counts 19.6

Proto = tuple[str, frozenset[str], frozenset[str]]  # classes: verb, ingredients, tools


class Pair(NamedTuple):
    """Recipes of a base dish, and what is to go from them for the target dish."""

    recipes: list[str]
    removed: set[Proto]


def test_expert_pivots(shared: Path) -> None:
    folder = shared / "real" / "counterfactual"
    if not (folder / "expert_pivots.json").exists():
        pytest.skip(f"{folder} has no expert_pivots.json")
    calls = {style: Call(find, {"folder": str(folder), "style": style}) for style in STYLES}
    measured = {style: results[0] for style, results in measure.in_turn(calls, 1).items()}
    counts = measured["paper"].outcome
    rows = [row(style, result.wall, result.outcome) for style, result in measured.items()]
    measure.publish(
        "expert_pivots",
        "Actions that experts removed",
        f"""For {counts["pairs"]} pairs of dishes, experts listed {counts["expert"]} actions of the base dish that
        must go for the target dish. An action is found if one of {counts["recipes"]:,} recipes of the base
        dishes has it with the same classes of verb, ingredients and tools; the glossary is the paper's. Least:
        the pair with the smallest share. Actions: distinct ones in a recipe; the paper has 19.6 on average. How
        style paper reads a clause was chosen on these pairs. {measure.repeat("test_expert_pivots.py")}""",
        measure.machine("jieba"),
        measure.table(["style", "found", "share", "least", "actions", "recipes/s"], rows),
    )
    assert counts["found"] >= LEAST * counts["expert"]
    assert ACTIONS[0] <= counts["actions"] / counts["recipes"] <= ACTIONS[1]


def row(style: str, seconds: float, counts: dict[str, float]) -> list[str]:
    return [
        style,
        f"{counts['found']:,}",
        f"{counts['found'] / counts['expert']:.3f}",
        f"{counts['least']:.2f}",
        f"{counts['actions'] / counts['recipes']:.1f}",
        f"{counts['recipes'] / seconds:,.0f}",
    ]


def find(clock: Clock, folder: str, style: str) -> dict[str, float]:
    from wokflow.parse.extract import extract
    from wokflow.parse.glossary import read_glossary

    glossary = read_glossary(Path(folder) / "glossary.json")
    pairs = list(read_pairs(Path(folder)))
    with clock:
        found = [
            [protos(extract([text], glossary, None, style=style)) for text in pair.recipes] for pair in pairs
        ]
    shares = [
        (len(pair.removed.intersection(set().union(*recipes))), len(pair.removed))
        for pair, recipes in zip(pairs, found, strict=True)
    ]
    every = [recipe for recipes in found for recipe in recipes]
    return {
        "pairs": len(pairs),
        "recipes": len(every),
        "actions": sum(map(len, every)),
        "found": sum(hits for hits, _ in shares),
        "expert": sum(wanted for _, wanted in shares),
        "least": min(hits / wanted for hits, wanted in shares),
    }


def protos(steps: Iterable[Sequence["Action"]]) -> set[Proto]:
    """Distinct actions by classes; where an action names no ingredient, with those it inherits."""
    return {
        (
            action.verb_class,
            frozenset(food.cls for food in action.ingredients or action.inherited),
            frozenset(tool.cls for tool in action.tools),
        )
        for step in steps
        for action in step
    }


def read_pairs(folder: Path) -> Iterator[Pair]:
    """The dish pairs whose actions to remove the experts' file has."""
    bases = {
        pair["target"]: pair["base"] for pair in json.loads((folder / "dish_pairs.json").read_text("utf-8"))
    }
    recipes = defaultdict(list)
    for line in (folder / "base_recipes.tsv").read_text("utf-8").splitlines():
        base, target, text = line.split("\t", 2)
        recipes[base, target].append(text)
    for target, listed in json.loads((folder / "expert_pivots.json").read_text("utf-8")).items():
        removed = {
            (pivot["verb"], frozenset(pivot["ingredients"]), frozenset(pivot["tools"]))
            for pivot in listed["pivots"]
            if pivot["kind"] == "remove"
        }
        if removed:
            yield Pair(recipes[bases[target], target], removed)
