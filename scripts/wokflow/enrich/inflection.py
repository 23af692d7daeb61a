"""Inflected forms of names: plurals that are more than an ending behind the name, and cases.

Plurals of English, French and Spanish and the forms of Hindi nouns are few, and are stored beside the names. Tamil
and Telugu words have hundreds of forms; from these, the forms that dictionaries have are made as texts are read.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from wokflow.enrich.word_forms import word_pattern

MOST = 5  # words of a name whose last word is inflected, at most
# A phrase has its head before one of these words: pain au chocolat, pains au chocolat.
_AFTER_HEAD = {
    "en": "of|with|in|on|from|à|au|aux|de|del|con|al|alla",
    "es": "de|del|con|en|a|al|para|por|sin|sobre|y|e",
    "fr": "de|du|des|en|à|au|aux|avec|sans|sur|sous|et",
}
_ELIDED = ("d'", "l'")  # so do words of French phrases that begin with these
_ACUTE = str.maketrans("áéíóú", "aeiou")
_IN_X = ("bijou", "caillou", "chou", "genou", "hibou", "joujou", "pou")
# French nouns in -al, -au and -eu whose plural only adds -s, and those in -ail with -aux.
_ALS = re.compile(
    "aval|bal|bancal|cal|cantal|caracal|carnaval|chacal|choral|copal|corral|emmental|festival|fatal|final|gavial|"
    "mistral|narval|natal|naval|nopal|pal|quetzal|récital|régal|santal|serval|sisal|trial|bleu|landau|pneu|sarrau|émeu"
)
_AILS = re.compile("bail|corail|fermail|soupirail|travail|vantail|vitrail|émail")
# English words in -man that are no compounds of man.
_MANS = re.compile(
    "ataman|brahman|caiman|cayman|desman|dolman|german|hetman|human|norman|ottoman|roman|shaman|talisman|toman|turcoman"
)
_ONE_SYLLABLE = re.compile("[^aeiouáéíóúü]*(?:qu|gu(?=[ei]))?[iu]?[aeiou][iu]?[^aeiouáéíóúü]*")
_ONLY_ENDINGS = ("s", "es")  # plurals that links of these languages know by themselves (affixes.PLURALS)


def forms(name: str, lang: str) -> Iterator[str]:
    """Inflected forms of a folded common noun, without those that only add an ending of affixes.PLURALS."""
    if lang == "hi":
        yield from _hindi(name)
    elif plural := _PLURAL.get(lang):
        made = _of_phrase(name, lang, plural)
        if made not in (name, *(name + ending for ending in _ONLY_ENDINGS)):
            yield made


def _of_phrase(name: str, lang: str, plural: Callable[[str], str]) -> str:
    """The plural of a phrase: that of its head's words, of which English inflects the last one."""
    words = name.split(" ")
    after = frozenset(_AFTER_HEAD[lang].split("|"))
    head = next(
        (
            at
            for at, word in enumerate(words)
            if at and (word in after or (lang == "fr" and word.startswith(_ELIDED)))
        ),
        len(words),
    )
    first = head - 1 if lang == "en" else 0
    return " ".join([*words[:first], *map(plural, words[first:head]), *words[head:]])


def _english(word: str) -> str:
    if len(word) > 3 and word[-1] == "y" and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    if word.endswith(("loaf", "leaf", "calf", "half", "shelf", "wolf", "thief")):
        return f"{word[:-1]}ves"
    if word.endswith(("knife", "wife")):
        return f"{word[:-2]}ves"
    if word.endswith("man") and len(word) > 3 and not _MANS.fullmatch(word.rpartition("-")[2]):
        return f"{word[:-2]}en"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _spanish(word: str) -> str:
    if word[-2:] in ("án", "én", "ín", "ón", "ún", "és", "ás", "ús"):
        return f"{word[:-2]}{word[-2:].translate(_ACUTE)}es"
    if word[-1:] == "z":
        return f"{word[:-1]}ces"
    if word[-1:] in "sx" and not _ONE_SYLLABLE.fullmatch(word):
        return word
    return word + ("s" if word[-1:] in "aeiouáéó" else "es")


def _french(word: str) -> str:
    if word[-1:] in "sxz":
        return word
    last = word.rpartition("-")[2]
    if _ALS.fullmatch(last):
        return f"{word}s"
    if _AILS.fullmatch(last):
        return f"{word[:-2]}ux"
    if word.endswith("al"):
        return f"{word[:-1]}ux"
    return word + ("x" if word.endswith(("au", "eu", *_IN_X)) else "s")


_PLURAL: Mapping[str, Callable[[str], str]] = {"en": _english, "es": _spanish, "fr": _french}


def _hindi(name: str) -> Iterator[str]:
    """Plurals and oblique forms of the last word: समोसे and समोसों of समोसा, रोटियां and रोटियों of रोटी."""
    stem, last = name[:-1], name[-1:]
    if last == "ा":
        yield from (f"{stem}े", f"{stem}ों")
        if name.endswith("िया"):
            yield f"{name}ं"
    elif last in ("ी", "ि"):
        yield from (f"{stem}ियां", f"{stem}ियों")
    elif last in ("ू", "ु"):
        yield f"{stem}ुओं"
    elif "क" <= last <= "ह":
        yield from (f"{name}ों", f"{name}ें")


LEAST = 2  # letters, without marks, of a word in `citations`: any more could begin with a single one


@lru_cache(1 << 16)
def citations(word: str, lang: str) -> tuple[str, ...]:
    """The forms in a dictionary that a folded word may have besides itself; none in languages but ta and te."""
    make = {"ta": _tamil, "te": _telugu}.get(lang)
    if not make:
        return ()
    found = dict.fromkeys(one for one in make(word) if one != word and sum(map(str.isalpha, one)) >= LEAST)
    return tuple(found)


def inflects(lang: str) -> bool:
    """Whether words of a language have `citations`."""
    return lang in ("ta", "te")


def inflected(
    folded: str, lang: str, number: Callable[[str], int | None]
) -> Iterator[tuple[int, int, int, str, int]]:
    """Names in a folded text whose last word is inflected, such as சென்னை in சென்னையில்; `number` tells names.

    For each name: where the mention begins, where its last word does, where the mention ends, the form of the last
    word in the dictionary, and the name's number. The suffix is no part of the mention, unless the last letter of the
    name is written together with it (தமிழ் in தமிழில்).
    """
    starts: list[int] = []
    for match in word_pattern().finditer(folded):
        at, stop = match.span()
        starts = [*starts[1 - MOST :], at]
        for citation in citations(match.group(), lang):
            end = at + len(citation)
            if not folded.startswith(citation, at) or unicodedata.category(folded[end]).startswith("M"):
                end = stop
            for start in starts:
                if (found := number(folded[start:at] + citation)) is not None:
                    yield start, at, end, citation, found


# Tamil is taken apart into consonants and vowels (letters of their own), which are one sign where they meet.
_TAMIL_VOWELS = dict(zip("ாிீுூெேைொோௌ", "ஆஇஈஉஊஎஏஐஒஓஔ", strict=True))
_TAMIL_SIGNS = {vowel: sign for sign, vowel in _TAMIL_VOWELS.items()} | {"அ": ""}
_TAMIL_CONSONANTS = "க-ஹ"
_VIRAMA = "்"
_DOUBLED = re.compile("(?<=[ஐஇஉஅ])[கசதப]$")  # the first consonant of the next word: சென்னைக்குப் போனான்
_AND = re.compile("(?<=[கஙசஞடணதநனபமயரலவழளற])உம$|(?<=[ஐஇ])யஉம$")  # -um: and, also
_CASES = (
    "ஐ ஆல் ஓடு உடன் இல் இன் இனை இலிருந்து இலிருந்தே உக்கு இற்கு உக்காக உடைய இடம் ஆன ஆக"  # after consonants and glides
)
_DATIVE = re.compile("(?<=[ஐஇஈ])ககஉ(?:ம|ஆக)?$")  # after vowels
_PLURAL_TA = re.compile("(?:(?<=ங)|(?<=க)|(?<=[ஆஇஈஉஊஎஏஐஒஓலளரனணயழ]))கஅள$")


def _apart(word: str) -> str:
    parts = re.sub(f"([{_TAMIL_CONSONANTS}])(?![ா-்])", r"\1அ", word).replace(_VIRAMA, "")
    return "".join(_TAMIL_VOWELS.get(one, one) for one in parts)


def _together(parts: str) -> str:
    return re.sub(
        f"([{_TAMIL_CONSONANTS}])([அ-ஔ]?)",
        lambda match: match[1] + (_TAMIL_SIGNS[match[2]] if match[2] else _VIRAMA),
        parts,
    )


@cache
def _case() -> re.Pattern[str]:
    return re.compile("|".join(map(_apart, _CASES.split())))


def _tamil(word: str) -> Iterator[str]:
    parts = _apart(word)
    whole = [parts, *({_DOUBLED.sub("", parts)} - {parts})]
    whole += [cut for one in whole if (cut := _AND.sub("", one)) != one]
    for one in whole:
        stems = [one[:start] for start in range(len(one) - 1, 0, -1) if _case().fullmatch(one, start)]
        nominatives = [nominative for stem in [one, *stems] for nominative in _tamil_nominatives(stem)]
        yield from map(_together, [*nominatives, _DATIVE.sub("", one)])


def _tamil_nominatives(oblique: str) -> Iterator[str]:
    """Nouns with an oblique stem, also of the plural: without a glide or a doubled consonant, with -u or -m."""
    plural = _PLURAL_TA.sub("", oblique)
    if plural != oblique and plural.endswith("ங"):
        yield f"{plural[:-1]}ம"
    if plural != oblique and plural.endswith("க"):
        yield plural[:-1]
    for stem in dict.fromkeys((oblique, plural)):
        yield stem
        if stem.endswith(("ஐய", "இய", "ஈய", "ஏய", "ஆவ", "உவ", "ஊவ", "ஓவ", "அவ")):
            yield stem[:-1]
        if stem.endswith("அதத"):
            yield f"{stem[:-2]}ம"
        elif stem.endswith(("டட", "றற")):
            yield f"{stem[:-1]}உ"
        elif stem[-1:] and "க" <= stem[-1] <= "ஹ":
            yield f"{stem}உ"


_TELUGU_CASES = "లోని లోనే లోనూ లోనికి లోకి లోపల లో తోనూ తో కు కి ను ని పై పైన నుండి నుంచి వద్ద కోసం గా వరకు మీద కూ నూ నీ"
_TELUGU = re.compile(f"(?:{'|'.join(sorted(_TELUGU_CASES.split(), key=len, reverse=True))})$")
_TELUGU_VIRAMA = "్"
_TELUGU_NEUTER = re.compile("(?:ానికి|ాన్ని|ానిది|ాల|ాలు)$")  # of nouns in -am


def _telugu(word: str) -> Iterator[str]:
    stems = [word]
    for start in range(len(word) - 1, 0, -1):
        if _TELUGU.fullmatch(word, start):
            stems.append(word[:start])
    for stem in stems:
        yield stem
        yield _TELUGU_NEUTER.sub("ం", stem)
        singular = stem.removesuffix("లు").removesuffix("ల") if stem.endswith(("లు", "ల")) else stem
        for one in dict.fromkeys((stem, singular)):
            yield one
            if one.endswith(("ు", "ి")):  # హైదరాబాదు for హైదరాబాద్; నెల్లూరి of నెల్లూరు
                yield one[:-1] + _TELUGU_VIRAMA
                yield f"{one[:-1]}ు"
