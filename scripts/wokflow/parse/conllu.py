"""A strict reader of treebanks in CoNLL-U: words with their tags, heads and relations."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_text
from wokflow.frame.wordlists import word_lists

# Universal Dependencies, version 2.
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
UPOS = frozenset(TAGS.split())
# From the tags of the Chinese Treebank, which HanLP's models use, to Universal Dependencies.
CTB_TAGS = {tag: name for name, tags in word_lists("grammar/tags.tsv").items() for tag in tags}
COLUMNS = 10
FORM, TAG, HEAD, RELATION = 1, 3, 6, 7


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words in order, with their tags, heads (index of the head word, -1 for a root) and relations."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.words)


def read_conllu(paths: Iterable[str | Path], *, simplify: bool) -> list[Sentence]:
    """The sentences of all files, in order; with `simplify`, in simplified characters (OpenCC's t2s).

    Multiword tokens and empty nodes are skipped; white space inside words is removed; tags must be UPOS. Raises
    UserError, with file and line, if a file is missing, is not UTF-8 or not CoNLL-U, or if the words of a sentence
    do not form a tree with one root.
    """
    sentences = [sentence for path in paths for sentence in _sentences(Path(path))]
    return _simplified(sentences) if simplify else sentences


def _sentences(path: Path) -> Iterator[Sentence]:
    block: list[tuple[int, list[str]]] = []
    for number, line in enumerate([*_lines(path), ""], start=1):
        if not line.strip():
            if block:
                yield _sentence(path, block)
            block = []
        elif not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != COLUMNS:
                raise _error(path, number, f"{len(fields)} columns where CoNLL-U has {COLUMNS}")
            if not fields[0].replace("-", "", 1).replace(".", "", 1).isdecimal():
                raise _error(path, number, f"{fields[0]!r} is not the number of a word")
            if fields[0].isdecimal():
                block.append((number, fields))


def _lines(path: Path) -> list[str]:
    return read_text(path, "a treebank").replace("\r\n", "\n").split("\n")


def _sentence(path: Path, block: Sequence[tuple[int, list[str]]]) -> Sentence:
    for expected, (number, fields) in enumerate(block, start=1):
        _check(path, number, fields, expected, len(block))
    heads = tuple(int(fields[HEAD]) - 1 for _, fields in block)
    if heads.count(-1) != 1:
        raise _error(
            path, block[0][0], f"{heads.count(-1)} words are roots (head 0); a sentence must have one"
        )
    if (word := on_a_cycle(heads)) is not None:
        raise _error(path, block[word][0], "the word is its own ancestor; heads must form a tree")
    rows = [fields for _, fields in block]
    return Sentence(
        words=tuple("".join(fields[FORM].split()) for fields in rows),
        tags=tuple(fields[TAG] for fields in rows),
        heads=heads,
        relations=tuple(fields[RELATION] for fields in rows),
    )


def _check(path: Path, number: int, fields: Sequence[str], expected: int, words: int) -> None:
    if fields[0] != str(expected):
        raise _error(path, number, f"found word {fields[0]}, expected word {expected}")
    if not fields[FORM].strip():
        raise _error(path, number, "the word is empty")
    if fields[TAG] not in UPOS:
        raise _error(path, number, f"{fields[TAG]!r} is not a UPOS tag of Universal Dependencies")
    head = fields[HEAD]
    if not (head.isascii() and head.isdecimal()) or int(head) > words or head == fields[0]:
        raise _error(path, number, f"{head!r} is not a valid head in a sentence of {words} words")
    if fields[RELATION] in ("", "_"):
        raise _error(path, number, "the word has no relation")


def on_a_cycle(heads: Sequence[int]) -> int | None:
    """The first word whose chain of heads never reaches a root; None if all chains do."""
    safe = {-1}
    for start in range(len(heads)):
        word, seen = start, set[int]()
        while word not in safe:
            if word in seen:
                return word
            seen.add(word)
            word = heads[word]
        safe |= seen
    return None


def _error(path: Path, line: int, what: str) -> UserError:
    return UserError(f"{path}, line {line}: {what}")


def _simplified(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentence with each word converted by itself, so that its neighbours cannot change the result."""
    import polars as pl

    from wokflow.ingest.clean import simplify

    words = sorted({word for sentence in sentences for word in sentence.words})
    to = dict(zip(words, simplify(pl.Series(words, dtype=pl.String)), strict=True))
    return [replace(sentence, words=tuple(to[word] for word in sentence.words)) for sentence in sentences]
