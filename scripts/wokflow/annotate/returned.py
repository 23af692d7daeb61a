"""Reads returned sheets row by row. A row is a task as it was handed out to the rater, or a reject."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wokflow.annotate.fields import RATER
from wokflow.annotate.raters import Rater
from wokflow.annotate.studio import read_export
from wokflow.frame.job import UserError
from wokflow.frame.text_files import Row
from wokflow.frame.tsv_sheets import FORMULA, GUARD
from wokflow.frame.workbooks import clean, read_worksheets

EXPORT = ".json"  # of Label Studio
ENDINGS = (".tsv", ".xlsx", ".txt", EXPORT)  # spreadsheet programs call tab-separated tables .txt
HIDDEN = (".", "~$")  # prefixes of files that programs make for themselves
UNKNOWN = "its rater is not in the table of raters"
_SPACE = re.compile(r"[\s|]+")
Reject = dict[str, Any]


@dataclass(frozen=True)
class SheetRow:
    """A row of a returned sheet: file, line, the rater who filled it in, cells by column, and worksheet.

    `keeps`: whether rejects may hold what was entered: the rater is in the table, and has consented.
    """

    file: str
    line: int
    rater: str
    cells: Mapping[str, str]
    keeps: bool = True
    worksheet: str = ""

    @property
    def exported(self) -> bool:
        """Whether it is of an export of Label Studio, and not of a sheet, to which people may add columns."""
        return Path(self.file).suffix.lower() == EXPORT

    def reject(
        self, reason: str, task: str | None = None, detail: str | None = None, raw: str = ""
    ) -> Reject:
        """A row of annotate/rejects for this row of the sheet; without what was entered unless that may be kept.

        Of somebody who is not in the table of raters and no task of the study, it names no file either: sheets are
        called by pseudonyms.
        """
        where: Reject = {"file": self.file, "source_row": self.line, "rater": self.rater}
        if not self.rater and task is None:
            where, detail = where | {"file": None, "source_row": None}, UNKNOWN
        what = {"task_id": task, "dimension": None, "reason": reason, "detail": detail}
        return {**where, **what, "raw": raw if self.keeps else ""}

    def __str__(self) -> str:
        return f"{self.file}, row {self.line}"


def sheets_at(path: str) -> list[Path]:
    """The sheet, or all sheets of the folder, sorted by name. Raises UserError for other files, and if there are
    none.
    """
    place = Path(path)
    sheets = [place]
    if place.is_dir():
        sheets = sorted(each for each in place.iterdir() if not each.name.startswith(HIDDEN))
    if wrong := [each.name for each in sheets if each.suffix.lower() not in ENDINGS or not each.is_file()]:
        raise UserError(
            f"{path}: {', '.join(wrong)} cannot be a sheet. Save it as .xlsx, or as tab-separated text (.tsv, .txt); "
            "exports of Label Studio are .json."
        )
    if not sheets:
        raise UserError(f"{path} holds no sheets.")
    return sheets


def read_rows(path: str, mandatory: Collection[str], raters: Iterable[Rater]) -> Iterator[SheetRow]:
    """The rows of all sheets and exports of Label Studio, without those of raters who have withdrawn.

    A row of somebody who is not in the table of raters has no name: it may be the old pseudonym of a rater who has
    withdrawn. Raises UserError as read_worksheets and read_export do.
    """
    known = {rater.name: rater for rater in raters}
    for sheet in sheets_at(path):
        if sheet.suffix.lower() == EXPORT:
            rows: Iterable[tuple[str, Row]] = (("", row) for row in read_export(sheet, mandatory))
        else:
            rows = read_worksheets(sheet, mandatory)
        for worksheet, (line, cells) in rows:
            rater = known.get(cells.get(RATER, ""))
            if any(cells.values()) and not (rater and rater.state == "withdrawn"):
                keeps = rater is not None and rater.consent
                yield SheetRow(sheet.name, line, rater.name if rater else "", cells, keeps, worksheet)


def changed(row: SheetRow, shown: Sequence[Mapping[str, str]]) -> str | None:
    """The first column whose text differs from what was handed out, apart from line breaks, bars and spaces."""
    return next(
        (each["name"] for each in shown if alike(row.cells.get(each["name"], "")) != alike(each["text"])),
        None,
    )


def alike(text: str) -> str:
    """A text in the form in which texts handed out and texts returned by any spreadsheet program are equal."""
    text = clean(text)
    guarded = text.startswith(GUARD) and text[1:].startswith((*FORMULA, GUARD))
    return _SPACE.sub(" ", text[1:] if guarded else text).strip()


def refuse_foreign(path: str, rows: int, rejects: Sequence[Reject]) -> None:
    """Raise UserError if there are rows, and all of them belong to another study."""
    foreign = sum(each["reason"] == "foreign" for each in rejects)
    if rows and foreign == rows:
        raise UserError(
            f"{path}: none of {rows} rows is a task of this study. Were the sheets made from other tasks, or with "
            "another seed? Then they belong to that study: name the sheets that were handed out for this one."
        )


def summary(rejects: Sequence[Reject], number: int = 5) -> Iterator[str]:
    """Lines for the log: each reason with its count, and the places of its first rejects."""
    by_reason: dict[str, list[Reject]] = {}
    for each in rejects:
        by_reason.setdefault(each["reason"], []).append(each)
    for reason, some in sorted(by_reason.items()):
        places = [
            f"{each['file']}, row {each['source_row']}" + (f" ({each['detail']})" if each["detail"] else "")
            for each in some
            if each["file"]
        ]
        unknown = sum(each["detail"] == UNKNOWN for each in some)
        places += [f"{unknown} of people who are not in the table of raters"] if unknown else []
        more = " ..." if len(places) > number else ""
        yield f"{reason}: {len(some)}" + (f": {'; '.join(places[:number])}{more}" if places else "")
