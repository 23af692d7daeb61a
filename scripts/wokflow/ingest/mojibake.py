"""Mojibake, text that was decoded wrongly and then saved: Ã© for é, ç³– for 糖. How it arose, and how to undo it."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from ftfy.badness import BADNESS_RE

from wokflow.frame.writing import expected
from wokflow.ingest.readings import LANGUAGES, MOST, Reading, chain, lossy

FEW, SHARE = 3, 20  # rows of such text that count only if they are more than one of so many
EXCERPT = 20  # characters that a message quotes


def misread(rows: Iterable[Sequence[str]], langs: Collection[str] = ("zh", "en")) -> str | None:
    """What is wrong with a source, and what to do, if most of its rows beyond ASCII hold mojibake; else None.

    A row is given by its texts, which are in the languages `langs`. A few such rows do not concern the whole source.
    """
    count = 0
    beyond: list[str] = []
    for row in rows:
        count += 1
        beyond += filter(None, [" ".join(text for text in row if not text.isascii())])
    layers = chain(beyond, LANGUAGES.issuperset(langs)) or lossy(beyond)
    wrong = [row for row in beyond if mojibake(row) or (layers and _gains(row, layers))]
    if len(wrong) * 2 <= len(beyond) or (len(wrong) < FEW and len(wrong) * SHARE < count):
        return None
    begin = "holds text that was read in a wrong encoding, and saved so:"
    for word in (word for row in wrong for word in row.split(" ") if not word.isascii()) if layers else ():
        meant = _undone(word, layers)
        if expected(meant) > MOST and meant.count("?") == word.count("?") and "\ufffd" not in word + meant:
            message = (
                f"{begin} {word[:EXCERPT]!r} is {meant[:EXCERPT]!r} {_said(layers)}. Fetch the file again"
            )
            undo = _commands(beyond, layers)
            return (
                f"{message}, or undo that: {undo}" if undo else f"{message}: some of it is lost in this one"
            )
    word = next((_word(row) for row in wrong if mojibake(row)), wrong[0])
    how = f", {_said(layers)}" if layers else ""
    return f"{begin} {word[:EXCERPT]!r}{how}. Fetch the file again, or write it anew as UTF-8"


def _gains(row: str, layers: Sequence[Reading]) -> bool:
    """Whether a row reads better with the wrong decoding undone, or has lost the characters that could show it."""
    if "\ufffd" in row or expected(_undone(row, layers)) > expected(row):
        return True
    return layers[0].was == "utf-8" and expected(row) <= MOST


def _undone(text: str, layers: Sequence[Reading]) -> str:
    for layer in layers:
        text = layer.undone(text)
    return text


def _said(layers: Sequence[Reading]) -> str:
    """How text was read, in the order in which that was done."""
    if len(layers) > 1 and len(set(layers)) == 1:
        return f"{layers[0]}, {'twice' if len(layers) == 2 else f'{len(layers)} times'}"
    return ", and that ".join(map(str, reversed(layers)))


def _commands(rows: Sequence[str], layers: Sequence[Reading]) -> str | None:
    """The commands that undo all wrong decodings of a file; None if characters of its rows would be lost."""
    commands = []
    for layer in layers:
        if not (command := layer.command(rows)):
            return None
        commands.append(command)
        rows = [layer.undone(row) for row in rows]
    first, *others = " | ".join(commands).split(" | ")
    old = "< OLD" if first.startswith("python") else "OLD"
    return f"{' | '.join([f'{first} {old}', *others])} > NEW"


def _word(text: str) -> str:
    """The first word that is mojibake."""
    at = mojibake(text)[0][0]
    return text[text.rfind(" ", 0, at) + 1 :].split(" ", 1)[0]


def mojibake(text: str) -> list[tuple[int, int]]:
    """The places of UTF-8 that was decoded as Latin-1, Windows-125x or Mac Roman (ftfy's patterns), or as GBK."""
    latin = (match.span() for match in BADNESS_RE.finditer(text))
    lost = (match.span() for match in re.finditer("锟斤拷", text))
    return sorted({*latin, *lost, *_read_as_gbk(text)})


def _read_as_gbk(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(gbk_pattern(), text):
        data = match.group().encode("gb18030")
        meant = data[: len(data) // 3 * 3].decode("utf-8", errors="replace")
        if "\ufffd" not in meant:
            yield match.span()


@cache
def gbk_pattern() -> str:
    """A pattern of Chinese in UTF-8 that was decoded as GBK: six bytes, which are two characters, became three.

    The first byte of a Chinese character in UTF-8 is E4 to E9, the others are 80 to BF. Two of them become three
    characters of GBK, each of a set of its own; ordinary text hardly has five in this order.
    """
    head, tail = range(0xE4, 0xEA), range(0x80, 0xC0)

    def characters(first: range, second: range) -> str:
        pairs = (bytes((one, two)).decode("gbk", errors="ignore") for one in first for two in second)
        return "[" + "".join(sorted(pair for pair in pairs if len(pair) == 1 and pair.isalpha())) + "]"

    one, two, three = characters(head, tail), characters(tail, head), characters(tail, tail)
    return one + two + three + one + two
