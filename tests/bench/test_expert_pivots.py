"""How many of the experts' actions to remove are found in the recipes of the base dish, by reader."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock, at_least, isolated
from tests.bench.test_parse import make_parses

if TYPE_CHECKING:
    from wokflow.parse.extract import Action

EPOCHS = {
    "tiny": 5,
    "small": 20,
    "full": 20,
}  # of the parser's training: trees of an untrained one find no pivots
PAIRS = {"tiny": 6, "small": None, "full": None}  # of dishes, the first in the experts' file; None: all
# Of the parsers: what is found depends on their training.
SEEDS = {"tiny": (0,), "small": (0, 1, 2), "full": (0, 1, 2)}
LEAST = 0.85  # of the experts' actions, by style paper and trees of the worst parser
ACTIONS = 15, 30  # distinct ones in a recipe by style paper; the paper counts 19.6
CLAIMED, TIMES = (
    3,
    5,
)  # recipes of a dish that have an action; how much larger their share is than in other dishes

Proto = tuple[str, frozenset[str], frozenset[str]]  # classes: verb, ingredients, tools


class Pair(NamedTuple):
    """A base dish, its recipes, and what is to go from them for the target dish."""

    base: str
    recipes: list[str]
    removed: set[Proto]


def test_expert_pivots(shared: Path, tmp_path: Path) -> None:
    folder = shared / "real" / "counterfactual"
    if not (folder / "expert_pivots.json").exists():
        pytest.skip(f"{folder} has no expert_pivots.json")
    scale = measure.scale()
    base = [pair.base for pair in read_pairs(folder)][: PAIRS[scale]]
    readers: dict[str, tuple[str, str]] = {}  # style, and the file of parses, by contender
    for seed in SEEDS[scale]:
        parses = str(tmp_path / f"parses_{seed}.json")
        options = {"folder": str(folder), "out": parses, "epochs": EPOCHS[scale], "base": base, "seed": seed}
        isolated(Call(make_parses, options))
        readers[f"paper, by trees (seed {seed})"] = "paper", parses
    readers |= {"paper, by what stands beside": ("paper", ""), "house, by rules": ("house", "")}
    calls = {
        name: Call(find, {"folder": str(folder), "style": style, "parses": parses, "base": base})
        for name, (style, parses) in readers.items()
    }
    measured = {name: results[0] for name, results in measure.in_turn(calls, 1).items()}
    by_trees = [result.outcome for name, result in measured.items() if "trees" in name]
    counts = by_trees[0]
    rows = [row(name, result.wall, result.outcome) for name, result in measured.items()]
    measure.publish(
        "expert_pivots",
        "Actions that experts removed",
        f"""For {counts["pairs"]} pairs of dishes, experts listed {counts["expert"]} actions of the base dish that
        must go for the target dish. An action is found if one of {counts["recipes"]:,} recipes of the base
        dishes has it with the same classes of verb, ingredients and tools; the glossary is the paper's, trees are
        those of the small parser that the workflow trains, which differ a little by seed, and by processor as last
        bits of its training do. Least: the pair with the smallest share. Of its own: the
        actions that {CLAIMED} recipes of a dish have or more, at {TIMES} times the share of the other dishes.
        Precision is the share of these that experts listed, recall the share of the experts' that is among these.
        Experts chose from candidates of another parser, so precision compares readers and says no more. Actions:
        distinct ones in a recipe; the paper has 19.6 on average. {measure.repeat("test_expert_pivots.py")}""",
        measure.machine("jieba", "spacy"),
        measure.table(
            ["reader", "found", "share", "least", "of its own: precision", "recall", "actions", "recipes/s"],
            rows,
        ),
        targets=[at_least(min(one["found"] / one["expert"] for one in by_trees), LEAST)],
    )
    assert ACTIONS[0] <= counts["actions"] / counts["recipes"] <= ACTIONS[1]


def row(reader: str, seconds: float, counts: dict[str, float]) -> list[str]:
    return [
        reader,
        f"{counts['found']:,}",
        f"{counts['found'] / counts['expert']:.3f}",
        f"{counts['least']:.2f}",
        f"{counts['own_right'] / counts['own']:.3f}",
        f"{counts['own_right'] / counts['expert']:.3f}",
        f"{counts['actions'] / counts['recipes']:.1f}",
        f"{counts['recipes'] / seconds:,.0f}",
    ]


def find(clock: Clock, folder: str, style: str, parses: str, base: Sequence[str]) -> dict[str, float]:
    from wokflow.parse.extract import Parse, extract
    from wokflow.parse.glossary import read_glossary

    glossary = read_glossary(Path(folder) / "glossary.json")
    pairs = [pair for pair in read_pairs(Path(folder)) if pair.base in base]
    known = json.loads(Path(parses).read_text(encoding="utf-8")) if parses else {}
    trees = {clause: Parse(*map(tuple, parts)) for clause, parts in known.items()}
    with clock:
        found = [
            [protos(extract([text], glossary, trees, style=style, method="rules")) for text in pair.recipes]
            for pair in pairs
        ]
    shares = [
        (len(pair.removed.intersection(set().union(*recipes))), len(pair.removed))
        for pair, recipes in zip(pairs, found, strict=True)
    ]
    every = [recipe for recipes in found for recipe in recipes]
    own = list(own_actions(found))
    return {
        "pairs": len(pairs),
        "recipes": len(every),
        "actions": sum(map(len, every)),
        "found": sum(hits for hits, _ in shares),
        "expert": sum(wanted for _, wanted in shares),
        "least": min(hits / wanted for hits, wanted in shares),
        "own": sum(map(len, own)),
        "own_right": sum(len(some & pair.removed) for some, pair in zip(own, pairs, strict=True)),
    }


def own_actions(found: Sequence[Sequence[set[Proto]]]) -> Iterator[set[Proto]]:
    """Of each dish, the actions of its own, as CLAIMED and TIMES have it."""
    counts = [Counter(action for recipe in recipes for action in recipe) for recipes in found]
    sizes, total = list(map(len, found)), sum(counts, Counter[Proto]())
    for count, size in zip(counts, sizes, strict=True):
        others = sum(sizes) - size
        yield {
            action
            for action, times in count.items()
            if times >= CLAIMED and times / size >= TIMES * (total[action] - times) / others
        }


def protos(steps: Iterable[Sequence["Action"]]) -> set[Proto]:
    """Distinct proto-actions."""
    from wokflow.pivot.occurrences import proto

    found = (proto(action) for step in steps for action in step)
    return {(each.verb, frozenset(each.ingredients), frozenset(each.tools)) for each in found}


def read_rows(folder: Path) -> Iterator[list[str]]:
    """Base dish, target dish and text of the base recipes."""
    for line in (folder / "base_recipes.tsv").read_text("utf-8").splitlines():
        yield line.split("\t", 2)


def read_pairs(folder: Path) -> Iterator[Pair]:
    """The dish pairs whose actions to remove the experts' file has."""
    bases = {
        pair["target"]: pair["base"] for pair in json.loads((folder / "dish_pairs.json").read_text("utf-8"))
    }
    recipes = defaultdict(list)
    for base, target, text in read_rows(folder):
        recipes[base, target].append(text)
    for target, listed in json.loads((folder / "expert_pivots.json").read_text("utf-8")).items():
        removed = {
            (pivot["verb"], frozenset(pivot["ingredients"]), frozenset(pivot["tools"]))
            for pivot in listed["pivots"]
            if pivot["kind"] == "remove"
        }
        if removed:
            yield Pair(bases[target], recipes[bases[target], target], removed)
