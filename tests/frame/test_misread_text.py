"""Words that were read in a wrong encoding, and right ones of many languages that look like them."""

from pathlib import Path

import pytest
import wordfreq
from wokflow.frame.job import UserError, job
from wokflow.frame.misread_text import misread, refuse_misread, refuse_misread_json
from wokflow.frame.text_files import read_prose, read_table

from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("meant", "encodings"),
    [
        ("红烧肉", "latin-1 cp1252 gbk mac_roman cp1250 cp1251 cp437"),
        ("crème brûlée", "latin-1 cp1252 gbk mac_roman cp1250 cp1251 cp437 cp850 big5 cp932"),
        ("jalapeño", "latin-1 cp1252 gbk mac_roman cp1251 cp437 big5"),
        ("Phở bò", "latin-1 cp1252 mac_roman cp1251 gbk"),
        ("İskender", "latin-1 cp1252 cp1254 mac_roman cp1251"),
        ("चाय", "latin-1 cp1252 mac_roman cp1251 cp437"),
        ("Щи со сметаной", "latin-1 cp1252 mac_roman cp1251 gbk"),
        ("Gołąbki", "latin-1 cp1252 cp1250 mac_roman gbk"),
        ("味噌汁", "latin-1 mac_roman"),
        ("김치찌개", "latin-1 cp1252 mac_roman"),
        ("“mapo” – 350°F", "latin-1 cp1252 mac_roman cp1250"),
    ],
)
def test_a_word_that_was_read_wrongly_is_known(meant: str, encodings: str) -> None:
    assert misread(meant) is None
    for encoding in encodings.split():
        wrong = meant.encode().decode(encoding, "replace")
        found = misread(wrong)
        assert found, (encoding, wrong)
        assert "\ufffd" in found[1] or "\ufffd" in wrong or found[1] in meant
    twice = meant.encode().decode("latin-1").encode().decode("latin-1")
    assert misread(twice)


@pytest.mark.parametrize(("wrong", "said"), [("é½è±†è…", "�豆�"), ("绾㈢儳鑲", "红烧�"), ("350Â°F", "350°F")])
def test_characters_that_are_lost_are_marked(wrong: str, said: str) -> None:
    assert (misread(wrong) or ("", ""))[1] == said


@pytest.mark.parametrize(
    "text",
    [
        "CAFÉ™ «CAFÉ» É» CAFÉ—BAR PÂTÉ— café”… voilà… MENÜ“ Grieß“ Ü–Wagen MAÇÃ® São SÃO",
        "Сёмга Рёва Її 'їжа' Ґанок «Єва»",
        "茅台 圆圆 缘 联通 元元 园 植脂末 陆 猫 caf猫是 用butter炒",
        "Íñigo Ñandú Çiğ köfte Şiş Ođak Žganci Ďábel Œuf cœur",
        "»Überbackene Nudeln« »Äpfel im Schlafrock« (»öffnen«) «Écrevisses à la nage» «éclair au café»",
        "«île flottante» «Época dorada» «Ñoquis con salsa» »ål i karry« „APĂ” LÃ» CĂ«",
        "爽爽爽 飘飘然 笑盈盈 某某某 毛瑟枪 突突突 哦哦哦 ｶ しかし ワロン ロロロ おかず お伝え ТІРІ СІТІ „ОЈО”",
        "Bánh mì Ẩm thực Đậu phụ Čłon|Čłonka gbeƒãe",
        "चाय مطبخ มะม่วง μουσακάς 味噌汁 김치찌개",
    ],
)
def test_right_words_are_let_through(text: str) -> None:
    assert misread(text) is None


def test_words_of_many_languages_are_let_through() -> None:
    for lang in ("de", "fr", "es", "pt", "pl", "cs", "tr", "vi", "ro", "uk", "bg", "ja", "ko", "hi", "zh"):
        for word in wordfreq.top_n_list(lang, 80):
            forms = (word, word.upper(), f"»{word.capitalize()}", f"«{word}»", f"„{word.upper()}”")
            assert not [form for form in forms if misread(form)]


def test_all_tables_and_prompts_of_the_workflow_are_let_through() -> None:
    for path in [
        *ROOT.glob("resources/*/*.md"),
        *ROOT.glob("resources/**/*.txt"),
        *ROOT.glob("config/*.tsv"),
    ]:
        read_prose(path)
    for path in ROOT.glob("resources/**/*.tsv"):  # other tests read the long ones
        if path.parent.name not in ("lexicon", "glossary"):
            [*read_table(path, (), whole=False, comments=True)]


def test_texts_of_corpora_and_models_may_hold_a_few_such_words(tmp_path: Path) -> None:
    rows = [("line 2", {"a": "红烧肉"}), ("line 3", {"a": "x", "b": "350Â°F"}), ("line 4", {"a": "粥"})]
    refuse_misread("t", rows, copied=True)
    with pytest.raises(
        UserError, match=r"t, line 3, column b: '350Â°F' is UTF-8 that was read as WINDOWS-1252"
    ):
        refuse_misread("t", rows)
    with pytest.raises(UserError, match="line 3, column b"):
        refuse_misread("t", rows[1:2], copied=("a",))
    with job(str(tmp_path / "log")):
        refuse_misread("t", rows[1:2] * 2, copied=("b",))
    assert "warning: t, line 3, column b: '350Â°F' is UTF-8" in (tmp_path / "log").read_text("utf-8")
    with pytest.raises(UserError, match="line 3, column b"):
        refuse_misread("t", rows[1:2] * 3, copied=True)
    with pytest.raises(UserError, match=r"t, entry 2: 'CrÃ¨me' is .* Probably 'Crème' is meant"):
        refuse_misread_json("t", [{"a": "crème"}, {"a": ["CrÃ¨me"]}])
    (tmp_path / "prompt.txt").write_text("Adapt\nlâ€™Ã©tÃ© {recipe}", encoding="utf-8")
    with pytest.raises(UserError, match=r"line 2: .*l’été"):
        read_prose(tmp_path / "prompt.txt")
