"""Tables of stage evaluate."""

import pyarrow as pa

from wokflow.frame.columns import column

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
        column("low", pa.float64(), "Lower end of its bootstrap interval.", nullable=True),
        column("high", pa.float64(), "Upper end.", nullable=True),
        column("instances", pa.int32(), "How many instances the score is of; those without answer are out."),
        column("signature", pa.string(), "Version and settings of the metric."),
        column("note", pa.string(), "Why there is no score.", nullable=True),
    ]
)

FLOATS = pa.list_(pa.field("element", pa.float64(), nullable=False))
DATASET = column("dataset", pa.string(), "Direction and test set, as zh-en/silver.")
METRIC = column("metric", pa.string(), "What was measured, as in evaluate/scores.")

PARTS = pa.schema(
    [
        column("instance_id", pa.string(), "The instance, as in generate/instances."),
        column("run", pa.string(), "The run that made the prediction."),
        DATASET,
        METRIC,
        column(
            "statistic", pa.string(), "The function that makes a score of sums of parts (evaluate/sums.py)."
        ),
        column(
            "parts",
            FLOATS,
            "What the instance adds to the sums; null: not measured (see note).",
            nullable=True,
        ),
        column("signature", pa.string(), "Version and settings of the metric."),
        column("note", pa.string(), "Why there are no parts.", nullable=True),
    ]
)
COMPARISONS = pa.schema(
    [
        DATASET,
        METRIC,
        column("run", pa.string(), "The run that is compared."),
        column("baseline", pa.string(), "The run that it is compared with."),
        column("difference", pa.float64(), "Score of the run less that of the baseline."),
        column("low", pa.float64(), "Lower end of its interval, by resamples that both share."),
        column("high", pa.float64(), "Upper end."),
        column(
            "p_value", pa.float64(), "How often chance alone makes a difference as large, of either sign."
        ),
        column("instances", pa.int32(), "How many instances both have."),
    ]
)
MEASURES = {
    "bleu": "BLEU by sacrebleu; Chinese with its tokenizer zh.",
    "bleu_jieba": "BLEU of Chinese words as jieba cuts them; so is the published BLEU of Chinese.",
    "chrf": "chrF by sacrebleu.",
    "rouge_l": "F1 of ROUGE-L.",
    "bertscore": "F1 of BERTScore.",
    "smatch": "F1 of Smatch on AMR graphs.",
    "comet": "COMET, in percent.",
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
    ]
)
CORRELATIONS = pa.schema(
    [
        column("data", pa.string(), "Direction, as zh-en."),
        METRIC,
        column("criterion", pa.string(), "What people rated; avg.: the mean of all criteria."),
        column("tau", pa.float64(), "Kendall's tau-b; null where one of both does not vary.", nullable=True),
        column("p_value", pa.float64(), "How likely one so far from 0 is by chance.", nullable=True),
        column(
            "adjusted_p", pa.float64(), "The same by Bonferroni for all tests of the data.", nullable=True
        ),
        column("significant", pa.bool_(), "Whether the adjusted value is below the level."),
        column("ratings", pa.int32(), "How many texts were rated and measured."),
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

SCHEMAS = {
    "evaluate/scores": SCORES,
    "evaluate/parts/{run}": PARTS,
    "evaluate/comparisons": COMPARISONS,
    "evaluate/summary": SUMMARY,
    "evaluate/correlations": CORRELATIONS,
    "evaluate/literal": LITERAL,
}
