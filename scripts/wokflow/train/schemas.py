"""Tables of stage train."""

import pyarrow as pa

from wokflow.frame.columns import column

EXAMPLES = pa.schema(
    [
        column(
            "instance_id",
            pa.string(),
            "Ids of source and target recipe (source>target), or of the one recipe that is learnt.",
        ),
        column("split", pa.string(), "train or valid."),
        column("title", pa.string(), "The source's title, or the recipe's dish; a place in prompts."),
        column("source", pa.string(), "The text that the model reads."),
        column("target", pa.string(), "The text that it learns to write."),
    ]
)

SCHEMAS = {"train/examples/{data}": EXAMPLES}
