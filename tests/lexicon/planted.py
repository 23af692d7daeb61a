"""Two corpora from one latent vocabulary: words with the same place in both kitchens, and some without."""

from pathlib import Path

import numpy as np
import polars as pl
from wokflow.frame import jieba_dictionary, tables
from wokflow.frame.languages import CHINESE
from wokflow.ingest.schemas import RECIPES

WORDS, CULTURAL, SEEDS = 130, 12, 15
LATENT, RECIPES_EACH, LENGTH = 8, 1500, 40


def chinese_words() -> list[str]:
    """Nouns of two characters that jieba leaves whole."""
    cut = jieba_dictionary.tokenizer().cut
    tags = jieba_dictionary.tags().items()
    nouns = sorted(word for word, tag in tags if tag == "n" and len(word) == 2 and CHINESE.fullmatch(word))
    whole = (word for word in nouns[::50] if [*cut(word)] == [word])
    return [word for _, word in zip(range(WORDS), whole, strict=False)]


def english_words() -> list[str]:
    return [f"w{number}x" for number in range(WORDS)]


def write_corpora(folder: Path) -> tuple[Path, Path, Path, list[str]]:
    """The Chinese corpus, the English one, a dictionary of all pairs, and the words that mean something else there.

    Words that follow one another in a recipe are those that its latent place calls for. The last words' English
    counterparts have other places.
    """
    random = np.random.default_rng(5)
    places = random.normal(size=(WORDS, LATENT))
    elsewhere = places.copy()
    elsewhere[-CULTURAL:] = random.normal(size=(CULTURAL, LATENT))
    zh, en = chinese_words(), english_words()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for lang, words, own in (("zh", zh, places), ("en", en, elsewhere)):
        paths.append(folder / f"{lang}.parquet")
        write_recipes(paths[-1], lang, [_recipe(words, own, random) for _ in range(RECIPES_EACH)])
    dictionary = folder / "dictionary.tsv"
    lines = ["zh\ten", *("\t".join(pair) for pair in zip(zh, en, strict=True))]
    dictionary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "seed.tsv").write_text("\n".join(lines[: SEEDS + 1]) + "\n", encoding="utf-8")
    return (*paths, dictionary, zh[-CULTURAL:])


def _recipe(words: list[str], places: np.ndarray, random: np.random.Generator) -> str:
    weights = np.exp(1.2 * places @ random.normal(size=LATENT))
    drawn = random.choice(len(words), LENGTH, p=weights / weights.sum())
    return "，".join(words[each] for each in drawn)


def write_recipes(path: Path, lang: str, steps: list[str]) -> None:
    """A part of a recipes table, each recipe of one step."""
    rows = {
        "recipe_id": [f"x:{row}" for row in range(len(steps))],
        "corpus": ["x"] * len(steps),
        "lang": [lang] * len(steps),
        "title": [""] * len(steps),
        "ingredients": [[] for _ in steps],
        "steps": [[step] for step in steps],
        "dish": [None] * len(steps),
        "url": [None] * len(steps),
        "source_row": range(len(steps)),
    }
    tables.write(path, RECIPES, pl.DataFrame(rows, tables.columns(RECIPES)), {})
