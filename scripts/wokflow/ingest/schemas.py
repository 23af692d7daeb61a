"""Tables of stage ingest."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, STRINGS, column

REASONS = {
    "broken_record": "The bytes form no record: broken JSON, unbalanced quotes, a wrong number of fields.",
    "invalid_utf8": "The row is not valid UTF-8, or holds half a surrogate pair.",
    "nul_byte": "The row holds a NUL byte.",
    "oversized_row": "The row is longer than 16 MiB; raw holds its beginning.",
    "truncated_archive": "The archive ends or breaks here; what lay behind could not be read.",
    "bad_list": "A field that should hold a list of strings does not.",
    "wrong_type": "A field holds another type than text.",
    "missing_field": "The record lacks a field.",
    "empty_title": "No title, or nothing of it is left after cleaning.",
    "empty_ingredients": "No ingredients, or nothing of them is left after cleaning.",
    "empty_steps": "No steps, or nothing of them is left after cleaning.",
    "duplicate": "Title, ingredients and steps equal those of an earlier row, named in detail.",
}

RECIPES = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column("corpus", pa.string(), "recipenlg, xiachufang or counterfactual."),
        column("lang", pa.string(), "en or zh."),
        column("title", pa.string(), "Title, cleaned."),
        column("ingredients", STRINGS, "Ingredient lines with amounts, cleaned."),
        column("steps", STRINGS, "Steps in order, cleaned."),
        column("dish", pa.string(), "The dish the corpus says this is a recipe of.", nullable=True),
        column("url", pa.string(), "Where the corpus found the recipe.", nullable=True),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
    ]
)
REJECTS = pa.schema(
    [
        column("corpus", pa.string(), "recipenlg, xiachufang or counterfactual."),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found, where it helps.", nullable=True),
        column("raw", pa.string(), "The record as read; bytes that are no UTF-8 as \\xNN."),
    ]
)

SCHEMAS = {"ingest/recipes/{corpus}": RECIPES, "ingest/rejects/{corpus}": REJECTS}
