"""The sheet on which people mark literal translations, and say why there is none; and how it comes back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from wokflow.frame.job import Progress, UserError
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.frame.workbooks import read_filled
from wokflow.frame.writing import name_of, one_spelling
from wokflow.lexicon.schemas import MEASURES

NONE = {"none", "no", "0", "-", "无", "没有"}
KINDS = {
    **dict.fromkeys(("cultural", "culture", "c", "文化"), "cultural"),
    **dict.fromkeys(("accidental", "accident", "error", "a", "偶然", "错误"), "accidental"),
}
NEAREST, ALSO = "nearest_", "also_"  # by CSLS, and those that only cosine finds; numbers go on
GIVEN = ("word_id", "annotator", "literal", "kind")
LETTER = "w"  # before ids in the sheet: spreadsheets take some without it for numbers
BETWEEN = re.compile(r"[\s,;，、；]+")


class Shown(NamedTuple):
    """A word of the sheet: its neighbours by CSLS, then others by cosine."""

    word: str
    meanings: list[str]
    nearest: list[str]
    also: list[str]

    @property
    def all(self) -> list[str]:
        return self.nearest + self.also


class Mark(NamedTuple):
    """What an annotator says of a word: its literal neighbours, and the kind of mismatch if none of the first is
    literal.
    """

    word_id: str
    annotator: str
    literal: list[str]
    kind: str | None


def shown(neighbours: pl.DataFrame) -> dict[str, Shown]:
    """The words of schema lexicon/neighbours by id, in its order."""
    by_id: dict[str, Shown] = {}
    for (key, word), rows in neighbours.group_by("word_id", "word", maintain_order=True):
        csls, cosine = (
            rows.filter(pl.col("measure") == measure).sort("rank")["neighbour"].to_list()
            for measure in MEASURES
        )
        also = [each for each in cosine if each not in csls]
        by_id[str(key)] = Shown(str(word), rows["meanings"][0].to_list(), csls, also)
    return by_id


def write_marks_sheet(path: str, neighbours: pl.DataFrame, count: int) -> None:
    """Write the words with their neighbours; the columns annotator, literal and kind are empty.

    literal takes the numbers of the literal translations, or none; kind cultural or accidental, if none of the first
    `count` is one.
    """
    header = ["word_id", "word", "meanings"]
    header += [f"{NEAREST}{number}" for number in range(1, count + 1)]
    header += [f"{ALSO}{number}" for number in range(count + 1, 2 * count + 1)]
    rows = []
    for key, one in shown(neighbours).items():
        nearest = one.nearest + [""] * (count - len(one.nearest))
        also = one.also + [""] * (count - len(one.also))
        rows.append([LETTER + key, one.word, "; ".join(one.meanings), *nearest, *also, "", "", ""])
    write_sheet(path, [*header, *GIVEN[1:]], rows)


def read_marks(
    paths: Sequence[str], known: Mapping[str, Shown], count: int, progress: Progress
) -> Iterator[Mark]:
    """The marks in filled-in sheets, by word and annotator. Rows without a mark are passed over.

    If an annotator marked a word twice, the last mark counts, and the log says so. Raises UserError, with file and
    row, for words that are not among `known`, or another word's id, marks without annotator, numbers of no
    neighbour, and kinds that are neither.
    """
    marks: dict[tuple[str, str], Mark] = {}
    for path in paths:
        again = 0
        for line, row in read_filled(path, GIVEN):
            key, annotator, literal, kind = (name_of(row.get(name, "")) for name in GIVEN)
            key = key if key in known else key.removeprefix(LETTER)
            if not literal and not kind:
                continue
            where = f"{path}, row {line}"
            if key not in known:
                raise UserError(
                    f"{where}: there is no word {key!r} ({row.get('word', '')}) with these neighbours. Was the sheet "
                    "made in another run?"
                )
            if not annotator:
                raise UserError(f"{where}: annotator is empty. Fill in a name or a number.")
            again += (key, annotator) in marks
            one = known[key]
            if "word" in row and name_of(row["word"]) != name_of(one.word):
                raise UserError(
                    f"{where}: word_id is that of {one.word}, but the word is {row['word']!r}. Was one column sorted "
                    "without the others?"
                )
            chosen = [*_literal(where, literal, one, count)]
            marks[key, annotator] = Mark(key, annotator, chosen, _kind(where, kind, chosen, one))
        if again:
            progress.say(f"{path}: {again} words were marked again by the same annotator; the last counts")
    one_spelling("the annotators", sorted({annotator for _, annotator in marks}))
    order = {key: number for number, key in enumerate(known)}
    yield from sorted(marks.values(), key=lambda mark: (order[mark.word_id], mark.annotator))


def _literal(where: str, text: str, one: Shown, count: int) -> Iterator[str]:
    """The neighbours whose numbers are given: those of `nearest` count from 1, the others from `count` + 1."""
    numbered = dict(enumerate(one.nearest, 1)) | dict(enumerate(one.also, count + 1))
    marks = [each for each in BETWEEN.split(text.casefold()) if each]
    if len(marks) > 1 and not NONE.isdisjoint(marks):
        raise UserError(
            f"{where}: {text!r} says that some are literal and that none is. Write one of the two."
        )
    for each in marks:
        if each in NONE:
            continue
        if not each.isdecimal() or int(each) not in numbered:
            raise UserError(
                f"{where}: {each!r} is not the number of a neighbour of {one.word}. Write numbers with blanks "
                f"between ({', '.join(f'{number} {name}' for number, name in numbered.items())}), or none."
            )
        yield numbered[int(each)]


def _kind(where: str, text: str, literal: Sequence[str], one: Shown) -> str | None:
    if text.casefold() not in ("", *KINDS):
        raise UserError(f"{where}: {text!r} is not a kind of mismatch: write cultural or accidental.")
    if text and any(each in one.nearest for each in literal):
        raise UserError(f"{where}: {one.word} has a literal translation, so leave the column kind empty.")
    return KINDS.get(text.casefold())
