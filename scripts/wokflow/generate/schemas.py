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
            "reference_id",
            pa.string(),
            "The recipe that the reference is, if it is in a corpus.",
            nullable=True,
        ),
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
DIALOGUES = pa.schema(
    [
        column("instance_id", pa.string(), "The dialogue, as its file names it."),
        column("dataset", pa.string(), "dialogues."),
        column("source", pa.string(), "Its utterances, a line each: speaker, colon, text."),
        column("culture", pa.string(), "The country that it is adapted for."),
        column("people", pa.string(), "The word for what is of it, as Indian."),
        column("exemplars", pa.string(), "What prompts show before it."),
    ]
)
ORIGIN = [  # of an answer; tables that were released before these columns were there do without
    column(
        "model",
        pa.string(),
        "The model that was asked for; of a folder, its name. Null: not known, as of answers that were released "
        "before this column was there.",
        nullable=True,
    ),
    column(
        "served_model",
        pa.string(),
        "The model that the response names; null: it names none, or there is no answer.",
        nullable=True,
    ),
    column(
        "fingerprint",
        pa.string(),
        "The state of the serving system that the response names (system_fingerprint); null: it names none.",
        nullable=True,
    ),
]
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
        column("prompt", pa.string(), "SHA-256 of all that was said up to this question."),
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
        *ORIGIN,
        column("answer", pa.string(), "The answer as it came; empty where there is none."),
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
ADAPTATIONS = pa.schema(
    [
        column("dialogue_id", pa.string(), "The dialogue, as its file names it."),
        column("run", pa.string(), "The run that adapted it."),
        column("position", pa.int32(), "Place of the utterance in its dialogue, as in ingest/utterances."),
        column("speaker", pa.string(), "Who speaks."),
        column("text", pa.string(), "What is said, as in ingest/utterances."),
        column("adapted_speaker", pa.string(), "The speaker's name in the adaptation."),
        column("adapted", pa.string(), "What is said there."),
        column(
            "repairs",
            STRINGS,
            "What was set right of the whole dialogue: words_around (words before or behind it left out), "
            "joined_lines (a line without speaker belongs to the one before), split_lines (a line has several "
            "utterances), joined_utterances (several of one speaker in a row are one), short_names (a part of the "
            "speaker's name), renamed_speakers.",
        ),
    ]
)
ADAPTATION_REJECTS = pa.schema(
    [
        column("dialogue_id", pa.string(), "The dialogue."),
        column("run", pa.string(), "The run that was to adapt it."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found.", nullable=True),
        column("raw", pa.string(), "The answer."),
    ]
)
REASONS = {
    "failed": Reason("The endpoint gave no answer, after all tries."),
    "rejected": Reason("The endpoint does not take the request."),
    "refused": Reason("The first of two questions was refused, so the second was not asked."),
    "empty": Reason("The answer to the first of two questions was empty, so the second was not asked."),
    "no_answer": Reason("The run has no answer for the dialogue, or an empty one."),
    "no_utterances": Reason(
        "No line of the answer is an utterance of the dialogue's speakers, as where a model refuses."
    ),
    "fewer_utterances": Reason("The adaptation has fewer utterances than the dialogue."),
    "more_utterances": Reason("The adaptation has more utterances than the dialogue."),
    "other_speakers": Reason(
        "The adaptation has as many utterances, and other speakers, or in another order, or one within another."
    ),
    "empty_utterance": Reason("A speaker of the adaptation says nothing."),
    "wrong_language": Reason("The adaptation is certainly in another language, named in detail."),
}

SCHEMAS = {
    "generate/instances/{data}": INSTANCES,
    "generate/instances/dialogues": DIALOGUES,
    "generate/instances/{corpus}": SENTENCES,
    "generate/plain/{corpus}": SENTENCES,
    "generate/exemplars/{corpus}": SENTENCES,
    "generate/predictions/{run}": PREDICTIONS,
    "generate/calls/{run}": CALLS,
    "generate/rejects/{run}": REJECTS,
    "generate/adaptations/{run}": ADAPTATIONS,
    "generate/rejects/adaptations/{run}": ADAPTATION_REJECTS,
}
