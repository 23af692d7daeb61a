"""The text of HTML: as html.parser gives it where it can, in steps in proportion to a text, whatever it holds."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.ingest import markup, sentence_alignment
from wokflow.ingest.markup import text_of

BLOCKS = ("p", "br")  # of the tags in PIECES


class Parsed(HTMLParser):
    """The text by Python's own parser, which takes minutes for what is made to harm."""

    def __init__(self, given: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0
        self.feed(given)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        self.handle_data("\n" if tag in BLOCKS else "")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style") and self._hidden > 0
        self.handle_data("\n" if tag in BLOCKS else "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)


PIECES = [
    *(
        "<p>",
        "</p>",
        "<b x='1'>",
        '<i y="a>b">',
        "text ",
        "粥",
        "&amp;",
        "&lt;",
        "<!-- c > -->",
        "<br/>",
        " < 5",
    ),
    *("<script>a<b</script>", "<STYLE>p</STYLE >", '<span data-x=\'{"a":">"}\'>', "<!DOCTYPE html>", "5 > 4"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_the_text_is_that_of_python_s_parser(html: str) -> None:
    assert text_of(html) == "".join(Parsed(html).found)


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<ul><li>Rice</li><li>Nood<b>les</b></li></ul>", ["Rice", "Noodles"]),
        ("<table><tr><th>Dish</th><td>mole<td>soup</tr><tr><td>x</table>", ["Dish", "mole", "soup", "x"]),
        ("<H2 class='a'>Mole</H2>A sauce.<p>Hot.<br>Red.</p>", ["Mole", "A sauce.", "Hot.", "Red."]),
        ("<dl><dt>mole<dd>sauce</dl>x<div>y</div>z", ["mole", "sauce", "x", "y", "z"]),
        ("5 m<sup>2</sup> of <i>m</i><a href='#'>ole</a>", ["5 m2 of mole"]),
    ],
)
def test_blocks_are_lines_of_their_own_and_what_is_inline_is_not(html: str, lines: list[str]) -> None:
    assert [line for line in text_of(html).split("\n") if line] == lines


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('salt.<sup class="reference" id="r"><a href="#n">&#91;1&#93;</a></sup> Rice', "salt. Rice"),
        ('salt<sup typeof="mw:Extension/ref" data-mw=\'{"a":">"}\'><a><span>[A]</span></a></sup>.', "salt."),
        ("salt<SUP CLASS='noprint Inline-Template'>[<i>who says?</i>]</SUP>.", "salt."),
        ('salt<sup class="reference">1<p>rice</p><sup>2</sup>', "salt1\nrice\n2"),
        ('salt<sup class="reference">1', "salt1"),
    ],
)
def test_a_mark_of_a_footnote_is_no_text(html: str, text: str) -> None:
    assert text_of(html) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a <b", "a <b"),
        ("<a title='never closed>b</a>c", "bc"),
        ("<!-- never closed", "<!-- never closed"),
        ("<script>never closed", ""),
        ("<![<![x>y", "y"),
        ("&#" + "9" * 5000 + ";<p>", "&#" + "9" * 5000 + ";\n"),
        ("<!-->a-->b", "a-->b"),
    ],
)
def test_what_is_broken_is_read_as_far_as_it_goes(html: str, text: str) -> None:
    assert text_of(html) == text


class Counted(str):
    """A text that counts the characters that are looked through in search of something."""

    looked = 0

    def find(self, what: str, at: int = 0, *_: int) -> int:  # type: ignore[override]
        found = super().find(what, at)
        self.looked += (found if found >= 0 else len(self)) - at + 1
        return found


class Counting:
    """A pattern that counts them in the text that it searches."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def search(self, text: Counted, at: int) -> re.Match[str] | None:
        found = self._pattern.search(text, at)
        text.looked += (found.end() if found else len(text)) - at
        return found


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<!", "<a ", "</a", "<a b='", '<a b=">', "<a b='><a c=\"", "<script><a", "<sup reference>"],
)
def test_nothing_is_looked_for_again_and_again_in_vain(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "END", Counting(markup.END))
    monkeypatch.setattr(markup, "CLOSED", {name: Counting(one) for name, one in markup.CLOSED.items()})
    counts = []
    for times in (500, 1000):
        html = Counted("<" + piece * times)
        text_of(html)
        counts.append(html.looked)
    assert counts[1] < 2.2 * counts[0] + 100


def test_initials_in_a_row_are_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence of thousands of them was searched anew with each."""
    seen: list[int] = []

    class Pattern:
        def search(self, text: str) -> bool:
            seen.append(len(text))
            return True

    monkeypatch.setattr(sentence_alignment, "_ABBREVIATION", Pattern())
    (sentence,) = sentence_alignment.sentences("A. " * 1000)
    assert sentence == ("A. " * 1000).strip() and sum(seen) <= len(sentence)
