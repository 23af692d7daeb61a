"""Columns of the tables of stage evaluate about ratings: figures, choices, and words of rated recipes."""

import pyarrow as pa

from wokflow.frame.columns import column

PTA_TABLES = ("scores", "biases", "agreement", "alpha")  # tables evaluate/pta

DIMENSION = column("dimension", pa.string(), "What was rated, as in judge/tasks.")
LOW = column("low", pa.float64(), "Lower end of its interval; null: a single task.", nullable=True)
HIGH = column("high", pa.float64(), "Upper end.", nullable=True)
RATING_MEANS = pa.schema(
    [
        column("by", pa.string(), "What ratings are grouped by; all: they are not."),
        DIMENSION,
        column("cuisine", pa.string(), "The cuisine; null: of all.", nullable=True),
        column("system", pa.string(), "Who made what was rated; null: of all.", nullable=True),
        column("rater", pa.string(), "Who rated; null: all.", nullable=True),
        column("tasks", pa.int64(), "Tasks that were rated."),
        column("ratings", pa.int64(), "Ratings of them, of all repetitions."),
        column("mean", pa.float64(), "Their mean."),
        LOW,
        HIGH,
        column(
            "deviation", pa.float64(), "Their standard deviation (n - 1); null: there is one.", nullable=True
        ),
    ]
)
RATING_AGREEMENT = pa.schema(
    [
        DIMENSION,
        column(
            "rater",
            pa.string(),
            "The rater, whose repetitions are compared; null: all with one another.",
            nullable=True,
        ),
        column("scale", pa.string(), "nominal, ordinal or interval: what a difference counts."),
        column("units", pa.int64(), "Tasks, or repetitions of tasks, with two ratings or more."),
        column("ratings", pa.int64(), "Ratings, also of those with one."),
        column("alpha", pa.float64(), "Krippendorff's alpha; null: nothing can differ.", nullable=True),
        LOW,
        HIGH,
    ]
)
TAU = [
    column("tau", pa.float64(), "Kendall's tau-b; null: one of both does not vary.", nullable=True),
    column("tau_low", pa.float64(), "Lower end of its interval.", nullable=True),
    column("tau_high", pa.float64(), "Upper end.", nullable=True),
]
RATING_DIFFERENCES = pa.schema(
    [
        DIMENSION,
        column("rater", pa.string(), "One rater."),
        column("other", pa.string(), "Another."),
        column("kinds", pa.string(), "What both are: model-model, model-person or person-person."),
        column("tasks", pa.int64(), "Tasks that both rated."),
        column("difference", pa.float64(), "Mean rating of the first, less that of the other."),
        LOW,
        HIGH,
        column("absolute", pa.float64(), "Mean of the differences without their signs."),
        column("closeness", pa.float64(), "1 less that by the widest difference of the scale: 0 to 1."),
        column(
            "kappa",
            pa.float64(),
            "Cohen's kappa with quadratic weights, of each rating of the one with each of the other; those of a task "
            "weigh one together. Null: nothing can differ.",
            nullable=True,
        ),
        column("kappa_low", pa.float64(), "Lower end of its interval.", nullable=True),
        column("kappa_high", pa.float64(), "Upper end.", nullable=True),
        *TAU,
    ]
)
RATING_DIMENSIONS = pa.schema(
    [
        column(
            "rater", pa.string(), "Who rated; null: all, by the mean of their means of a task.", nullable=True
        ),
        DIMENSION,
        column("other", pa.string(), "Another dimension."),
        column("tasks", pa.int64(), "Tasks of which both were rated."),
        TAU[0],
        LOW,
        HIGH,
    ]
)
RATING_CALIBRATION = pa.schema(
    [
        DIMENSION,
        column("rater", pa.string(), "The rater."),
        column(
            "against",
            pa.string(),
            "Whose ratings are taken for true: people, or all others where none rated.",
        ),
        column(
            "value",
            pa.string(),
            "The rater's value; null: the means of all ratings of a task.",
            nullable=True,
        ),
        column("tasks", pa.int64(), "Tasks that were given this value, and that the others rated."),
        column("ratings", pa.int64(), "How often they were given it."),
        column("mean", pa.float64(), "The value, or the mean of all."),
        column("others", pa.float64(), "The others' mean rating of these tasks."),
        column("difference", pa.float64(), "The first less the second: more than 0 is too lenient."),
        LOW,
        HIGH,
        column("absolute", pa.float64(), "Mean difference without its sign, to the others' mean of a task."),
        column("absolute_each", pa.float64(), "The same to each of the others, averaged."),
        *TAU,
    ]
)
RATING_BIASES = pa.schema(
    [
        DIMENSION,
        column("rater", pa.string(), "The rater."),
        column(
            "bias",
            pa.string(),
            "length: for a text of twice the length; self: for a text of the rater's own model; family: for one of "
            "another model of its family.",
        ),
        column("tasks", pa.int64(), "Tasks that it is of: all, or those with such a text."),
        column("estimate", pa.float64(), "Points that the rater adds."),
        LOW,
        HIGH,
    ]
)
RECIPE_WORDS = pa.schema(
    [
        column("cuisine", pa.string(), "The cuisine."),
        column("system", pa.string(), "Who wrote the recipes."),
        column("place", pa.int32(), "1: the most frequent."),
        column("word", pa.string(), "The word, in small letters."),
        column("count", pa.int64(), "How often it stands in these recipes."),
        column("recipes", pa.int64(), "In how many of them."),
    ]
)
BEST_WORST = pa.schema(
    [
        DIMENSION,
        column("system", pa.string(), "Who made the texts."),
        column("score", pa.float64(), "100 * (best - worst) / compared: from -100 to 100."),
        column("low", pa.float64(), "Lower end of its interval of 95 %; null: one item.", nullable=True),
        column("high", pa.float64(), "Upper end.", nullable=True),
        column("best", pa.int64(), "How often it was the best."),
        column("worst", pa.int64(), "How often it was the worst."),
        column("compared", pa.int64(), "How often it was compared with others."),
        column("items", pa.int64(), "Items of which it was compared."),
    ]
)
MARKS = pa.schema(
    [
        column(
            "label", pa.string(), "What must be alike: words alone, or their category or foreignness as well."
        ),
        column("rater", pa.string(), "An annotator; null: each two of all, together.", nullable=True),
        column("other", pa.string(), "Another.", nullable=True),
        column("dialogues", pa.int64(), "Dialogues that both read, or two annotators or more."),
        column("words", pa.int64(), "Words in them."),
        column("marks", pa.int64(), "Marks of these annotators in them."),
        column("exact", pa.int64(), "Pairs of marks with the same ends."),
        column("exact_f1", pa.float64(), "Their F1; null: nobody marked anything.", nullable=True),
        column(
            "exact_low", pa.float64(), "Lower end of its interval; null: a single dialogue.", nullable=True
        ),
        column("exact_high", pa.float64(), "Upper end.", nullable=True),
        column("partial", pa.int64(), "Pairs of marks that overlap; no mark is in two."),
        column("partial_f1", pa.float64(), "Their F1; null: nobody marked anything.", nullable=True),
        column(
            "partial_low", pa.float64(), "Lower end of its interval; null: a single dialogue.", nullable=True
        ),
        column("partial_high", pa.float64(), "Upper end.", nullable=True),
        column(
            "alpha", pa.float64(), "Krippendorff's alpha of words; null: nothing can differ.", nullable=True
        ),
        column("low", pa.float64(), "Lower end of its interval; null: a single dialogue.", nullable=True),
        column("high", pa.float64(), "Upper end.", nullable=True),
    ]
)

RATER = column(
    "rater", pa.string(), "Who chose: a model's row, or a person's pseudonym; people: all of them together."
)
KIND = column("kind", pa.string(), "model, person, or people: all persons together.")
COMPARED_RUN = "The run whose translations are compared with the reference."
_LOW, _HIGH = (
    column(name, pa.float64(), f"{end} end of its interval (95 %).", nullable=True)
    for name, end in (("low", "Lower"), ("high", "Upper"))
)
PTA = pa.schema(
    [
        RATER,
        KIND,
        column("run", pa.string(), COMPARED_RUN),
        column("corpus", pa.string(), "The source of sentences."),
        column(
            "items",
            pa.string(),
            "all, translated (with a name in the target language) or untranslated: there PTA is NT-PTA.",
        ),
        column(
            "pairs",
            pa.int64(),
            "Items in their sentences that were compared, or lost as the run wrote nothing.",
        ),
        column("unrated", pa.int64(), "Those of which no answer could be read."),
        column("choices", pa.int64(), "Choices: orders and repetitions of all pairs."),
        column(
            "pta",
            pa.float64(),
            "Percentage of pairs in which the run's translation is preferred.",
            nullable=True,
        ),
        _LOW,
        _HIGH,
        column("tied", pa.float64(), "Percentage without a preference.", nullable=True),
        column("lost", pa.float64(), "Percentage in which the reference is preferred.", nullable=True),
        column(
            "same_in_both_orders",
            pa.float64(),
            "Percentage of pairs shown in both orders in which the same side is preferred; null: none was.",
            nullable=True,
        ),
        column(
            "same_when_repeated",
            pa.float64(),
            "Percentage of repetitions of a task with the same choice; null: none was repeated.",
            nullable=True,
        ),
    ]
)
PTA_BIASES = pa.schema(
    [
        RATER,
        KIND,
        column("run", pa.string(), f"{COMPARED_RUN} Null: all.", nullable=True),
        column(
            "bias",
            pa.string(),
            "position: what goes to A, of pairs that were shown in both orders; where none was, were the run's as "
            "often A as B. length: what goes to the longer text, were the run's as often the longer as the shorter "
            "one. self: what the rater adds to what translations of its own model get; family: to those of other "
            "models of its family.",
        ),
        column("units", pa.int64(), "Pairs that it is measured by."),
        column(
            "value",
            pa.float64(),
            "Of position and length: percentage; 50: none. A tie counts half. Null: of the others, or unknown.",
            nullable=True,
        ),
        column(
            "estimate",
            pa.float64(),
            "Of self and family: percentage points, where a preferred translation gets 100 and a tie 50; 0: none. "
            "Null: of the others.",
            nullable=True,
        ),
        _LOW,
        _HIGH,
    ]
)
PTA_AGREEMENT = pa.schema(
    [
        RATER,
        KIND,
        column("other", pa.string(), "Another rater."),
        column("other_kind", pa.string(), "The kind of that one."),
        column("of", pa.string(), "pairs: of their choices in each pair; runs: of the PTA of each run."),
        column("pairs", pa.int64(), "Pairs that both rated."),
        column("units", pa.int64(), "How many pairs, or runs, are compared."),
        column(
            "pearson",
            pa.float64(),
            "Pearson's r; null: one does not vary, or there is one unit.",
            nullable=True,
        ),
        column(
            "low",
            pa.float64(),
            "Lower end of its interval (95 %): of pairs from resamples of the sentences, of runs Fisher's; null: a "
            "single sentence, or fewer than 4 runs.",
            nullable=True,
        ),
        column("high", pa.float64(), "Upper end.", nullable=True),
        column(
            "kappa",
            pa.float64(),
            "Cohen's kappa, nominal, of which side is preferred in a pair, in the same order; null: of runs, or "
            "nothing can differ.",
            nullable=True,
        ),
        column(
            "kappa_low", pa.float64(), "Lower end of its interval (of resamples of sentences).", nullable=True
        ),
        column("kappa_high", pa.float64(), "Upper end.", nullable=True),
    ]
)
PTA_ALPHA = pa.schema(
    [
        column("kind", pa.string(), "model or person."),
        column(
            "rater",
            pa.string(),
            "The rater, whose repetitions are compared; null: all of this kind with one another.",
            nullable=True,
        ),
        column("units", pa.int64(), "Tasks, or their repetitions, with two choices or more."),
        column("ratings", pa.int64(), "Choices, also of those with one."),
        column(
            "alpha",
            pa.float64(),
            "Krippendorff's alpha, nominal, of which side is preferred; null: nothing can differ.",
            nullable=True,
        ),
        LOW,
        HIGH,
    ]
)

SCHEMAS = {
    "evaluate/pta/scores": PTA,
    "evaluate/pta/biases": PTA_BIASES,
    "evaluate/pta/agreement": PTA_AGREEMENT,
    "evaluate/pta/alpha": PTA_ALPHA,
    "evaluate/ratings/means": RATING_MEANS,
    "evaluate/ratings/agreement": RATING_AGREEMENT,
    "evaluate/ratings/differences": RATING_DIFFERENCES,
    "evaluate/ratings/dimensions": RATING_DIMENSIONS,
    "evaluate/ratings/calibration": RATING_CALIBRATION,
    "evaluate/ratings/biases": RATING_BIASES,
    "evaluate/words": RECIPE_WORDS,
    "evaluate/people/means/{study}": RATING_MEANS,
    "evaluate/people/agreement/{study}": RATING_AGREEMENT,
    "evaluate/people/differences/{study}": RATING_DIFFERENCES,
    "evaluate/people/dimensions/{study}": RATING_DIMENSIONS,
    "evaluate/people/calibration/{study}": RATING_CALIBRATION,
    "evaluate/best_worst/{study}": BEST_WORST,
    "evaluate/marks/{study}": MARKS,
}
