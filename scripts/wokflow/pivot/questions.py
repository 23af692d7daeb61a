"""Questions to people about actions that frequency does not decide (4.2, A.3)."""

import hashlib

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.pivot import schemas
from wokflow.pivot.candidates import PHRASES
from wokflow.pivot.occurrences import written
from wokflow.pivot.people_answers import GIVEN, LETTER
from wokflow.pivot.settings import QuestionsSettings

HEADER = [
    "question_id",
    *("base_dish", "target_dish", "verb", "ingredients", "tools"),
    *(f"phrase_{number + 1}" for number in range(PHRASES)),
    *GIVEN[1:],
]
DIGITS = 12


def identified(candidates: pl.DataFrame) -> pl.DataFrame:
    """The candidates with a column question_id: a hash of dishes and action, the same in every run.

    Tabs in names are escaped, so that no two questions give the same text.
    """
    asked = candidates.select("base_dish", "target_dish", action=written()).iter_rows()
    joined = ("\t".join(cell.replace("\\", r"\\").replace("\t", r"\t") for cell in row) for row in asked)
    ids = [hashlib.sha256(row.encode()).hexdigest()[:DIGITS] for row in joined]
    return candidates.with_columns(question_id=pl.Series(ids, dtype=pl.String))


def pivot_questions(
    *, candidates: str, questions: str, sheet: str, settings: QuestionsSettings, job: Job
) -> None:
    """Write the questions as a table (schema pivot/questions), and as a TSV `sheet` for people to fill in.

    The question is: does this action occur when the target dish is cooked - never, rarely, sometimes or always? It
    may be asked about actions that frequency decides too, as in the paper's pilot study. The columns annotator and
    answer of the sheet are empty.
    """
    asked = identified(tables.read(candidates)).filter(settings.ask_all | (pl.col("kind") == "ask"))
    tables.write(questions, schemas.QUESTIONS, asked, job.metadata)
    rows = []
    for row in asked.iter_rows(named=True):
        phrases = row["phrases"]
        classes = [",".join(row[name]) for name in ("ingredient_classes", "tool_classes")]
        action = [row["base_dish"], row["target_dish"], row["verb_class"], *classes]
        rows.append(
            [LETTER + row["question_id"], *action, *phrases, *[""] * (PHRASES - len(phrases)), "", ""]
        )
    write_sheet(sheet, HEADER, rows)
