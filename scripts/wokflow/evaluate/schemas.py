"""Tables of stage evaluate."""

import pyarrow as pa

from wokflow.columns import column

SCORES = pa.schema(
    [
        column("run", pa.string(), "The run that made the predictions."),
        column(
            "dataset",
            pa.string(),
            "What was evaluated: the task, and after it, between slashes, a part such as a dish pair.",
        ),
        column("metric", pa.string(), "What was measured; docs say how."),
        column("value", pa.float64(), "The score, in percent; null: not measured (see note).", nullable=True),
        column("low", pa.float64(), "Lower end of its bootstrap interval.", nullable=True),
        column("high", pa.float64(), "Upper end.", nullable=True),
        column("instances", pa.int32(), "How many instances the score is of; those without answer are out."),
        column("signature", pa.string(), "Version and settings of the metric."),
        column("note", pa.string(), "Why there is no score.", nullable=True),
    ]
)

SCHEMAS = {"evaluate/scores": SCORES}
