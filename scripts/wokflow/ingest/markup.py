"""The text of HTML, however broken the markup, in linear time.

Python's own html.parser takes minutes for 100 KB of tags that are not closed, and fails on others.
"""

import re

from wokflow.ingest.clean import without_entities

TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})|<[!?]")
END = re.compile(r"=\s*+[\"']|>")  # of a tag, or the beginning of a value, which may hold >
HIDDEN = ("script", "style")  # elements whose content is not text
CLOSED = {name: re.compile(f"</{name}", re.IGNORECASE) for name in HIDDEN}
BLOCKS = (  # elements that have lines of their own
    "address|article|aside|blockquote|br|caption|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]"
    "|header|hr|legend|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
BLOCK = re.compile(BLOCKS)
REFERENCE = re.compile("reference|mw-ref|mw:extension/ref|inline-template", re.IGNORECASE)  # in a mark's tag
MARK_END = re.compile(rf"</?(?:sup|{BLOCKS})\b", re.IGNORECASE)
LONGEST = 5000  # characters of a footnote's mark in HTML


def text_of(markup: str) -> str:
    """The text of HTML, without scripts, styles and footnotes' marks, with the characters that entities stand for.

    BLOCKS have lines of their own. An unclosed tag counts as text.
    """
    return _Reader(markup).text()


class _Reader:
    """Reads a text in linear time: what was searched for in vain is not searched for again."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._quotes = True  # whether the values of attributes are closed
        self._absent: set[str] = set()

    def text(self) -> str:
        pieces: list[str] = []
        at = 0
        while (begin := self._markup.find("<", at)) >= 0:
            pieces.append(self._markup[at:begin])
            tag = TAG.match(self._markup, begin)
            end = self._end(begin, tag.end()) if tag else -1
            if tag is None or end < 0:
                pieces.append("<")
                at = begin + 1
            elif (name := (tag[1] or "").lower()) in HIDDEN and tag[0][1] != "/":
                closed = CLOSED[name].search(self._markup, end)
                at = closed.start() if closed else len(self._markup)
            elif name == "sup" and (after := self._mark(begin, end)):
                at = after
            else:
                pieces.append("\n" if BLOCK.fullmatch(name) else "")
                at = end
        pieces.append(self._markup[at:])
        return without_entities("".join(pieces), times=1)

    def _mark(self, begin: int, end: int) -> int:
        """Where the mark of a footnote ends whose tag is from begin to end; 0 if it is none, or unclosed."""
        if self._markup[begin + 1] == "/" or not REFERENCE.search(self._markup[begin:end]):
            return 0
        closed = MARK_END.search(self._markup, end, end + LONGEST)
        return closed.start() if closed and closed[0].lower() == "</sup" else 0

    def _end(self, begin: int, at: int) -> int:
        """The end of the tag or comment that begins at a place; -1 if it is unclosed."""
        if self._markup.startswith("<!--", begin):
            return self._behind("-->", begin + 2)  # <!--> is a comment, too
        if self._quotes:
            while stop := END.search(self._markup, at):
                if stop[0] == ">":
                    return stop.end()
                if (at := self._behind(stop[0][-1], stop.end())) < 0:
                    break
            self._quotes = False
        return self._behind(">", begin)

    def _behind(self, what: str, at: int) -> int:
        """The place after the next occurrence; -1 if there is none."""
        place = -1 if what in self._absent else self._markup.find(what, at)
        if place < 0:
            self._absent.add(what)
            return -1
        return place + len(what)
