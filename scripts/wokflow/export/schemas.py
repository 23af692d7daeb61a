"""Tables of stage export: what a release holds, stand-off (ids and what we add) and full (with text)."""

from collections.abc import Iterable

import pyarrow as pa

from wokflow.enrich import schemas as enrich
from wokflow.frame.columns import RECIPE_ID, STRINGS, column
from wokflow.pivot import schemas as pivot

FORBIDDEN = "where the licence of a source forbids to pass on what is derived from its text"
BEST_FIRST = "Its matches, best first."
# Members of what may be null are nullable as well: Arrow counts those of a null struct as nulls.
SPAN = pa.struct([pa.field("start", pa.int32()), pa.field("end", pa.int32())])
SPANS = pa.list_(pa.field("element", SPAN))
IN_RECIPE = (
    "Where each is named: characters of the recipe's title, ingredients and steps, joined by line feeds; null: "
    "the words do not stand in the recipe as they are."
)
RECIPE = pa.struct(
    [
        column("id", pa.string(), RECIPE_ID),
        column("title", pa.string(), "Title, cleaned."),
        column("ingredients", STRINGS, "Ingredient lines with amounts, cleaned."),
        column("steps", STRINGS, "Steps in order, cleaned."),
        column("dish", pa.string(), "The dish the corpus says this is a recipe of.", nullable=True),
    ]
)
WRITTEN = pa.struct(
    [
        column("title", pa.string(), "Title.", nullable=True),
        column("ingredients", STRINGS, "Ingredient lines.", nullable=True),
        column("steps", STRINGS, "Steps in order.", nullable=True),
    ]
)


def _list(element: pa.DataType) -> pa.ListType:
    return pa.list_(pa.field("element", element, nullable=False))


def _picked(schema: pa.Schema, names: Iterable[str]) -> list[pa.Field]:
    return [schema.field(name) for name in names]


SCORES = column(
    "scores", _list(pa.float32()), "Their similarities; null: a person has matched them.", nullable=True
)
PAIRS_IDS = pa.schema(
    [
        column("source_id", pa.string(), "The recipe to adapt."),
        column("target_ids", STRINGS, BEST_FIRST),
        SCORES,
    ]
)
PAIRS = pa.schema(
    [column("source", RECIPE, "The recipe to adapt."), column("targets", _list(RECIPE), BEST_FIRST), SCORES]
)
GOLD_IDS = pa.schema(
    [
        column("source_id", pa.string(), "The recipe that was adapted."),
        column(
            "source",
            WRITTEN,
            "That recipe as it came with the set, if it is in no corpus and export.licences.given_gold lets it pass.",
            nullable=True,
        ),
        column(
            "adaptation",
            WRITTEN,
            f"What a person made of it for the other culture; null {FORBIDDEN}.",
            nullable=True,
        ),
    ]
)
GOLD = pa.schema(
    [
        column(
            "source",
            pa.struct([RECIPE.field("id"), *WRITTEN, RECIPE.field("dish")]),
            "The recipe that was adapted; of one that is in no corpus, text is there as in a stand-off release.",
        ),
        GOLD_IDS.field("adaptation"),
    ]
)
_ACTION = [
    column("recipe_id", pa.string(), RECIPE_ID),
    column("position", pa.int32(), "Number of the action in its recipe, from 0."),
    column("step", pa.int32(), "Index of the step."),
    column("start", pa.int32(), "Where the verb begins in steps[step], in characters."),
    column("end", pa.int32(), "Where it ends."),
    column("clause", SPAN, "Where the clause that it stands in is, in steps[step].", nullable=True),
    column("verb_class", pa.string(), "Its class in the glossary."),
    column("ingredient_spans", SPANS, IN_RECIPE),
    column("ingredient_classes", STRINGS, "The class of each."),
    column("tool_spans", SPANS, IN_RECIPE),
    column("tool_classes", STRINGS, "The class of each."),
    column("inherited", pa.bool_(), "Some of its ingredients, or all, are those of earlier actions."),
    column("optional", pa.bool_(), "The text leaves it to the cook."),
]
ACTIONS_IDS = pa.schema(_ACTION)
WORDS = pa.list_(pa.field("element", pa.string()))
ACTIONS = pa.schema(
    [
        *_ACTION,
        column("verb", pa.string(), "The verb as written."),
        column("text", pa.string(), "The clause.", nullable=True),
        column("ingredients", WORDS, "Ingredients acted on or with, as written."),
        column("tools", WORDS, "Tools acted with or in, as written."),
    ]
)
INSTANCES_IDS = pa.schema(
    _picked(
        pivot.INSTANCES,
        ("instance_id", "base_dish", "target_dish", "recipe_id", "ingredient_removed", "ingredient_added"),
    )
)
INSTANCES = pa.schema([*INSTANCES_IDS, pivot.INSTANCES.field("text")])
_MENTION = ("qid", "start", "end", "category")
MENTIONS = _list(pa.struct([field for field in enrich.MENTIONED.value_type if field.name in _MENTION]))
ITEMS_TEXT = "The items in the order of their mentions; offsets are characters of the source sentence."
SENTENCES_IDS = pa.schema([enrich.SENTENCES.field("sentence_id"), column("items", MENTIONS, ITEMS_TEXT)])
SENTENCES = pa.schema(
    [
        *_picked(enrich.SENTENCES, ("sentence_id", "source", "target")),
        column("items", enrich.MENTIONED, ITEMS_TEXT),
    ]
)
PREDICTIONS = pa.schema(
    [
        column(
            "instance_id",
            pa.string(),
            "What was predicted: an id of a recipe or sentence, with the set that it is tested in, or with a dish.",
        ),
        column("run", pa.string(), "The run that made the prediction."),
        column(
            "prediction",
            pa.string(),
            f"What was generated; null {FORBIDDEN}.",
            nullable=True,
        ),
        column(
            "sha256",
            pa.string(),
            "SHA-256 of the prediction in UTF-8, without salt: a guess can be confirmed.",
        ),
    ]
)
_PLACE = pa.struct(
    [
        column(name, pa.int32(), text)
        for name, text in (
            ("at", "Where the part is to be inserted into `prediction` as it stands here, in characters."),
            (
                "start",
                "Where it begins in the title, ingredients and steps (or both sentences), joined by line feeds.",
            ),
            ("end", "Where it ends there."),
        )
    ]
)
PREDICTIONS_IDS = pa.schema(
    [
        *_picked(PREDICTIONS, ("instance_id", "run")),
        column(
            "prediction",
            pa.string(),
            f"What was generated, without the parts that stand in a record; null {FORBIDDEN}.",
            nullable=True,
        ),
        column("record_ids", STRINGS, "For each part that was taken out, the first record that has it."),
        column("spans", _list(_PLACE), "The place of each of these parts."),
        PREDICTIONS.field("sha256"),
    ]
)
RECORDS = pa.schema(
    [
        column("record_id", pa.string(), "The recipe or sentence that rows of this release point at."),
        column(
            "sha256",
            pa.string(),
            "SHA-256 of its cleaned text: title, ingredients, steps and dish, or source and target, as a JSON list.",
        ),
    ]
)
SCHEMAS = {
    "export/pairs": PAIRS,
    "export/pairs (stand-off)": PAIRS_IDS,
    "export/gold": GOLD,
    "export/gold (stand-off)": GOLD_IDS,
    "export/actions": ACTIONS,
    "export/actions (stand-off)": ACTIONS_IDS,
    "export/instances": INSTANCES,
    "export/instances (stand-off)": INSTANCES_IDS,
    "export/sentences": SENTENCES,
    "export/sentences (stand-off)": SENTENCES_IDS,
    "export/predictions": PREDICTIONS,
    "export/predictions (stand-off)": PREDICTIONS_IDS,
    "export/records": RECORDS,
}
