"""Workbooks: text is text, the bytes are the same again, and what is none is refused."""

from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from wokflow.frame.job import UserError
from wokflow.frame.workbooks import LONGEST, Page, clean, read_filled, write_workbook

TEXTS = ["=1+1", "'quoted", "+7", "a\r\nb", "x\x00y", "＝和", "  plain ", "3/4"]


def written(path: Path) -> Path:
    rows = [[text, number] for number, text in enumerate(TEXTS)]
    write_workbook(path, [Page("notes", (), [["read me"]], [40]), Page("rows", ("text", "n"), rows, [20, 9])])
    return path


def test_text_comes_back_as_it_was_and_no_cell_is_a_formula(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx")
    assert [row["text"] for _, row in read_filled(path, ("text",))] == [
        *("=1+1", "'quoted", "+7", "a\nb", "xy", "＝和", "plain", "3/4")
    ]
    book = openpyxl.load_workbook(path)
    assert {cell.data_type for row in book["rows"].iter_rows() for cell in row} == {"s", "n"}
    assert book["rows"]["A2"].value == "'=1+1"  # no formula either once the file is saved as text
    assert path.read_bytes() == written(tmp_path / "b.xlsx").read_bytes()


def test_rows_are_as_high_as_their_lines_of_which_chinese_takes_two_columns_a_character(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.xlsx"
    write_workbook(path, [Page("rows", ("text",), [["x" * 25], ["煮" * 25]], [20])])
    heights = openpyxl.load_workbook(path)["rows"].row_dimensions
    assert [heights[row].height for row in (1, 2, 3)] == [15, 30, 45]


def test_what_no_cell_can_hold_is_cut_with_a_mark() -> None:
    assert clean("x" * LONGEST) == "x" * LONGEST
    assert clean("x" * (LONGEST + 9)) == "x" * LONGEST + " [...]"


def test_what_is_no_workbook_with_the_columns_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx")
    with pytest.raises(UserError, match="no worksheet has the columns id"):
        read_filled(path, ("id",))
    (tmp_path / "b.xlsx").write_bytes(path.read_bytes()[:300])
    with pytest.raises(UserError, match=r"b\.xlsx cannot be read as a workbook"):
        read_filled(tmp_path / "b.xlsx", ("text",))
    with ZipFile(path) as archive, ZipFile(tmp_path / "c.xlsx", "w") as broken:
        for name in archive.namelist():
            part = archive.read(name)
            broken.writestr(name, part[: len(part) // 2] if name.endswith("sheet2.xml") else part)
    with pytest.raises(UserError, match=r"c\.xlsx cannot be read as a workbook"):
        read_filled(tmp_path / "c.xlsx", ("text",))
    write_workbook(tmp_path / "d.xlsx", [Page("rows", ("id", "a", "a"), [["1", "2", "3"]], [9, 9, 9])])
    with pytest.raises(UserError, match="worksheet rows: column a occurs twice"):
        read_filled(tmp_path / "d.xlsx", ("id",))


def test_rows_above_the_header_are_refused_and_notes_are_not(tmp_path: Path) -> None:
    """A sheet that was sorted with its header would lose them."""
    path = tmp_path / "a.xlsx"
    rows = [["read me", "", ""], ["id", "rater", "answer"], ["1", "r1", "x"]]
    write_workbook(path, [Page("rows", (), rows, [9, 9, 9])])
    assert read_filled(path, ("id", "answer")) == [(3, {"id": "1", "rater": "r1", "answer": "x"})]
    write_workbook(path, [Page("rows", (), [["0", "r1", "y"], *rows], [9, 9, 9])])
    with pytest.raises(
        UserError, match="worksheet rows: row 1 stands above the names of the columns in row 3"
    ):
        read_filled(path, ("id", "answer"))


def test_an_escaped_carriage_return_is_the_end_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_workbook(path, [Page("rows", ("text",), [["1 cup_x000D_\n2 eggs_x000D_"]], [9])])
    assert read_filled(path, ("text",)) == [(2, {"text": "1 cup\n2 eggs"})]
