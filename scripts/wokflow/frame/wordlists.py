"""Word lists of resources/, which are part of the code.

A module reads its lists as it is imported, and they count in the keys of the rules that run it: wokflow.frame.code
looks for calls of these functions. So their argument must be written out where they are called.
"""

from pathlib import Path

from wokflow.frame.text_files import read_table

RESOURCES = Path(__file__).resolve().parents[3] / "resources"
COMMENT = "comment"  # this column explains a row to readers; it does not count


def word_lists(name: str) -> dict[str, frozenset[str]]:
    """The lists of a table with the columns list, words (separated by blanks) and comment, by name.

    A list may have several rows, each with a group of its words. Raises ValueError, with file and line, for a table
    with other columns or an empty cell, and for a word that stands in a list twice.
    """
    lists: dict[str, set[str]] = {}
    for line, row in enumerate(rows(RESOURCES / name), 2):
        words, known = row["words"].split(), lists.setdefault(row["list"], set())
        if twice := [word for word in words if word in known or words.count(word) > 1]:
            raise ValueError(f"{name}, line {line}: {twice[0]} is in {row['list']} already")
        known.update(words)
    return {name: frozenset(words) for name, words in lists.items()}


def word_table(name: str) -> list[dict[str, str]]:
    """The rows of a table by column, without its comments. Raises ValueError for an empty cell."""
    return rows(RESOURCES / name)


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a tab-separated table, by column, without its comments."""
    table = []
    for line, row in read_table(path, ()):
        if not all(cell.strip() for cell in row.values()):
            raise ValueError(f"{path}, line {line}: each cell must be filled")
        table.append({name: cell for name, cell in row.items() if name != COMMENT})
    return table
