"""Scores as functions of sums over instances: each function takes sums (m, parts) and returns m scores.

Given the parts of single instances, a function returns the score of each instance.
"""

from collections.abc import Callable

import numpy as np

from wokflow.evaluate.intervals import Floats, ratio

ORDERS = 4  # of BLEU's n-grams
BETA = 2  # of chrF: recall counts BETA times as much as precision


def corpus_bleu(sums: Floats) -> Floats:
    """BLEU of corpora given their (m, 10) statistics: n-grams that match, n-grams, lengths of text and reference.

    Smoothing is that of sacrebleu's default, `exp`.
    """
    return _bleu(sums, np.full(len(sums), ORDERS))


def sentence_bleu(sums: Floats) -> Floats:
    """BLEU of single texts, whose n-grams are counted up to the longest they have (`effective order`)."""
    return _bleu(sums, (sums[:, ORDERS : 2 * ORDERS] > 0).sum(axis=1))


def _bleu(sums: Floats, orders: Floats) -> Floats:
    correct, total = sums[:, :ORDERS], sums[:, ORDERS : 2 * ORDERS]
    length, reference = sums[:, -2], sums[:, -1]
    used = np.arange(ORDERS) < orders[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        halved = 0.5 ** np.cumsum(correct == 0, axis=1)
        precision = np.where(correct > 0, correct, halved) / total
        brevity = np.where(length < reference, np.exp(1 - reference / length), 1.0)
        mean = np.log(np.where(used, precision, 1.0)).sum(axis=1) / orders
        score = 100 * brevity * np.exp(mean)
    found = correct.any(axis=1) & ((total > 0) | ~used).all(axis=1)
    return np.where(found, np.minimum(score, 100.0), 0.0)


def chrf(sums: Floats) -> Floats:
    """chrF of corpora given, for each length of n-gram, counts (m, 3 * lengths): of text, of reference, of both.

    The mean is over those lengths of n-gram that text and reference have, as in sacrebleu.
    """
    counts = sums.reshape(len(sums), -1, 3)
    text, reference, match = counts[..., 0], counts[..., 1], counts[..., 2]
    used = (text > 0) & (reference > 0)
    orders = np.maximum(used.sum(axis=1), 1)
    precision = _share(match, text * used).sum(axis=1) / orders
    recall = _share(match, reference * used).sum(axis=1) / orders
    return 100 * _share((1 + BETA**2) * precision * recall, BETA**2 * precision + recall)


def f1(sums: Floats) -> Floats:
    """F1 in percent, given (m, 4): matches in the text, matches in the reference, and the sizes of both."""
    precision, recall = _share(sums[:, 0], sums[:, 2]), _share(sums[:, 1], sums[:, 3])
    return 100 * _share(2 * precision * recall, precision + recall)


def mean(sums: Floats) -> Floats:
    """The first sum divided by the second, not in percent: a mean, given sums (m, 2) of values and of counts."""
    return sums[:, 0] / sums[:, 1]


def _share(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 0 where `whole` is 0."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    "bleu": corpus_bleu,
    "chrf": chrf,
    "f1": f1,
    "mean": mean,
    "ratio": ratio,
}
NAMES = {function: name for name, function in STATISTICS.items()}
