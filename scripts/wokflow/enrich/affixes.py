"""Affixes that are written together with a name: plural endings, particles, proclitics."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

PLURALS = {  # a part of the mention
    **dict.fromkeys(("en", "es", "gl", "pt"), ("s", "es")),
    **dict.fromkeys(("ca", "fr"), ("s",)),
}

# Particles that follow Korean names and are no part of the mention: the plural, then cases, limits, and the last one
# or a form of to be. The sign before a particle says what its name ends in: ( a consonant, [ one that is not ㄹ,
# ) a vowel, ] a vowel or ㄹ. After letters of other scripts all may stand.
_CASES = (
    "에 에서 에게 에게서 에다 에다가 께 께서 한테 한테서 더러 [으로 ]로 [으로서 ]로서 [으로써 ]로써 "
    "[으로부터 ]로부터 (과 )와 (이랑 )랑 하고 처럼 같이 만큼 보다 대로 마다 말고"
)
_LIMITS = (
    "만 까지 부터 조차 마저 밖에 뿐 치고 (은커녕 )는커녕 커녕 (이나 )나 (이라도 )라도 (이나마 )나마 (이든 "
    ")든 (이든지 )든지 (이든가 )든가"
)
_LAST = "(은 )는 (이 )가 (을 )를 의 도 요 (아 )야 (이여 )여 (이며 )며 (이니 )니"
_COPULA = (  # forms of to be
    "인 인데 이던 이든 이고 이다 이며 이면 이면서 이자 이지 이지만 이나 이니 이니까 이라 이라는 이라고 "
    "이라며 이라면 이란 이라서 이라도 이므로 이기 이기도 이기에 임 임을 임에도 입니다 입니까 이었다 이었던 "
    "이었고 이었으며 이었으나 이었지만 이었는데 이었을 이었습니다 이어서 이에요 이야 이죠 이네 이군 이거나 "
    ")다 )였다 )였던 )였고 )였으며 )였으나 )였지만 )였는데 )였을 )였습니다 )여서 )예요 )라는 )라고 )라며 )란 "
    ")라서 )므로"
)

MOST_SYLLABLES = 10  # of all particles

# Before Arabic and Hebrew names: conjunctions, prepositions, the article; and how some of these are written together.
_PROCLITICS = {
    "ar": ((("", "و", "ف"), ("", "ب", "ك", "ل"), ("", "ال")), {"لال": "لل"}),
    "he": (
        (("", "ו"), ("", "ש", "כש", "מש", "לכש"), ("", "ב", "כ", "ל", "מ"), ("", "ה")),
        {"בה": "ב", "כה": "כ", "לה": "ל"},
    ),
}
# Letters of a name's article that are not written after a preposition: للقاهرة is ل and القاهرة.
_SWALLOWED = {"ل": ("ا", "ال"), "ב": ("ה",), "כ": ("ה",), "ל": ("ה",)}
# Characters of a name after a proclitic, at least: shorter ones end too many words that begin with these letters.
# After the Arabic article, with which hardly any words but nouns begin, three will do.
LEAST, LEAST_DEFINITE = 4, 3


@cache
def proclitics(lang: str) -> Mapping[str, int]:
    """Proclitics that may be joined to a name, each with the least length of such a name."""
    parts, contracted = _PROCLITICS.get(lang, ((), {}))
    made = {"".join(chosen) for chosen in product(*parts)}
    for written, short in contracted.items():
        made = {one.removesuffix(written) + short if one.endswith(written) else one for one in made}
    return {one: LEAST_DEFINITE if one.endswith(("ال", "لل")) else LEAST for one in sorted(made) if one}


def proclitics_of(word: str, lang: str) -> Iterator[tuple[int, int]]:
    """The length of each proclitic that a folded word may begin with, and the least length of a name after it."""
    known = proclitics(lang)
    for length in range(1, min(len(word), max(map(len, known), default=0) + 1)):
        if least := known.get(word[:length]):
            yield length, least


def swallowed(word: str, lang: str) -> Iterator[tuple[int, str]]:
    """Where a name may begin in a folded word, with the letters at its beginning that the word does not write."""
    for length, _ in proclitics_of(word, lang):
        if lang != "ar" or word.startswith("لل", length - 1):
            for letters in _SWALLOWED.get(word[length - 1], ()):
                yield length, letters


def plurals(lang: str) -> Sequence[str]:
    """Plural endings."""
    return PLURALS.get(lang, ())


@cache
def particles(lang: str) -> re.Pattern[str] | None:
    """A pattern of particles that may follow a name in its word, as far as they fit the end of the name."""
    if lang != "ko":
        return None
    first = range(
        0xAC00, 0xD7A4, 28
    )  # syllables that end in a vowel; eight further on are those that end in ㄹ
    vowels, with_l = ("".join(chr(code + end) for code in first) for end in (0, 8))
    consonants = "".join(f"{chr(code + 1)}-{chr(code + 27)}" for code in first)
    without_l = "".join(f"{chr(code + 1)}-{chr(code + 7)}{chr(code + 9)}-{chr(code + 27)}" for code in first)
    wrong = {"(": vowels, "[": vowels + with_l, ")": consonants, "]": without_l}

    def one_of(listed: str) -> str:
        alternatives = (
            f"(?<![{wrong[one[0]]}]){one[1:]}" if one[0] in wrong else one
            for one in sorted(listed.split(), key=len, reverse=True)
        )
        return f"(?:{'|'.join(alternatives)})"

    last = f"(?:{one_of(_LAST)}|{one_of(_COPULA)})"
    return re.compile(f"들?{one_of(_CASES)}{{0,2}}{one_of(_LIMITS)}{{0,2}}{last}?")


def particle_lengths(word: str, lang: str) -> Iterator[int]:
    """How many characters at the end of a word may be particles."""
    if pattern := particles(lang):
        for length in range(1, min(MOST_SYLLABLES, len(word) - 1) + 1):
            if pattern.fullmatch(word, len(word) - length):
                yield length
