"""Cleaning takes what carries no text, and nothing else."""

import re
from importlib.util import find_spec

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.ingest import clean as patterns
from wokflow.ingest.clean import LATIN, clean
from wokflow.ingest.raw_records import Row, frame
from wokflow.ingest.settings import RecipesSettings

from tests.ingest.defaults import CLEAN, OFF, only, recipes_settings

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
STEPS = ["entities", "emoji", "symbols", "spaces", "empty_fields"]
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


def recipe(title: str = "Rice", **fields: object) -> Row:
    return {"raw": "", "title": title, "ingredients": ["rice"], "steps": ["Boil."], **fields}


def cleaned(text: str, how: RecipesSettings, lang: str = "zh") -> str:
    """What becomes of `text`, the same as title, dish, ingredient and step."""
    row = recipe(text, dish=text, ingredients=["a", text, "b"], steps=[text])
    found = clean(frame([row]), how, lang).row(0, named=True)
    assert found["ingredients"] == ["a", found["title"], "b"] and found["steps"] == [found["title"]]
    assert found["dish"] == found["title"]
    return str(found["title"])


@pytest.mark.parametrize(
    ("text", "clean_text"),
    [
        ("红烧肉🍖", "红烧肉"),
        ("🍲🍜😋", ""),
        ("I ❤️ pie", "I  pie"),
        ("🇨🇳🇺🇸 tea", " tea"),
        ("1️⃣ cut 2⃣ fry", " cut  fry"),
        (f"for the {FAMILY}!", "for the !"),
        ("👋🏽 hello", " hello"),
        (f"{ENGLAND} pie", " pie"),
        ("✔done▶", "done"),
        ("#1 *2* 10-15", "#1 *2* 10-15"),
        ("★ ■ ☆ ♪", "★ ■ ☆ ♪"),
        ("Jell-O® ©2020 Bisquick™", "Jell-O® ©2020 Bisquick™"),
        ("180°C ½ ㎏ → ①", "180°C ½ ㎏ → ①"),
        ("【好吃】！“饭”～、", "【好吃】！“饭”～、"),
    ],
)
def test_emoji_go_whole(text: str, clean_text: str) -> None:
    assert cleaned(text, only(emoji=True)) == clean_text


@pytest.mark.parametrize(
    ("text", "clean_text"),
    [
        ("★红烧肉★", " 红烧肉 "),
        ("红烧肉■超好吃", "红烧肉 超好吃"),
        ("☆♪♫◆●○▲", "       "),
        ("180°C 350℉ 200℃", "180°C 350℉ 200℃"),
        ("½ c., ¼ t., ⅔", "½ c., ¼ t., ⅔"),
        ("2㎏ 5㎖ 10㎝ 3㏄", "2㎏ 5㎖ 10㎝ 3㏄"),
        ("1 ℔, 2 ℥, № 5", "1 ℔, 2 ℥, № 5"),
        ("⽔煮⾁⽚", "⽔煮⾁⽚"),
        ("①切 ②炒 A→B 5×3 ~ $2 + 1 = 3", "①切 ②炒 A→B 5×3 ~ $2 + 1 = 3"),
        ("ri\u200bce\ufeff", "rice"),
        ("so\u00adft\u2060\u200e", "soft"),
        ("a\x00b\x07c\x1bd\x7fe\x92f", "abcdef"),
        ("a\tb\nc\rd\x0be\x85f", "a\tb\nc\rd\x0be\x85f"),
        ("Jell-O® mix, ©2020, Bisquick™", "Jell-O mix, 2020, Bisquick"),
        ("\ue000\ufffd\U000fffff", "   "),
        (f"🍖{FAMILY}👋🏽🇨🇳", f"🍖{FAMILY}👋🏽🇨🇳"),
        ("【好吃】！“饭”～、", "【好吃】！“饭”～、"),
        ("#1 *2*", "#1 *2*"),
    ],
)
def test_symbols_leave_a_space_and_invisible_characters_none(text: str, clean_text: str) -> None:
    assert cleaned(text, only(symbols=True)) == clean_text


@pytest.mark.parametrize(
    ("text", "clean_text"),
    [
        ("Mac &amp; Cheese", "Mac & Cheese"),
        ("&frac12; c. milk, &#189; c. cream, &#xBD; c. tea", "½ c. milk, ½ c. cream, ½ c. tea"),
        ("&amp;frac12; c.", "½ c."),
        ("Jell-O&reg; &quot;Best&quot; Cr&egrave;me", 'Jell-O® "Best" Crème'),
        (
            "&frac12 c., 350&degF, cr&egraveme, it&#39s Mac &amp Cheese",
            "½ c., 350°F, crème, it's Mac & Cheese",
        ),
        (
            "salt&spring onion; R&during; #1 &2; &degree; &ampersand &#0;",
            "salt&spring onion; R&during; #1 &2; &degree; &ampersand &#0;",
        ),
        ("红烧&nbsp;肉&middot;家常", "红烧\xa0肉·家常"),
        (
            "AT&T; salt & pepper; M&M's &c. &copy 2 &none; &#; &;",
            "AT&T; salt & pepper; M&M's &c. &copy 2 &none; &#; &;",
        ),
    ],
)
def test_entities_become_characters_and_other_ampersands_stay(text: str, clean_text: str) -> None:
    assert cleaned(text, only(entities=True)) == clean_text


@given(TEXTS)
def test_a_text_without_entities_stays(text: str) -> None:
    assert re.search(r"&[#\w]{2}", text) or cleaned(text, only(entities=True)) == text


@pytest.mark.parametrize(
    ("text", "clean_text"),
    [
        ("  fried   rice ", "fried rice"),
        ("\u3000红烧\u3000\u3000肉\u3000", "红烧 肉"),
        ("a\tb\nc\r\nd\x0be", "a b c d e"),
        ("a\u00a0b\u2003c\u2028d\x85e", "a b c d e"),
        ("ri\u200bce", "ri\u200bce"),
        ("🍖 ★", "🍖 ★"),
        (" \u3000 ", ""),
        ("plain text", "plain text"),
    ],
)
def test_spaces_become_single_ones(text: str, clean_text: str) -> None:
    assert cleaned(text, only(spaces=True)) == clean_text


@pytest.mark.parametrize(
    ("text", "clean_text"),
    [
        ("★★【超简单】🍲红烧肉❤️（附视频）★", "【超简单】红烧肉（附视频）"),
        (" 😋 Mom's ■ Best® Pie 🥧 ", "Mom's Best Pie"),
        ("第1️⃣步：煎至180℃\u200b～", "第步：煎至180℃～"),
    ],
)
def test_the_steps_work_together(text: str, clean_text: str) -> None:
    assert cleaned(text, CLEAN) == clean_text


@given(TEXTS)
@settings(deadline=None)
def test_with_all_steps_off_nothing_changes(text: str) -> None:
    assert cleaned(text, OFF) == text


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=3), st.sets(st.sampled_from(STEPS)))
@settings(deadline=None)
def test_lists_are_cleaned_item_by_item(items: list[str], others: list[str], on: set[str]) -> None:
    how = only(**dict.fromkeys(on, True))
    rows = [recipe(ingredients=items), recipe(ingredients=others), recipe(ingredients=[])]
    found = clean(frame(rows), how, "en")["ingredients"].to_list()
    alone = [
        [cleaned(item, how.model_copy(update={"empty_fields": False})) for item in row]
        for row in (items, others)
    ]
    if how.empty_fields:
        alone = [[item for item in row if item.strip(SPACES)] for row in alone]
    assert found == [*alone, []]


@given(TEXTS)
@settings(deadline=None)
def test_cleaning_twice_changes_no_more(text: str) -> None:
    once = cleaned(f"a{text}b", CLEAN)
    assert cleaned(once, CLEAN) == once


def test_empty_fields_give_reasons_in_order() -> None:
    rows = [
        recipe("😋", ingredients=["🍖", ""], steps=[]),
        recipe(ingredients=["★", " "], steps=["\u200b"]),
        recipe(steps=["", "■"]),
        recipe(steps=["", "Boil.", "😋"]),
        recipe("", reason="bad_list"),
    ]
    found = clean(frame(rows), CLEAN, "en")
    assert found["reason"].to_list() == [
        "empty_title",
        "empty_ingredients",
        "empty_steps",
        None,
        "bad_list",
    ]
    assert found["steps"].to_list()[3] == ["Boil."]


def test_blank_is_empty_though_spaces_are_kept() -> None:
    rows = [recipe(" \u3000"), recipe(ingredients=[" "]), recipe(steps=["\n"]), recipe(" a ", dish=" ")]
    found = clean(frame(rows), only(empty_fields=True), "en")
    assert found["reason"].to_list() == ["empty_title", "empty_ingredients", "empty_steps", None]
    assert found.row(3, named=True)["title"] == " a " and found.row(3, named=True)["dish"] is None


def test_empty_fields_may_be_kept() -> None:
    found = clean(frame([recipe("", ingredients=[], steps=["", "🍖"])]), only(emoji=True), "en")
    assert found.row(0, named=True) == {
        **dict.fromkeys(found.columns),
        "raw": "",
        "title": "",
        "ingredients": [],
        "steps": ["", ""],
    }


def test_no_records_stay_no_records() -> None:
    for how in (CLEAN, OFF):
        assert clean(frame([]), how, "zh").schema == frame([]).schema


def test_rejected_rows_stay_rejected() -> None:
    rows: list[Row] = [{"raw": "x", "reason": "broken_record", "detail": "y"}, recipe()]
    found = clean(frame(rows), CLEAN, "zh")
    assert found["reason"].to_list() == ["broken_record", None] and found["title"].to_list() == [None, "Rice"]


@pytest.mark.skipif(find_spec("opencc") is None, reason="OpenCC is not installed")
def test_traditional_characters_become_simplified_in_chinese_alone() -> None:
    how = only(simplified=True)
    assert cleaned("紅燒雞翅、番茄炒蛋 soup", how) == "红烧鸡翅、番茄炒蛋 soup"
    assert cleaned("紅燒雞翅", how, "en") == "紅燒雞翅"
    assert cleaned("紅燒雞翅", OFF) == "紅燒雞翅"


def test_a_frame_of_many_rows_keeps_its_order() -> None:
    rows = [recipe(f" {number} ★", ingredients=[f"{number} 🍖", "★"] * (number % 3)) for number in range(100)]
    found = clean(frame(rows), recipes_settings(empty_fields=False), "en")
    assert found["title"].to_list() == [str(number) for number in range(100)]
    assert found["ingredients"].to_list() == [[str(number), ""] * (number % 3) for number in range(100)]
    assert isinstance(found, pl.DataFrame)


def test_words_of_latin_letters_hold_nothing_to_clean() -> None:
    letters = pl.Series([chr(code) for code in range(0x3000) if chr(code) != " "])
    latin = letters.filter(letters.str.contains(f"[{LATIN}]"))
    words = pl.concat([latin, latin + " " + latin, latin + latin])
    named = (patterns.EMOJI, patterns.INVISIBLE, patterns.SYMBOLS, patterns.SPACES, patterns.EDGES)
    assert len(latin) == 163 and not words.str.contains("|".join(named)).any()
