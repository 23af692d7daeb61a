"""Small tables that a reader may edit: topics, classes, phrases."""

from collections.abc import Iterator

from wokflow.frame import text_files


def read_table(path: str, *columns: str) -> Iterator[tuple[str, str]]:
    """Two columns of a tab-separated table without quotes; lines that begin with # are comments."""
    first, second = columns
    for _, row in text_files.read_table(path, columns, quotes=False, comments=True, whole=False):
        yield row[first], row[second]
