"""Damage to the encoding of text is found, and recipes in good order are left alone."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export.damage import mojibake, searches
from wokflow.export.privacy import text_findings

DISHES = ["宫保鸡丁的做法", "红烧肉，小火炖一小时", "放入葱姜蒜爆香"]
GOOD = [
    "crème brûlée, jalapeño’s 350°F – 1½ cups × 2",
    "老干妈®辣酱30g×2 “好吃”…… 180℃",
    "銀鍋燒鐵板，鍾愛的鹹魚鍋與麵線",
    "Salt & pepper; M&M's; A&W; R&D; AT&T; 2 < 3 > 1; C:\\users",
    "Älplermagronen mit Käse, œufs à la neige, smørrebrød, Łosoś, 6″ × 9″",
    "联通，烫烫烫！\ttwo\nlines",
]


def gates(text: str) -> set[str]:
    rows = pl.DataFrame({"id": ["a"], "text": [text]})
    return {one.gate for one in text_findings([rows], "id", "", searches())}


@pytest.mark.parametrize("text", GOOD)
def test_good_text_is_left_alone(text: str) -> None:
    assert gates(text) == set()


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("bad \ufffd byte", "replacement_characters"),
        ("bell \x07", "control_characters"),
        ("next\x85line", "control_characters"),
        ("速度 \ue002 烹煮", "private_characters"),
        ("\U000f0001", "private_characters"),
        ("salt &amp; pepper", "markup"),
        ("1&#189; cups", "markup"),
        ("1 &frac12; cups", "markup"),
        ("eggs&nbsp", "markup"),
        ("one<br/>two", "markup"),
        ("caf\\u00e9", "markup"),
        ("锟斤拷锟斤拷", "mojibake"),
        ("Iâ€™m", "mojibake"),
    ],
)
def test_damage_is_found(text: str, gate: str) -> None:
    assert gate in gates(text)


@pytest.mark.parametrize("codec", ["latin-1", "cp1252", "gbk"])
@pytest.mark.parametrize("dish", DISHES)
def test_chinese_that_was_decoded_wrongly_is_found(dish: str, codec: str) -> None:
    wrong = dish.encode().decode(codec, errors="ignore")
    assert "mojibake" in gates(wrong)


@pytest.mark.parametrize("word", ["crème", "jalapeño", "1½ cups", "350°F", "don’t"])
def test_latin_text_that_was_decoded_wrongly_is_found(word: str) -> None:
    assert "mojibake" in gates(word.encode().decode("cp1252", errors="replace"))


@given(st.text(st.characters(codec="gb2312"), max_size=30))
def test_what_one_can_type_on_a_chinese_keyboard_has_no_control_or_private_characters(text: str) -> None:
    assert gates(text) <= {"mojibake", "markup", "control_characters"}
    assert ("control_characters" in gates(text)) == any(
        (sign < " " and sign not in "\t\n\r") or sign == "\x7f" for sign in text
    )


def test_lone_surrogates_cannot_stand_in_a_column() -> None:
    with pytest.raises(UnicodeEncodeError):
        pl.Series(["\ud83d"])
    assert gates("\\ud83d") == {"markup"}


def test_real_recipes_hold_two_private_characters_and_no_mojibake(shared: Path) -> None:
    lines = (shared / "real/counterfactual/base_recipes.tsv").read_text(encoding="utf-8").splitlines()
    rows = pl.DataFrame({"id": range(len(lines)), "text": lines})
    findings = text_findings([rows], "id", "", searches())
    assert [(one.gate, one.count) for one in findings] == [("private_characters", 1)]
    suspect = searches()["mojibake"].prefilter
    for tree in sorted((shared / "real/treebanks").glob("*.conllu")):  # two of them in traditional characters
        text = tree.read_text(encoding="utf-8")
        sentences = [line for line in text.splitlines() if line.startswith("# text =")]
        assert not [
            line
            for line in pl.Series(sentences).filter(pl.Series(sentences).str.contains(suspect))
            if mojibake(line)
        ]
