"""Tables of word lists are read strictly."""

from pathlib import Path

import pytest
from wokflow.frame import wordlists
from wokflow.frame.job import UserError
from wokflow.frame.wordlists import word_lists, word_table

HEADER = "list\twords\tcomment\n"


@pytest.fixture(autouse=True)
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wordlists, "RESOURCES", tmp_path)
    return tmp_path


def test_rows_of_a_list_add_up(resources: Path) -> None:
    text = HEADER + "AND\t和 跟\tand\nOR\t或\tor\nAND\t同\ttogether with\n"
    (resources / "lists.tsv").write_text(text, encoding="utf-8")
    assert word_lists("lists.tsv") == {"AND": {"和", "跟", "同"}, "OR": {"或"}}
    assert word_table("lists.tsv")[1] == {"list": "OR", "words": "或"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("AND\t同 和\tand", "line 3: 和 is in AND already"),
        ("OR\t或 或\tor", "line 3: 或 is in OR already"),
        ("OR\t或", "line 3: 2 cells, but the header has 3"),
        ("OR\t \tor", "line 3: each cell"),
        ("OR\t或\tor\tmore", "line 3: 4 cells, but"),
    ],
)
def test_damaged_rows_are_refused(row: str, said: str, resources: Path) -> None:
    (resources / "lists.tsv").write_text(f"{HEADER}AND\t和\tand\n{row}\n", encoding="utf-8")
    with pytest.raises((ValueError, UserError), match=said):
        word_lists("lists.tsv")
