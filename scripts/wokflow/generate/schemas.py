"""Tables of stage generate."""

import pyarrow as pa

from wokflow.columns import column

PREDICTIONS = pa.schema(
    [
        column("instance_id", pa.string(), "The instance, as the task's table of instances has it."),
        column("run", pa.string(), "The run that made the prediction."),
        column("prediction", pa.string(), "What was generated."),
    ]
)

SCHEMAS = {"generate/predictions/{run}": PREDICTIONS}
