"""What people answer about actions that frequency does not decide (4.2, A.3)."""

from collections.abc import Collection, Sequence

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
            question, annotator, answer = (name_of(row.get(name, "")) for name in GIVEN)
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
    one_spelling("the annotators", sorted({annotator for _, annotator in answers}))
    rows = [(*key, answer) for key, answer in sorted(answers.items())]
    return pl.DataFrame(rows, dict.fromkeys(GIVEN, pl.String), orient="row")
