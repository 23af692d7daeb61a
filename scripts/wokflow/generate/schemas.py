"""Tables of stage generate."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, STRINGS, Reason, column

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
            "silver: a row of match/silver or a test pair; gold: an adaptation written for the test; counterfactual.",
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
SENTENCES = pa.schema(
    [
        column("instance_id", pa.string(), "The sentence's id, as camt:12."),
        column("dataset", pa.string(), "The source of sentences."),
        column("source", pa.string(), "The sentence that mentions items."),
        column("reference", pa.string(), "Its translation."),
        column(
            "items",
            pa.list_(
                pa.field(
                    "element",
                    pa.struct(
                        [
                            pa.field("qid", pa.string(), nullable=False),
                            pa.field("start", pa.int32(), nullable=False),
                            pa.field("end", pa.int32(), nullable=False),
                            pa.field("mention", pa.string(), nullable=False),
                            pa.field("translations", STRINGS, nullable=False),
                            pa.field("explanation", pa.string()),
                        ]
                    ),
                    nullable=False,
                )
            ),
            "The items in the order of their mentions, as in enrich/sentences; their translations into the language "
            "of the reference, and their explanations in that of the source.",
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
        column("turn", pa.int32(), "1, or 2 for the second question of a prompt that asks two."),
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
            "Whether the answer is in the script of the language asked for: Chinese has more Han characters than "
            "words in Latin letters and letters of other scripts. Null where it has no letters.",
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
REJECTS = pa.schema(
    [
        column("instance_id", pa.string(), "The instance."),
        column("run", pa.string(), "The run that asked."),
        column("turn", pa.int32(), "The question that was not answered: 1, or 2 of a prompt that asks two."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What the endpoint said.", nullable=True),
        column("raw", pa.string(), "The instance's source."),
    ]
)
REASONS = {
    "failed": Reason("The endpoint gave no answer, after all tries."),
    "rejected": Reason("The endpoint does not take the request."),
    "refused": Reason("The first of two questions was refused, so the second was not asked."),
    "empty": Reason("The answer to the first of two questions was empty, so the second was not asked."),
}

SCHEMAS = {
    "generate/instances/{data}": INSTANCES,
    "generate/instances/{corpus}": SENTENCES,
    "generate/plain/{corpus}": SENTENCES,
    "generate/exemplars/{corpus}": SENTENCES,
    "generate/predictions/{run}": PREDICTIONS,
    "generate/calls/{run}": CALLS,
    "generate/rejects/{run}": REJECTS,
}
