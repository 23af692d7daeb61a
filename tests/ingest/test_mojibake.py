"""Text that was read in a wrong encoding before it was saved is said, with how to undo it; right text stays."""

from collections.abc import Callable
from typing import Any

import pytest
from wokflow.frame.job import UserError
from wokflow.ingest.mojibake import misread

from tests.export.test_damage import GOOD
from tests.ingest.conftest import RECIPENLG, XIACHUFANG

Ingest = Callable[..., Any]


@pytest.mark.parametrize(
    ("word", "was", "read", "undo"),
    [
        ("crème", "utf-8", "latin-1", "iconv -f UTF-8 -t ISO-8859-1 OLD > NEW"),
        ("it’s", "utf-8", "cp1252", "iconv -f UTF-8 -t WINDOWS-1252 OLD > NEW"),
        ("糖醋排骨", "utf-8", "latin-1", "iconv -f UTF-8 -t ISO-8859-1 OLD > NEW"),
        ("热干面", "utf-8", "mac_roman", "iconv -f UTF-8 -t MACINTOSH OLD > NEW"),
        (
            "糖醋排骨",
            "gb18030",
            "latin-1",
            "iconv -f UTF-8 -t ISO-8859-1 OLD | iconv -f GB18030 -t UTF-8 > NEW",
        ),
    ],
)
def test_what_it_was_and_how_to_undo_it_are_said(word: str, was: str, read: str, undo: str) -> None:
    wrong = word.encode(was).decode(read)
    said = misread([["plain", f"one {wrong} two"]] * 3)
    assert said and f"saved so: {wrong!r} is {word!r}" in said and said.endswith(undo)


def test_text_whose_bytes_are_lost_is_said_without_a_guess() -> None:
    for wrong in ("宫保鸡丁的做法".encode().decode("cp1252", errors="ignore"), "v\ufffd\ufffd"):
        assert (misread([[wrong]]) or "").endswith("Fetch the file again, or write it anew as UTF-8")


def test_right_text_and_a_few_wrong_rows_are_let_through() -> None:
    good = [[text] for text in [*GOOD, "CAFÉ™", "SÃO PAULO", "PÂTÉ—", "Bánh mì", "ГОТОВИМ", "½–¾"]]
    assert misread(good) is None
    assert misread([*good, *[["350Â°"]] * 5]) is None, "less than half of the rows beyond ASCII"
    assert misread([*[["plain"]] * 60, ["350Â°"], ["350Â°"]]) is None, "two of many rows"
    assert misread([*[["plain"]] * 60, *[["350Â°"]] * 3])


@pytest.mark.parametrize("corpus", [RECIPENLG, XIACHUFANG])
def test_a_source_of_such_text_is_refused_unless_it_is_kept(corpus: Any, ingest: Ingest) -> None:
    rows = [corpus.row(number, f"Dish {number} crème 糖醋") for number in range(9)]
    data = corpus.file([row.decode("latin-1").encode() for row in rows])
    with pytest.raises(UserError, match=rf"sources.{corpus.name}.path: .*mostly_rejected: keep"):
        ingest(corpus.name, data, mostly_rejected="refuse")
    kept = ingest(corpus.name, data, mostly_rejected="keep")
    assert kept.recipes.height == 9 and "in a wrong encoding" in kept.log
