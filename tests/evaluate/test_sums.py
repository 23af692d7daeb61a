"""Scores as functions of sums: by hand, and as sacrebleu has them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.evaluate.overlap import overlap
from wokflow.evaluate.sums import NAMES, STATISTICS, chrf, f1, mean, sentence_bleu

texts = st.lists(st.text("abc d。蒸鱼", max_size=9), min_size=1, max_size=5)


def test_chrf_by_hand() -> None:
    # one sign: 2 of 4 match, of 2; precision 1/2, recall 1; F2 = 5 * .5 / (4 * .5 + 1)
    assert chrf(np.array([[4.0, 2, 2]])) == pytest.approx([100 * 2.5 / 3])
    # two lengths: precision (1/2 + 1) / 2, recall (1 + 1/2) / 2; of the third length the text has none
    assert chrf(np.array([[4.0, 2, 2, 1, 2, 1, 0, 1, 0]])) == pytest.approx([75.0])
    assert chrf(np.array([[0.0, 2, 0], [3, 2, 0]])).tolist() == [0, 0]


def test_f1_and_mean_by_hand() -> None:
    assert f1(np.array([[3.0, 3, 4, 6], [0, 0, 0, 6], [0, 0, 0, 0]])) == pytest.approx([60.0, 0, 0])
    assert f1(np.array([[2.0, 1, 4, 4]])) == pytest.approx([100 * 2 * 0.5 * 0.25 / 0.75])
    assert mean(np.array([[7.0, 2]])).tolist() == [3.5]


def test_each_statistic_has_one_name() -> None:
    assert {NAMES[function]: function for function in STATISTICS.values()} == STATISTICS


@settings(deadline=None)
@given(texts, texts)
def test_chrf_and_sentence_bleu_are_sacrebleus(left: list[str], right: list[str]) -> None:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    size = min(len(left), len(right))
    left, right = left[:size], right[:size]
    metrics = {metric.name: metric for metric in overlap(left, right, "zh")}
    parts = metrics["chrf"].parts
    assert chrf(parts.sum(axis=0, keepdims=True)) == pytest.approx([CHRF().corpus_score(left, [right]).score])
    pairs = list(zip(left, right, strict=True))
    assert chrf(parts) == pytest.approx([CHRF().sentence_score(one, [other]).score for one, other in pairs])
    single = BLEU(tokenize="zh", effective_order=True)
    expected = [min(single.sentence_score(one, [other]).score, 100) for one, other in pairs]
    assert sentence_bleu(metrics["bleu"].parts) == pytest.approx(expected)
