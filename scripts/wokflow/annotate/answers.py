"""Sheets that came back, row by row: each is a task of the rater as it was handed out, or a reject."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wokflow.annotate.raters import Rater
from wokflow.frame.job import UserError
from wokflow.frame.sheets import FORMULA, GUARD
from wokflow.frame.workbooks import clean, read_filled

ENDINGS = (".tsv", ".xlsx", ".txt")  # spreadsheets call tables with tabs .txt
HIDDEN = (".", "~$")  # how names of files begin that programs make for themselves
_SPACE = re.compile(r"[\s|]+")
Reject = dict[str, Any]


@dataclass(frozen=True)
class Given:
    """A row of a sheet: where it stands, who filled it in, and its cells by column."""

    file: str
    line: int
    rater: str
    cells: Mapping[str, str]

    def reject(
        self, reason: str, task: str | None = None, detail: str | None = None, raw: str = ""
    ) -> Reject:
        """The row, or a dimension of it, as annotate/rejects has it."""
        where = {"file": self.file, "source_row": self.line, "rater": self.rater}
        return {**where, "task_id": task, "dimension": None, "reason": reason, "detail": detail, "raw": raw}

    def __str__(self) -> str:
        return f"{self.file}, row {self.line}"


def sheets_at(path: str) -> list[Path]:
    """A sheet, or the sheets in a folder, by name. Raises UserError for files of other kinds, and for no sheets."""
    where = Path(path)
    found = [where]
    if where.is_dir():
        found = sorted(each for each in where.iterdir() if not each.name.startswith(HIDDEN))
    if wrong := [each.name for each in found if each.suffix.lower() not in ENDINGS or not each.is_file()]:
        raise UserError(
            f"{path}: {', '.join(wrong)} can be no sheet. Save it as .xlsx, or as text with tabs (.tsv, .txt)."
        )
    if not found:
        raise UserError(f"{path} holds no sheets.")
    return found


def read_rows(path: str, mandatory: Collection[str], withdrawn: Collection[str]) -> Iterator[Given]:
    """The rows of all sheets, without those of raters who have withdrawn. Raises UserError as read_filled does."""
    for sheet in sheets_at(path):
        for line, row in read_filled(sheet, mandatory):
            rater = row.get("rater", "")
            if rater not in withdrawn and any(row.values()):
                yield Given(sheet.name, line, rater, row)


def withdrawn(raters: Sequence[Rater]) -> list[str]:
    return [rater.name for rater in raters if rater.state == "withdrawn"]


def changed(given: Given, shown: Sequence[Mapping[str, str]]) -> str | None:
    """The first column whose text is not what was handed out, line breaks, bars and spaces aside."""
    return next(
        (each["name"] for each in shown if alike(given.cells.get(each["name"], "")) != alike(each["text"])),
        None,
    )


def alike(text: str) -> str:
    """A text as it comes back from any sheet."""
    text = clean(text)
    guarded = text.startswith(GUARD) and text[1:].startswith((*FORMULA, GUARD))
    return _SPACE.sub(" ", text[1:] if guarded else text).strip()


def refuse_foreign(path: str, rows: int, rejects: Sequence[Reject]) -> None:
    """Raise UserError if there are rows, and all of them are of another study."""
    foreign = sum(each["reason"] == "foreign" for each in rejects)
    if rows and foreign == rows:
        raise UserError(
            f"{path}: none of {rows} rows is a task of this study. Were the sheets made of other tasks, or with "
            "another seed? Then they belong to that study; name the sheets that were handed out of this one."
        )


def said(rejects: Sequence[Reject], number: int = 5) -> Iterator[str]:
    """For the log: each reason with its count, and where the first ones are."""
    by_reason: dict[str, list[Reject]] = {}
    for each in rejects:
        by_reason.setdefault(each["reason"], []).append(each)
    for reason, some in sorted(by_reason.items()):
        places = [
            f"{each['file']}, row {each['source_row']}" + (f" ({each['detail']})" if each["detail"] else "")
            for each in some
            if each["file"]
        ]
        more = " ..." if len(places) > number else ""
        yield f"{reason}: {len(some)}" + (f": {'; '.join(places[:number])}{more}" if places else "")
