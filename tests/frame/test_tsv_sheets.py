"""Sheets come back as they were written, and no cell of theirs is a formula."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import UserError
from wokflow.frame.tsv_sheets import read_sheet, write_sheet

BEGINS = "=+-@＝＋－＠\t\r\n"  # of what some spreadsheet computes
cells = st.tuples(
    st.sampled_from(["", " ", "'", "''", '"', "\ufeff", *BEGINS]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
    | st.sampled_from(["1", "1+1", "A1", "SUM(1)"]),
).map("".join)


@given(st.lists(st.tuples(cells, cells), max_size=5))
def test_a_sheet_comes_back_with_its_white_space_folded(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("sheets") / "sheet.tsv"
    write_sheet(path, ("a", "b"), rows)
    held = [[cell.replace("\0", "").replace("\x1b", "") for cell in row] for row in rows]
    folded = [[" ".join(cell.split()) for cell in row] for row in held]
    assert [list(row.values()) for _, row in read_sheet(str(path), ("b",))] == [
        row for row in folded if any(row)
    ]


@given(cells)
def test_no_text_is_a_formula(tmp_path_factory: pytest.TempPathFactory, cell: str) -> None:
    path = tmp_path_factory.mktemp("sheets") / "sheet.tsv"
    write_sheet(path, ("a", "b"), [(cell, "x")])
    [_, (found, _)] = csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), dialect="excel-tab")
    assert not found.startswith(tuple(BEGINS))


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.tsv", ("a", "b", "c"), [(-0.5, -1, "-1")])
    assert (tmp_path / "sheet.tsv").read_text(encoding="utf-8-sig") == "a\tb\tc\n-0.500000\t-1\t'-1\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\tb\n\xff\t1\n", "is not UTF-8"),
        (b"a,b\n1,2\n", "line 1: missing column a, b; found were a,b. Are the columns separated by tabs"),
        (b"", "missing column a, b"),
        (b'a\tb\n"Best\tsoup\n', "line 2: .*quotation mark must end with one"),
    ],
)
def test_what_is_no_sheet_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "sheet.tsv").write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_sheet(str(tmp_path / "sheet.tsv"), ("a", "b"))


def test_a_sheet_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file .*sheet\.tsv"):
        read_sheet(str(tmp_path / "sheet.tsv"), ("a",))
