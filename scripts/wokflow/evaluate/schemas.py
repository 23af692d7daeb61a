"""Tables of stage evaluate."""

import pyarrow as pa

from wokflow.frame.columns import STRINGS, column

SCORES = pa.schema(
    [
        column("run", pa.string(), "The run that made the predictions."),
        column(
            "dataset",
            pa.string(),
            "What was evaluated: the task, and after it, between slashes, a part such as a dish pair or a test set.",
        ),
        column("metric", pa.string(), "What was measured; docs say how."),
        column(
            "value",
            pa.float64(),
            "The score, in percent (tokens: words of a text); null: not measured (see note).",
            nullable=True,
        ),
        column(
            "low", pa.float64(), "Lower end of its bootstrap interval; null: one instance.", nullable=True
        ),
        column("high", pa.float64(), "Upper end.", nullable=True),
        column("instances", pa.int32(), "How many instances the score is of; those without answer are out."),
        column("signature", pa.string(), "Version and settings of the metric."),
        column("note", pa.string(), "Why there is no score.", nullable=True),
    ]
)

FLOATS = pa.list_(pa.field("element", pa.float64(), nullable=False))
DATASET = column("dataset", pa.string(), "Direction and test set, as zh-en/silver, or source of sentences.")
METRIC = column("metric", pa.string(), "What was measured, as in evaluate/scores.")

PARTS = pa.schema(
    [
        column("instance_id", pa.string(), "The instance, as in generate/instances."),
        column("run", pa.string(), "The run that made the prediction."),
        DATASET,
        METRIC,
        column(
            "statistic",
            pa.string(),
            "How instances make one score: mean or f1 of the sums of parts, or sacrebleu's metric of all texts.",
        ),
        column(
            "value",
            pa.float64(),
            "The score of the instance alone, in percent; null: it does not count, or was not measured (see note).",
            nullable=True,
        ),
        column("parts", FLOATS, "What the instance adds to the sums; null for sacrebleu's.", nullable=True),
        column("text", pa.string(), "What sacrebleu reads as the prediction; else null.", nullable=True),
        column("reference", pa.string(), "What it compares the text with; else null.", nullable=True),
        column("signature", pa.string(), "Version and settings of the metric."),
        column("note", pa.string(), "Why nothing was measured.", nullable=True),
    ]
)
COMPARISONS = pa.schema(
    [
        DATASET,
        METRIC,
        column("run", pa.string(), "The run that is compared."),
        column("baseline", pa.string(), "The run that it is compared with."),
        column("difference", pa.float64(), "Score of the run less that of the baseline."),
        column(
            "p_value",
            pa.float64(),
            "By approximate randomization: how often random swaps between both make a difference as large, of either "
            "sign; null: not tested, as both differ in fewer than 20 instances, or the metric is the length.",
            nullable=True,
        ),
        column(
            "bootstrap_p", pa.float64(), "The same by the paired bootstrap; null as above.", nullable=True
        ),
        column("instances", pa.int32(), "How many instances both have."),
        column("differing", pa.int32(), "In how many of them the two differ."),
        column(
            "adjusted_p",
            pa.float64(),
            "p_value after Holm's correction for all tests of the data set, over runs and metrics; null as above.",
            nullable=True,
        ),
        column("significant", pa.bool_(), "Whether adjusted_p is below 0.05."),
    ]
)
MEASURES = {
    "bleu": "BLEU by sacrebleu; Chinese with its tokenizer zh.",
    "bleu_jieba": "BLEU of Chinese words as jieba cuts them; so is the published BLEU of Chinese.",
    "spbleu": "BLEU of the pieces of a model of SentencePiece.",
    "chrf": "chrF by sacrebleu.",
    "rouge_l": "F1 of ROUGE-L.",
    "rouge_l_ascii": "F1 of ROUGE-L of what is ASCII in Chinese; so is the published ROUGE-L of Chinese.",
    "bertscore": "F1 of BERTScore.",
    "smatch": "F1 of Smatch on AMR graphs.",
    "comet": "COMET, in percent.",
    "bleurt": "BLEURT, in percent.",
    "tokens": "Words of a prediction, on average.",
}
SUMMARY = pa.schema(
    [
        DATASET,
        column("run", pa.string(), "The run, or the method as its paper calls it."),
        column(
            "origin", pa.string(), "this run, or published: of other test sets, so not to be ranked with it."
        ),
        *(column(name, pa.float64(), said, nullable=True) for name, said in MEASURES.items()),
        column("note", pa.string(), "What is in doubt of predictions or published columns.", nullable=True),
    ]
)
CORRELATIONS = pa.schema(
    [
        column("data", pa.string(), "Direction, as zh-en."),
        METRIC,
        column("criterion", pa.string(), "What people rated; avg.: the mean of all criteria."),
        column("tau", pa.float64(), "Kendall's tau-b; null where one of both does not vary.", nullable=True),
        column(
            "p_value",
            pa.float64(),
            "How likely one so far from 0 is by chance; of several runs, whose ratings and those of the sources are "
            "exchanged.",
            nullable=True,
        ),
        column(
            "adjusted_p", pa.float64(), "The same by Bonferroni for all tests of the data.", nullable=True
        ),
        column("significant", pa.bool_(), "Whether the adjusted value is below the level."),
        column("ratings", pa.int32(), "How many texts were rated and measured."),
        column(
            "pearson", pa.float64(), "Pearson's coefficient over these texts; null as tau.", nullable=True
        ),
        column(
            "pearson_runs",
            pa.float64(),
            "Pearson's coefficient over runs: scores of their rated texts, and mean ratings; null as tau, and for "
            "fewer than three runs.",
            nullable=True,
        ),
        column("runs", pa.int32(), "How many runs these texts are of."),
    ]
)
LITERAL = pa.schema(
    [
        DATASET,
        column("run", pa.string(), "The run, or reference."),
        column("concept", pa.string(), "The concept, as in the table of concepts."),
        column("source_count", pa.int32(), "How often its terms stand in the source recipes."),
        column(
            "target_count", pa.int32(), "How often its literal translations stand in what was made of these."
        ),
        column("rate", pa.float64(), "The second count by the first; null where that is 0.", nullable=True),
    ]
)

_COUNTS = {
    "distinct_sources": "Distinct sources that were to be rendered.",
    "predictions": "Predictions made.",
    "distinct": "Distinct predictions.",
}
_FAULTS = {
    "copied_train": "Predictions that are a target of the training, word for word; null: no model was trained here.",
    "copied_source": "Predictions that are their own source, unchanged.",
    "empty": "Empty predictions.",
    "wrong_language": "Predictions in another script than is asked for, or certainly in another language; null: not "
    "known.",
    "refused": "Answers that the model or a filter of content refused; null: no endpoint was asked.",
    "truncated": "Answers at the limit of tokens; of other models, predictions that stop without a full stop though "
    "their reference has one; null: there is no reference.",
}
OUTPUTS = pa.schema(
    [
        column("run", pa.string(), "The run."),
        column("dataset", pa.string(), "Direction and test set, as zh-en/silver, or counterfactual."),
        *(column(name, pa.int32(), said) for name, said in _COUNTS.items()),
        *(column(name, pa.int32(), said, nullable=True) for name, said in _FAULTS.items()),
        column("smoke_test", pa.bool_(), "Whether the model is made from scratch: its scores mean nothing."),
        column("warnings", STRINGS, "What is wrong with these predictions, in words."),
    ]
)

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
        column("ratings", pa.int64(), "Ratings of all units."),
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

RATER = column("rater", pa.string(), "Who chose: a model's row, or a person's pseudonym.")
COMPARED_RUN = "The run whose translations are compared with the reference."
_LOW, _HIGH = (
    column(name, pa.float64(), f"{end} end of its interval (95 %, Wilson).", nullable=True)
    for name, end in (("low", "Lower"), ("high", "Upper"))
)
PTA = pa.schema(
    [
        RATER,
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
        column("run", pa.string(), f"{COMPARED_RUN} Null: all.", nullable=True),
        column(
            "bias",
            pa.string(),
            "position: what goes to A of pairs that were shown in both orders. length: what goes to the longer text, "
            "were the run's as often the longer as the shorter one.",
        ),
        column("units", pa.int64(), "Pairs that it is measured by, for position with their repetitions."),
        column("value", pa.float64(), "Percentage; 50: none. A tie counts half.", nullable=True),
        _LOW,
        _HIGH,
    ]
)
PTA_AGREEMENT = pa.schema(
    [
        RATER,
        column("other", pa.string(), "Another rater."),
        column("pairs", pa.int64(), "Pairs that both rated."),
        column(
            "pearson", pa.float64(), "Pearson's r of their choices; null: one does not vary.", nullable=True
        ),
    ]
)

SCHEMAS = {
    "evaluate/scores": SCORES,
    "evaluate/parts/{run}": PARTS,
    "evaluate/outputs/{run}": OUTPUTS,
    "evaluate/comparisons": COMPARISONS,
    "evaluate/summary": SUMMARY,
    "evaluate/correlations": CORRELATIONS,
    "evaluate/literal": LITERAL,
    "evaluate/csi_match/{corpus}": SCORES,
    "evaluate/csi_parts/{corpus}": PARTS,
    "evaluate/pta/scores": PTA,
    "evaluate/pta/biases": PTA_BIASES,
    "evaluate/pta/agreement": PTA_AGREEMENT,
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
}
