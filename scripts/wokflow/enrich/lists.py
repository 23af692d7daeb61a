"""Small tables that a reader may edit: topics, classes, phrases."""

from collections.abc import Iterator

from wokflow.frame import text_files
from wokflow.frame.job import UserError


def read_table(path: str, *columns: str) -> Iterator[tuple[int, str, str]]:
    """The line of each row of a tab-separated table, and two of its columns. Lines that begin with # are comments;
    cells missing at a row's end are empty. Raises UserError as text_files.read_table does.
    """
    first, second = columns
    for line, row in text_files.read_table(path, columns, comments=True, whole=False):
        yield line, row[first].strip(), row[second].strip()


def read_mapping(path: str, key: str, value: str) -> dict[str, str]:
    """One column of such a table by another. Raises UserError for a key that is empty, or has two values."""
    found: dict[str, str] = {}
    for line, name, of in read_table(path, key, value):
        if not name:
            raise UserError(f"{path}, line {line}: {key} is empty.")
        if found.setdefault(name, of) != of:
            raise UserError(
                f"{path}, line {line}: {value} of {name} is {of!r} here, and {found[name]!r} before."
            )
    return found
