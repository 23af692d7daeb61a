"""Tables of stage parse."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, STRINGS, Reason, column

REASONS = {
    "too_long": Reason("A step is longer than parse.actions.max_characters."),
    "no_action": Reason("No verb of the glossary in it that tells the cook what to do."),
}
HEADS = pa.list_(pa.field("element", pa.int32(), nullable=False))
PROTO = [
    column("verb_class", pa.string(), "Class of the verb."),
    column("ingredient_classes", STRINGS, "Classes of the ingredients, each once, sorted."),
    column("tool_classes", STRINGS, "Classes of the tools, each once, sorted."),
]

CLAUSES = pa.schema(
    [column("clause", pa.string(), "Each distinct clause once; the order depends on the clauses alone.")]
)
DEPENDENCIES = pa.schema(
    [
        column("clause", pa.string(), "The clause, as parse/clauses has it."),
        column("words", STRINGS, "Its words; joined, they are the clause without white space."),
        column("tags", STRINGS, "Part of speech of each word (UPOS, or the backend's own)."),
        column("heads", HEADS, "Index of each word's head in the clause; -1 at the root."),
        column(
            "relations",
            STRINGS,
            "Relation of each word to its head, as the model calls it. Where it fails on a clause all are _, and all "
            "heads -1: the rules read it.",
        ),
        column(
            "roles",
            STRINGS,
            "What it means to the reader of actions: root, attribute, relative, negation, other.",
        ),
    ]
)
ACTIONS = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column("position", pa.int32(), "Number of the action in its recipe, from 0."),
        column("step", pa.int32(), "Index of the step."),
        column("start", pa.int32(), "Where the verb begins in steps[step], in characters."),
        column("end", pa.int32(), "Where it ends."),
        column("text", pa.string(), "The clause that the verb stands in."),
        column("verb", pa.string(), "The verb as written."),
        column("verb_class", pa.string(), "Its class in the glossary."),
        column("ingredients", STRINGS, "Ingredients acted on or with, as written."),
        column("ingredient_classes", STRINGS, "The class of each."),
        column("tools", STRINGS, "Tools acted with or in, as written."),
        column("tool_classes", STRINGS, "The class of each."),
        column(
            "inherited",
            pa.bool_(),
            "What is in the pot, or was prepared last, is among the ingredients, before those that are named: the "
            "action names none, or only the liquid or seasonings with which food is treated, or the food that it "
            "goes onto or into. True, too, of an action that names nothing where nothing is there.",
        ),
        column(
            "optional",
            pa.bool_(),
            "The text leaves it to the cook: 可以, 如果, 喜欢的话, a second choice. Never in style paper.",
        ),
    ]
)
PROTO_ACTIONS = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column("position", pa.int32(), "Number of the action in its recipe, from 0."),
        *PROTO,
        column(
            "inherited",
            pa.bool_(),
            "As in parse/actions; if so, ingredients that only flavour are left out where there are others.",
        ),
    ]
)
REJECTS = pa.schema(
    [
        column("corpus", pa.string(), "Where the recipe comes from."),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found, where it helps.", nullable=True),
        column("raw", pa.string(), "The recipe's id."),
    ]
)

SCHEMAS = {
    "parse/clauses/{corpus}": CLAUSES,
    "parse/dependencies/{corpus}": DEPENDENCIES,
    "parse/actions/{corpus}": ACTIONS,
    "parse/rejects/{corpus}": REJECTS,
    "parse/proto/{corpus}": PROTO_ACTIONS,
}
