"""Codes of languages: as users write them, as Wikidata keeps names under, and as Wikipedias are called.

Everywhere behind the config, a language has Wikidata's code: `canonical` makes it of what users write. In a pair of
languages, script or region stand behind `_`: en-zh_TW is from English to Chinese as in Taiwan, zh-tw.
"""

import re
from functools import cache
from typing import Any

from wokflow.frame.languages import NAMES, SCRIPTS, USUAL, letters

ANY_LANGUAGE = "mul"  # Wikidata's code for names that hold in all languages
# Codes of BCP 47 by MediaWiki's own, where both differ (its LanguageCode::bcp47). Triples have the former.
TAGS = {
    **{code: code.replace("-", "-hans-") for code in ("zh-cn", "zh-sg", "zh-my")},
    **{code: code.replace("-", "-hant-") for code in ("zh-tw", "zh-hk", "zh-mo")},
    "sr-ec": "sr-cyrl",
    "sr-el": "sr-latn",
}
CODES = {tag: code for code, tag in TAGS.items()}
_FORMER = {  # codes that MediaWiki has replaced, most of them still the names of Wikipedias
    "als": "gsw",
    "bat-smg": "sgs",
    "be-x-old": "be-tarask",
    "bh": "bho",
    "eml": "egl",
    "fiu-vro": "vro",
    "roa-rup": "rup",
    "zh-classical": "lzh",
    "zh-min-nan": "nan",
    "zh-yue": "yue",
}
# Wikipedias that are called otherwise than their language, or are of a variant.
_WIKIPEDIAS = {
    **{code: former for former, code in _FORMER.items()},
    **{code: code for code in ("be-tarask", "nds-nl", "roa-tara")},
    "nb": "no",
}
_SITES = {"be-tarask": "be_x_old"}  # where a site's id is not the Wikipedia's name
# Codes under which Wikidata keeps names in a variant of a language, the best one first. Left out are forms of address
# of MediaWiki's own texts (de-formal, es-formal), and what is a language of its own (yue, nn, nan).
VARIANTS = {
    "be": ("be-tarask",),  # another orthography
    "de": ("de-at", "de-ch"),
    "en": ("en-gb", "en-us", "en-ca"),
    "es": ("es-419",),  # of Latin America
    "kk": ("kk-cyrl", "kk-latn", "kk-arab"),
    "ko": ("ko-kp",),
    "lzh": ("zh-classical",),  # the same language under its former code
    "nan": ("zh-min-nan",),
    "nb": ("no",),
    "no": ("nb",),  # the language of no.wikipedia.org, whose names Wikidata keeps under nb
    "pt": ("pt-br",),
    "sr": ("sr-ec", "sr-el"),  # Cyrillic and Latin
    "yue": ("zh-yue",),
    "zh": ("zh-hans", "zh-cn", "zh-sg", "zh-my", "zh-hant", "zh-tw", "zh-hk", "zh-mo"),
}
_TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")
LATIN = ("Latin",)
_OF_VARIANTS = {"ec": "Cyrillic", "el": "Latin", "cyrl": "Cyrillic", "latn": "Latin", "arab": "Arabic"}
_NAMES_OF_VARIANTS = {
    **dict.fromkeys(_TRADITIONAL, "Traditional Chinese"),
    **dict.fromkeys(("zh-hans", "zh-cn", "zh-sg", "zh-my"), "Simplified Chinese"),
    "pt-br": "Brazilian Portuguese",
    "sr-ec": "Serbian in Cyrillic letters",
    "sr-el": "Serbian in Latin letters",
}


def canonical(code: str) -> str:
    """Wikidata's code of a language: zh-tw of zh_TW and zh-Hant-TW, sr-el of sr_Latn, yue of zh-yue."""
    code = code.lower().replace("_", "-")
    code = CODES.get(code, code)
    return _FORMER.get(code, code)


def base(code: str) -> str:
    """The language without script and region: zh of zh_TW, be of be-tarask; yue of zh-yue."""
    return canonical(code).partition("-")[0]


def english_name(code: str) -> str | None:
    """The name of a language in English, as prompts have it; None if it is not known."""
    return _NAMES_OF_VARIANTS.get(canonical(code)) or NAMES.get(base(code))


def languages_of(pair: str) -> tuple[str, str]:
    """The canonical codes of a pair of languages: en and zh-tw of en-zh_TW."""
    source, _, target = pair.partition("-")
    return canonical(source), canonical(target)


def fallbacks(lang: str) -> tuple[str, ...]:
    """Other codes that names in a language stand under, the best one first, with Wikidata's code of it.

    A language takes those of its variants, a variant those of its language and then of its other variants; one of
    Chinese those in its own characters first: of zh-tw, zh-hant, zh-hk, zh-mo, zh, zh-hans and so on.
    """
    if lang in VARIANTS or "-" not in lang:
        return VARIANTS.get(lang, ())
    whole = base(lang)
    others = [code for code in VARIANTS.get(whole, ()) if code != lang]
    if whole != "zh":
        return whole, *others
    near = [code for code in others if (code in _TRADITIONAL) == (lang in _TRADITIONAL)]
    return *near, whole, *(code for code in others if code not in near)


def wikipedia(lang: str) -> str:
    """The name of the Wikipedia in a language, as in its address: zh of zh-tw, zh-yue of yue, no of nb."""
    code = canonical(lang)
    return _WIKIPEDIAS.get(code) or _WIKIPEDIAS.get(base(code), base(code))


def site(lang: str) -> str:
    """The id of that Wikipedia among an item's sitelinks: zhwiki, zh_yuewiki, nowiki, be_x_oldwiki."""
    name = wikipedia(lang)
    return f"{_SITES.get(name, name).replace('-', '_')}wiki"


def is_name_in(name: str, code: str, lang: str) -> bool:
    """Whether a name that Wikidata keeps under `code` is one in `lang`, of which `code` is a fallback.

    A name for all languages (mul) is mostly the original one in Latin letters. It counts only if it has a letter of
    the language's script, or no letters at all; so do names from elsewhere in a variant with a script of its own
    (sr-el). Names under the language's own code always count. Languages with several scripts, or with an unknown one,
    take all names.
    """
    if code == lang or (code != ANY_LANGUAGE and not has_script(lang)):
        return True
    pattern = letter_of(lang)
    return pattern is None or bool(pattern.search(name)) or not any(map(str.isalpha, name))


def has_script(lang: str) -> bool:
    """Whether a code, as Wikidata has it, says in which of the language's scripts: sr-el, kk-cyrl."""
    return "-" in lang and lang.rpartition("-")[2] in _OF_VARIANTS


@cache
def letter_of(lang: str) -> Any:
    """A compiled pattern of a letter of the language's script; None if it has several, or an unknown one."""
    import regex

    scripts = _scripts(lang)
    return regex.compile(f"[{letters(scripts)}]") if scripts else None


def _scripts(lang: str) -> tuple[str, ...]:
    """The scripts that are one language's together; none if it is written in one or another, or they are unknown."""
    own = [_OF_VARIANTS[part] for part in re.split("[-_]", lang.lower())[1:] if part in _OF_VARIANTS]
    return tuple(own[:1]) or SCRIPTS.get(base(lang), ())


def in_language(text: str, lang: str) -> bool | None:
    """Whether a text is in the script of a language: its letters outnumber Latin words and other letters together.

    For a language in the Latin script, letters of other scripts must not outnumber Latin words.

    None for a text without letters, and for languages whose script is not known. Languages with the same script are
    not distinguished.
    """
    scripts = _scripts(lang) or USUAL.get(base(lang))
    if not scripts:
        return None
    own, latin, others = (len(pattern.findall(text)) for pattern in _counted(scripts))
    if not own + latin + others:
        return None
    return others <= latin if scripts == LATIN else own > latin + others


@cache
def _counted(scripts: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Patterns of letters (with marks and digits) of scripts, of Latin words, and of letters of neither."""
    import regex

    own = letters(scripts)
    return tuple(
        regex.compile(one) for one in (f"[{own}]", r"\p{Latin}+", rf"(?V1)[\p{{L}}--[\p{{Latin}}{own}]]")
    )
