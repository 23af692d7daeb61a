"""Questions whose answers are known: checks of people who fill in the sheet of questions."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wokflow.frame.job import UserError
from wokflow.frame.people_checks import KIND, NAME, check_rows


@dataclass(frozen=True)
class QuestionCheck:
    """A row of the table: the cells of its question, without id and answer, and the right answers."""

    name: str
    kind: str
    cells: Sequence[str]
    accepted: frozenset[str]

    @property
    def question_id(self) -> str:
        """Looks like that of any other question."""
        return hashlib.sha256("\t".join(("check", self.name, *self.cells)).encode()).hexdigest()[:12]


def read_question_checks(
    path: str | None, columns: Sequence[str], answers: Mapping[str, str]
) -> list[QuestionCheck]:
    """The checks of a table with name, kind, the `columns` of the sheet's questions, and accepted: the right answers,
    separated by blanks. None without a path.

    `answers` are those that a sheet may have, by what people write. Raises UserError, with the line, for a row that
    cannot be used.
    """
    checks: list[QuestionCheck] = []
    for where, row in check_rows(path, (*columns, "accepted")) if path else ():
        accepted = row["accepted"].split()
        if not accepted or not answers.keys() >= {*accepted}:
            raise UserError(f"{where}: accepted has no answer, or one that is none: {', '.join(accepted)}.")
        right = frozenset(answers[one] for one in accepted)
        checks.append(QuestionCheck(row[NAME], row[KIND], [row[name] for name in columns], right))
    return checks


def failed(answers: Mapping[tuple[str, str], str], checks: Sequence[QuestionCheck]) -> dict[str, str]:
    """The kind of the first check that an annotator did not answer rightly, by annotator, of those who failed one.

    `answers` are by question and annotator.
    """
    wrong: dict[str, str] = {}
    for check in checks:
        for annotator in dict.fromkeys(annotator for _, annotator in answers):
            if answers.get((check.question_id, annotator)) not in check.accepted:
                wrong.setdefault(annotator, f"failed_{check.kind}")
    return wrong
