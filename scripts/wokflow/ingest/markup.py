"""The text of HTML, however broken the markup, in linear time.

Python's own html.parser takes minutes for 100 KB of tags that are not closed, and fails on others.
"""

import re

from wokflow.ingest.clean import without_entities

TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})|<[!?]")
END = re.compile(r"=\s*+[\"']|>")  # of a tag, or the beginning of a value, which may hold >
HIDDEN = ("script", "style")  # elements whose content is not text
CLOSED = {name: re.compile(f"</{name}", re.IGNORECASE) for name in HIDDEN}


def text_of(markup: str) -> str:
    """The text of HTML, without scripts and styles, with the characters that entities stand for.

    An unclosed tag counts as text.
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
            else:
                at = end
        pieces.append(self._markup[at:])
        return without_entities("".join(pieces), times=1)

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
