"""Small tables that a reader may edit: topics, classes, phrases."""

from collections.abc import Iterator

from wokflow.frame import text_files
from wokflow.frame.job import UserError


def read_table(path: str, *columns: str) -> Iterator[tuple[str, str]]:
    """Two columns of a tab-separated table without quotes; lines that begin with # are comments."""
    first, second = columns
    for _, row in text_files.read_table(path, columns, comments=True):
        yield row[first].strip(), row[second].strip()


def read_mapping(path: str, key: str, value: str) -> dict[str, str]:
    """One column of such a table by another. Raises UserError for a key that is empty, or has two values."""
    found: dict[str, str] = {}
    for name, of in read_table(path, key, value):
        if not name or found.setdefault(name, of) != of:
            raise UserError(
                f"{path}: {key} {name!r} is empty, or has two of {value}: {found.get(name)!r} and {of!r}."
            )
    return found
