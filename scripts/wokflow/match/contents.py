"""What recipes are made of: foods, amounts and ways of cooking, as numbers that both languages share."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.shards import shard_range
from wokflow.match import schemas
from wokflow.match.amounts import grams
from wokflow.match.cooking import cooking, forms
from wokflow.match.foods import Foods
from wokflow.match.settings import ContentsSettings

BLOCK = 2048  # recipes: a shard is a run of whole blocks
COLUMNS = ["recipe_id", "lang", "title", "ingredients", "steps"]
LANGS = ("zh", "en")
LINES = 1 << 18  # lines whose reading is remembered: many occur again and again


def match_contents(
    *,
    recipes: Sequence[str],
    eligible: str,
    contents: str,
    shard: int,
    shards: int,
    settings: ContentsSettings,
    job: Job,
) -> None:
    """Write the contents of one shard of the eligible recipes, in their order."""
    ids = tables.read(eligible, ["recipe_id"])
    rows = shard_range(ids.height, BLOCK, shard, shards)
    wanted = ids[rows.start : rows.stop]
    foods = Foods.load(settings.lexicon, settings.glossary)
    readers = {lang: reader(foods, lang) for lang in LANGS}
    done = 0
    with tables.PartWriter(contents, schemas.CONTENTS, job.metadata) as part:
        for path in recipes:
            with tables.opened(path) as file:
                for batch in file.iter_batches(20_000, columns=COLUMNS):
                    own = pl.DataFrame(pl.from_arrow(batch)).join(wanted, on="recipe_id", how="semi")
                    if own.height:
                        part.write(readers[own["lang"][0]](own))
                    done += own.height
                    job.progress(done, f"{done} of {len(rows)} recipes read", of=len(rows))
        if not done:
            part.write(tables.frame(schemas.CONTENTS))


def reader(foods: Foods, lang: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """A function from recipes in a language to their contents (schema match/contents)."""
    number = {name: place for place, name in enumerate(foods.names)}

    @lru_cache(LINES)
    def read(line: str) -> tuple[list[int], list[int], float]:
        """The foods that a line names, their broader concepts, and the amount in grams; 0 without an amount."""
        named = [number[name] for name in foods.read(line, lang)]
        broader = [number[name] for one in named for name in foods.broader(foods.names[one])]
        return named, broader, grams(line) or 0.0

    def contents(ingredients: Sequence[str]) -> dict[int, float]:
        """The grams of each food; the amount of a line belongs to the first food that it names."""
        known: dict[int, float] = {}
        for line in ingredients:
            named, broader, amount = read(line)
            for place, food in enumerate((*named, *broader)):
                known[food] = known.get(food, 0.0) + (amount if place == 0 else 0.0)
        return dict(sorted(known.items()))

    def titled(title: str, own: Mapping[int, float]) -> list[int]:
        """The foods of a title that are among the recipe's own: 蚂蚁上树 names no ants."""
        return sorted({food for food in read(title)[0] if food in own})

    def table(recipes: pl.DataFrame) -> pl.DataFrame:
        known = [contents(lines) for lines in recipes["ingredients"].to_list()]
        named = [titled(title, own) for title, own in zip(recipes["title"].to_list(), known, strict=True)]
        ways = [cooking(steps, lang) for steps in recipes["steps"].to_list()]
        return pl.DataFrame(
            {
                "recipe_id": recipes["recipe_id"],
                "foods": pl.Series([list(each) for each in known], dtype=pl.List(pl.Int32)),
                "grams": pl.Series([list(each.values()) for each in known], dtype=pl.List(pl.Float32)),
                "named": pl.Series(named, dtype=pl.List(pl.Int32)),
                "cooking": pl.Series(ways, dtype=pl.List(pl.Int32)),
                "forms": pl.Series(
                    [forms(title, lang) for title in recipes["title"].to_list()], dtype=pl.List(pl.Int32)
                ),
            }
        )

    return table
