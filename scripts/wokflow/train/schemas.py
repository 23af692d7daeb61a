"""Tables of stage train."""

import pyarrow as pa

from wokflow.frame.columns import column

EXAMPLES = pa.schema(
    [
        column("instance_id", pa.string(), "Source and target recipe, or the one recipe that is learnt."),
        column("split", pa.string(), "train or valid."),
        column("title", pa.string(), "The source's title, or the dish of the recipe; prompts may name it."),
        column("source", pa.string(), "What the model reads."),
        column("target", pa.string(), "What it is to write."),
    ]
)

SCHEMAS = {"train/examples/{data}": EXAMPLES}
