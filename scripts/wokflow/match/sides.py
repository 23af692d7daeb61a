"""The recipes of one side of a direction, with the texts that were compared."""

from typing import NamedTuple

import polars as pl

from wokflow.frame import tables


class Side(NamedTuple):
    """Recipes of one corpus in its order (id, title, text, the text's row); whether texts are translations."""

    recipes: pl.DataFrame
    translated: bool

    @property
    def translation(self) -> pl.Expr:
        """The translated title of a recipe; null where titles are not translated."""
        return pl.col("text") if self.translated else pl.lit(None, pl.String)


def read_side(eligible: str, translations: str, translated: bool) -> Side:
    recipes = tables.read(eligible, ["recipe_id", "title"]).with_row_index("order")
    texts = tables.read(translations)
    return Side(recipes.join(texts, on="title", how="left", maintain_order="left"), translated)
