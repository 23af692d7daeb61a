"""What people answer about actions that frequency does not decide (4.2, A.3)."""

from collections.abc import Mapping, Sequence

import polars as pl

from wokflow.frame.job import Progress, UserError
from wokflow.frame.tsv_sheets import read_sheet
from wokflow.frame.writing import name_of, one_spelling

ANSWERS = {
    **dict.fromkeys(("never", "does not occur", "do not occur", "不出现"), "never"),
    **dict.fromkeys(("rarely", "rarely occur", "rarely occurs", "很少出现"), "rarely"),
    **dict.fromkeys(("sometimes", "sometimes occur", "sometimes occurs", "有时出现"), "sometimes"),
    **dict.fromkeys(("always", "always occur", "always occurs", "总是出现"), "always"),
}
SCALE = ("never", "rarely", "sometimes", "always")
GIVEN = ("question_id", "annotator", "answer")
LETTER = "q"  # before ids in the sheet: spreadsheets take some without it for numbers
SHOWN = {"base_dish": "base_dish", "target_dish": "target_dish", "verb": "verb_class"}  # columns of the sheet


def read_answers(paths: Sequence[str], candidates: pl.DataFrame, progress: Progress) -> pl.DataFrame:
    """The answers in filled-in sheets: question_id, annotator, answer (never, rarely, sometimes, always).

    A sheet is a TSV with these three columns. Others, and rows without an answer, are ignored, but dishes and verb
    must be those that `candidates` (with question_id) has. The paper's wording of the answers, English or Chinese, is
    read too. If an annotator answered a question twice, the last answer counts, and the log says so. Raises
    UserError, with file and row, for unknown answers, ids of other questions, answers without annotator, and files
    that are not such sheets or have no question of this run. Single ones of other runs are passed over, with a
    warning: what was asked may no longer be open.
    """
    known = {row["question_id"]: row for row in candidates.iter_rows(named=True)}
    answers: dict[tuple[str, str], str] = {}
    for path in paths:
        again, others = 0, list[str]()
        rows = [(line, row) for line, row in read_sheet(path, GIVEN) if name_of(row.get("answer", ""))]
        for line, row in rows:
            question, annotator, answer = (name_of(row.get(name, "")) for name in GIVEN)
            question = question if question in known else question.removeprefix(LETTER)
            where = f"{path}, row {line}"
            if question not in known:
                others.append(f"row {line}, {row['question_id']!r}")
                continue
            _check(where, row, known[question])
            if not annotator:
                raise UserError(f"{where}: an answer without annotator. Fill in a pseudonym.")
            if answer.casefold() not in ANSWERS:
                raise UserError(
                    f"{where}: {answer!r} is not an answer: write never, rarely, sometimes or always."
                )
            again += (question, annotator) in answers
            answers[question, annotator] = ANSWERS[answer.casefold()]
        if others and len(others) == len(rows):
            raise UserError(
                f"{path}: none of its answers is to a question of this run (the first: {others[0]}). Was the sheet "
                "made of other dishes or classes?"
            )
        if others:
            progress.warn(
                f"{path}: {len(others)} of {len(rows)} answers are to no question of this run, and passed over (the "
                f"first: {others[0]})"
            )
        if again:
            progress.say(
                f"{path}: {again} questions were answered again by the same annotator; the last counts"
            )
    one_spelling("the annotators", sorted({annotator for _, annotator in answers}))
    given = [(*key, answer) for key, answer in sorted(answers.items())]
    return pl.DataFrame(given, dict.fromkeys(GIVEN, pl.String), orient="row")


def _check(where: str, row: Mapping[str, str], asked: Mapping[str, str]) -> None:
    """Raises UserError where a row shows another question than that of its id."""
    for column, own in SHOWN.items():
        if column in row and name_of(row[column]) != name_of(asked[own]):
            raise UserError(
                f"{where}: {column} is {row[column]!r}, but that of question_id is {asked[own]!r}. Was one column "
                "sorted without the others?"
            )
