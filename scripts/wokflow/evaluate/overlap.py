"""Overlap of words and characters between a text and its reference (Cultural Adaptation of Recipes, section 5.1)."""

from collections.abc import Sequence
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import numpy as np

from wokflow.evaluate.score_intervals import LENGTH, Metric, mean, ratio, skipped, whole
from wokflow.frame import jieba_dictionary
from wokflow.frame.languages import SPACELESS

SPACES = SimpleNamespace(tokenize=str.split)  # a tokenizer for rouge_score
# Another one, of the authors' program: characters, and two empty words for each blank between those that jieba cut.
BLANKS = SimpleNamespace(tokenize=lambda text: " ".join(text).split(" ") if text else [])


def overlap(texts: Sequence[str], references: Sequence[str], lang: str) -> list[Metric]:
    """BLEU, chrF, ROUGE-L and the number of words of texts, each against its reference; all are single lines.

    Chinese BLEU uses sacrebleu's tokenizer `zh`, that of other languages without spaces its tokenizer `char`;
    `bleu_jieba` uses its default tokenizer on words that jieba cut, as the paper does. `rouge_l_blanks` is ROUGE-L
    of Chinese by characters and blanks, as the published program counts it, with one reference (docs/runs.md). Both
    are skipped in other languages; ROUGE-L is skipped in all but Chinese and English, as rouge_score drops letters
    with accents and of other scripts. An empty text scores 0.
    """
    return _chinese(texts, references) if lang == "zh" else _other(texts, references, lang)


def _other(texts: Sequence[str], references: Sequence[str], lang: str) -> list[Metric]:
    """Overlap in a language whose words stand between spaces, or in which each character counts as a word."""
    spaced = lang not in SPACELESS
    name = "English" if lang == "en" else f"language {lang}"
    note = f"In {name} it is the same as bleu: words are as they stand."
    rouge = skipped("rouge_l", len(texts), f"rouge-score has no words of language {lang}.")
    return [
        whole("bleu", "bleu:13a" if spaced else "bleu:char", texts, references),
        skipped("bleu_jieba", len(texts), note if spaced else "It is measured of Chinese alone."),
        whole("chrf", "chrf", texts, references),
        rouge_l("rouge_l", texts, references, None, "rouge_score") if lang == "en" else rouge,
        skipped("rouge_l_blanks", len(texts), "It is measured of Chinese alone."),
        tokens(texts, "whitespace") if spaced else tokens([" ".join(text) for text in texts], "characters"),
    ]


def _chinese(texts: Sequence[str], references: Sequence[str]) -> list[Metric]:
    words = jieba_dictionary.tokenizer()
    cut, other = ([" ".join(words.cut(text)) for text in side] for side in (texts, references))
    cutter = f"jieba-{version('jieba')}"
    return [
        whole("bleu", "bleu:zh", texts, references),
        whole("bleu_jieba", "bleu:13a", cut, other, words=cutter),
        whole("chrf", "chrf", texts, references),
        rouge_l("rouge_l", cut, other, SPACES, cutter),
        rouge_l("rouge_l_blanks", cut, other, BLANKS, f"characters and blanks between words of {cutter}"),
        tokens(cut, cutter),
    ]


def rouge_l(name: str, texts: Sequence[str], references: Sequence[str], tokenizer: Any, words: str) -> Metric:
    """The mean F1 of ROUGE-L (Lin 2004) by rouge_score, without stemming; `tokenizer` None takes its own."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], tokenizer=tokenizer)
    pairs = zip(references, texts, strict=True)
    values = [scorer.score(*pair)["rougeL"].fmeasure for pair in pairs]
    signature = f"type:rougeL|score:F1|stemmer:no|words:{words}|version:{version('rouge_score')}"
    return mean(name, values, signature=signature)


def tokens(texts: Sequence[str], words: str) -> Metric:
    """The mean number of words, which stand between spaces, of a text."""
    lengths = np.array([len(text.split()) for text in texts], np.float64)
    return ratio(LENGTH, lengths, np.ones(len(texts)), f"mean|words:{words}")
