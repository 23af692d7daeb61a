"""Inflected forms of names: plurals that are more than an ending behind the name, and cases.

Plurals of English, French and Spanish and the forms of Hindi nouns are few, and are stored beside the names. Tamil
and Telugu words have hundreds of forms; from these, the forms that dictionaries have are made as texts are read.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

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
# French nouns in -ou whose plural adds -x: seven that schools teach, slang ripou, and tripou, a dish of Auvergne.
_IN_X = frozenset({"bijou", "caillou", "chou", "genou", "hibou", "joujou", "pou", "ripou", "tripou"})
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
    return word + ("x" if word.endswith(("au", "eu")) or last in _IN_X else "s")


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


# Folded words of Hindi that a dot below a letter turns into another word, not another spelling, in all their forms.
# Left out are those that mostly mean the same without it: खुदा (God), गौर (attention), जमाना (age), सजा (penalty).
HOMOGRAPHS = frozenset(
    form
    for word in (
        "राज",  # rule; राज़: secret
        "कमर",  # waist; क़मर: moon
        "फन",  # hood of a snake; फ़न: art
        "जंग",  # war; ज़ंग: rust
        "जीना",  # to live; ज़ीना: stairs
        "खाना",  # food; ख़ाना: compartment
        "गुल",  # flower; ग़ुल: noise
        "जन",  # people; ज़न: woman
        "जाल",  # net; ज़ाल: Zal, a hero of the Shahnameh
        "खाल",  # hide; ख़ाल: mole
    )
    for form in (word, *_hindi(word))
)

# Letters, without marks, of a word in `citations`: others could begin with a single one. Where more than a suffix is
# taken off, three: வில் (bow) would be in விலை (price).
LEAST, CHANGED = 2, 3


@lru_cache(1 << 16)
def citations(word: str, lang: str) -> tuple[str, ...]:
    """The forms in a dictionary that a folded word may have besides itself; none in languages but ta and te."""
    make = {"ta": _tamil, "te": _telugu}.get(lang)
    if not make:
        return ()
    return tuple(dict.fromkeys(one for one in _long(make(word), LEAST) if one != word))


def inflects(lang: str) -> bool:
    """Whether words of a language have `citations`."""
    return lang in ("ta", "te")


def inflected(
    folded: str, lang: str, number: Callable[[str], int | None]
) -> Iterator[tuple[int, int, int, str, int]]:
    """Names in a folded text whose last word is inflected, such as சென்னை in சென்னையில்; `number` tells names.

    For each name: where the mention begins, where its last word does, where the mention ends, the form of the last
    word in the dictionary, and the name's number. A word that is a name itself is not taken apart; of the forms in
    the dictionary only the first one with a name counts. The suffix is no part of the mention, unless the last letter
    of the name is written together with it (தமிழ் in தமிழில்).
    """
    starts: list[int] = []
    for match in word_pattern().finditer(folded):
        at, stop = match.span()
        starts = [*starts[1 - MOST :], at]
        if number(match.group()) is not None:
            continue
        for citation in citations(match.group(), lang):
            end = at + len(citation)
            if not folded.startswith(citation, at) or unicodedata.category(folded[end]).startswith("M"):
                end = stop
            named = [(start, number(folded[start:at] + citation)) for start in starts]
            if found := [(start, at, end, citation, name) for start, name in named if name is not None]:
                yield from found
                break


# Tamil is taken apart into consonants and vowels (letters of their own), which are one sign where they meet.
_TAMIL_VOWELS = dict(zip("ாிீுூெேைொோௌ", "ஆஇஈஉஊஎஏஐஒஓஔ", strict=True))
_TAMIL_SIGNS = {vowel: sign for sign, vowel in _TAMIL_VOWELS.items()} | {"அ": ""}
_TAMIL_CONSONANTS = "க-ஹ"
_VIRAMA = "்"
_DOUBLED = re.compile("(?<=[ஐஇஉஅ])[கசதப]$")  # the first consonant of the next word: சென்னைக்குப் போனான்
# Suffixes behind consonants, and others with which many words end by chance (விலை, price, is no வில், bow): these
# count only behind plurals, glides and the oblique stems of nouns in -m.
_TAMIL_CLEAR = "இல் இன் இனை இலிருந்து இலிருந்தே உக்கு இற்கு உக்காக உடைய உடன் ஓடு"
_TAMIL_SHORT = "ஐ ஆல் இடம்"
_DATIVE = re.compile("(?<=[ஐஇஈ])ககஉ(?:ஆக)?$")  # after vowels
_PLURAL_TA = re.compile("(?:(?<=ங)|(?<=க)|(?<=[ஆஇஈஉஊஎஏஐஒஓலளரனணயழ]))கஅள$")
_GLIDES = ("ஐய", "இய", "ஈய", "ஏய", "ஆவ", "உவ", "ஊவ", "ஓவ")
_MARKED = re.compile("(?:கஅள|அதத|ஐய|[இஈஏ]ய|[ஆஊ]வ)$")  # stems that only suffixes follow
_HELD = re.compile("[அ-ஔ][ணனமயரலளழ]$")  # consonants with which a word may end
_DROPS_U = re.compile("[கசடதபறவ]$")  # consonants after which a word's last -u is not written before a vowel


def _apart(word: str) -> str:
    parts = re.sub(f"([{_TAMIL_CONSONANTS}])(?![ா-்])", r"\1அ", word).replace(_VIRAMA, "")
    return "".join(_TAMIL_VOWELS.get(one, one) for one in parts)


def _together(parts: str) -> str:
    return re.sub(
        f"([{_TAMIL_CONSONANTS}])([அ-ஔ]?)",
        lambda match: match[1] + (_TAMIL_SIGNS[match[2]] if match[2] else _VIRAMA),
        parts,
    )


_TAMIL_CASE = re.compile("|".join(map(_apart, _TAMIL_CLEAR.split())))
_TAMIL_ANY_CASE = re.compile("|".join(map(_apart, f"{_TAMIL_CLEAR} {_TAMIL_SHORT}".split())))


def _tamil(word: str) -> Iterator[str]:
    parts = _apart(word)
    for whole in dict.fromkeys((parts, _DOUBLED.sub("", parts))):
        bare = whole.removesuffix("உம") if whole.endswith("உம") else whole  # -um: and, also
        found = [whole, *_without_dative(whole), *_singular(whole)]
        for one in dict.fromkeys((whole, bare)):
            for start in range(len(one) - 1, 0, -1):
                case = _TAMIL_ANY_CASE if _MARKED.search(one, 0, start) else _TAMIL_CASE
                if case.fullmatch(one, start):
                    found += _tamil_nominatives(one[:start])
        yield from map(_together, found)
        if bare != whole:
            found = [*_without_dative(whole[:-1]), *_singular(bare), *_without_glide(bare)]
            yield from _long(map(_together, found), CHANGED)


def _tamil_nominatives(oblique: str) -> Iterator[str]:
    """Nouns with an oblique stem, also of the plural: without a glide or a doubled consonant, with -u or -m."""
    yield from _singular(oblique)
    yield from _without_glide(oblique)
    changed = []
    if _HELD.search(oblique):
        changed.append(oblique)
    elif oblique.endswith("அதத"):
        changed.append(f"{oblique[:-2]}ம")
    elif _DROPS_U.search(oblique):
        changed.append(f"{oblique}உ")
        if oblique.endswith(("டட", "றற")):
            changed.append(f"{oblique[:-1]}உ")
    yield from (one for one in changed if _letters(_together(one)) >= CHANGED)


def _singular(word: str) -> Iterator[str]:
    stem = _PLURAL_TA.sub("", word)
    if stem.endswith("அங"):
        yield from (one for one in [f"{stem[:-1]}ம"] if _letters(_together(one)) >= CHANGED)
    elif stem != word and not stem.endswith("ங"):  # பாருங்கள் (see) is no plural
        yield stem.removesuffix("க")


def _without_dative(word: str) -> Iterator[str]:
    if (stem := _DATIVE.sub("", word)) != word:
        yield stem


def _without_glide(word: str) -> Iterator[str]:
    if word.endswith(_GLIDES):
        yield word[:-1]


# Suffixes that hardly any word ends with by chance, and others: చెరకు (sugarcane) has no suffix కు.
_TELUGU_CLEAR = "లోని లోనే లోనూ లోనికి లోకి లోపల లో తోనూ తో పై పైన నుండి నుంచి వద్ద కోసం వరకు మీద"
_TELUGU_SHORT = "కు కి ను ని కూ నూ"
_TELUGU_VIRAMA = "్"
_TELUGU_NEUTER = ("ానికి", "ాన్ని", "ానిది")  # singular of nouns in -am


def _letters(text: str) -> int:
    """Letters without marks: of తెలుగు, three."""
    return sum(map(str.isalpha, text))


def _telugu(word: str) -> Iterator[str]:
    for suffix in (*_TELUGU_CLEAR.split(), *_TELUGU_SHORT.split()):
        stem = word.removesuffix(suffix)
        if stem != word:
            if _letters(stem) >= (CHANGED if suffix in _TELUGU_SHORT.split() else LEAST):
                yield stem
            yield from _telugu_nominatives(stem, "ల", LEAST)
            yield from _long(_telugu_changed(stem), CHANGED)
    yield from _telugu_nominatives(word, "లు", CHANGED)
    yield from _long((f"{word.removesuffix(end)}ం" for end in _TELUGU_NEUTER if word.endswith(end)), CHANGED)
    if word.endswith("ు"):
        yield from _long([word[:-1] + _TELUGU_VIRAMA], CHANGED + 1)  # కలరు (there are) is no కలర్ (colour)


def _telugu_nominatives(word: str, plural: str, least: int) -> Iterator[str]:
    """The singular of a plural: దోశ of దోశలు, and దేవాలయం of దేవాలయాలు."""
    if word.endswith(plural):
        singular = word.removesuffix(plural)
        yield from _long([singular], least)
        if singular.endswith("ా"):
            yield from _long([f"{singular[:-1]}ం"], CHANGED)


def _telugu_changed(stem: str) -> Iterator[str]:
    """Nouns with another stem before a suffix: నెల్లూరు in నెల్లూరిలో, హైదరాబాద్ in హైదరాబాదులో."""
    if stem.endswith("రి"):
        yield f"{stem[:-1]}ు"
    if stem.endswith("ు"):
        yield stem[:-1] + _TELUGU_VIRAMA


def _long(words: Iterable[str], least: int) -> Iterator[str]:
    return (word for word in words if _letters(word) >= least)
