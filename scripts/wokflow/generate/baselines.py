"""Counterfactual recipes without a model: copied, with words replaced, and looked up."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from wokflow import tables
from wokflow.generate import schemas
from wokflow.job import Progress
from wokflow.parse.glossary import Glossary
from wokflow.steps import joined

RUNS = ("copy", "substitute", "retrieve")


def baselines(
    instances: str,
    recipes: Sequence[str],
    dishes: Sequence[str],
    out: Mapping[str, str],
    *,
    glossary: Glossary,
    seed: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the predictions of the three RUNS to their paths in `out` (schema generate/predictions).

    copy: the base recipe as it is. substitute: the base recipe with the name of the ingredient that goes, and the
    other names of its class, replaced by the name of the one that comes; where one only comes, nothing changes.
    retrieve: a recipe of the target dish, drawn by seed and instance from `recipes` (ingest/recipes) by way of
    `dishes` (pivot/dishes); where the dish has none, an empty text, which the log says. Models are not to see the
    recipes that retrieve takes: it tells what rewriting from scratch scores. Rows come in the instances' order.
    """
    rows = tables.read(instances)
    names = list(rows.select("ingredient_removed", "ingredient_added").iter_rows())
    change = {(old, new): substitution(old, new, glossary) for old, new in set(names)}
    found = retrieved(rows, recipes, dishes, seed)
    if progress:
        empty = rows.filter(pl.Series([not text for text in found], dtype=pl.Boolean))["target_dish"]
        for dish in empty.unique().sort():
            progress.say(f"{dish}: no recipe to retrieve; its predictions are empty")
    predictions = {
        "copy": rows["text"].to_list(),
        "substitute": [change[pair](text) for pair, text in zip(names, rows["text"], strict=True)],
        "retrieve": found,
    }
    for run in RUNS:
        texts = pl.Series(predictions[run], dtype=pl.String)
        made = rows.select("instance_id", run=pl.lit(run), prediction=texts)
        tables.write(out[run], schemas.PREDICTIONS, made, metadata)


def substitution(removed: str | None, added: str, glossary: Glossary) -> Callable[[str], str]:
    """A function that replaces the names of one ingredient by another.

    Names are those of the removed ingredient's class, unless the added one is of the same class: then its own name
    alone. Names inside longer words of the glossary stay (鸡 in 鸡精), and so does the added ingredient's name.
    """
    if removed is None:
        return lambda text: text
    kind = glossary.ingredients.get(removed)
    names = {removed}
    if kind and kind != glossary.ingredients.get(added):
        names |= {name for name, other in glossary.ingredients.items() if other == kind}
    names.discard(added)
    known = (added, *glossary.ingredients, *glossary.verbs, *glossary.tools)
    around = {word for word in known if any(name in word for name in names)}
    longest_first = sorted(names | around, key=lambda word: (-len(word), word))
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda text: pattern.sub(lambda match: added if match[0] in names else match[0], text)


def retrieved(rows: pl.DataFrame, recipes: Sequence[str], dishes: Sequence[str], seed: int) -> list[str]:
    """For each instance the text of a recipe of its target dish, or an empty one.

    Drawn is the recipe with the smallest hash of seed, instance and recipe, so that a recipe that is new or gone
    changes the draws it wins or won, and no other.
    """
    of_targets = tables.scan(dishes, ["recipe_id", "dish"]).filter(
        pl.col("dish").is_in(rows["target_dish"].unique().to_list())
    )
    with_steps = tables.scan(recipes, ["recipe_id", "lang", "steps"]).filter(pl.col("steps").list.len() > 0)
    found = with_steps.join(of_targets, on="recipe_id").collect(engine="streaming")
    choices = dict(found.group_by("dish").agg("recipe_id").iter_rows())
    drawn = [
        draw(choices.get(dish, ()), f"{seed} {instance}")
        for instance, dish in rows.select("instance_id", "target_dish").iter_rows()
    ]
    wanted = set(drawn)
    texts = {
        recipe: joined(steps, lang)
        for recipe, lang, steps in found.select("recipe_id", "lang", "steps").iter_rows()
        if recipe in wanted
    }
    return [texts.get(recipe or "", "") for recipe in drawn]


def draw(choices: Iterable[str], key: str) -> str | None:
    """The choice with the smallest hash of the key and itself; None where there is none."""
    return min(
        choices,
        key=lambda choice: (hashlib.sha256(f"{key} {choice}".encode()).digest(), choice),
        default=None,
    )
