"""Columns of the tables of stage evaluate about adapted dialogues."""

import pyarrow as pa

from wokflow.evaluate import rating_schemas
from wokflow.frame.columns import column

ADAPTATION_TABLES = ("items", "edited", "changes")  # tables evaluate/dialogues
ADAPTATION_FIGURES = ("means", "shares", "aspects", "agreement", "calibration", "biases")  # also there
RUN = column("run", pa.string(), "The run that adapted the dialogue.")
_UTTERANCE = [
    column("dialogue_id", pa.string(), "The dialogue, as its file names it."),
    column("position", pa.int32(), "Place of the utterance in its dialogue, from 0."),
]
LOW = column("low", pa.float64(), "Lower end of its interval; null: a single dialogue.", nullable=True)
HIGH = column("high", pa.float64(), "Upper end.", nullable=True)
ITEMS = pa.schema(
    [
        RUN,
        *_UTTERANCE,
        column("start", pa.int32(), "Where the item begins: characters of the utterance's text, from 0."),
        column("end", pa.int32(), "Where it ends: the first character behind it."),
        column("text", pa.string(), "The item's words."),
        column("category", pa.string(), "Its categories, by most annotators, with a bar between two."),
        column("foreignness", pa.int32(), "2 or 3, by most annotators."),
        column("annotators", pa.int64(), "How many marked these words."),
        column("adapted", pa.string(), "The adapted utterance."),
        column(
            "likeness",
            pa.float64(),
            "How much of it is still there: rapidfuzz's partial_ratio of whole words, letter case and -s of the last "
            "word aside; 0 to 100.",
        ),
        column("edited", pa.bool_(), "Whether that is less than evaluate.dialogues.threshold."),
    ]
)
EDITED = pa.schema(
    [
        RUN,
        column("by", pa.string(), "all, category or foreignness."),
        column("name", pa.string(), "The category, or the foreignness; null: of all items.", nullable=True),
        column("threshold", pa.float64(), "The likeness from which an item is still there."),
        column("dialogues", pa.int64(), "Dialogues with such items."),
        column("items", pa.int64(), "Items in dialogues that the run adapted."),
        column("edited", pa.int64(), "Those that were edited."),
        column("share", pa.float64(), "Their percentage: % CSI edited."),
        LOW,
        HIGH,
    ]
)
CHANGES = pa.schema(
    [
        RUN,
        *_UTTERANCE,
        column("number", pa.int32(), "1: the first edit of the utterance."),
        column("kind", pa.string(), "replacement, deletion or addition."),
        column(
            "start", pa.int32(), "Where the replaced words begin: characters of the utterance's text, from 0."
        ),
        column("end", pa.int32(), "Where they end; of an addition, the same."),
        column("original", pa.string(), "The words that went; empty: an addition."),
        column("adapted", pa.string(), "The words that came; empty: a deletion."),
        column("item", pa.bool_(), "Whether the edit touches a culture-specific item."),
    ]
)
_RATED = [
    column("study", pa.string(), "What was rated: dialogues, edits or strategies (of edits)."),
    RUN,
    column(
        "found_by", pa.string(), "Who found the edits: a model's row, or aligner; null: none.", nullable=True
    ),
    column("rater", pa.string(), "Who rated: a model's row, or a person's pseudonym."),
    column("dimension", pa.string(), "The aspect."),
]
MEANS = pa.schema(
    [
        *_RATED,
        column("tasks", pa.int64(), "Dialogues or edits that were rated."),
        column("ratings", pa.int64(), "Ratings of them, of all repetitions."),
        column("mean", pa.float64(), "Their mean."),
        LOW,
        HIGH,
    ]
)
SHARES = pa.schema(
    [
        *_RATED,
        column("value", pa.string(), "A value of the aspect's scale, or a strategy."),
        column("ratings", pa.int64(), "How often it was given."),
        column("share", pa.float64(), "Percentage of all ratings of the aspect."),
        LOW,
        HIGH,
    ]
)
AGREEMENT = pa.schema([_RATED[0], *rating_schemas.RATING_AGREEMENT])
CALIBRATION = pa.schema([_RATED[0], *rating_schemas.RATING_CALIBRATION])
BIASES = pa.schema([_RATED[0], *rating_schemas.RATING_BIASES])
ASPECTS = pa.schema([RUN, *rating_schemas.RATING_DIMENSIONS])

SCHEMAS = {
    "evaluate/dialogues/means": MEANS,
    "evaluate/dialogues/shares": SHARES,
    "evaluate/dialogues/aspects": ASPECTS,
    "evaluate/dialogues/agreement": AGREEMENT,
    "evaluate/dialogues/calibration": CALIBRATION,
    "evaluate/dialogues/biases": BIASES,
    "evaluate/dialogues/items": ITEMS,
    "evaluate/dialogues/edited": EDITED,
    "evaluate/dialogues/changes": CHANGES,
}
