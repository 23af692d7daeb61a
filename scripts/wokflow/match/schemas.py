"""Tables of stage match."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, column

REASONS = {
    "empty_title": "The recipe has no title (the config told ingest to keep recipes with empty fields).",
    "too_long": "More tokens than match.eligible.max_tokens.",
}
TRANSLATED = "It in English, where it was translated."

ELIGIBLE = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column("title", pa.string(), "Title, cleaned."),
        column("tokens", pa.int32(), "Length of the recipe in tokens of match.eligible.tokenizer."),
    ]
)
REJECTS = pa.schema(
    [
        column("corpus", pa.string(), "recipenlg or xiachufang."),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found, where it helps.", nullable=True),
        column("raw", pa.string(), "The recipe's id."),
    ]
)
TITLES = pa.schema(
    [column("title", pa.string(), "Each distinct title once, in the order of first occurrence.")]
)
TRANSLATIONS = pa.schema(
    [
        column("title", pa.string(), "Each distinct title once, in the order of first occurrence."),
        column("text", pa.string(), "The title in English: as it is, or translated."),
        column("text_index", pa.int32(), "Row of the text in match/texts, and of its vector."),
    ]
)
TEXTS = pa.schema(
    [column("text", pa.string(), "Each distinct text to embed once, in the order of first occurrence.")]
)
NEIGHBOURS = pa.schema(
    [
        column("source_index", pa.int32(), "Row of the source text in match/texts of the source corpus."),
        column("target_index", pa.int32(), "Row of the target text in match/texts of the target corpus."),
        column("score", pa.float32(), "Cosine similarity of the two texts' vectors."),
    ]
)
ACCEPTED = pa.schema(
    [
        column("source_id", pa.string(), "recipe_id of the source recipe."),
        column("target_id", pa.string(), "recipe_id of the target recipe."),
        column("score", pa.float32(), "Cosine similarity of the two titles' vectors."),
        column("rank", pa.int32(), "1 for the nearest target of this source, by (score, row in the source)."),
        column("source_title", pa.string(), "Title of the source recipe."),
        column("source_title_translated", pa.string(), TRANSLATED, nullable=True),
        column("target_title", pa.string(), "Title of the target recipe."),
        column("target_title_translated", pa.string(), TRANSLATED, nullable=True),
    ]
)
AUDIT = ACCEPTED.append(column("accepted", pa.bool_(), "Whether the score reaches the threshold."))
PAIRS = ACCEPTED.append(column("split", pa.string(), "train, valid or test."))

SCHEMAS = {
    "match/eligible/{corpus}": ELIGIBLE,
    "match/rejects/{corpus}": REJECTS,
    "match/titles/{corpus}": TITLES,
    "match/translations/{corpus}": TRANSLATIONS,
    "match/texts/{corpus}": TEXTS,
    "match/neighbours/{direction}": NEIGHBOURS,
    "match/accepted/{direction}": ACCEPTED,
    "match/audit/{direction}": AUDIT,
    "match/pairs/{direction}": PAIRS,
}
