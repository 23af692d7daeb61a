"""Recipes to adapt of which some words are known: checks of people who adapt recipes."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from wokflow.annotate.check_tables import KIND, NAME, check_rows
from wokflow.annotate.fields import WORDS, field
from wokflow.frame.job import UserError

BETWEEN, OR = ";", "|"  # between words that must all be there, and between those of which one is enough


@dataclass(frozen=True)
class WritingCheck:
    """A recipe of the table, by parts; `words` are groups, of each of which an adaptation must have one."""

    name: str
    kind: str
    parts: Mapping[str, str]
    words: Sequence[str]

    def row(self, random: Random) -> dict[str, Any]:
        """The check in the form of a row of annotate/assigned. Nothing of it is drawn."""
        shown = [{"name": name, "text": text} for name, text in self.parts.items()]
        fields = [field({"name": WORDS}, (), accepted=self.words)]
        return {"task_id": self.name, "kind": self.kind, "shown": shown, "fields": fields}


def read_writing_checks(path: str, task: Mapping[str, Any]) -> list[WritingCheck]:
    """The checks of a table, for recipes to adapt like `task`.

    Its columns are name, kind, the parts of a recipe, in which a bar between blanks stands for a line break, and
    words: what the adaptation must have, with semicolons between, and bars between words of which one is enough.
    Raises UserError, with the line, for a row that cannot be used.
    """
    parts = [each["name"] for each in task["shown"]]
    checks = list[WritingCheck]()
    for where, row in check_rows(path, (*parts, WORDS)):
        groups = [f" {OR} ".join(_words(group)) for group in row[WORDS].split(BETWEEN)]
        if not all(groups):
            raise UserError(f"{where}: the check accepts every text: fill in words that one must have.")
        texts = {part: row[part].replace(f" {OR} ", "\n") for part in parts}
        checks.append(WritingCheck(row[NAME], row[KIND], texts, groups))
    return checks


def has_words(check: Mapping[str, Any], texts: Sequence[str]) -> bool:
    """Whether the parts of an adaptation, to a row of annotate/assigned, have one word of each group of the check.

    Letter case and width do not count. Words of ASCII letters are whole words.
    """
    text = _folded("\n".join(texts))
    [groups] = [each["accepted"] for each in check["fields"] if each["column"] == WORDS]
    return all(any(_has(text, word) for word in _words(group)) for group in groups)


def _words(group: str) -> list[str]:
    return [word for one in group.split(OR) if (word := one.strip())]


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _has(text: str, word: str) -> bool:
    word = _folded(word)
    return f" {_plain(word)} " in f" {_plain(text)} " if word.isascii() else word in text


def _plain(text: str) -> str:
    """ASCII letters and digits, with a blank for all between them."""
    letters = (one if one.isascii() and one.isalnum() else " " for one in text)
    return " ".join("".join(letters).split())
