"""Text that was read in a wrong encoding before it was saved is said, with how to undo it; right text stays."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
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


ZH = ["糖醋排骨", "热干面", "鸡蛋两个", "面粉200克", "热锅下油，爆香葱姜。"]
TW = ["糖醋排骨", "熱乾麵", "雞蛋兩個", "麵粉200克", "熱鍋下油，爆香蔥薑。"]
EN = ["Crème brûlée", "jalapeño salsa", "Grandma’s cake", "sauté", "Bake at 350° for 1½ hours"]


@pytest.mark.parametrize(
    ("texts", "was", "read"),
    [
        (ZH, "utf-8", "gbk"),
        (ZH, "utf-8", "cp932"),
        (ZH, "utf-8", "cp1251"),
        (ZH, "gbk", "cp950"),
        (ZH, "gbk", "cp949"),
        (ZH, "gbk", "cp1251"),
        (TW, "cp950", "latin-1"),
        (TW, "cp950", "gbk"),
        (EN, "utf-8", "gbk"),
        (EN, "utf-8", "cp437"),
        (EN, "cp1252", "gbk"),
        (EN, "cp1252", "mac_roman"),
        (EN, "mac_roman", "cp1252"),
        (EN, "cp437", "cp1252"),
    ],
)
def test_short_texts_are_known_by_what_comes_out_when_the_reading_is_undone(
    texts: list[str], was: str, read: str
) -> None:
    names = {"gbk": "GB18030", "cp950": "BIG5", "utf-8": "UTF-8", "mac_roman": "MACINTOSH"}
    wrong = [[text.encode(was, "replace").decode(read, "replace")] for text in texts]
    said = misread(wrong) or ""
    assert f" in {names.get(was, was.upper().replace('CP125', 'WINDOWS-125'))}, read as " in said
    assert misread([[text] for text in texts]) is None


@pytest.mark.parametrize(
    ("texts", "read"), [(ZH, "cp949"), (TW + ZH, "cp950"), (ZH, "cp874"), (EN, "euc_jp")]
)
@pytest.mark.parametrize("errors", ["replace", "ignore"])
def test_utf_8_is_known_by_what_a_reading_left_of_it(texts: list[str], read: str, errors: str) -> None:
    said = misread([[text.encode().decode(read, errors)] for text in texts]) or ""
    assert " in UTF-8, read as " in said and "Fetch the file again" in said


@pytest.mark.parametrize(
    "texts",
    [
        ["Χμερ", "Μουσακάς", "Άνω Σορβικά", "Κυρ"],
        ["Фев.", "Априлски хляб", "Баница", "Шопска салата"],
        ["Prešeren", "Štruklji", "Žganci", "Kranjska klobasa s češnjami"],
        ["Ebraică", "Mămăligă", "Arabă", "Smântână"],
        ["スペイン語", "オランダ語", "カレーライス", "味噌汁"],
    ],
)
def test_a_source_in_another_language_is_not_called_misread(texts: list[str]) -> None:
    assert misread([[text] for text in texts], ("zh", "en")) is None


@pytest.mark.parametrize(
    ("lang", "texts"),
    [
        ("el", ["Μουσακάς", "Χωριάτικη σαλάτα", "Τζατζίκι", "Ψήστε για 40 λεπτά."]),
        ("hr", ["Ćevapčići", "Sarma s kupusom i čvarcima", "Štrukli", "Rožata"]),
        ("pl", ["Żurek", "Gołąbki", "Pierogi z kapustą", "Śledź"]),
        ("ro", ["Ciorbă de burtă", "Mămăligă", "Smântână", "Plăcintă"]),
        ("ru", ["БОРЩ", "ЩИ", "УХА", "ПЕЛЬМЕНИ"]),
    ],
)
def test_text_of_languages_whose_characters_nobody_listed_stays_unless_it_was_utf_8(
    lang: str, texts: list[str]
) -> None:
    assert misread([[text] for text in texts], ("en", lang)) is None
    wrong = [[text.encode().decode("sloppy-windows-1252")] for text in texts]
    assert misread(wrong, ("en", lang))


@pytest.mark.parametrize(
    ("readings", "said", "undo"),
    [
        (
            [("utf-8", "sloppy-windows-1252")] * 2,
            "in UTF-8, read as WINDOWS-1252, twice",
            "iconv -f UTF-8 -t WINDOWS-1252 OLD | iconv -f UTF-8 -t WINDOWS-1252 > NEW",
        ),
        (
            [("gbk", "latin-1"), ("utf-8", "mac_roman")],
            "in GB18030, read as ISO-8859-1, and that in UTF-8, read as MACINTOSH",
            "iconv -f UTF-8 -t MACINTOSH OLD | iconv -f UTF-8 -t ISO-8859-1 | iconv -f GB18030 -t UTF-8 > NEW",
        ),
        (
            [("utf-8", "latin-1")] * 3,
            "in UTF-8, read as ISO-8859-1, 3 times",
            "iconv -f UTF-8 -t ISO-8859-1 OLD | iconv -f UTF-8 -t ISO-8859-1 | iconv -f UTF-8 -t ISO-8859-1 > NEW",
        ),
    ],
)
def test_all_layers_of_a_text_that_was_read_wrongly_more_than_once_are_said(
    readings: list[tuple[str, str]], said: str, undo: str
) -> None:
    texts = ["热面", "糖醋排骨"] if "gbk" in readings[0] else ["it’s", "½ cup", "jalapeño", "350°"]
    wrong = texts * 2
    for was, read in readings:
        wrong = [text.encode(was).decode(read) for text in wrong]
    found = misread([[text] for text in wrong]) or ""
    assert said in found and found.endswith(undo)


def test_the_command_that_is_named_undoes_it(tmp_path: Path) -> None:
    """Also where bytes that Windows-1252 leaves open became control characters; what is lost is not promised."""
    texts = ["子姜鸭", "鸡丝凉面", "做法："]
    wrong = [text.encode().decode("sloppy-windows-1252") for text in texts]
    (tmp_path / "OLD").write_text("\n".join(wrong), encoding="utf-8", newline="")
    command = (misread([[text] for text in wrong]) or "").split("undo that: ")[1]
    command = command.replace("python -c", f"{sys.executable} -c")
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    assert (tmp_path / "NEW").read_text(encoding="utf-8").split("\n") == texts
    lost = misread([[text] for text in [*wrong, f"{wrong[0]}\ufffd"]]) or ""
    assert lost.endswith("Fetch the file again: some of it is lost in this one")


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
