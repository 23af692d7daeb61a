"""CSI-Match: how well an output renders culture-specific items that have translations (Yao et al. 2024, section 4).

The score of an item is the highest similarity, 0 to 100, between any of its translations t and any span s of the
output. Similarity is 1 - d(t, s) / max(|t|, |s|); d is the Levenshtein distance and lengths are characters (code
points), after `normalised`. A span runs from the first character of a word to the last character of the same or a
later word (equations 1 to 3). An Exact Match is a span that equals a translation: a score of 100.

The paper names no tokenizer. Here, a word is a run of letters, digits and their marks; a letter of a script without
spaces (with its marks) and a punctuation mark are words of their own. So a name is always a span where it occurs in
Chinese text, even where a tokenizer such as jieba would cut across it, and `Yahoo!` is a span as well as `Yahoo`.
Scripts decide, not languages: outputs mix them (IUCN红色名录 has five words).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from wokflow.enrich.letters import composed
from wokflow.enrich.word_forms import fold
from wokflow.frame.languages import SPACELESS_LETTERS

Ints = NDArray[np.int64]
Ratio = tuple[int, int]  # a similarity as two integers: characters that are alike, and all; never rounded

MARKS = (
    r"\p{M}\u0e33\u0eb3"  # with the vowels AM of Thai and Lao, which are written on the letter before them
)
# In a text of kinds: letters (w) with marks (m), or a letter that stands alone (a) or a sign (s) with its marks.
WORD = re.compile("w[wm]*|[^ ]m*")
EXACT = (1, 1)
NOTHING = (0, 1)
FEW = 32  # words of an output all of whose spans are compared: bounds would take longer
WIDER = 4  # times as long as the spans before, while no span is alike at all
BLOCK = 256  # words at which the spans begin that are held in memory at a time
MARGIN = 1e-9  # far below the difference of two similarities, far above the rounding of floats


def normalised(text: str, lang: str) -> str:
    """The text as it is compared: NFC, lower case, single spaces, and no characters that are not seen.

    Signs that look alike are made equal, and Chinese is simplified (enrich.word_forms.fold). Not seen are soft
    hyphens, joiners, marks of direction and spaces without width.
    """
    folded = fold(composed(text), lang)
    # Small letters may have a composed form where their capitals have none (H with macron below).
    return " ".join(unicodedata.normalize("NFC", folded).split())


class _Kinds(dict[int, str]):
    """A table for str.translate that has the kind of each character (see WORD); filled as characters are met."""

    def __init__(self) -> None:
        import regex

        super().__init__({ord(" "): " "})
        self._kind = regex.compile(
            rf"(?P<m>[{MARKS}])|(?P<a>[{SPACELESS_LETTERS}])|(?P<w>\w)|(?P<s>.)", regex.DOTALL
        )

    def __missing__(self, code: int) -> str:
        self[code] = self._kind.match(chr(code)).lastgroup
        return self[code]


@cache
def _kinds() -> _Kinds:
    return _Kinds()


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def words(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end, in characters. Punctuation is not a word."""
    kinds = text.translate(_kinds())
    return [match.span() for match in WORD.finditer(kinds) if match[0][0] in "wa"]


class Output:
    """The output of a system, with all of its spans: texts from the start of a word to the end of one."""

    def __init__(self, text: str, lang: str) -> None:
        self.text = normalised(text, lang)
        places = [match.span() for match in WORD.finditer(self.text.translate(_kinds()))]
        self._starts, self._ends = np.array(places, np.int64).reshape(-1, 2).T.copy()
        self._begins, self._stops = (frozenset(side.tolist()) for side in (self._starts, self._ends))
        self._codes = _codes(self.text)

    @cached_property
    def spans(self) -> list[str]:
        """All spans: of n words, n (n + 1) / 2 texts."""
        ends = self._ends.tolist()
        starts = enumerate(self._starts.tolist())
        return [self.text[start:end] for word, start in starts for end in ends[word:]]

    def has(self, wanted: str) -> bool:
        """Whether a normalised text is a span."""
        at = self.text.find(wanted)
        while at >= 0:
            if at in self._begins and at + len(wanted) in self._stops:
                return True
            at = self.text.find(wanted, at + 1)
        return False

    def best(self, wanted: str, least: Ratio = NOTHING) -> Ratio:
        """The highest similarity of a normalised text to any span, or `least` if none is higher.

        Spans are left out only if they cannot exceed a similarity that was reached (`least`, from there on). With m
        the length of the text, l that of the span, at most min(c, m) characters can be alike, where c is the number
        of characters of the span that the text has too: d >= max(m, l) - min(c, m). So a similarity is at most
        min(c, m) / max(m, l), and, as c <= l, at most l / m and m / l.
        """
        if not len(self._starts):
            return least
        if self.has(wanted):
            return EXACT
        if len(self._starts) <= FEW:
            return _most_similar(wanted, self.spans, least)
        alike = self._alike(wanted)
        if not alike[-1]:
            return least  # no character in common: all distances are as long as the longer side
        length = size = len(wanted)
        least = self._search(wanted, alike, *self._near(size), least)
        while not least[0] and size < len(self.text):
            size *= WIDER
            least = self._search(wanted, alike, *self._near(size), least)
        for first in range(0, len(self._starts), BLOCK):
            same, whole = least
            shortest = same * length // whole + 1  # l / m > same / whole
            longest = (length * whole - 1) // same if same else len(self.text)  # m / l > same / whole
            spans = self._between(slice(first, first + BLOCK), shortest, longest)
            least = self._search(wanted, alike, *spans, least)
        return least

    def _alike(self, wanted: str) -> Ints:
        """How many of the first n characters occur in the other text, for n from 0."""
        known = (self._codes[:, None] == _codes("".join(set(wanted)))).any(axis=1)
        return np.concatenate([[0], np.cumsum(known)])

    def _near(self, size: int) -> tuple[Ints, Ints]:
        """For each word, the span from it that first reaches the size, and the one before."""
        words = np.arange(len(self._starts))
        reached = np.minimum(np.searchsorted(self._ends, self._starts + size), len(words) - 1)
        before = np.maximum(reached - 1, words)
        return np.tile(self._starts, 2), self._ends[np.concatenate([reached, before])]

    def _between(self, words: slice, shortest: int, longest: int) -> tuple[Ints, Ints]:
        """All spans from some of the words that are neither shorter nor longer."""
        starts = self._starts[words]
        first = np.searchsorted(self._ends, starts + shortest)
        counts = np.searchsorted(self._ends, starts + longest, side="right") - first
        counts = np.maximum(counts, 0)
        skipped = np.repeat(np.cumsum(counts) - counts - first, counts)
        return np.repeat(starts, counts), self._ends[np.arange(len(skipped)) - skipped]

    def _search(self, wanted: str, alike: Ints, starts: Ints, ends: Ints, least: Ratio) -> Ratio:
        """The highest similarity of the text to the given spans, or `least` if none is higher."""
        same, whole = least
        common = np.minimum(alike[ends] - alike[starts], len(wanted))
        able = common * whole > same * np.maximum(ends - starts, len(wanted))
        places = zip(starts[able].tolist(), ends[able].tolist(), strict=True)
        return _most_similar(wanted, [self.text[start:end] for start, end in places], least)


def _most_similar(wanted: str, spans: Sequence[str], least: Ratio) -> Ratio:
    """The highest similarity of a text to any of the spans, or `least` if none is higher."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import extractOne

    same, whole = least
    # extractOne compares floats, which are in the order of the ratios that they stand for: two different ratios of
    # lengths below 2**20 differ by more than 2**-40, and floats round them by less than 2**-52.
    best = extractOne(
        wanted,
        spans,
        scorer=Levenshtein.normalized_similarity,
        processor=None,
        score_cutoff=max(same / whole - MARGIN, 0.0),
    )
    if not best:
        return least
    longer = max(len(best[0]), len(wanted))
    ratio = longer - int(Levenshtein.distance(wanted, best[0])), longer
    return ratio if ratio[0] * whole > same * ratio[1] else least


def csi_match(translations: Iterable[str], output: Output, lang: str) -> float | None:
    """CSI-Match of an item, 0 to 100; null for an item without translations. `lang` is the output's language.

    It is csi_exact where it is 100: a similarity of 1 is a distance of 0, and any other is less than 100 as a float.
    """
    wanted = {known: None for one in translations if (known := normalised(one, lang))}
    if not wanted:
        return None
    best = NOTHING
    if any(map(output.has, wanted)):
        best = EXACT
    else:
        for one in wanted:
            best = output.best(one, best)
    return 100 * best[0] / best[1]
