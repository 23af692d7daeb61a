"""The words of recipes, which of them are content words, and what a dictionary says they mean."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from wokflow.frame import jieba_dictionary
from wokflow.frame.english import inflections
from wokflow.frame.job import UserError
from wokflow.frame.languages import CHINESE
from wokflow.frame.text_files import read_prose, read_table, tables_in
from wokflow.parse.glossary import read_glossary

ENGLISH = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
GLOSS = re.compile(r"\([^()]*\)|\.\.\.|[^\w\s'-]")
CONTENT = tuple("nva")  # how jieba's tags of nouns, verbs and adjectives begin
DECORATION = "decoration"  # what titles say beside the dish
PAIR = ("zh", "en")
SEVERAL = re.compile("[|｜;；]")  # between the meanings of a cell
Cutter = Callable[[str], list[str]]


def cutter(lang: str) -> Cutter:
    """A function that gives the words of a text: jieba's in Chinese, else letters and digits in lower case.

    Numbers are words; punctuation is none.
    """
    if lang != "zh":
        return lambda text: ENGLISH.findall(text.lower())
    cut = jieba_dictionary.tokenizer().cut
    return lambda text: [word for word in cut(text.lower()) if any(map(str.isalnum, word))]


def content_words(words: Iterable[str], light: Collection[str], known: Collection[str]) -> Iterator[str]:
    """The Chinese nouns, verbs and adjectives, and what a dictionary knows of words that jieba's lacks."""
    tags = jieba_dictionary.tags()
    for word in words:
        if CHINESE.fullmatch(word) and word not in light:
            tag = tags.get(word)
            if tag.startswith(CONTENT) if tag else word in known:
                yield word


def read_light(path: str) -> set[str]:
    """Words, one a line; lines that begin with # are passed over."""
    return {line.strip() for line in read_prose(path).splitlines() if line.strip() and line[0] != "#"}


def read_pairs(path: str) -> list[tuple[str, str]]:
    """The pairs of a seed dictionary, each once, English in lower case.

    Raises UserError for an empty cell, and for no pair.
    """
    pairs: dict[tuple[str, str], None] = {}
    for line, row in read_table(path, PAIR, comments=True):
        zh, en = (row[name].strip() for name in PAIR)
        if not zh or not en:
            raise UserError(f"{path}, line {line}: zh and en must both hold a word.")
        pairs[zh, en.lower()] = None
    if not pairs:
        raise UserError(f"{path} holds no word pairs; the alignment needs some to begin with.")
    return list(pairs)


def read_dictionary(lexicon: str, glossary: str, own: str | None) -> dict[str, list[str]]:
    """The English meanings of Chinese words, in lower case: the user's own first, then the glossary's.

    Of the glossary, a class means what its English name says, and only the word that names the class has it.
    """
    by_word: dict[str, dict[str, None]] = {}

    def add(zh: str, en: str) -> None:
        if meaning := " ".join(GLOSS.sub(" ", en.lower()).split()):
            by_word.setdefault(zh.strip(), {})[meaning] = None

    for _, row in read_table(own, PAIR, comments=True) if own else ():
        for meaning in SEVERAL.split(row["en"]):
            add(row["zh"], meaning)
    for names in read_glossary(glossary).english.values():
        for zh, en in names.items():
            add(zh, en)
    for path in tables_in(lexicon):
        for _, row in read_table(path, (*PAIR, "kind")):
            if row["kind"] != DECORATION:
                add(row["zh"], row["en"])
    return {zh: [*meanings] for zh, meanings in by_word.items()}


class Matcher:
    """Tells which English words render a meaning literally: in the same form, or inflected on either side."""

    def __init__(self, vocabulary: Collection[str]) -> None:
        self._vocabulary = vocabulary
        self._forms = {form for word in vocabulary for form in inflections(word)}

    def knows(self, meanings: Iterable[str]) -> bool:
        """Whether one of the meanings is a word of the vocabulary, so that it could have been found."""
        return any(
            meaning in self._forms or any(form in self._vocabulary for form in inflections(meaning))
            for meaning in meanings
        )

    @staticmethod
    def literal(word: str, meanings: Iterable[str]) -> bool:
        own = inflections(word)
        return any(meaning in own or word in inflections(meaning) for meaning in meanings)


def exceptions(word: str, meanings: Sequence[str], others: Mapping[str, Sequence[str]]) -> list[str]:
    """Longer words that contain a word and mean something else, as 酱油 (soy sauce) is no oil."""
    wanted = {form for meaning in meanings for form in inflections(meaning)}

    def alike(meaning: str) -> bool:
        return any(re.search(rf"\b{re.escape(form)}\b", meaning) for form in wanted)

    return [
        other
        for other, known in others.items()
        if word in other and word != other and not any(map(alike, known))
    ]
