"""Recipes with planted truth: which actions differ between two dishes, and which actions bring about which.

Each pair of dishes has, beside what is planted, actions that occur in random order, actions that have their time
but depend on nothing, and rare ones. Noise: an action that was done is left unsaid, or said somewhat out of place.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

CHAINS = 4  # cause, inserted action, effect
FORKS = 3  # a common cause of an inserted action, of an action before it and of one after it
ALONE = 3  # inserted actions that depend on nothing
REMOVED, TRAPS, ASKED = 8, 4, 4
ANYWHERE, TIMED = 10, 8
RARE, RARE_EACH = 400, 4  # kinds, and how many a recipe has on average
NEVER = 0.002  # share of recipes with an action of the other dish
STRONG, WEAK = 0.85, 0.15  # chance of an effect with and without its cause

Action = str
Order = tuple[str, Action, Action]


@dataclass(frozen=True)
class Noise:
    """Share of actions left unsaid; standard deviation of times (a recipe lasts 1), and of how much is told.

    `telling` shifts the log odds of all actions of a recipe: a common cause that no action shows.
    """

    unsaid: float = 0.1
    jitter: float = 0.05
    telling: float = 0.0


@dataclass
class Truth:
    """What is planted: (target, action, kind) and (target, before, after); `confounded` has but a common cause."""

    pivots: set[tuple[str, Action, str]] = field(default_factory=set)
    orders: set[Order] = field(default_factory=set)
    confounded: set[Order] = field(default_factory=set)

    def kind(self, target: str, before: Action, after: Action) -> str:
        """true, confounded, reverse (of one of these), or independent."""
        order, reverse = (target, before, after), (target, after, before)
        if order in self.orders:
            return "true"
        if order in self.confounded:
            return "confounded"
        return "reverse" if reverse in self.orders | self.confounded else "independent"


class Recipes:
    """The recipes of one dish while they are made."""

    def __init__(self, count: int, rng: np.random.Generator, noise: Noise) -> None:
        self.count, self.rng, self.noise = count, rng, noise
        self.telling = rng.normal(0, noise.telling, count)
        self.names: list[Action] = []
        self.times: list[NDArray[np.float64]] = []

    def add(self, name: Action, chance: float | NDArray[np.float64], time: float | None) -> NDArray[np.bool_]:
        """An action that is done with this chance, at about this time or at any; returns where it is done."""
        odds = np.log(np.broadcast_to(chance, self.count) / (1 - chance)) + self.telling
        done: NDArray[np.bool_] = self.rng.random(self.count) < 1 / (1 + np.exp(-odds))
        jitter = self.rng.normal(0, self.noise.jitter, self.count)
        when = self.rng.random(self.count) if time is None else time + jitter
        said = done & (self.rng.random(self.count) >= self.noise.unsaid)
        self.names.append(name)
        self.times.append(np.where(said, when, np.inf))
        return done

    def add_rare(self, name: str) -> None:
        for number in range(RARE):
            self.add(f"{name}/{number}/", min(0.5, RARE_EACH / RARE), None)

    def frame(self, dish: str) -> pl.DataFrame:
        times = np.array(self.times).T
        recipe, action = np.nonzero(np.isfinite(times))
        said = pl.DataFrame(
            {"recipe": recipe, "action": np.array(self.names)[action], "time": times[recipe, action]}
        )
        return said.sort("recipe", "time").select(
            recipe_id=pl.format("{}:{}", pl.lit(dish), "recipe"),
            dish=pl.lit(dish),
            position=pl.int_range(pl.len(), dtype=pl.Int32).over("recipe"),
            action="action",
        )


def either(cause: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.where(cause, STRONG, WEAK)


def common(recipes: Recipes, in_base: bool) -> None:
    """What both dishes have, and what only one has often."""
    rng = np.random.default_rng(7)  # the same chances in all dishes
    for number in range(ANYWHERE):
        recipes.add(f"anywhere/{number}/", rng.uniform(0.15, 0.9), None)
    for number in range(TIMED):
        recipes.add(f"timed/{number}/", rng.uniform(0.15, 0.9), number / TIMED)
    for number in range(REMOVED):
        recipes.add(f"removed/{number}/", rng.uniform(0.3, 0.7) if in_base else NEVER, rng.random())
    for number in range(TRAPS):
        recipes.add(f"trap/{number}/", 0.3 if in_base else 0.12, rng.random())
    for number in range(ASKED):
        recipes.add(f"asked/{number}/", 0.4 if in_base else 0.04, rng.random())
    recipes.add_rare("rare")


def dish(name: str, in_base: bool, count: int, rng: np.random.Generator, noise: Noise) -> pl.DataFrame:
    """The recipes of a dish; in the base dish the pivot actions are not done, and nothing depends on them."""
    recipes = Recipes(count, rng, noise)
    common(recipes, in_base)
    for number in range(CHAINS):
        cause = recipes.add(f"cause/{number}/", 0.5, 0.2)
        pivot = recipes.add(f"chained/{number}/", NEVER if in_base else either(cause), 0.5)
        recipes.add(f"effect/{number}/", 0.5 if in_base else either(pivot), 0.8)
    for number in range(FORKS):
        cause = recipes.add(f"fork/{number}/", 0.5, 0.1)
        recipes.add(f"early/{number}/", either(cause), 0.3)
        recipes.add(f"forked/{number}/", NEVER if in_base else either(cause), 0.5)
        recipes.add(f"late/{number}/", either(cause), 0.7)
    for number in range(ALONE):
        recipes.add(f"alone/{number}/", NEVER if in_base else 0.5, None)
    return recipes.frame(name)


def plant(truth: Truth, target: str) -> None:
    removed = {(target, f"removed/{number}/", "remove") for number in range(REMOVED)}
    inserted = {
        (target, f"{name}/{number}/", "insert")
        for name, many in (("chained", CHAINS), ("forked", FORKS), ("alone", ALONE))
        for number in range(many)
    }
    truth.pivots |= removed | inserted
    for number in range(CHAINS):
        cause, pivot, effect = (f"{name}/{number}/" for name in ("cause", "chained", "effect"))
        truth.orders |= {(target, cause, pivot), (target, pivot, effect)}
    for number in range(FORKS):
        cause, early, pivot, late = (f"{name}/{number}/" for name in ("fork", "early", "forked", "late"))
        truth.orders.add((target, cause, pivot))
        truth.confounded |= {(target, early, pivot), (target, pivot, late)}


def planted(folder: Path, pairs: int, count: int, seed: int, noise: Noise | None = None) -> Truth:
    """Write pairs.tsv and the tables proto, actions and dishes of `count` recipes a dish; return the truth."""
    truth, frames, lines = Truth(), [], ["base_dish\ttarget_dish\tingredient_removed\tingredient_added"]
    for number in range(pairs):
        base, target = f"base {number}", f"target {number}"
        rng = np.random.default_rng([seed, number])
        frames += [dish(name, name == base, count, rng, noise or Noise()) for name in (base, target)]
        plant(truth, target)
        lines.append(f"{base}\t{target}\ta\tb")
    folder.mkdir(exist_ok=True)
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n")
    every = pl.concat(frames)
    every.select("recipe_id", "dish").unique(maintain_order=True).write_parquet(folder / "dishes")
    every.select("recipe_id", "position", text="action").write_parquet(folder / "actions")
    parts = pl.col("action").str.split("/")
    every.select(
        "recipe_id",
        "position",
        verb_class=parts.list.get(0),
        ingredient_classes=pl.concat_list(parts.list.get(1)),
        tool_classes=pl.lit([], pl.List(pl.String)),
    ).write_parquet(folder / "proto")
    return truth
