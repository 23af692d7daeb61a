"""Tables of stage export."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, STRINGS, column

RECIPE = pa.struct(
    [
        column("id", pa.string(), RECIPE_ID),
        column("title", pa.string(), "Title, cleaned."),
        column("title_translated", pa.string(), "It in English, where it was translated.", nullable=True),
        column("ingredients", STRINGS, "Ingredient lines with amounts, cleaned."),
        column("steps", STRINGS, "Steps in order, cleaned."),
        column("dish", pa.string(), "The dish the corpus says this is a recipe of.", nullable=True),
    ]
)
PAIRS = pa.schema(
    [
        column("source", RECIPE, "The recipe to adapt."),
        column("targets", pa.list_(pa.field("element", RECIPE, nullable=False)), "Its matches, best first."),
        column("scores", pa.list_(pa.field("element", pa.float32(), nullable=False)), "Their similarities."),
    ]
)

SCHEMAS = {"export/pairs/{direction}/data": PAIRS}
