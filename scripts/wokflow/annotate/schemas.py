"""Tables of stage annotate. Tasks and ratings have the form of those of stage judge."""

import pyarrow as pa

from wokflow.frame.columns import STRINGS, Reason, column
from wokflow.judge.schemas import RATINGS, SHOWN, TASKS

FIELDS = pa.list_(
    pa.field(
        "element",
        pa.struct(
            [
                pa.field("column", pa.string(), nullable=False),
                pa.field("dimension", pa.string(), nullable=False),
                pa.field("values", STRINGS, nullable=False),
                pa.field("means", STRINGS, nullable=False),
                pa.field("accepted", STRINGS, nullable=False),
            ]
        ),
        nullable=False,
    )
)
RATER = column("rater", pa.string(), "The rater's pseudonym.")
ASSIGNED = pa.schema(
    [
        column("id", pa.string(), "What the sheet calls it: a hash of study, task and rater."),
        column("task_id", pa.string(), "The task, as in annotate/tasks, or the name of a check."),
        RATER,
        column("position", pa.int32(), "Place in the sheet, from 1 on."),
        column("kind", pa.string(), "task, or a check with known answers: comprehension or attention."),
        column("shown", SHOWN, "What the sheet shows, by its columns."),
        column(
            "fields",
            FIELDS,
            "What is to be filled in: the column, the dimension, what may stand there, what each of it means, and "
            "which of it is right in a check.",
        ),
    ]
)
RATERS = pa.schema(
    [
        RATER,
        column("tasks", pa.int32(), "Tasks that the rater was given."),
        column("answered", pa.int32(), "Those with a rating."),
        column("examples", pa.int32(), "Examples of the comprehension check."),
        column("examples_right", pa.int32(), "Those that were answered as they must be."),
        column("attention", pa.int32(), "Attention checks."),
        column("attention_failed", pa.int32(), "Those that were not answered as they must be."),
        column("left_out", pa.string(), "Why the ratings do not count; null: they do.", nullable=True),
    ]
)
REJECTS = pa.schema(
    [
        column("file", pa.string(), "The sheet, without its folder.", nullable=True),
        column("source_row", pa.int64(), "Row in the sheet: the header is 1.", nullable=True),
        column("rater", pa.string(), "The pseudonym in the sheet."),
        column("task_id", pa.string(), "The task; null: none of the study's.", nullable=True),
        column("dimension", pa.string(), "What is not rated; null: all of the row.", nullable=True),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found.", nullable=True),
        column("raw", pa.string(), "The answer."),
    ]
)
REASONS = {
    "foreign": Reason("The row is no task of this study, or of another version of it."),
    "other_rater": Reason("The task was given to another rater."),
    "changed": Reason("What the sheet shows is not what was handed out."),
    "repeated": Reason("The same task with the same answers was read before.", by_design=True),
    "several": Reason("The same task was answered in several ways."),
    "missing": Reason("Nothing was filled in."),
    "off_scale": Reason("What was filled in is none of the values."),
    "same": Reason("One text is both the best and the worst."),
    "incomplete": Reason("Some of title, ingredients and steps was not written."),
    "no_consent": Reason("The table of raters does not say that the rater has consented.", by_design=True),
    "excluded": Reason("The table of raters excludes the rater.", by_design=True),
    "failed_comprehension": Reason("The rater did not pass the comprehension check.", by_design=True),
    "failed_attention": Reason("The rater failed attention checks.", by_design=True),
    "few_answers": Reason("The rater answered too few tasks.", by_design=True),
    "all_alike": Reason("The rater gave all tasks one and the same rating.", by_design=True),
}
LEFT_OUT = (
    "no_consent",
    "excluded",
    "failed_comprehension",
    "failed_attention",
    "few_answers",
    "all_alike",
)  # of raters

SCHEMAS = {
    "annotate/tasks/{study}": TASKS,
    "annotate/assigned/{study}": ASSIGNED,
    "annotate/ratings/{study}": RATINGS,
    "annotate/raters/{study}": RATERS,
    "annotate/rejects/{study}": REJECTS,
}
