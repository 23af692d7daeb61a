"""Tables of stage evaluate."""

import pyarrow as pa

from wokflow.evaluate import dialogue_schemas, rating_schemas
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
        column(
            "instances",
            pa.int32(),
            "How many instances the score is of (of CSI-Match: mentions of items); those without answer are out.",
        ),
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
    "rouge_l_blanks": "F1 of ROUGE-L of Chinese characters and blanks, as the published program counts.",
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
    "refused": "Predictions with an answer that the model or a filter of content refused; null: no endpoint was "
    "asked. Without a prediction, refusals are among generate/rejects.",
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
    **rating_schemas.SCHEMAS,
    **dialogue_schemas.SCHEMAS,
}
