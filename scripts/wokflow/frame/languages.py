"""Names and scripts of languages, and the languages of data."""

import re

# The one definition of a Chinese character: those of Unicode's script Han, as the inside of a character class for re,
# regex and Polars alike.
HAN = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufa6d\ufa70-\ufad9\U00016fe2\U00016fe3\U00016ff0-\U00016ff6\U00020000-\U0003ffff"
)
CHINESE = re.compile(f"[{HAN}]+")

SPACELESS = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo", "yue", "wuu"})  # written without spaces
UNSPACED_SENTENCES = frozenset({"zh", "ja", "yue", "wuu"})  # no space between sentences either
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
_KANA = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_DEVANAGARI, _ARABIC, _CYRILLIC = "\u0900-\u097f", "\u0600-\u06ff\u0750-\u077f", "\u0400-\u04ff"
_SCRIPTS = {  # letters of languages that are not written in Latin ones, as the inside of a character class
    "zh": HAN,
    "ja": HAN + _KANA,
    "ko": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
    "hi": _DEVANAGARI,
    "mr": _DEVANAGARI,
    "bn": "\u0980-\u09ff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "th": "\u0e00-\u0e7f",
    "ar": _ARABIC,
    "ur": _ARABIC,
    "ru": _CYRILLIC,
    "fa": _ARABIC,
    "gu": "\u0a80-\u0aff",
    "he": "\u0590-\u05ff",
    "ka": "\u10a0-\u10ff",
    "kk": _CYRILLIC,
    "km": "\u1780-\u17ff",
    "mk": _CYRILLIC,
    "ml": "\u0d00-\u0d7f",
    "mn": _CYRILLIC,
    "my": "\u1000-\u109f",
    "ne": _DEVANAGARI,
    "ps": _ARABIC,
    "si": "\u0d80-\u0dff",
    "uk": _CYRILLIC,
    "am": "\u1200-\u139f\u2d80-\u2ddf",
    "as": "\u0980-\u09ff",
    "be": _CYRILLIC,
    "bg": _CYRILLIC,
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "hy": "\u0530-\u058f",
    "kn": "\u0c80-\u0cff",
    "lo": "\u0e80-\u0eff",
    "pa": "\u0a00-\u0a7f",
    "yue": HAN,
}
_LATIN = NAMES.keys() - _SCRIPTS - {"sr"}  # which has two scripts
_LATIN_LETTERS = (
    "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a"
)
_LATIN_WORD = re.compile(f"[{_LATIN_LETTERS}]+")


def in_language(text: str, lang: str) -> bool | None:
    """Whether a text is in the script of a language: its letters outnumber Latin words and other letters together.

    For a language in the Latin script, letters of other scripts must not outnumber Latin words.

    None for a text without letters, and for languages whose script is not known. Languages with the same script are
    not distinguished.
    """
    lang = lang.partition("_")[0]
    own = _SCRIPTS.get(lang, "")
    letters, latin = len(re.findall(f"[{own}]", text)) if own else 0, len(_LATIN_WORD.findall(text))
    others = len(re.findall(rf"[^\W\d_{_LATIN_LETTERS}{own}]", text))
    if not letters + latin + others or not (own or lang in _LATIN):
        return None
    return letters > latin + others if own else others <= latin


def target_lang(data: str) -> str:
    """The language that predictions of data such as zh-en are in: en-zh_TW is to Chinese."""
    return data.partition("-")[2].partition("_")[0]
