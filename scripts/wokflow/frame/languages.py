"""What all stages know of languages."""

import re

# The one definition of a Chinese character: those of Unicode's script Han, as the inside of a character class for re,
# regex and Polars alike.
HAN = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufa6d\ufa70-\ufad9\U00016fe2\U00016fe3\U00016ff0-\U00016ff6\U00020000-\U0003ffff"
)

SPACELESS = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo", "yue", "wuu"})  # written without spaces
NAMES = {  # in English, as prompts name them
    "ar": "Arabic",
    "bn": "Bengali",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "mr": "Marathi",
    "nl": "Dutch",
    "pt": "Portuguese",
    "ru": "Russian",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tr": "Turkish",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
_SCRIPTS = {  # letters of languages that are not written in Latin ones
    "zh": re.compile(f"[{HAN}]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ta": re.compile("[\u0b80-\u0bff]"),
    "te": re.compile("[\u0c00-\u0c7f]"),
}
_LATIN = ("en", "es", "fr", "de", "it", "nl", "pt", "tr", "vi")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f]+")


def in_language(text: str, lang: str) -> bool | None:
    """Whether a text is in the script of a language: more Han characters than words in Latin letters for Chinese.

    A text in the Latin script has no more letters of other scripts than words. None for a text with neither, and for
    languages whose script is not known.
    """
    lang = lang.partition("_")[0]
    letters = {name: len(script.findall(text)) for name, script in _SCRIPTS.items()}
    latin, others = len(_LATIN_WORD.findall(text)), sum(letters.values())
    if not others + latin or lang not in {*letters, *_LATIN}:
        return None
    return letters[lang] > latin if lang in letters else others <= latin


def target_lang(data: str) -> str:
    """The language that predictions of data such as zh-en are in: en-zh_TW is to Chinese."""
    return data.partition("-")[2].partition("_")[0]
