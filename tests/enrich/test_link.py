"""When the dictionary linker believes a name: beside other words with a capital, as another name, in a phrase."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wokflow.enrich.letters import placed, plain
from wokflow.enrich.link import Linker
from wokflow.enrich.names import Names, enrich_names
from wokflow.enrich.phrases import Phrases
from wokflow.enrich.surroundings import in_longer
from wokflow.enrich.word_forms import Cases, fold
from wokflow.frame.job import Job, UserError

from tests.conftest import ROOT
from tests.enrich.defaults import PHRASES, linker_of
from tests.enrich.facts import dumped, entity

ITEMS = [
    entity("Q1", {"en": "Hall"}, descriptions={"en": "town in New York"}),
    entity(
        "Q2",
        {"en": "Australian Football League"},
        aliases={"en": ["AFL"]},
        descriptions={"en": "premier competition"},
    ),
    entity("Q3", {"en": "crust punk"}, aliases={"en": ["crust"]}, descriptions={"en": "music genre"}),
    entity("Q4", {"en": "sake"}, aliases={"en": ["nihonshu"]}, descriptions={"en": "rice wine"}),
    entity("Q5", {"en": "The Hong Kong"}, descriptions={"en": "American rock band"}),
    entity("Q6", {"en": "Der Spiegel"}, descriptions={"en": "weekly magazine"}),
    entity("Q7", {"en": "Beijing"}, aliases={"en": ["Peking"]}, descriptions={"en": "capital of China"}),
    entity("Q8", {"en": "stir frying"}, aliases={"en": ["stir-frying"]}),
    entity("Q9", {"en": "Ottoman Army"}),
    entity("Q10", {"en": "Bishop of Valencia"}),
    entity("Q11", {"en": "British Fleet"}),
    entity("Q12", {"en": "Marathon Man"}),
    entity("Q13", {"en": "The Trial of Joan of Arc"}),
    entity("Q14", {"en": "Fall of Man"}),
    entity("Q15", {"en": "crème brûlée"}),
    entity("Q16", {"en": "¡Cu-Cut!"}),
    entity("Q17", {"en": ".hack"}),
    entity("Q18", {"en": "(500) Days of Summer"}),
    entity("Q19", {"en": "'Allo 'Allo!"}),
    entity("Q20", {"en": "Île-de-France"}),
    entity("Q21", {"en": "...And Justice for All"}),
    entity("Q22", {"en": "Government"}, descriptions={"en": "book by B. Traven"}),
    entity("Q23", {"en": "villa"}, descriptions={"en": "country house"}),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    folder = tmp_path_factory.mktemp("names")
    table = dumped(ITEMS, folder / "dump", ["en"])
    enrich_names(entities=table, names=str(folder / "n"), digest=str(folder / "d"), lang="en", job=Job())
    names = Names.open(folder / "n", "en")
    names.cases.count(["the hall or a villa of the government"] * 10)
    return linker_of(names, Phrases.read(PHRASES, "en"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("They moved to Hall in May.", {}),
        ("They moved to Hall, a town.", {"Hall": "Q1"}),
        ("They asked both Government and people.", {}),
        ("They read Government, a book.", {"Government": "Q22"}),
        ("They live in a villa.", {"villa": "Q23"}),
        ("They play for Aston Villa now.", {}),
        ("They met in City Hall in May.", {}),
        ("They saw the Hall of Mirrors.", {}),
        ("They saw the Museum of the Hall, later sold.", {}),
        ("Of Rome, Hall and Paris they knew each town.", {"Hall": "Q1"}),
        ("The Australian Football League (AFL) grew.", {"Australian Football League": "Q2", "AFL": "Q2"}),
        ("The AFL is a premier one.", {"AFL": "Q2"}),
        ("The AFL lost its voice.", {}),
        ("The pie crust is brown.", {}),
        ("He plays crust and other music.", {"crust": "Q3"}),
        ("They drink sake.", {"sake": "Q4"}),
        ("SAKE is a wine.", {"SAKE": "Q4"}),
        ("For the sake of peace they left.", {}),
        ("For heaven's sake, they drink sake.", {"sake": "Q4"}),
        ("He sang with the Hong Kong Choir.", {}),
        ("He sang with The Hong Kong Choir.", {"The Hong Kong": "Q5"}),
        ("He reads DER SPIEGEL, a magazine.", {"DER SPIEGEL": "Q6"}),
        ("READ DER SPIEGEL NOW", {"DER SPIEGEL": "Q6"}),
        ("HE DRINKS SAKE NOW", {}),
        ("He lived in Peking then.", {"Peking": "Q7"}),
        ("He knew Arturo Peking then.", {}),
        ("Stir-frying is quick.", {"Stir-frying": "Q8"}),
        ("They fought the Ottoman army there.", {"Ottoman army": "Q9"}),
        ("They fought an ottoman Army there.", {}),
        ("Hug was bishop of Valencia.", {"bishop of Valencia": "Q10"}),
        ("Hug was Bishop of valencia.", {}),
        ("They saw the British fleet there.", {}),
        ("Marathon man runs again.", {}),
        ("They knew of the trial of Joan of Arc.", {}),
        ("The Fall of man began.", {}),
        ("They read ¡Cu-Cut! then.", {"¡Cu-Cut!": "Q16"}),
        ("He plays .hack now, not web.hack.", {".hack": "Q17"}),
        ("(500) Days of Summer ran.", {"(500) Days of Summer": "Q18"}),
        ("They saw “'Allo 'Allo!” then.", {"'Allo 'Allo!": "Q19"}),
        ("They play (...And Justice for All) now.", {"...And Justice for All": "Q21"}),
        ("They eat (crème brûlée).", {"crème brûlée": "Q15"}),
        (normalize("NFD", "It is crème brûlée, say."), {normalize("NFD", "crème brûlée"): "Q15"}),
        ("\ufeffThey eat crème\u200b brûlée\u200b.", {"crème\u200b brûlée": "Q15"}),
        (normalize("NFD", "Île\u00ad-de-France, say."), {normalize("NFD", "Île\u00ad-de-France"): "Q20"}),
    ],
)
def test_what_is_linked(text: str, found: dict[str, str], linker: Linker) -> None:
    assert {text[one.start : one.end]: one.qid for one in linker(text)} == found


@pytest.mark.parametrize(
    "space", ["\u00a0", "\u2009", "\u3000", "\u2003", "\t", "  ", " \u00a0", "\u200b "], ids=ascii
)
@pytest.mark.parametrize(
    "text",
    [
        "They met in City Hall in May.",
        "They saw the Museum of the Hall, later sold.",
        "He sang with The Hong Kong Choir.",
        "He lived. Peking then.",
        "They fought the Ottoman army there.",
        "(500) Days of Summer ran.",
        "For heaven's sake, they drink sake.",
        "He plays crust and other music.",
    ],
)
def test_a_space_is_a_space(text: str, space: str, linker: Linker) -> None:
    spaced = text.replace(" ", space)
    found = {plain(spaced[one.start : one.end]): one.qid for one in linker(spaced)}
    assert found == {text[one.start : one.end]: one.qid for one in linker(text)}


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("in [Hall]", False),
        ("a stop (City [Hall])", True),
        ("(City [Hall])", False),
        ("a stop (City of [Hall])", True),
        ("City [Hall]", False),  # City begins the sentence
        ("the City [Hall]", True),
        ("[Hall] Road", True),
        ("[Hall]-Road", True),
        ("a Bern–[Hall] line", True),
        ("the [Hall] of Fame", True),
        ("the [Hall] of the People", True),
        ("the [Hall] of a town", False),
        ("the King of [Hall]", True),
        ("the Lord of the [Hall]", True),
        ("in the [Hall]", False),
        ("of the [Hall]", False),
        ("the [Hall]", False),
        ("of [Hall]", False),
        ("Rome, [Hall] and so on", False),
        ("in Turkey's [Hall] province", False),
        ("[Hall]", False),
        (" [Hall] ", False),
    ],
)
def test_names_in_longer_names(text: str, inside: bool) -> None:
    start, end = text.index("["), text.index("]") - 1
    assert in_longer(text.replace("[", "").replace("]", ""), start, end) is inside


def test_phrases_are_those_of_the_language(tmp_path: Path) -> None:
    path = tmp_path / "phrases.tsv"
    path.write_text("lang\tphrase\nen\tPiece of cake\nde\tfür * Katz\n", encoding="utf-8")

    class Span:
        start, end = 4, 8

    assert [*Phrases.read(str(path), "de").without("für die katz", [Span()])] == []
    assert len([*Phrases.read(str(path), "en").without("für die katz", [Span()])]) == 1
    path.write_text("lang\tphrase\nen\tpiece of cake\nen\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"phrases.tsv, line 3: both lang and phrase must be filled\."):
        Phrases.read(str(path), "de")


@pytest.mark.parametrize(
    ("lang", "name", "text", "mention"),
    [
        ("hi", "ज़र्दा", "वह \u095bर्दा है", "\u095bर्दा"),  # one character for a letter and its dot
        ("hi", "\u095bर्दा", "वह ज\u093cर्दा है", "ज\u093cर्दा"),
        ("ta", "பொங்கல்", "ப\u0bc6\u0bbeங்கல் விழா", "ப\u0bc6\u0bbeங்கல்"),  # a vowel on both sides of its letter
        ("te", "చార్మినార్", "ఆ చార్మినార్\u200c చూసారు", "చార్మినార్"),
        ("te", "చార్మినార్\u200c", "ఆ చార్మినార్ చూసారు", "చార్మినార్"),
        ("ko", "불고기", normalize("NFD", "불고기 맛"), normalize("NFD", "불고기")),
        ("vi", "phở bò", normalize("NFD", "ăn phở bò ngon"), normalize("NFD", "phở bò")),
        ("ar", "كُشَري", "أكلنا كشري اليوم", "كشري"),  # vowels may be left out
        ("ar", "أم علي", "طبق ام علـي حلو", "ام علـي"),
        ("ar", "القاهرة", "زرت والقاهرة أمس", "القاهرة"),  # and-Cairo
        ("he", "ירושלים", "נולד בִּירוּשָׁלַיִם", "ירוּשָׁלַיִם"),
        ("he", "צה״ל", 'שירת בצה"ל שנה', 'צה"ל'),
        ("fa", "قرمه سبزی", "قرمه\u200cسبزی یک خورش است", "قرمه\u200cسبزی"),
        ("ur", "بریانی", "کراچی کی بريانی مشہور", "بريانی"),
        ("ru", "Алёна", "это Але\u0301на там", "Але\u0301на"),
        ("tr", "Diyarbakır Kalesi", "Orada DİYARBAKIR KALESİ var", "DİYARBAKIR KALESİ"),
        ("ko", "김밥", "그는 김밥을 먹었다", "김밥"),
        ("ko", "부산 국제 영화제", "그는 부산 국제 영화제에서 상을 받았다", "부산 국제 영화제"),
        ("ja", "ラーメン", "ﾗｰﾒﾝが好き", "ﾗｰﾒﾝ"),
        ("zh", "KFC", "他去ＫＦＣ吃饭", "ＫＦＣ"),
    ],
)
def test_letters_count_however_their_marks_are_written(
    lang: str, name: str, text: str, mention: str, tmp_path: Path
) -> None:
    table = dumped([entity("Q1", {lang: name})], tmp_path / "dump", [lang])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang=lang, job=Job())
    (one,) = linker_of(Names.open(folder, lang))(text)
    assert (text[one.start : one.end], one.qid) == (mention, "Q1")


def test_a_name_of_taiwan_is_found_beside_another_one_of_all_chinese(tmp_path: Path) -> None:
    item = entity("Q1", {"zh": "意大利面", "zh-tw": "義大利麵"})
    table = dumped([item], tmp_path / "dump", ["zh"])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang="zh", job=Job())
    linker = linker_of(Names.open(folder, "zh"))
    for text in ("他吃義大利麵。", "他吃意大利面。"):
        assert [(text[one.start : one.end], one.qid) for one in linker(text)] == [(text[2:-1], "Q1")]


@pytest.mark.parametrize(
    ("lang", "text", "mention"),
    [
        ("te", "గోల్కొండ కోట చూసారు", "కోట"),
        ("ja", "彼は寿司を食べた", "寿司"),
        ("ko", "그는 대한민국에서 김밥 먹었다", "김밥"),
        ("eu", "bakailao jan zuen", "bakailao"),
    ],
)
def test_languages_without_frequencies_have_other_names_of_one_word(
    lang: str, text: str, mention: str, tmp_path: Path
) -> None:
    """Another name counts, here beside a word of the description, as in languages with frequencies."""
    about = text.replace(mention, "")
    item = entity("Q1", {lang: "x" * 8}, aliases={lang: [mention]}, descriptions={lang: about})
    table = dumped([item], tmp_path / "dump", [lang])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang=lang, job=Job())
    assert [text[one.start : one.end] for one in linker_of(Names.open(folder, lang))(text)] == [mention]


@pytest.mark.parametrize(
    ("lang", "text", "pages", "found"),
    [
        ("hi", "वह वन में है", 5, ""),  # in a wood, not in Van
        ("hi", "वह वन में है", 300, "वन"),
        ("ko", "그는 김밥나라 갔다", 5, ""),  # another word that begins like the name
        ("he", "הוא אמר שלום", 5, ""),  # no name of three letters behind one that might be a preposition
        ("es", "comimos tortilla", 5, "tortilla"),  # a label that is written as a title is
        ("tr", "bir altın yüzük", 5, ""),  # as gold is no film of that name
    ],
)
def test_words_that_may_be_names(lang: str, text: str, pages: int, found: str, tmp_path: Path) -> None:
    names = {
        "hi": ("वन", "Van"),
        "ko": ("김밥", "gimbap"),
        "he": ("לום", "Lom"),
        "es": ("Tortilla", "tortilla"),
        "tr": ("Altın", "Altin"),
    }
    label, english = names[lang]
    item = entity("Q1", {lang: label, "en": english})
    item["sitelinks"] = {f"x{number}wiki": {"title": label} for number in range(pages)}
    table = dumped([item], tmp_path / "dump", [lang, "en"])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang=lang, job=Job())
    assert "".join(text[one.start : one.end] for one in linker_of(Names.open(folder, lang))(text)) == found


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (["राज़", "राज"], "उनका राज था", ["Q2"]),  # rule, not secret, which has more pages
        (["राज़", "राज"], "यह रा\u095b है", ["Q1"]),
        (["राज़"], "उनका राज था", []),
        (["राज"], "यह राज़ है", []),
        (["राज़"], "यह राज़ है", ["Q1"]),
        (["राज"], "कई राज़ों का पता", []),
        (["ख़ाना", "खाना"], "वह खाने गया", ["Q2"]),
        (["फ़िल्म"], "यह फिल्म है", ["Q1"]),  # often written without the dot
        (["फ़िल्म", "फिल्म"], "यह फिल्म है", ["Q1"]),  # which has more pages
        (["ज़िला"], "यह जिला है", ["Q1"]),
        (["ख़ान"], "ये खान हैं", ["Q1"]),
        (["क़िस्मत"], "यह किस्मत है", ["Q1"]),
        (["फिल्म"], "यह फ़िल्म है", ["Q1"]),
        (["राज़ महल"], "यह राज महल है", ["Q1"]),
        (["मुर्ग़ मुसल्लम"], "यह मुर्ग मुसल्लम है", ["Q1"]),
        (["घोड़ा", "घोडा"], "यह घोडा है", ["Q1"]),  # the dot of ड़ tells nothing apart
    ],
)
def test_dots_below_hindi_letters_count_where_they_tell_words_apart(
    names: list[str], text: str, found: list[str], tmp_path: Path
) -> None:
    items = [entity(f"Q{number}", {"hi": name, "en": "thing"}) for number, name in enumerate(names, start=1)]
    assert linked_in_hindi(items, text, tmp_path) == found


def linked_in_hindi(items: list[dict[str, Any]], text: str, folder: Path) -> list[str]:
    """The items that a text mentions, of which the first one has 50 pages."""
    items[0]["sitelinks"] = {f"x{number}wiki": {"title": "x"} for number in range(50)}
    table = dumped(items, folder / "dump", ["hi", "en"])
    enrich_names(entities=table, names=str(folder / "n"), digest=str(folder / "d"), lang="hi", job=Job())
    return [one.qid for one in linker_of(Names.open(folder / "n", "hi"))(text)]


def test_a_weak_alias_with_the_same_dots_takes_nothing_from_a_label(tmp_path: Path) -> None:
    items = [entity("Q1", {"hi": "क़बाब", "en": "kebab"}), entity("Q2", {"en": "x"}, aliases={"hi": ["कबाब"]})]
    assert linked_in_hindi(items, "वह कबाब खाता है", tmp_path) == ["Q1"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ({"labels": {"hi": "राज़", "en": "secret"}}, ["Q1"]),
        ({"labels": {"en": "x"}, "aliases": {"hi": ["राज़"]}}, []),
    ],
)
def test_a_homograph_needs_a_text_that_fits_and_a_common_alias_never_counts(
    name: dict[str, Any], found: list[str], tmp_path: Path
) -> None:
    item = entity("Q1", **name, descriptions={"hi": "भारत इतिहास"})
    assert linked_in_hindi([item], "भारत इतिहास में उनका राज था", tmp_path) == found


def test_small_letters_that_are_alike_count_as_one() -> None:
    cases = Cases("ru")
    cases.count(["Он видел Мёд, а ел мёд и мед."])
    assert cases.ordinary(fold("мёд", "ru"))


def test_frequencies_of_chinese_leave_no_file_where_all_users_may_write(tmp_path: Path) -> None:
    code = "from wokflow.enrich.word_forms import zipf; print(zipf('麻婆豆腐', 'zh'), zipf('绿茶', 'zh') > 3)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["1.29", "True"]
    assert [*tmp_path.iterdir()] == []


SIGNS = (
    "राज\u093c\u095bन\u094daeéE\u0301\u0323\u200b\u00adㄱ각\u1100\u1161\u11a8"
    "க\u0bc6\u0bbe .¡ﬁ\u00a0\n\u3000Аى\u064fﾗﾞＫ\u2011ه\u200c"
)


def test_nasals_are_dots_above_however_the_letter_after_them_is_written() -> None:
    for nasal, letter in product("ङञणनम", map(chr, [*range(0x915, 0x93A), *range(0x958, 0x960)])):
        text = f"{nasal}\u094d{letter}"
        assert plain(normalize("NFD", text)) == plain(text), text
    assert plain("\u095bिन्दगी") == plain("ज\u093cिन्दगी") == "\u095bिंदगी"
    assert plain("श्रीमान्\nराम") == "श्रीमान्\nराम", "no consonant of the same word follows"
    assert plain("एन्\u095bाइम") == plain("एन्ज\u093cाइम") == "एं\u095bाइम"


@given(st.text(alphabet=SIGNS, max_size=12))
@example("\nन्")  # no consonant follows
@example("न्\u095b")
@example("А\u093c\u0301")  # a mark that goes stands before one that goes behind a letter
@example(" \u093c\n")  # a mark that goes stands between white space
@example("и\u0301\u0306")  # ... or before one that the letter is composed with
def test_every_character_of_a_plain_text_has_its_place(text: str) -> None:
    found, places = placed(text)
    assert plain(found) == found
    if places is None:
        assert found == text
        return
    assert len(places.starts) == len(places.ends) == len(found)
    for at, (start, end) in enumerate(zip(*places, strict=True)):
        assert start < end
        own = " \u0902" if text[start:end] == "न्" else " "  # the nasal is a dot because of what follows
        assert found[at] in own or found[at] in plain(text[start:end])
    assert sorted(places.starts) == [*places.starts]
    assert sorted(places.ends) == [*places.ends]
