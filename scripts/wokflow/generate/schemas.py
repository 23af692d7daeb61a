"""Tables of stage generate."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, column

INSTANCES = pa.schema(
    [
        column(
            "instance_id",
            pa.string(),
            "The data set and the source, or the base recipe's id and the target dish.",
        ),
        column(
            "dataset",
            pa.string(),
            "silver: a test pair; gold: an adaptation written for the test; or counterfactual.",
        ),
        column("source_id", pa.string(), RECIPE_ID),
        column("title", pa.string(), "The source's title; in counterfactual the dish to make."),
        column("base", pa.string(), "In counterfactual, the dish that the source is of.", nullable=True),
        column("source", pa.string(), "What a model reads; adaptation has headings."),
        column("reference", pa.string(), "What it is compared with, without headings.", nullable=True),
        column(
            "retrieved",
            pa.string(),
            "The source's best match in the other corpus that is not the reference, without headings.",
            nullable=True,
        ),
    ]
)
PREDICTIONS = pa.schema(
    [
        column("instance_id", pa.string(), "The instance, as the task's table of instances has it."),
        column("run", pa.string(), "The run that made the prediction."),
        column("prediction", pa.string(), "What was generated."),
    ]
)
CALLS = pa.schema(
    [
        column("instance_id", pa.string(), "The instance."),
        column("run", pa.string(), "The run that asked."),
        column("request", pa.string(), "SHA-256 of the request; equal requests are asked once."),
        column(
            "status",
            pa.string(),
            "ok; cut: at the limit of tokens; refused: by the model or a filter of content; empty: no text; "
            "rejected: the endpoint does not take the request; or failed: no answer after all tries.",
        ),
        column(
            "reason",
            pa.string(),
            "What the endpoint said of a request that it refused, rejected or failed.",
            nullable=True,
        ),
        column("finish_reason", pa.string(), "Why the answer ended, in the endpoint's word.", nullable=True),
        column(
            "prompt_tokens",
            pa.int64(),
            "Tokens of the request; null where the endpoint does not count.",
            nullable=True,
        ),
        column(
            "completion_tokens",
            pa.int64(),
            "Tokens of the answer; null where the endpoint does not count.",
            nullable=True,
        ),
        column(
            "cost",
            pa.float64(),
            "Money by the prices in config, whenever it was spent; the most that it can be where the endpoint does "
            "not count; 0 where an earlier row has the same request; null without prices or answer.",
            nullable=True,
        ),
        column(
            "in_language",
            pa.bool_(),
            "Whether the answer is in the language asked for: Chinese has more Han characters than words in Latin "
            "letters. Null where it has neither.",
            nullable=True,
        ),
        column(
            "in_form",
            pa.bool_(),
            "Whether the answer has the source's headings; null where there are none, or no answer.",
            nullable=True,
        ),
    ]
)

SCHEMAS = {
    "generate/instances/{data}": INSTANCES,
    "generate/predictions/{run}": PREDICTIONS,
    "generate/calls/{run}": CALLS,
}
