"""Tables of stage pivot."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, STRINGS, Reason, column

BASE = column("base_dish", pa.string(), "The dish whose recipes are rewritten.")
TARGET = column("target_dish", pa.string(), "The dish they are rewritten to.")
ACTION = [
    column("verb_class", pa.string(), "Class of the action's verb."),
    column("ingredient_classes", STRINGS, "Classes of its ingredients, sorted."),
    column("tool_classes", STRINGS, "Classes of its tools, sorted."),
]
FREQUENCIES = [
    column("base_frequency", pa.float64(), "Share of the base dish's recipes with the action."),
    column("target_frequency", pa.float64(), "Share of the target dish's recipes with the action."),
]
PHRASES = column("phrases", STRINGS, "Up to three clauses with the action, each of another recipe.")

DISHES = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column("dish", pa.string(), "The dish this is a recipe of; recipes of no known dish are left out."),
        column(
            "found_by", pa.string(), "field: the corpus says so; title: the longest dish name in the title."
        ),
    ]
)
CANDIDATES = pa.schema(
    [
        BASE,
        TARGET,
        *ACTION,
        *FREQUENCIES,
        column("base_recipes", pa.int32(), "Recipes of the base dish that have actions."),
        column("target_recipes", pa.int32(), "Recipes of the target dish that have actions."),
        column("kind", pa.string(), "remove, insert, or ask: too close to call by frequency."),
        column(
            "p_value",
            pa.float64(),
            "Fisher's exact test of both frequencies, corrected for the tests of the pair; 1 if nothing is tested.",
        ),
        PHRASES,
    ]
)
CANDIDATE_REJECTS = pa.schema(
    [
        BASE,
        TARGET,
        column("kind", pa.string(), "remove or insert: what frequency alone says."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "In how many recipes of each dish it is, and the p-value, rounded."),
        column("raw", pa.string(), "The action, as verb/ingredient,ingredient/tool,tool."),
    ]
)
QUESTIONS = pa.schema(
    [
        column("question_id", pa.string(), "Hash of the dishes and the action: the same in every run."),
        BASE,
        TARGET,
        *ACTION,
        PHRASES,
    ]
)
PIVOTS = pa.schema(
    [
        BASE,
        TARGET,
        *ACTION,
        column("kind", pa.string(), "remove; insert; or replace: the same action with the new ingredient."),
        column(
            "new_ingredient_classes", STRINGS, "Of a replacement: classes of the new action's.", nullable=True
        ),
        *(field.with_nullable(True) for field in FREQUENCIES),
        column(
            "decided_by",
            pa.string(),
            "frequency; people, who decided on one action of a replacement at least; or given: in "
            "pivot.pivots.given, without frequencies.",
        ),
    ]
)
VOTES = pa.schema(
    [
        column("question_id", pa.string(), "The question, as in the sheet that people fill in."),
        BASE,
        TARGET,
        *ACTION,
        column("kind", pa.string(), "remove, insert or ask: what frequency says, as in pivot/candidates."),
        column("annotator", pa.string(), "Who answered, as the sheet says."),
        column("answer", pa.string(), "never, rarely, sometimes or always."),
    ]
)
AGREEMENT = pa.schema(
    [
        column("kind", pa.string(), "remove, insert or ask, by frequency; and all of them."),
        column("questions", pa.int64(), "Questions that somebody answered."),
        column("answers", pa.int64(), "Answers to them."),
        column("decided", pa.int64(), "Questions with as many answers as pivot.pivots.annotators."),
        *(
            column(answer, pa.int64(), f"Of those, questions that most people answered with {answer}.")
            for answer in ("never", "rarely", "sometimes", "always")
        ),
        column("none", pa.int64(), "Of those, questions of which no answer has a majority."),
        column("alpha_nominal", pa.float64(), "Krippendorff's alpha of the answers.", nullable=True),
        column("alpha_ordinal", pa.float64(), "The same, of answers as a scale.", nullable=True),
    ]
)
ORDERS = pa.schema(
    [
        BASE,
        TARGET,
        column("pivot", pa.string(), "The inserted action, as verb/ingredient,ingredient/tool,tool."),
        column("before", pa.string(), "The action that comes first: the cause."),
        column("after", pa.string(), "The action that comes later: the effect. One of both is the pivot."),
        column(
            "effect",
            pa.float64(),
            "Average effect of `before` on whether `after` occurs (psi); null: too few, or the order is given.",
            nullable=True,
        ),
        column(
            "effect_in_order",
            pa.float64(),
            "The same, but recipes with `after` in front of `before` count as without effect.",
            nullable=True,
        ),
        column(
            "n_treated",
            pa.int32(),
            "Recipes of the target dish with `before`; null, as all behind it, if given.",
            nullable=True,
        ),
        column("n_control", pa.int32(), "Recipes of the target dish without it.", nullable=True),
        column("matched", pa.int32(), "Recipes that have a match.", nullable=True),
        column("overlap", pa.float64(), "Share of recipes inside the common support.", nullable=True),
        column("smd_all", pa.float64(), "Largest standardised mean difference, of all.", nullable=True),
        column("smd_matched", pa.float64(), "The same after matching.", nullable=True),
        column(
            "association_p",
            pa.float64(),
            "Of `after` as often behind `before`, by permutation of `before` within strata.",
            nullable=True,
        ),
        column("both", pa.int32(), "Recipes with both actions.", nullable=True),
        column("in_order", pa.int32(), "Recipes of those where `before` comes first.", nullable=True),
        column(
            "order_p",
            pa.float64(),
            "Chance of so many in order, if order were a coin's throw.",
            nullable=True,
        ),
        column("p_value", pa.float64(), "The larger of both, for many tests if so set.", nullable=True),
        column(
            "flag",
            pa.string(),
            "Why the data cannot tell, with commas between: treated, control, overlap, balance, chance, order; "
            "empty: it can.",
        ),
    ]
)
GIVEN_REJECTS = pa.schema(
    [
        column(
            "source_row",
            pa.int64(),
            "Number of the pivot action, or of the order, in the given file, from 0.",
        ),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found."),
        column("raw", pa.string(), "The row or object as read, as JSON."),
    ]
)
INSTANCES = pa.schema(
    [
        column("instance_id", pa.string(), "The base recipe's id and the target dish."),
        BASE,
        TARGET,
        column("recipe_id", pa.string(), RECIPE_ID),
        column("text", pa.string(), "The base recipe's steps, joined."),
        column("ingredient_removed", pa.string(), "Null where one is only added.", nullable=True),
        column("ingredient_added", pa.string(), "The ingredient that the target dish has instead, or more."),
    ]
)
MINED = pa.schema(
    [
        BASE,
        TARGET,
        column("kind", pa.string(), "remove or insert."),
        ACTION[0],
        column(
            "ingredient_classes",
            STRINGS,
            "Classes of its ingredients, sorted; the added ingredient's name stands for it, and for the removed one.",
        ),
        ACTION[2],
        column("base_count", pa.int64(), "Recipes with the removed ingredient that have the action."),
        column(
            "base_recipes",
            pa.int64(),
            "Recipes with the removed ingredient; where none is removed, as many as with the added one.",
        ),
        column("target_count", pa.int64(), "Recipes with the added ingredient that have the action."),
        column("target_recipes", pa.int64(), "Recipes with the added ingredient."),
        column(
            "p_value",
            pa.float64(),
            "Of as frequent an action with both, by Fisher's exact test; corrected as in pivot/candidates.",
        ),
        column("phrases", STRINGS, "Of an action to insert: clauses that say it, the most frequent first."),
        column("earlier", STRINGS, "Actions that come before it, as verb/ingredient,ingredient/tool,tool."),
        column("later", STRINGS, "Actions that come after it."),
    ]
)
CORPUS = pa.schema([column("recipe_id", pa.string(), RECIPE_ID)])

SCHEMAS = {
    "pivot/dishes/{corpus}": DISHES,
    "pivot/candidates": CANDIDATES,
    "pivot/questions": QUESTIONS,
    "pivot/pivots": PIVOTS,
    "pivot/votes": VOTES,
    "pivot/agreement": AGREEMENT,
    "pivot/effects": ORDERS,
    "pivot/orders": ORDERS,
    "pivot/rejects/candidates": CANDIDATE_REJECTS,
    "pivot/rejects/{given}": GIVEN_REJECTS,
    "pivot/instances": INSTANCES,
    "pivot/corpus": CORPUS,
    "pivot/mined": MINED,
}
REASONS = {  # why a difference is not claimed, and why a given pivot action or order is not used
    "few_recipes": Reason(
        "A dish of the pair has fewer recipes with actions than pivot.candidates.recipes.", by_design=True
    ),
    "chance": Reason(
        "The difference may be chance: Fisher's exact test, corrected, is above pivot.candidates.level.",
        by_design=True,
    ),
    "unknown_pair": Reason(
        "pivot.pairs.path has no such pair, or several with that target dish and no base dish is named."
    ),
    "unknown_class": Reason(
        "The glossary has no such class: parse.glossary.path must name the one they were written with."
    ),
    "repeated": Reason("The same pivot action or order, of the same pair, stands before it."),
    "not_inserted": Reason(
        "An order of an action that pivot/pivots does not insert: no score would read it.", by_design=True
    ),
}
FLAGS = {
    "treated": "Fewer recipes with `before` than pivot.orders.units.",
    "control": "Fewer recipes without `before` than pivot.orders.units.",
    "overlap": "A smaller share of recipes than pivot.orders.overlap is comparable, or has a match.",
    "balance": "After matching, a confounder's means still differ by more than pivot.orders.balance.",
    "chance": "association_p, corrected for many tests if so set, is above pivot.orders.level.",
    "order": "Not most recipes with both are in this order; or order_p, corrected alike, is above that level.",
}
