"""Tables of stage match."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, Reason, column

REASONS = {
    "empty_title": Reason(
        "The recipe has no title (the config told ingest to keep recipes with empty fields)."
    ),
    "too_long": Reason("More tokens than match.eligible.max_tokens.", by_design=True),
    "no_name": Reason("A row of match.candidates.titles without a name in one of the languages."),
    "repeated": Reason("The same row stands before it."),
    "no_candidate": Reason(
        "A dish to whose name no title of a corpus is as alike as match.candidates.cutoff.", by_design=True
    ),
    "not_accepted": Reason("A row of the sheet that nobody accepted.", by_design=True),
    "no_answer": Reason("The cell in column accepted says neither yes nor no."),
    "other_direction": Reason("A row of the sheet for the other direction.", by_design=True),
    "unknown_recipe": Reason("No eligible recipe has this id."),
    "other_title": Reason("The recipe with this id has another title."),
    "no_features": Reason(
        "The pair is no candidate in these corpora, and the row does not say what its recipes have in common.",
        by_design=True,
    ),
    "no_grade": Reason("The cell in column grade is empty, or is none of 0, 1 and 2."),
    "several": Reason("A pair that other rows of the sheet grade otherwise."),
    "no_number": Reason(
        "A cell that tells what a graded pair has in common is no number, such as 0,85 for 0.85."
    ),
    "taken": Reason(
        "The source or the target recipe is accepted in a row before it: each is in the set at most once.",
        by_design=True,
    ),
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
TRANSLATED_TITLES = pa.schema(
    [
        column("title", pa.string(), "Each distinct title once, in the order of first occurrence."),
        column("text", pa.string(), "The title in English: as it is, or translated."),
    ]
)
TRANSLATIONS = pa.schema(
    [
        *TRANSLATED_TITLES,
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
CANDIDATES = pa.schema(
    [
        column("line", pa.int64(), "Row of the dish in match.candidates.titles, as spreadsheets count."),
        column("dish_zh", pa.string(), "Its name in Chinese."),
        column("dish_en", pa.string(), "Its name in English."),
        column(
            "direction", pa.string(), "zh-en or en-zh, where the table says so; else both.", nullable=True
        ),
        column("source", pa.string(), "Where the names were found, as the table says.", nullable=True),
        column("score", pa.float32(), "Mean of the two scores."),
        *(
            column(f"{lang}_{name}", kind, text)
            for lang in ("zh", "en")
            for name, kind, text in (
                ("id", pa.string(), "recipe_id of the first recipe with this title."),
                ("title", pa.string(), "Its title."),
                (
                    "recipes",
                    pa.int32(),
                    "Recipes whose titles differ from it at most in what is not compared.",
                ),
                (
                    "score",
                    pa.float32(),
                    "How alike it is to the name, 0 to 100 (share of characters that stay).",
                ),
            )
        ),
    ]
)
SHEET_REJECTS = pa.schema(
    [
        column(
            "source_row", pa.int64(), "Row in the table or the sheet, as spreadsheets count: the header is 1."
        ),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found, where it helps.", nullable=True),
        column("raw", pa.string(), "The row's cells, with bars between them."),
    ]
)
SILVER = pa.schema(
    [
        column("source_id", pa.string(), "recipe_id of the source recipe; each once."),
        column("target_id", pa.string(), "recipe_id of the target recipe, the reference; each once."),
        column("source_title", pa.string(), "Title of the source recipe."),
        column("target_title", pa.string(), "Title of the target recipe."),
        column("source_dish", pa.string(), "Name of the dish in the language of the source."),
        column("target_dish", pa.string(), "Name of the dish in the language of the target."),
        column("source_score", pa.float32(), "How alike title and name of the source are, 0 to 100."),
        column("target_score", pa.float32(), "How alike title and name of the target are, 0 to 100."),
    ]
)
COMMON = {
    "title": "Cosine similarity of the two titles' vectors.",
    "named": "Of the weight of the foods that the titles name, what the other recipe has; null: no food is named.",
    "form": "1 if the titles name a kind of dish in common, 0 if not; null unless both name one.",
    "foods": "Cosine of the foods, weighted by rarity.",
    "shared": "Weight of the foods that both have: how rare they are, added up.",
    "amounts": "Share of the weight that both put into the same foods; null unless both tell two amounts.",
    "cooking": "Cosine of ways of cooking and vessels, weighted by rarity.",
    "length": "Minus the logarithm of the ratio of the numbers of foods.",
}
FEATURES = tuple(COMMON)  # of a pair of recipes
NUMBERS = pa.list_(pa.field("element", pa.int32(), nullable=False))
CONTENTS = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column(
            "foods", NUMBERS, "Foods of its ingredient lines, and those that hold them, by number, sorted."
        ),
        column(
            "grams",
            pa.list_(pa.field("element", pa.float32(), nullable=False)),
            "Grams of each food; 0 where no line says them.",
        ),
        column("named", NUMBERS, "Those of its foods that its title names."),
        column(
            "cooking",
            NUMBERS,
            "Ways of cooking and vessels of its steps: rows of resources/rerank/cooking.tsv.",
        ),
        column("forms", NUMBERS, "Kinds of dishes that its title names: rows of the same table."),
    ]
)
COMPARED = pa.schema(
    [
        column("zh", pa.int32(), "Row of the Chinese recipe in match/eligible."),
        column("en", pa.int32(), "Row of the English recipe there."),
        *(column(name, pa.float32(), COMMON[name], nullable=True) for name in FEATURES),
    ]
)
RERANKED = pa.schema(
    [
        *(field for field in ACCEPTED if field.name != "rank"),
        column("rank", pa.int32(), "1 for the most probable target of this source."),
        column("probability", pa.float32(), "That both are one dish or variants of it, as the model judges."),
        *(
            column(f"by_{name}", pa.float32(), f"What `{name}` adds to the log odds of that. {COMMON[name]}")
            for name in FEATURES
        ),
    ]
)

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
    "match/reranked/{direction}": RERANKED,
    "match/candidates": CANDIDATES,
    "match/silver/{direction}": SILVER,
    "match/rejects/dish-names": SHEET_REJECTS,
    "match/rejects/silver-{direction}": SHEET_REJECTS,
    "match/rejects/labels": SHEET_REJECTS,
}
