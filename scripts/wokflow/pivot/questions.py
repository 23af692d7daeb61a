"""Questions to people about actions that frequency does not decide, and their answers (4.2, A.3)."""

import hashlib
from collections.abc import Collection, Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.people_checks import ATTENTION, COMPREHENSION
from wokflow.frame.tsv_sheets import read_sheet, write_sheet
from wokflow.pivot import schemas
from wokflow.pivot.candidates import PHRASES
from wokflow.pivot.occurrences import written
from wokflow.pivot.question_checks import read_question_checks
from wokflow.pivot.settings import QuestionsSettings

ANSWERS = {
    **dict.fromkeys(("never", "does not occur", "do not occur", "不出现"), "never"),
    **dict.fromkeys(("rarely", "rarely occur", "rarely occurs", "很少出现"), "rarely"),
    **dict.fromkeys(("sometimes", "sometimes occur", "sometimes occurs", "有时出现"), "sometimes"),
    **dict.fromkeys(("always", "always occur", "always occurs", "总是出现"), "always"),
}
SCALE = ("never", "rarely", "sometimes", "always")
GIVEN = ("question_id", "annotator", "answer")
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
    answer of the sheet are empty. Checks of comprehension stand first, those of attention between other questions.
    """
    checks = read_question_checks(settings.checks, HEADER[1:-2], ANSWERS)
    asked = identified(tables.read(candidates)).filter(settings.ask_all | (pl.col("kind") == "ask"))
    tables.write(questions, schemas.QUESTIONS, asked, job.metadata)
    rows = []
    for row in asked.iter_rows(named=True):
        phrases = row["phrases"]
        classes = [",".join(row[name]) for name in ("ingredient_classes", "tool_classes")]
        action = [row["base_dish"], row["target_dish"], row["verb_class"], *classes]
        rows.append([row["question_id"], *action, *phrases, *[""] * (PHRASES - len(phrases)), "", ""])
    first, between = (
        [[check.question_id, *check.cells, "", ""] for check in checks if check.kind == kind]
        for kind in (COMPREHENSION, ATTENTION)
    )
    for number, cells in reversed([*enumerate(between, 1)]):
        rows.insert(number * len(rows) // (len(between) + 1), cells)
    write_sheet(sheet, HEADER, [*first, *rows])


def read_answers(paths: Sequence[str], known: Collection[str], progress: Progress) -> pl.DataFrame:
    """The answers in filled-in sheets: question_id, annotator, answer (never, rarely, sometimes, always).

    A sheet is a TSV with these three columns; others, and rows without an answer, are ignored. The paper's wording of
    the answers, English or Chinese, is read too. If an annotator answered a question twice, the last answer counts,
    and the log says so. Raises UserError, with file and row, for unknown questions and answers, answers without
    annotator, and files that are not such sheets.
    """
    answers: dict[tuple[str, str], str] = {}
    for path in paths:
        again = 0
        for line, row in read_sheet(path, GIVEN):
            question, annotator, answer = (row.get(name, "") for name in GIVEN)
            if not answer:
                continue
            where = f"{path}, row {line}"
            if question not in known:
                raise UserError(
                    f"{where}: there is no question {question!r}. Was the sheet made in another run?"
                )
            if not annotator:
                raise UserError(f"{where}: an answer without annotator. Fill in a pseudonym.")
            if answer.casefold() not in ANSWERS:
                raise UserError(
                    f"{where}: {answer!r} is not an answer: write never, rarely, sometimes or always."
                )
            again += (question, annotator) in answers
            answers[question, annotator] = ANSWERS[answer.casefold()]
        if again:
            progress.say(
                f"{path}: {again} questions were answered again by the same annotator; the last counts"
            )
    rows = [(*key, answer) for key, answer in sorted(answers.items())]
    return pl.DataFrame(rows, dict.fromkeys(GIVEN, pl.String), orient="row")
