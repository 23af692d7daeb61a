"""The first paragraph of an article, from a text whose paragraphs were joined into one line.

CirrusSearch keeps an article's introduction as one line (MediaWiki's WikiTextStructure joins all lines), and beside
it the wikitext, which has the paragraphs. So the beginning of the second paragraph is read from the wikitext and
searched for in the text. Nothing is cut if that beginning is unknown, as with a template, or occurs twice or never.
"""

import html
import re
from collections.abc import Callable

LEAD = 50_000  # characters of wikitext that are read: an infobox can be long
DEPTH = 12  # nested templates, and links within captions
LONG, SHORT = 40, 4  # most and fewest characters of the second paragraph that are searched for
ENOUGH = 4_000  # characters of it that are read

_FIRST_HEADINGS = re.compile(r"\A(?:\s*==[^\n]*==[ \t]*(?:\n|\Z))+")
_HEADING = re.compile(r"^==", re.MULTILINE)
_UNSEEN = re.compile(r"<!--|<ref\b|__[A-Z]+__", re.IGNORECASE)  # how it begins
_REF_END = re.compile(r"</ref\s*>", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|-\{[^{}]*\}-")
_TABLE_EDGE = re.compile(r"^[^\S\n]*+(?:\{\||\|\})", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_MARKUP = re.compile(r"'{2,5}|</?[a-zA-Z][^<>]*>")
_BREAK = re.compile(r"\n[ \t]*\n")
_NO_PROSE = tuple("*#:;{|!=\0")
_GAP = "\0"  # stands for what MediaWiki expands, so that its text is not known here


def first_of_joined(text: str, wikitext: str) -> str:
    """The first paragraph of `text`, a line that was made from `wikitext`. If its end is not found, all of `text`."""
    second = _second_paragraph(wikitext[:LEAD])
    if second is None or text.count(second) != 1:
        return text
    end = text.index(second)
    return text[:end].rstrip() or text


def _second_paragraph(wikitext: str) -> str | None:
    """The beginning of the second paragraph as plain text; None if there is none, or if it is unknown."""
    wikitext = _FIRST_HEADINGS.sub(
        "", wikitext
    )  # of an article without an introduction, the first section counts
    heading = _HEADING.search(wikitext)
    lead = _without_unseen(wikitext[: heading.start()] if heading else wikitext)
    lead = _repeated(_TEMPLATE, _GAP, lead)
    lead = _repeated(_LINK, _label, _without_tables(lead))
    blocks = (block.strip() for block in _BREAK.split(_MARKUP.sub("", lead)))
    prose = [block for block in blocks if block.strip(_GAP + " \t\n")]
    prose = prose[
        next((place for place, block in enumerate(prose) if not block.startswith(_NO_PROSE[:-1])), 0) :
    ]
    if len(prose) < 2 or prose[1].startswith(_NO_PROSE):
        return None
    # No more of it: html.unescape fails where a character's number has more than 4,300 digits.
    begin = " ".join(html.unescape(prose[1].split(_GAP)[0][:ENOUGH]).split())[:LONG].rstrip()
    return begin if len(begin) >= SHORT else None


class _Next:
    """Finds the next match of a pattern in a text. Calls go from left to right, so that the text is searched once."""

    def __init__(self, pattern: str | re.Pattern[str], text: str) -> None:
        self._places = (match.span() for match in re.finditer(pattern, text))
        self._place: tuple[int, int] | None = (-1, -1)

    def behind(self, at: int) -> tuple[int, int] | None:
        """The first match from `at` on; None if there is none."""
        while self._place and self._place[0] < at:
            self._place = next(self._places, None)
        return self._place


def _without_unseen(text: str) -> str:
    """The text without comments, references and behaviour switches such as __TOC__; unclosed ones stay."""
    tag, comment, reference = (_Next(pattern, text) for pattern in (">", "-->", _REF_END))
    kept, at = list[str](), 0
    for opening in _UNSEEN.finditer(text):
        if opening.start() < at:
            continue
        end: tuple[int, int] | None = opening.span()
        if opening[0] == "<!--":
            end = comment.behind(opening.end())
        elif opening[0][0] == "<" and (end := tag.behind(opening.end())) and text[end[0] - 1] != "/":
            end = reference.behind(end[1])
        if end:
            kept.append(text[at : opening.start()])
            at = end[1]
    return "".join([*kept, text[at:]])


def _without_tables(text: str) -> str:
    """The text without tables and the empty lines before them; unclosed tables stay."""
    kept, at, begin = list[str](), 0, None
    for edge in _TABLE_EDGE.finditer(text):
        if edge[0].endswith("{|"):
            begin = edge.start() if begin is None else begin
        elif begin is not None:
            last = at + len(text[at:begin].rstrip())  # where the last line ends that is not empty
            kept.append(text[at : text.index("\n", last) + 1 if last else 0])
            at, begin = edge.end(), None
    return "".join([*kept, text[at:]])


def _repeated(pattern: re.Pattern[str], by: "str | Callable[[re.Match[str]], str]", text: str) -> str:
    """Replace the matches of a pattern, again and again, so that nested ones are replaced from the inside out."""
    for _ in range(DEPTH):
        text, count = pattern.subn(by, text)
        if not count:
            break
    return text


def _label(link: re.Match[str]) -> str:
    """The visible text of a link; empty for a file's, which has a size, a place or a caption."""
    target, *rest = link[1].split("|")
    if len(rest) > 1 or (rest and re.match(r"\s*(?:File|Image|Category)\s*:", target, re.IGNORECASE)):
        return ""
    return rest[0] if rest else "" if re.match(r"\s*\w+:", target) else target
