"""Checks of people: tasks among their other ones whose right answers are known."""

from collections.abc import Collection, Iterator

from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_table

NAME, KIND = "name", "kind"
# Kinds: checks of comprehension stand before other tasks, those of attention between them.
COMPREHENSION, ATTENTION = CHECKS = ("comprehension", "attention")


def check_rows(
    path: str, columns: Collection[str], *, several: bool = False
) -> Iterator[tuple[str, dict[str, str]]]:
    """Where each row of a table of checks stands, and the row: name, kind, `columns`, and what else the table has.

    Raises UserError for a row without a name or a known kind, and for a name that occurs twice, or, where a check has
    `several` rows, with two kinds.
    """
    kinds: dict[str, str] = {}
    for line, row in read_table(path, (NAME, KIND, *columns), comments=True):
        where, name, kind = f"{path}, line {line}", row[NAME], row[KIND]
        if not name or kind not in CHECKS:
            raise UserError(f"{where}: a check needs a name, and a kind: {' or '.join(CHECKS)}.")
        if name in kinds and not several:
            raise UserError(f"{where}: the check {name} occurs twice.")
        if kinds.setdefault(name, kind) != kind:
            raise UserError(f"{where}: the check {name} is of kind {kinds[name]} in an earlier line.")
        yield where, row
