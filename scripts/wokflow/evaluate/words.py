"""The words that recipes of a cuisine have most often, by who wrote them (Lee et al. 2025, Figure 2)."""

import polars as pl

from wokflow.evaluate.rated import shown
from wokflow.evaluate.rating_schemas import RECIPE_WORDS
from wokflow.evaluate.settings import WordsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.text_files import read_prose

WORD = r"\p{L}[\p{L}\p{M}]+(?:['’\-]\p{L}+)*"


def evaluate_words(*, tasks: str, words: str, settings: WordsSettings, job: Job) -> None:
    """Write evaluate/words: of each cuisine and system, the `most` words that occur most often in its recipes.

    A word is a run of two letters or more, with hyphens and apostrophes within, in small letters. Stop words and the
    words of all cuisines' names are left out. Of equally frequent words, those of more recipes come first, then those
    earlier in the alphabet.
    """
    stop = [line.strip() for line in read_prose(settings.stopwords, "stop words").splitlines()]
    stop = [line.lower() for line in stop if line and not line.startswith("#")]
    texts = tables.read(tasks, ["task_id", "system", "shown"])
    texts = texts.select("task_id", "system", cuisine=shown("cuisine"), text=shown("recipe")).drop_nulls()
    names = texts["cuisine"].unique().str.to_lowercase().str.extract_all(WORD).explode()
    in_recipes = (
        texts.with_columns(word=pl.col("text").str.to_lowercase().str.extract_all(WORD))
        .explode("word")
        .filter(~pl.col("word").is_in([*stop, *names.drop_nulls()]))
        .drop_nulls("word")
    )
    counted = in_recipes.group_by("cuisine", "system", "word").agg(
        count=pl.len().cast(pl.Int64), recipes=pl.col("task_id").n_unique().cast(pl.Int64)
    )
    order = ["cuisine", "system", "count", "recipes", "word"]
    counted = counted.sort(order, descending=[False, False, True, True, False])
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("cuisine", "system")
    ranked = counted.with_columns(place=place).filter(pl.col("place") <= settings.most)
    tables.write(words, RECIPE_WORDS, ranked.select(RECIPE_WORDS.names), job.metadata)
