"""Small recipes and pairs for tests."""

from pathlib import Path

import polars as pl
from wokflow.frame import tables
from wokflow.ingest.schemas import RECIPES
from wokflow.match.schemas import PAIRS, SILVER


def write_recipes(folder: Path) -> list[str]:
    """Three Chinese and three English recipes, a part each: zh:0 (茶0: 水0; 烧0) and en:0 (tea0: water0; Boil0)."""
    words = {"zh": ("茶", "水", "烧"), "en": ("tea", "water", "Boil")}
    paths = []
    for lang, (title, ingredient, step) in words.items():
        rows = [
            {
                "recipe_id": f"{lang}:{number}",
                "corpus": lang,
                "lang": lang,
                "title": f"{title}{number}",
                "ingredients": [f"{ingredient}{number}"],
                "steps": [f"{step}{number}"],
                "dish": None,
                "url": None,
                "source_row": number,
            }
            for number in range(3)
        ]
        frame = pl.DataFrame(rows, schema_overrides={"dish": pl.String, "url": pl.String})
        tables.write(folder / f"{lang}.parquet", RECIPES, frame, {})
        paths.append(str(folder / f"{lang}.parquet"))
    return paths


def write_pairs(folder: Path, *pairs: tuple[str, str, str]) -> str:
    """Pairs Chinese to English: source, target, split; best first."""
    rows = pl.DataFrame(
        [
            {
                "source_id": source,
                "target_id": target,
                "score": 0.9,
                "rank": 1,
                "source_title": source,
                "source_title_translated": None,
                "target_title": target,
                "target_title_translated": None,
                "split": split,
            }
            for source, target, split in pairs
        ]
    )
    tables.write(folder / "pairs.parquet", PAIRS, rows, {})
    return str(folder / "pairs.parquet")


def write_silver(folder: Path, *pairs: tuple[str, str]) -> str:
    """A silver set: source, target; their ids are their titles too."""
    names = ("source_id", "target_id", "source_title", "target_title", "source_dish", "target_dish")
    columns = dict.fromkeys(names, pl.String) | dict.fromkeys(("source_score", "target_score"), pl.Float32)
    rows = [(*pair, *pair, *pair, 100.0, 100.0) for pair in pairs]
    tables.write(folder / "silver.parquet", SILVER, pl.DataFrame(rows, columns, orient="row"), {})
    return str(folder / "silver.parquet")
