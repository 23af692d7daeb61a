"""Tables of stage judge: tasks, and their ratings by models and by people."""

import pyarrow as pa

from wokflow.frame.columns import STRINGS, Reason, column
from wokflow.generate.schemas import ORIGIN


def _structs(*names: str, strings: str | None = None) -> pa.ListType:
    """A list of structs of texts; `strings` names a last field, which holds a list of texts."""
    fields = [pa.field(name, pa.string(), nullable=False) for name in names]
    if strings:
        fields.append(pa.field(strings, STRINGS, nullable=False))
    return pa.list_(pa.field("element", pa.struct(fields), nullable=False))


SHOWN = _structs("name", "text")
DIMENSIONS = _structs("name", "scale", "question", strings="values")
TASK = column(
    "task_id", pa.string(), "The task: its item and, if the text shown is by a system, that system."
)
REPETITION = column("repetition", pa.int32(), "Which repetition of the question, from 1 on.")
RATED = [
    TASK,
    column("rater", pa.string(), "Who rates: the name of a model's row, or a person's pseudonym."),
    REPETITION,
    column("dimension", pa.string(), "The dimension that is rated, as in judge/tasks."),
]

TASKS = pa.schema(
    [
        TASK,
        column(
            "study",
            pa.string(),
            "What the task belongs to: ash, pta; of adapted dialogues: dialogues, utterances, edits or strategies.",
        ),
        column(
            "item",
            pa.string(),
            "The recipe or translation that was asked for, such as ash:pizza:kosher; for pta, the sentence and "
            "its item.",
        ),
        column(
            "system", pa.string(), "Who wrote the text shown; null: it is still to be written.", nullable=True
        ),
        column(
            "shown",
            SHOWN,
            "The texts that the rater sees, by the names of places in a prompt or of columns in a form.",
        ),
        column(
            "dimensions",
            DIMENSIONS,
            "The dimensions to rate: name, scale (nominal, ordinal, interval), question, and the values in their "
            "order. "
            "Empty: something is to be written.",
        ),
    ]
)
PTA_PAIRS = pa.schema(
    [
        column(
            "pair_id", pa.string(), "The pair; the ids of its tasks end in :1 and :2, for the two orders."
        ),
        column("corpus", pa.string(), "The source of sentences."),
        column("run", pa.string(), "Whose translation is compared with the reference."),
        column("sentence_id", pa.string(), "The sentence."),
        column("qid", pa.string(), "The item."),
        column("mention", pa.string(), "The item's words in the sentence, at its first mention."),
        column(
            "translated", pa.bool_(), "Whether the item has a name in the target language (enrich/items)."
        ),
        column(
            "a",
            pa.string(),
            "The side that is A in the first order, system or reference; in the second order it is B.",
        ),
        column("seed", pa.int64(), "The seed of that draw."),
        column("system_length", pa.int64(), "Characters of the run's translation."),
        column("reference_length", pa.int64(), "Characters of the reference."),
        column(
            "empty",
            pa.bool_(),
            "Whether the run wrote an empty text: such a pair counts as lost, and nobody is asked.",
        ),
    ]
)
EDITS = pa.schema(
    [
        TASK,
        column("asked", pa.string(), "The name of the row of the model that found it."),
        REPETITION,
        column("run", pa.string(), "The run that adapted the dialogue."),
        column("dialogue_id", pa.string(), "The dialogue, as its file names it."),
        column("position", pa.int32(), "Place of the utterance in its dialogue, from 0."),
        column("number", pa.int32(), "1: the first edit of the answer."),
        column("kind", pa.string(), "replacement, deletion or addition."),
        column("original", pa.string(), "The words that went; empty: an addition."),
        column("adapted", pa.string(), "The words that came; empty: a deletion."),
        column("item", pa.bool_(), "Whether the edit touches a culture-specific item."),
    ]
)
ANSWERS = pa.schema(
    [
        TASK,
        column("asked", pa.string(), "The name of the row of the model that was asked."),
        REPETITION,
        column(
            "prompt",
            pa.string(),
            "SHA-256 of the filled prompt; it shows whether an answer is to the same text.",
        ),
        column("request", pa.string(), "SHA-256 of the request, with its endpoint and seeds."),
        column("status", pa.string(), "ok, cut, refused, empty, rejected or failed, as in generate/calls."),
        column("reason", pa.string(), "The endpoint's message for a request without answer.", nullable=True),
        column("prompt_tokens", pa.int64(), "Tokens of the request; null: not counted.", nullable=True),
        column("completion_tokens", pa.int64(), "Tokens of the answer; null: not counted.", nullable=True),
        column(
            "cost", pa.float64(), "Cost by the prices in the config; null: no prices known.", nullable=True
        ),
        *ORIGIN,
        column("answer", pa.string(), "The unchanged answer; empty if there is none."),
    ]
)
RATINGS = pa.schema(
    [
        *RATED,
        column("kind", pa.string(), "Kind of rater: model or person."),
        column("value", pa.string(), "The rating: one of the dimension's values."),
        column("rationale", pa.string(), "The reason that the rater gave; empty: none.", nullable=False),
        column(
            "status",
            pa.string(),
            "exact: in the form asked for; read: in another form, with an unambiguous value.",
        ),
    ]
)
RATING_REJECTS = pa.schema(
    [
        *RATED,
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "The text that stands in place of a rating.", nullable=True),
        column("raw", pa.string(), "The answer."),
    ]
)
TASK_REJECTS = pa.schema(
    [
        TASK,
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "The endpoint's message.", nullable=True),
        column("raw", pa.string(), "The answer."),
    ]
)
REASONS = {
    "no_prediction": Reason("The run has no prediction for the sentence."),
    "failed": Reason("The endpoint gave no answer, after all attempts."),
    "rejected": Reason("The endpoint rejected the request."),
    "refused": Reason("The model, or a content filter, refused."),
    "empty": Reason("The answer has no text."),
    "cut": Reason("The answer ended at the limit of tokens before this rating."),
    "missing": Reason("The answer does not name the dimension."),
    "no_rating": Reason("The answer names the dimension, and gives no rating of it."),
    "off_scale": Reason("The rating is none of the scale's values, or on another scale."),
    "not_in_text": Reason("Words of an edit are not in the utterance, or not in its adaptation."),
    "no_change": Reason("Both sides of an edit are the same words."),
    "several": Reason("The answer gives several ratings of the dimension, or a range."),
}

SCHEMAS = {
    "judge/instructions": TASKS,
    "judge/answers/{asked}": ANSWERS,
    "judge/tasks": TASKS,
    "judge/pta/pairs": PTA_PAIRS,
    "judge/pta/tasks": TASKS,
    "judge/dialogues/tasks": TASKS,
    "judge/dialogues/utterances": TASKS,
    "judge/dialogues/edits": TASKS,
    "judge/dialogues/strategies": TASKS,
    "judge/edits/{asked}": EDITS,
    "judge/ratings/{asked}": RATINGS,
    "judge/rejects/tasks": TASK_REJECTS,
    "judge/rejects/pta": TASK_REJECTS,
    "judge/rejects/{asked}": RATING_REJECTS,
}
