"""BLEU as sacrebleu has it (Papineni et al. 2002, Post 2018)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from wokflow.evaluate.intervals import Metric
from wokflow.evaluate.sums import ORDERS, corpus_bleu


def bleu_metric(name: str, texts: Sequence[str], references: Sequence[str], tokenize: str) -> Metric:
    """BLEU of texts, each against its reference, cut into words by one of sacrebleu's tokenizers.

    Parts are (texts, 10) as sums.corpus_bleu takes them.
    """
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenize)
    metric.corpus_score([""], [[""]])  # before a score, there is no signature
    cut = ([metric.tokenizer(text.rstrip()).split() for text in side] for side in (texts, references))
    parts = [_counts(*pair) for pair in zip(*cut, strict=True)]
    found = np.array(parts, np.float64).reshape(-1, 2 * ORDERS + 2)
    return Metric(name, found, corpus_bleu, str(metric.get_signature()))


def _counts(words: Sequence[str], reference: Sequence[str]) -> list[int]:
    """N-grams of each order that match, n-grams of the text, its length, and that of the reference."""
    matches = []
    for order in range(1, ORDERS + 1):
        theirs = _grams(reference, order)
        ours = _grams(words, order).items()
        matches.append(sum(min(count, theirs[gram]) for gram, count in ours if gram in theirs))
    totals = [max(len(words) - order, 0) for order in range(ORDERS)]
    return [*matches, *totals, len(words), len(reference)]


def _grams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))
