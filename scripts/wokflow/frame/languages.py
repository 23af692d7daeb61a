"""Names and scripts of languages, and the languages of data."""

import re
from collections.abc import Collection

# The one definition of a Chinese character: those of Unicode's script Han, as the inside of a character class for re,
# regex and Polars alike.
HAN = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufa6d\ufa70-\ufad9\U00016fe2\U00016fe3\U00016ff0-\U00016ff6\U00020000-\U0003ffff"
)
CHINESE = re.compile(f"[{HAN}]+")

# Marks at the end of sentences, each the inside of a character class: those that end one only before a space, since a
# full stop is also part of abbreviations and numbers; those of other scripts (Arabic, Urdu, Armenian, Devanagari and
# its neighbours, Ethiopic, Burmese, Khmer, Tibetan); and full-width ones, which no space follows.
SENTENCE_ENDS = ".!?…"
SCRIPT_ENDS = "؟۔։।॥።፧፨။។៕།༎"
WIDE_ENDS = "。！？｡"
NAMES = {  # in English, as prompts name them
    "af": "Afrikaans",
    "am": "Amharic",
    "ar": "Arabic",
    "as": "Assamese",
    "az": "Azerbaijani",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "gl": "Galician",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "kk": "Kazakh",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "lo": "Lao",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mn": "Mongolian",
    "mr": "Marathi",
    "ms": "Malay",
    "my": "Burmese",
    "nb": "Norwegian Bokmål",
    "ne": "Nepali",
    "nl": "Dutch",
    "nn": "Norwegian Nynorsk",
    "no": "Norwegian",
    "pa": "Punjabi",
    "pl": "Polish",
    "ps": "Pashto",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "si": "Sinhala",
    "sk": "Slovak",
    "sl": "Slovene",
    "sr": "Serbian",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "xh": "Xhosa",
    "yue": "Cantonese",
    "zh": "Chinese",
}
_LANGUAGES = {  # by their script, in the names of Unicode; languages that are written in one or another are left out
    "Han": "zh yue wuu lzh",
    "Han Hiragana Katakana": "ja",
    "Hangul": "ko",
    "Devanagari": "hi mr ne sa",
    "Bengali": "bn as",
    "Gujarati": "gu",
    "Gurmukhi": "pa",
    "Oriya": "or",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Myanmar": "my",
    "Tibetan": "bo dz",
    "Georgian": "ka",
    "Armenian": "hy",
    "Ethiopic": "am ti",
    "Greek": "el",
    "Hebrew": "he yi",
    "Arabic": "ar arz ary fa ur ps",
    "Cyrillic": "ru uk be bg mk",
    "Latin": "en es fr de it nl pt ca gl eu ro pl cs sk sl hr hu fi et lt lv sv da no nb nn is ga cy tr vi id ms "
    "af sq sw tl xh zu yo ig ha so mg mt lb oc ast sc nan vro sgs rup gsw egl",
}
SCRIPTS = {lang: tuple(names.split()) for names, langs in _LANGUAGES.items() for lang in langs.split()}
USUAL = {
    "az": ("Latin",),
    "kk": ("Cyrillic",),
    "mn": ("Cyrillic",),
}  # of languages with several, that of most texts
_SPACELESS = (  # scripts without spaces between words
    *("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
    *("Tai_Le", "New_Tai_Lue", "Tai_Tham", "Tai_Viet"),
)


def letters(scripts: Collection[str]) -> str:
    """Letters of scripts with these names in Unicode, as the inside of a character class for package regex."""
    return "".join(rf"\p{{{name}}}" for name in scripts) + ("ーｰ" if "Katakana" in scripts else "")


SPACELESS_LETTERS = letters(_SPACELESS)
SPACELESS = frozenset(lang for lang, scripts in SCRIPTS.items() if {*scripts} <= {*_SPACELESS})
UNSPACED_SENTENCES = frozenset(
    lang for lang, scripts in SCRIPTS.items() if "Han" in scripts
)  # nor between these


def target_lang(data: str) -> str:
    """The language that predictions of data such as zh-en are in: en-zh_TW is to Chinese."""
    return data.partition("-")[2].partition("_")[0]
