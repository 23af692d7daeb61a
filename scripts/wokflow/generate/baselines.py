"""Counterfactual recipes without a model: copied, with words replaced, and looked up."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.frame.joined_steps import joined
from wokflow.generate import schemas
from wokflow.generate.settings import BaselinesSettings
from wokflow.parse.glossary import Glossary, read_glossary

NAMED = 5  # dishes that a line of the log names


def generate_baselines(
    *,
    instances: str,
    recipes: list[str],
    dishes: str,
    copy_run: str,
    substitute_run: str,
    retrieve_run: str,
    settings: BaselinesSettings,
    job: Job,
) -> None:
    """Write the predictions (generate/predictions) of three runs to `copy_run`, `substitute_run` and `retrieve_run`.

    copy: the base recipe as it is. substitute: the base recipe with the name of the removed ingredient, and the other
    names of its class, replaced by the name of the added one; if none is removed, nothing changes. retrieve: a recipe
    of the target dish, drawn by seed and instance from `recipes` (ingest/recipes) by way of `dishes` (pivot/dishes);
    if the dish has none, an empty text, and the log counts them. Models never see these recipes, so retrieval is
    scored like rewriting from scratch. Rows are in the instances' order.
    """
    rows = tables.read(instances)
    pairs = list(rows.select("ingredient_removed", "ingredient_added").iter_rows())
    words = read_glossary(settings.glossary)
    substitutions = {(old, new): substitution(old, new, words) for old, new in set(pairs)}
    drawn = retrieved(rows, recipes, dishes, settings.seed, job.progress)
    empty = rows.filter(pl.Series([not text for text in drawn], dtype=pl.Boolean))["target_dish"]
    if dishes_without := empty.unique().sort().to_list():
        named = ", ".join(dishes_without[:NAMED]) + (", ..." if len(dishes_without) > NAMED else "")
        job.progress.say(
            f"{len(dishes_without)} of {rows['target_dish'].n_unique()} dishes have no recipe to retrieve, so "
            f"{len(empty)} of {rows.height} predictions are empty: {named}"
        )
    substituted = [substitutions[pair](text) for pair, text in zip(pairs, rows["text"], strict=True)]
    for run, path, texts in (
        ("copy", copy_run, rows["text"].to_list()),
        ("substitute", substitute_run, substituted),
        ("retrieve", retrieve_run, drawn),
    ):
        predictions = rows.select(
            "instance_id", run=pl.lit(run), prediction=pl.Series(texts, dtype=pl.String)
        )
        tables.write(path, schemas.PREDICTIONS, predictions, job.metadata)


def substitution(removed: str | None, added: str, glossary: Glossary) -> Callable[[str], str]:
    """A function that replaces the names of the removed ingredient by the added one.

    These are all names of its class, or only its own name if the added one is of the same class. Names within longer
    words of the glossary stay (鸡 in 鸡精), and so does the name of the added ingredient.
    """
    if removed is None:
        return lambda text: text
    kind = glossary.ingredients.get(removed)
    names = {removed}
    if kind and kind != glossary.ingredients.get(added):
        names |= {name for name, other in glossary.ingredients.items() if other == kind}
    return renaming(names, added, glossary)


def renaming(old: Collection[str], added: str, glossary: Glossary, parts: str = "") -> Callable[[str], str]:
    """A function that replaces old names by the added one, but not within longer words of the glossary.

    Nor does it where one of `parts` is behind a name of one character: 虾须.
    """
    names = {*old} - {added}
    if not names:
        return lambda text: text
    known = (added, *glossary.ingredients, *glossary.verbs, *glossary.tools)
    around = {word for word in known if any(name in word for name in names)}
    around |= {name + part for name in names if len(name) == 1 for part in parts} - names
    longest_first = sorted(names | around, key=lambda word: (-len(word), word))
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda text: pattern.sub(lambda match: added if match[0] in names else match[0], text)


def retrieved(
    rows: pl.DataFrame, recipes: Sequence[str], dishes: str, seed: int, progress: Progress
) -> list[str]:
    """For each instance the text of a recipe of its target dish, or an empty one.

    The recipe with the smallest hash of seed, instance and recipe is drawn. So a recipe that is added or removed
    changes only the draws in which its hash is the smallest.
    """
    of_targets = tables.scan(dishes, ["recipe_id", "dish"]).filter(
        pl.col("dish").is_in(rows["target_dish"].unique().to_list())
    )
    with_steps = tables.scan(recipes, ["recipe_id", "lang", "steps"]).filter(pl.col("steps").list.len() > 0)
    recipes_of_targets = with_steps.join(of_targets, on="recipe_id").collect(engine="streaming")
    choices = dict(recipes_of_targets.group_by("dish").agg("recipe_id").iter_rows())
    drawn = []
    for instance, dish in rows.select("instance_id", "target_dish").iter_rows():
        drawn.append(draw(choices.get(dish, ()), f"{seed} {instance}"))
        progress(len(drawn), f"{len(drawn)} of {rows.height} recipes drawn", of=rows.height)
    wanted = set(drawn)
    texts = {
        recipe: joined(steps, lang)
        for recipe, lang, steps in recipes_of_targets.select("recipe_id", "lang", "steps").iter_rows()
        if recipe in wanted
    }
    return [texts.get(recipe or "", "") for recipe in drawn]


def draw(choices: Iterable[str], key: str) -> str | None:
    """The choice with the smallest hash of key and choice; None if there is none."""
    return min(
        choices,
        key=lambda choice: (hashlib.sha256(f"{key} {choice}".encode()).digest(), choice),
        default=None,
    )
