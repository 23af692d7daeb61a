"""Text and tables that people wrote: what is wrong is said with file, line and what to do."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.job import UserError
from wokflow.frame.text_files import encoding_of, read_table, read_text

MENU = "name\tprice\n红烧肉，米饭\t28\ncrème brûlée à la carte\t9\n"


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        (MENU, "utf-16", "UTF-16"),
        (MENU, "utf-16-le", "UTF-16"),
        ("name\trole\nred-cooked pork\t红烧肉\n", "utf-16-be", "UTF-16BE"),
        (MENU, "gb18030", "GB18030"),
        ("name\nred-cooked pork 红烧肉\n", "gbk", "GB18030"),
        ('{"name": "紅燒獅子頭", "steps": ["豬肉剁碎，加鹽攪拌。", "下鍋炸至金黃。"]}\n', "big5", "BIG5"),
        ("name\ncafé au lait, jalapeños, 50 °C\n", "cp1252", "WINDOWS-1252"),
        ("name\nété à 350°F, tête-à-tête\n", "latin-1", "WINDOWS-1252"),
        ("name\ncrème fraîche\n", "latin-1", "WINDOWS-1252"),
        ("紅燒肉，米飯", "big5", "BIG5"),
        ("name\nЩи со сметаной\n", "cp1251", "WINDOWS-1251"),
        ("name\nGołąbki\nŚledź w śmietanie\n", "cp1250", "WINDOWS-1250"),
        ("味噌汁とご飯", "cp932", "CP932"),
        ("김치찌개와 밥", "cp949", "CP949"),
        ("name\nCrème brûlée à l’orange\n", "mac_roman", "MACINTOSH"),
        ("name\nred-cooked pork 红烧肉\n", "utf_7", "UTF-7"),
        ("name\ncrème brûlée\n", "utf_7", "UTF-7"),
        ("name\nЩи со сметаной\n", "utf_7", "UTF-7"),
        ("name\nvoilà, así, cœur\n", "utf_7", "UTF-7"),
        ("name\n粥\n", "utf_7", "UTF-7"),
        ("味噌汁\tご飯\t寿司", "iso2022_jp", "ISO-2022-JP"),
    ],
)
def test_an_encoding_is_known_by_its_bytes(text: str, encoding: str, named: str | None) -> None:
    data = text.encode(encoding)
    assert encoding_of(data) == named
    assert named is None or data.decode(named) == text


def test_a_text_in_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "menu.tsv"
    path.write_bytes(MENU.encode("gb18030"))
    with pytest.raises(UserError) as error:
        read_text(path)
    advice = "save it again as Unicode (UTF-8) text, or convert it: iconv -f GB18030 -t UTF-8 OLD > NEW"
    assert str(error.value) == f"{path} is not UTF-8 (line 2). It looks like GB18030: {advice}"
    path.write_bytes(b"\xef\xbb\xbfa")
    assert read_text(path) == "a"
    with pytest.raises(UserError, match=r"There is no file .*none with a menu\."):
        read_text(tmp_path / "none", "a menu")
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        read_text(tmp_path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("name\n红烧肉\n".encode("utf_7"), "is not UTF-8. It looks like UTF-7: "),
        ("name\tprice\nsoup\t4\n".encode("utf-16-le"), "is not UTF-8. It looks like UTF-16: "),
        (b"name\nred\0cooked pork\n", ", line 2: a character NUL, which no text has."),
        (b"name\nsoup\n" + bytes(40), ", line 3: a character NUL, which no text has."),
        (b"name\nsoup\n\x1b[1mbold", ", line 3: a character escape, which no text has."),
    ],
)
def test_what_is_valid_utf_8_and_no_text_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "menu.tsv"
    path.write_bytes(data)
    with pytest.raises(UserError) as error:
        read_text(path)
    assert str(error.value).startswith(f"{path}{' ' * (said[0] != ',')}{said}")


@pytest.mark.parametrize(
    "text",
    [
        *("1+1=2, salt+oil+tea", "a + b, C++, x+y-, +Tea", "+ZwsKdw-, +fish", "~{soup~}"),
        *(
            "Chicken +leg, braised",
            "+beg, +geo",
            "+Ufo",
            "+IBM's, +MAE",
            "+T00, +e00",
            "VARIETAL+VARIETAL\n" * 3,
        ),
    ],
)
def test_signs_of_plus_do_not_make_utf_7(text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text, encoding="ascii")
    assert read_text(tmp_path / "a") == text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\3\4\x14\0\6\0\x08\0\0\0!\0", "is a workbook, a document or a zip archive, not text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "is a workbook or document of old"),
        (gzip.compress(MENU.encode(), mtime=0), "is compressed by gzip, not text"),
        (b"{\\rtf1 name}", "is a document with formats"),
    ],
)
def test_a_file_of_another_program_is_named_and_not_taken_for_another_encoding(
    data: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "menu.tsv"
    path.write_bytes(data)
    with pytest.raises(UserError, match=said):
        list(read_table(path, ("name", "price")))


def rows(folder: Path, text: str, **options: Any) -> list[tuple[int, dict[str, str]]]:
    (folder / "table.tsv").write_text(text, encoding="utf-8")
    return list(read_table(folder / "table.tsv", ("a", "b"), **options))


def test_rows_have_the_line_that_they_end_with(tmp_path: Path) -> None:
    text = 'b\t a\n\n1\t"two\nlines"\n#x\t"\n'
    assert rows(tmp_path, text, comments=True) == [(4, {"b": "1", "a": "two\nlines"})]
    cell = 'a\tb\n# note "x\n1\t"two\n# lines"\n'
    assert rows(tmp_path, cell, comments=True) == [(4, {"a": "1", "b": "two\n# lines"})]
    assert rows(tmp_path, "a\tb\n1\t2\t\t\n") == [(2, {"a": "1", "b": "2"})], "tabs of a spreadsheet"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: missing column a, b."),
        ("\n\na,b\n", "line 3: missing column a, b; found were a,b. Are the columns separated by tabs?"),
        ("a\tb\ta\n", "line 1: column a occurs twice"),
        ("a\tb\n1\n", "line 2: 1 cells, but the header has 2; empty cells count"),
        ("a\tb\n1\t2\t3\n", "line 2: 3 cells, but the header has 2"),
        ('a\tb\n"1\t2\n', r"line 2: .* must end with one"),
        ('a\tb\n"Best" and "worst"\t2\n', r"line 2: .* must end with one"),
        ('a\tb\n"Best""" soup\t2\n', r"line 2: .* must end with one"),
        ('a\tb\n\n1\t"Boil.\n2\tin a 9" pan\n', r"lines 3 to 4: .* must end with one"),
        (
            'a\tb\n1\t"Boil it.\n2\tFry.\n3\tUse a pan of 9"\n4\tEat.\n',
            r"line 2: .* begins a cell, 'Boil it\..*Use a pan of', ends it only in line 4, behind tabs",
        ),
        ('a\tb\n"1\nx"\t"Boil it.\n\n3"\t\n', "line 5: 3 cells, but the header has 2"),
        ('a\tb\t"c\n1\t2\t9"\n', "line 1: .* ends it only in line 2"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said.replace("?", r"\?")):
        rows(tmp_path, text)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('9" pan', '9" pan'),
        ('a pan of 9"', 'a pan of 9"'),
        ('"mock" crab', '"mock" crab'),
        ('"Best" and "worst" cakes', '"Best" and "worst" cakes'),
        ('"""Best"" cake"', '"Best" cake'),
        ('"""Best"""', '"Best"'),
        ('"salt,\tsoy"', "salt,\tsoy"),
        ('"salt\t""mock"" crab"', 'salt\t"mock" crab'),
        ('"1. Boil.\n""2"". Eat, with ""mock"" crab."', '1. Boil.\n"2". Eat, with "mock" crab.'),
    ],
)
def test_quoted_cells_are_read_as_spreadsheets_write_them_and_other_marks_stay(
    written: str, read: str, tmp_path: Path
) -> None:
    for end in ("\n", "\r\n", ""):
        one = 2 + read.count("\n")
        expected = [(one, {"a": read, "b": "x"}), (one + one - 1, {"a": "y", "b": read})]
        assert rows(tmp_path, f"a\tb\n{written}\tx\ny\t{written}{end}") == expected


@pytest.mark.parametrize("name", ["Direction", "directions", "dirction"])
def test_a_column_that_may_be_missing_is_not_passed_over_for_its_spelling(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"line 1: column {name} is unknown. Did you mean direction"):
        rows(tmp_path, f"a\tb\t{name}\tnote\n", optional=("direction", "source"))
