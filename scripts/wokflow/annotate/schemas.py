"""Tables of stage annotate. Tasks and ratings have the same schemas as in stage judge."""

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
                pa.field("question", pa.string(), nullable=False),
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
        column("id", pa.string(), "The id in the sheet: a hash of study, task and rater."),
        column("task_id", pa.string(), "The task, as in annotate/tasks, or the name of a check."),
        RATER,
        column("position", pa.int32(), "Position in the sheet, from 1."),
        column(
            "kind",
            pa.string(),
            "task, or the kind of a check with known answers: comprehension or attention.",
        ),
        column("shown", SHOWN, "The texts that the sheet shows, by column."),
        column(
            "fields",
            FIELDS,
            "The fields to fill in: the column, the dimension and its question, the values that are allowed, what "
            "each of them means, and the right ones of a check. A dialogue that is a check has a field item, whose "
            "right ones are its items (JSON); a recipe to adapt that is one has a field words, whose right ones are "
            "groups of words of each of which an adaptation has one.",
        ),
    ]
)
RATERS = pa.schema(
    [
        RATER,
        column("tasks", pa.int32(), "Tasks handed out to the rater."),
        column("answered", pa.int32(), "Tasks with a rating or a text; dialogues that were read."),
        column("examples", pa.int32(), "Examples of the comprehension check."),
        column("examples_right", pa.int32(), "Examples that the rater answered correctly."),
        column("attention", pa.int32(), "Attention checks."),
        column("attention_failed", pa.int32(), "Attention checks that the rater did not answer correctly."),
        column("left_out", pa.string(), "Why the answers do not count; null: they do.", nullable=True),
    ]
)
DIALOGUES = pa.schema(
    [
        column("task_id", pa.string(), "The dialogue whose items are marked."),
        RATER,
        column("state", pa.string(), "How it came back: with marks, without, skipped or not answered."),
        column("marks", pa.int64(), "Items that the rater marked in it."),
    ]
)
REJECTS = pa.schema(
    [
        column("file", pa.string(), "File name of the sheet.", nullable=True),
        column("source_row", pa.int64(), "Row in the sheet; the header is row 1.", nullable=True),
        column("rater", pa.string(), "The pseudonym in the sheet."),
        column("task_id", pa.string(), "The task; null: it is not one of the study.", nullable=True),
        column("dimension", pa.string(), "The dimension without rating; null: the whole row.", nullable=True),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "Details of the reason.", nullable=True),
        column("raw", pa.string(), "The answer."),
    ]
)
REASONS = {
    "foreign": Reason("The row is not a task of this study, or it is of another version of the study."),
    "other_rater": Reason("The task was given to another rater."),
    "changed": Reason("A text in the sheet differs from the text that was handed out."),
    "repeated": Reason("The same task with the same answers was read before.", by_design=True),
    "several": Reason("The same task was answered in several ways."),
    "missing": Reason("The field is empty."),
    "off_scale": Reason("The answer is not one of the values."),
    "same": Reason("One text is both the best and the worst."),
    "no_item": Reason("The item's words are not in its utterance."),
    "incomplete": Reason("Title, ingredients or steps are missing."),
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
)  # reasons why a rater does not count; the first that holds is reported

SCHEMAS = {
    "annotate/tasks/{study}": TASKS,
    "annotate/assigned/{study}": ASSIGNED,
    "annotate/ratings/{study}": RATINGS,
    "annotate/raters/{study}": RATERS,
    "annotate/dialogues/{study}": DIALOGUES,
    "annotate/rejects/{study}": REJECTS,
}
