"""What a Chinese character is, once for the whole package."""

import re
import unicodedata

import regex
from wokflow.frame.language_codes import in_language
from wokflow.frame.languages import HAN

from tests.conftest import ROOT


def test_chinese_characters_are_those_of_the_script_han() -> None:
    script, ours = regex.compile(r"\p{Han}"), re.compile(f"[{HAN}]")
    assigned = (chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs"))
    assert [one for one in assigned if bool(script.match(one)) != bool(ours.match(one))] == []


def test_no_other_file_of_the_package_says_what_a_chinese_character_is() -> None:
    ranges = re.compile(r"\\u4e00|\\u3400|\\u9fff|\\p\{Han\}|一-|CJK UNIFIED", re.IGNORECASE)
    package = ROOT / "scripts" / "wokflow"
    told = {path for path in package.rglob("*.py") if ranges.search(path.read_text(encoding="utf-8"))}
    assert told == {package / "frame" / "languages.py"}


def test_a_text_is_in_chinese_if_it_has_more_chinese_characters_than_latin_words() -> None:
    assert in_language("二〇一〇年 IUCN 红色名录", "zh") is True
    assert in_language("Stir-fry the 豆腐", "zh") is False and in_language("Stir-fry the 豆腐", "en") is True
    assert in_language("1 2 3", "zh") is None
