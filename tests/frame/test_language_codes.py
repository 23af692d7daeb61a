"""Languages as users write them, as Wikidata has them, and as Wikipedias are called."""

import pytest
from wokflow.frame.language_codes import (
    base,
    canonical,
    english_name,
    fallbacks,
    is_name_in,
    languages_of,
    site,
    wikipedia,
)


@pytest.mark.parametrize(
    ("written", "code", "language", "name", "site_id"),
    [
        ("zh_TW", "zh-tw", "zh", "zh", "zhwiki"),
        ("zh-Hant-TW", "zh-tw", "zh", "zh", "zhwiki"),
        ("pt_BR", "pt-br", "pt", "pt", "ptwiki"),
        ("sr_Latn", "sr-el", "sr", "sr", "srwiki"),
        ("nb", "nb", "nb", "no", "nowiki"),
        ("no", "no", "no", "no", "nowiki"),
        ("nn", "nn", "nn", "nn", "nnwiki"),
        ("yue", "yue", "yue", "zh-yue", "zh_yuewiki"),
        ("zh-yue", "yue", "yue", "zh-yue", "zh_yuewiki"),
        ("lzh", "lzh", "lzh", "zh-classical", "zh_classicalwiki"),
        ("zh_min_nan", "nan", "nan", "zh-min-nan", "zh_min_nanwiki"),
        ("sgs", "sgs", "sgs", "bat-smg", "bat_smgwiki"),
        ("vro", "vro", "vro", "fiu-vro", "fiu_vrowiki"),
        ("rup", "rup", "rup", "roa-rup", "roa_rupwiki"),
        ("be_tarask", "be-tarask", "be", "be-tarask", "be_x_oldwiki"),
        ("be-x-old", "be-tarask", "be", "be-tarask", "be_x_oldwiki"),
    ],
)
def test_a_language_has_one_code_and_one_wikipedia(
    written: str, code: str, language: str, name: str, site_id: str
) -> None:
    assert (canonical(written), base(written), wikipedia(written), site(written)) == (
        code,
        language,
        name,
        site_id,
    )


def test_a_variant_falls_back_on_what_is_next_to_it_and_then_on_its_language() -> None:
    assert languages_of("zh_TW-sr_Latn") == ("zh-tw", "sr-el")
    assert fallbacks("zh-tw")[:4] == ("zh-hant", "zh-hk", "zh-mo", "zh")
    assert fallbacks("zh-sg")[:4] == ("zh-hans", "zh-cn", "zh-my", "zh")
    assert (fallbacks("pt-br"), fallbacks("sr-el"), fallbacks("fr")) == (("pt",), ("sr", "sr-ec"), ())
    assert (english_name("en"), english_name("zh_TW"), english_name("es-419"), english_name("tlh")) == (
        "English",
        "Traditional Chinese",
        "Spanish",
        None,
    )


@pytest.mark.parametrize(
    ("name", "code", "lang", "counts"),
    [
        ("Feijoada", "mul", "es", True),
        ("Feijoada", "mul", "zh", False),
        ("Feijoada", "mul", "hi", False),
        ("Feijoada", "mul", "zh-tw", False),
        ("豆腐", "mul", "es", False),
        ("AKB48劇場", "mul", "zh", True),  # a letter of the script is enough
        ("7-11", "mul", "hi", True),  # of no script
        ("iPhone", "zh", "zh", True),  # the language's own name
        ("iPhone", "zh", "zh-tw", True),
        ("Ћевапи", "sr", "sr-el", False),
        ("Ćevapi", "sr", "sr-el", True),
        ("Ćevapi", "mul", "sr", True),  # which has two scripts
    ],
)
def test_a_name_for_all_languages_is_one_in_those_of_its_script(
    name: str, code: str, lang: str, counts: bool
) -> None:
    assert is_name_in(name, code, lang) is counts
