"""Sentence alignment by length and by similarity to a machine translation.

Lengths: Gale and Church, A Program for Aligning Sentences in Bilingual Corpora, 1993. Similarity, as in Bleualign
(Sennrich and Volk, MT-based Sentence Alignment for OCR-generated Parallel Texts, 2010): where the source has been
translated by machine, that translation shares words with the right sentence of the target.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from wokflow.frame.language_codes import base
from wokflow.frame.languages import (
    HAN,
    SCRIPT_ENDS,
    SENTENCE_ENDS,
    SPACELESS,
    UNSPACED_SENTENCES,
    WIDE_ENDS,
)

# Log probabilities of the numbers of source and target sentences in an alignment (Gale and Church 1993, Table 5).
STEPS = {
    (1, 1): math.log(0.89),
    (1, 0): math.log(0.00495),
    (0, 1): math.log(0.00495),
    (2, 1): math.log(0.0445),
    (1, 2): math.log(0.0445),
    (2, 2): math.log(0.011),
}
VARIANCE = 6.8  # of a sentence's length by that of its translation, per character (Gale and Church 1993, 3.3)
WEIGHT = 12.0  # of similarity: sentences with less than about an eighth in common are left without partner
WIDE = 3
LONGEST = 400  # sentences of a section; the table of alignments grows with the product of both sides

_END = re.compile(
    rf"(?<=[{SENTENCE_ENDS}])[\"'»”’)\]]*\s+(?=[\"'«“‘(\[¿¡]*[^\s\da-z])"
    rf"|(?<=[{SCRIPT_ENDS}])(?!(?<=[۔॥])\d)[\"'»”’)\]]*+\s*+(?![{SCRIPT_ENDS}])"  # 3۔5 is a number, ॥१॥ a verse's
    rf"|(?<=[{WIDE_ENDS}])[”’」』）]*+(?![{WIDE_ENDS}])"
    r"|\n+"
)
_WIDE = re.compile(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:(?:[A-Z]\.)*[^\W\d_]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Jr|No|vs|etc|ca|cf|e\.g|i\.e|approx|Mt|Ste|Gen|Col|Fig|vol)\.$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text. Initials and common abbreviations do not end one."""
    complete: list[str] = []
    open_parts: list[str] = []
    for part in _split(text):
        open_parts.append(part)
        if not _ABBREVIATION.search(part):
            complete.append(" ".join(open_parts))
            open_parts = []
    return [*complete, " ".join(open_parts)] if open_parts else complete


def _split(text: str) -> list[str]:
    parts, at = [], 0
    for match in _END.finditer(text):
        end = match.end()
        if end > at:
            parts.append(text[at:end].strip())
            at = end
    return [part for part in (*parts, text[at:].strip()) if part]


def aligned(
    source: Sequence[str], target: Sequence[str], translated: Sequence[str], pair: tuple[str, str]
) -> list[tuple[str, str]]:
    """Aligned sentences of both sides, in order; one side is empty where a sentence has no partner.

    `translated` is the source translated into the second language of `pair`; it counts only if it has as many
    sentences as the source. The likeliest of all alignments by the STEPS is taken.
    """
    if not source or not target or max(len(source), len(target)) > LONGEST:
        return [*((text, "") for text in source), *(("", text) for text in target)]
    hints = [_grams(text, pair[1]) for text in translated] if len(translated) == len(source) else None
    seen = [_grams(text, pair[1]) for text in target]
    sizes = [letters(text) for text in source], [letters(text) for text in target]

    def likelihood(i: int, j: int, left: int, right: int) -> float:
        chance = STEPS[left, right]
        if left and right:
            chance += _by_length(sum(sizes[0][i - left : i]), sum(sizes[1][j - right : j]))
        if left and right and hints is not None:
            chance -= WEIGHT * (1 - _similarity(hints[i - left : i], seen[j - right : j]))
        return chance

    best = {(0, 0): (0.0, (0, 0))}
    for i in range(len(source) + 1):
        for j in range(len(target) + 1):
            ways = [
                (best[i - left, j - right][0] + likelihood(i, j, left, right), (left, right))
                for left, right in STEPS
                if i >= left and j >= right
            ]
            if ways:
                best[i, j] = max(ways)
    pairs = []
    i, j = len(source), len(target)
    while i or j:
        left, right = best[i, j][1]
        pairs.append((_joined(source[i - left : i], pair[0]), _joined(target[j - right : j], pair[1])))
        i, j = i - left, j - right
    return pairs[::-1]


def _joined(texts: Sequence[str], lang: str) -> str:
    """Sentences as one text, with spaces where the language has them, and between Latin ones of any language."""
    joined = ""
    for text in texts:
        latin = (joined[-1:] + text[:1]).isascii()
        joined += f" {text}" if joined and (latin or base(lang) not in UNSPACED_SENTENCES) else text
    return joined


def letters(text: str) -> int:
    """Length of a text; a Chinese, Japanese or Korean character counts as WIDE letters."""
    return len(text) + (WIDE - 1) * len(_WIDE.findall(text))


def _by_length(source: int, target: int) -> float:
    """Log probability that texts of these lengths, in letters, translate each other (Gale and Church 1993, 3.4)."""
    deviation = abs(target - source) / math.sqrt(max((source + target) / 2, 1.0) * VARIANCE)
    return math.log(max(math.erfc(deviation / math.sqrt(2)), 1e-12))


def _grams(text: str, lang: str) -> Counter[str]:
    """Words and pairs of words; in languages without spaces, characters and pairs of characters."""
    words = list(re.sub(r"\W", "", text)) if base(lang) in SPACELESS else re.findall(r"\w+", text.lower())
    return Counter([*words, *map(" ".join, pairwise(words))])


def _similarity(left: Sequence[Counter[str]], right: Sequence[Counter[str]]) -> float:
    """Share of grams in common (Dice), 0 to 1, or the smallest share of a sentence's own if a side has several."""
    first, second = sum(left, Counter()), sum(right, Counter())
    total = first.total() + second.total()
    shares = [2 * (first & second).total() / max(total, 1)]
    for parts, whole in ((left, second), (right, first)):
        if len(parts) > 1:
            shares += [(part & whole).total() / max(part.total(), 1) for part in parts]
    return min(shares)
