"""Overlap of words and characters between a text and its reference (Cultural Adaptation of Recipes, section 5.1)."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from wokflow.evaluate.bleu import bleu_metric
from wokflow.evaluate.intervals import Metric, mean, skipped
from wokflow.evaluate.sums import chrf
from wokflow.evaluate.sums import mean as plain_mean

GRAMS = range(1, 7)  # characters in chrF's n-grams, as in sacrebleu
Words = Sequence[Sequence[str]]


def overlap(texts: Sequence[str], references: Sequence[str], lang: str) -> list[Metric]:
    """BLEU, chrF, ROUGE-L and the number of words of texts, each against its reference; all are single lines.

    Chinese BLEU uses sacrebleu's tokenizer `zh`; `bleu_jieba` uses its default tokenizer on words that jieba cut, as
    the paper does, and is skipped in English. An empty text scores 0.
    """
    return _chinese(texts, references) if lang == "zh" else _english(texts, references)


def _english(texts: Sequence[str], references: Sequence[str]) -> list[Metric]:
    words = rouge_words()
    note = "In English it is the same as bleu: words are as they stand."
    return [
        bleu_metric("bleu", texts, references, "13a"),
        skipped("bleu_jieba", len(texts), note),
        chrf_metric(texts, references),
        rouge_l_metric(list(map(words, texts)), list(map(words, references)), "rouge_score"),
        tokens_metric([len(text.split()) for text in texts], "whitespace"),
    ]


def _chinese(texts: Sequence[str], references: Sequence[str]) -> list[Metric]:
    import jieba

    jieba.setLogLevel(logging.WARNING)
    words, reference_words = (
        [[word for word in jieba.cut(text) if word.strip()] for text in side] for side in (texts, references)
    )
    joined, reference_joined = ([" ".join(text) for text in side] for side in (words, reference_words))
    cutter = f"jieba-{version('jieba')}"
    of_words = bleu_metric("bleu_jieba", joined, reference_joined, "13a")
    return [
        bleu_metric("bleu", texts, references, "zh"),
        replace(of_words, signature=f"{of_words.signature}|words:{cutter}"),
        chrf_metric(texts, references),
        rouge_l_metric(words, reference_words, cutter),
        tokens_metric([len(text) for text in words], cutter),
    ]


def rouge_words() -> Callable[[str], list[str]]:
    """A function that cuts English as rouge_score does: lower case, letters and digits only."""
    from rouge_score.tokenize import tokenize

    return lambda text: list(tokenize(text, None))


def chrf_metric(texts: Sequence[str], references: Sequence[str]) -> Metric:
    """chrF (Popović 2015) with sacrebleu's default settings: 6 characters, no white space, beta 2."""
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    metric.corpus_score([""], [[""]])  # before a score, there is no signature
    parts = [_gram_counts(*pair) for pair in zip(texts, references, strict=True)]
    found = np.array(parts, np.float64).reshape(-1, 3 * len(GRAMS))
    return Metric("chrf", found, chrf, str(metric.get_signature()))


def _gram_counts(text: str, reference: str) -> list[int]:
    """For each length of n-gram, how many the text has, the reference has, and both have.

    N-grams of a length that the reference does not reach are not counted in the text either.
    """
    text, reference = "".join(text.split()), "".join(reference.split())
    counts = []
    for size in GRAMS:
        ours, theirs = _grams(text, size), _grams(reference, size)
        matches = sum(min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs)
        counts += [ours.total() if theirs else 0, theirs.total(), matches]
    return counts


def _grams(text: str, size: int) -> Counter[str]:
    return Counter([text[start : start + size] for start in range(len(text) - size + 1)])


def rouge_l_metric(words: Words, references: Words, tokenizer: str) -> Metric:
    """The mean F1 of ROUGE-L (Lin 2004), as rouge_score computes it without stemming."""
    values = [rouge_l(*pair) for pair in zip(words, references, strict=True)]
    signature = f"type:rougeL|score:F1|stemmer:no|words:{tokenizer}|version:{version('rouge_score')}"
    return mean("rouge_l", values, signature=signature)


def rouge_l(words: Sequence[str], reference: Sequence[str]) -> float:
    """F1 of the longest common subsequence of two texts."""
    common = longest_common(words, reference)
    if not common:
        return 0.0
    precision, recall = common / len(words), common / len(reference)
    return 2 * precision * recall / (precision + recall)


def longest_common(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence, a row of the table at a time as bits of a number (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(left):
        places[word] = places.get(word, 0) | 1 << place
    everywhere = row = (1 << len(left)) - 1
    for word in right:
        matches = row & places.get(word, 0)
        row = ((row + matches) | (row - matches)) & everywhere
    return len(left) - row.bit_count()


def tokens_metric(lengths: Sequence[int], words: str) -> Metric:
    """The mean number of words of a text."""
    parts = np.column_stack([lengths, np.ones(len(lengths))])
    return Metric("tokens", parts.astype(np.float64), plain_mean, f"mean|words:{words}")
