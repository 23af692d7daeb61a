"""Edits that a change of ingredient calls for, mined of recipes of other dishes.

The rules are those of pivot.candidates, with ingredients in the place of dishes. No recipe of the pair's two dishes
is read: a pair's own pivot actions, which score rewritten recipes, cannot come out again.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.parse import lexemes as lx
from wokflow.parse.glossary import read_glossary
from wokflow.parse.kinds import Kind, kind
from wokflow.parse.proto import compared_rows
from wokflow.pivot import schemas
from wokflow.pivot.aliases import aliases
from wokflow.pivot.candidates import frequencies, kinds
from wokflow.pivot.dishes import read_pairs
from wokflow.pivot.effects import precedence
from wokflow.pivot.occurrences import parted, written
from wokflow.pivot.orders import first_places
from wokflow.pivot.settings import MinedSettings
from wokflow.pivot.support import unsupported, with_p_values

# In place of two dishes: recipes of the removed ingredient, and of the added one.
BASE, TARGET = "base", "target"
READ = [
    "recipe_id",
    "position",
    "step",
    "text",
    "verb",
    "verb_class",
    "ingredients",
    "ingredient_classes",
    "tools",
    "tool_classes",
    "inherited",
]
PHRASES = 5  # wordings of an action
MORE = 3  # characters of a wording beside its verb, foods and tools
# Wordings that hold for their own recipes alone, that refer to others, or wait for something.
OWN_RECIPE = (
    r"\d|[克勺匙斤碗半]|[一二两三四五六七八九十几][颗个只根片条块把瓣袋]|适量|少许"  # amounts
    r"|[好完过]的|[后时]$|[待等先再]|[吧吗呢啊哦]"
)


class Change(NamedTuple):
    """A row of the dish pairs."""

    base: str
    target: str
    removed: str | None
    added: str


def pivot_mined(
    *,
    actions: Sequence[str],
    dishes: str,
    corpus: str,
    mined: str,
    settings: MinedSettings,
    job: Job,
) -> None:
    """Write the edits that each pair's change of ingredient calls for (schema pivot/mined), by pair.

    Actions on the added ingredient, in recipes with it, are compared with actions on the removed one, in recipes with
    that one. So that they can be equal, both ingredients are written as the added one. A recipe has the ingredients
    that its actions name; a recipe with both is left out. Where a pair removes no ingredient, what is frequent is
    inserted. Candidates are the recipes of `corpus` (pivot/corpus), or all but those of the pair's two dishes. Memory
    holds the actions of all pairs' recipes.
    """
    glossary, pairs = read_glossary(settings.glossary), read_pairs(settings.pairs)
    changes = [Change(*row) for row in pairs.iter_rows()]
    names = {name: aliases(name, glossary) for one in changes for name in one[2:] if name}
    named = _named(actions, frozenset().union(*names.values()))
    if settings.recipes == "untested":
        named = named.join(tables.read(corpus, ["recipe_id"]), on="recipe_id", how="semi")
    of_dish = tables.read(dishes, ["recipe_id", "dish"])
    drawn = [_sides(change, names, named, of_dish, settings.most) for change in changes]
    ids = pl.concat([pl.Series("recipe_id", [], pl.String), *(some for sides in drawn for some in sides)])
    wanted = pl.LazyFrame({"recipe_id": ids.unique()})
    every = tables.scan(actions, READ).join(wanted, on="recipe_id", how="semi").collect(engine="streaming")
    every = every.sort("recipe_id", "position")
    without = 0
    with tables.PartWriter(mined, schemas.MINED, job.metadata) as part:
        for done, (change, sides) in enumerate(zip(changes, drawn, strict=True), start=1):
            rows = _edits(change, names, sides, every, settings)
            part.write(rows)
            without += rows.is_empty()
            job.progress(done, f"{change.base} to {change.target}: {rows.height} edits", of=len(changes))
    job.progress.say(f"{without} of {len(changes)} pairs have no edit but the ingredient's name")


def _named(actions: Sequence[str], names: Collection[str]) -> pl.DataFrame:
    """recipe_id and name of each recipe and the ingredients that it names, by a hash of the recipe's id."""
    rows = (
        tables.scan(actions, ["recipe_id", "ingredients"])
        .explode("ingredients")
        .rename({"ingredients": "name"})
        .filter(pl.col("name").is_in(list(names)))
        .unique()
        .collect(engine="streaming")
    )
    ids = rows["recipe_id"].unique()
    hashes = [hashlib.sha256(recipe.encode()).hexdigest() for recipe in ids]
    hashed = pl.DataFrame({"recipe_id": ids, "hash": hashes}, {"recipe_id": pl.String, "hash": pl.String})
    return rows.join(hashed, on="recipe_id").sort("hash", "name")


def _sides(
    change: Change, names: Mapping[str, frozenset[str]], named: pl.DataFrame, of_dish: pl.DataFrame, most: int
) -> tuple[pl.Series, pl.Series]:
    """The recipes that are compared, with the removed ingredient, and with the added one: of the lowest hashes."""
    tested = of_dish.filter(pl.col("dish").is_in([change.base, change.target]))
    others = named.join(tested, on="recipe_id", how="anti", maintain_order="left")
    removed, added = (
        others.filter(pl.col("name").is_in(list(names.get(name or "", ()))))["recipe_id"].unique(
            maintain_order=True
        )
        for name in (change.removed, change.added)
    )
    return (
        removed.filter(~removed.is_in(added.implode())).head(most),
        added.filter(~added.is_in(removed.implode())).head(most),
    )


def _edits(
    change: Change,
    names: Mapping[str, frozenset[str]],
    sides: tuple[pl.Series, pl.Series],
    every: pl.DataFrame,
    settings: MinedSettings,
) -> pl.DataFrame:
    """The rows of one pair: edits by kind, the most frequent first."""
    base, target = (
        _occurring(ids, names.get(name or "", frozenset()), change.added, every).with_columns(
            dish=pl.lit(side)
        )
        for name, ids, side in zip(change[2:], sides, (BASE, TARGET), strict=True)
    )
    if not change.removed:  # recipes without any action: what is frequent is inserted
        base = target.with_columns(dish=pl.lit(BASE), action=pl.lit(""), own=False)
    differing = _differing(base, target, settings)
    inserted = differing.filter(pl.col("kind") == "insert")["action"].to_list()
    rows = (
        differing.join(_phrases(target, inserted, names[change.added], change.added), on="action", how="left")
        .join(_orders(target, inserted, settings), on="action", how="left")
        .with_columns(
            pl.col("phrases", "earlier", "later").fill_null([]),
            *parted(pl.col("action")),
            base_dish=pl.lit(change.base),
            target_dish=pl.lit(change.target),
        )
    )
    frequency = pl.max_horizontal("base_frequency", "target_frequency")
    return rows.sort("kind", frequency, "action", descending=[True, True, False]).select(schemas.MINED.names)


def _occurring(ids: pl.Series, own: Collection[str], added: str, every: pl.DataFrame) -> pl.DataFrame:
    """The actions of recipes: READ, `action`, and whether it is of the ingredient, whose words are `own`.

    In `action`, written as in pivot/candidates, these words are of a class that is called `added`.
    """
    frame = every.filter(pl.col("recipe_id").is_in(ids.implode()))
    classes = [
        sorted({added if word in own else name for word, name in zip(words, of_words, strict=True)})
        for words, of_words in frame.select("ingredients", "ingredient_classes").iter_rows()
    ]
    named = frame.with_columns(ingredient_classes=pl.Series(classes, dtype=pl.List(pl.String)))
    return compared_rows(named.with_columns(pl.col("tool_classes").list.unique().list.sort())).with_columns(
        own=pl.col("ingredient_classes").list.contains(added), action=written()
    )


def _differing(base: pl.DataFrame, target: pl.DataFrame, settings: MinedSettings) -> pl.DataFrame:
    """The actions of the ingredient to remove and to insert, with their counts."""
    occurring = pl.concat([base, target])
    pair = pl.DataFrame({"base_dish": [BASE], "target_dish": [TARGET], "pair": [0]})
    of_ingredient = occurring.filter("own").select("action").unique()
    counted = frequencies(occurring, pair).join(of_ingredient, on="action", how="semi")
    frequent = counted.filter(pl.max_horizontal("base_frequency", "target_frequency") >= settings.frequent)
    tested = with_p_values(frequent, settings.level)
    differing = kinds(tested, settings.alpha, settings.tau_remove, settings.tau_insert)
    claimed = unsupported(settings.least, settings.level).is_null()
    # How food is cooked is its dish's affair: beef is stewed in stews.
    verb = pl.col("action").str.split("/").list.first()
    verbs = differing.select(verb.unique()).to_series()
    cooking = [one for one in verbs if kind(one) is Kind.HEAT and one[0] not in lx.BLANCHING]
    return differing.filter((pl.col("kind") != "ask") & claimed & ~verb.is_in(cooking))


def _phrases(
    occurring: pl.DataFrame, inserted: Sequence[str], own: Collection[str], added: str
) -> pl.DataFrame:
    """action and phrases: the wordings of inserted actions that most recipes have.

    A wording is a clause with no other action that names the ingredient, and says little more. Names of the
    ingredient become `added`, but for those that are part of it: 土豆去皮, and not 土豆丝去皮.
    """
    wanted = occurring.with_columns(alone=pl.len().over("recipe_id", "step", "text") == 1).filter(
        "alone",
        ~pl.col("inherited"),
        pl.col("action").is_in(list(inserted)),
        ~pl.col("text").str.contains(OWN_RECIPE),
    )
    rows: list[tuple[str, str, str]] = []
    for row in wanted.iter_rows(named=True):
        text, foods = row["text"], row["ingredients"]
        named = next((food for food in foods if food in own and food in text), None)
        if named and len(text) <= len("".join([row["verb"], *foods, *row["tools"]])) + MORE:
            said = text if named in added else text.replace(named, added)
            rows.append((row["action"], said, row["recipe_id"]))
    frame = pl.DataFrame(rows, dict.fromkeys(("action", "text", "recipe_id"), pl.String), orient="row")
    counted = (
        frame.group_by("action", "text")
        .agg(recipes=pl.col("recipe_id").n_unique())
        .sort("recipes", pl.col("text").str.len_chars(), "text", descending=[True, False, False])
    )
    return counted.group_by("action", maintain_order=True).agg(phrases=pl.col("text").head(PHRASES))


def _orders(occurring: pl.DataFrame, inserted: Sequence[str], settings: MinedSettings) -> pl.DataFrame:
    """action, and the actions that most recipes with both have `earlier`, and `later`, than it."""
    dish = first_places(occurring, inserted, settings.frequent)
    rows: list[dict[str, Any]] = []
    if set(inserted) & set(dish.actions):
        before, both = precedence(dish)
        for number, action in enumerate(dish.actions):
            if action not in inserted:
                continue
            others = [
                n for n in range(len(dish.actions)) if n != number and both[number, n] >= settings.least
            ]
            least = {n: settings.order * both[number, n] for n in others}
            rows.append(
                {
                    "action": action,
                    "earlier": [dish.actions[n] for n in others if before[n, number] >= least[n]],
                    "later": [dish.actions[n] for n in others if before[number, n] >= least[n]],
                }
            )
    lists = pl.List(pl.String)
    return pl.DataFrame(rows, {"action": pl.String, "earlier": lists, "later": lists})
