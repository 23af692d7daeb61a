"""Metrics of overlap: by hand, and as rouge_score has them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.evaluate.intervals import Metric
from wokflow.evaluate.overlap import longest_common, overlap, rouge_l

words = st.lists(st.sampled_from("abcd"), max_size=12)


def value(metric: Metric) -> float:
    return float(metric.statistic(metric.parts.sum(axis=0, keepdims=True))[0])


def scores(texts: list[str], references: list[str], lang: str) -> dict[str, float]:
    return {metric.name: value(metric) for metric in overlap(texts, references, lang) if metric.note is None}


def test_english_by_hand() -> None:
    found = scores(["Cut the tofu now."], ["Cut the tofu."], "en")
    # 13a cuts off the point: 4 of 5 words, 2 of 4 pairs, 1 of 3 triples, fours smoothed: half of 1 in 2
    assert found["bleu"] == pytest.approx(100 * (4 / 5 * 2 / 4 * 1 / 3 * 1 / 4) ** 0.25)
    assert found["rouge_l"] == pytest.approx(100 * 2 * 3 / (4 + 3))  # words without signs, in lower case
    assert found["tokens"] == 4
    assert "bleu_jieba" not in found


def test_chinese_by_hand() -> None:
    found = scores(["鸡蛋，豆腐"], ["鸡蛋，白菜"], "zh")  # jieba's words: 鸡蛋 ， 豆腐
    assert found["tokens"] == 3
    assert found["rouge_l"] == pytest.approx(200 / 3)
    assert found["bleu_jieba"] == 0  # there are no four words in a row
    # signs: 3 of 5, pairs 2 of 4, triples 1 of 3, fours smoothed: half of 1 in 2
    assert found["bleu"] == pytest.approx(100 * (3 / 5 * 2 / 4 * 1 / 3 * 1 / 4) ** 0.25)


def test_the_words_of_jieba_are_joined_for_bleu() -> None:
    metrics = {
        metric.name: metric for metric in overlap(["把豆腐切成小块，下锅"], ["把豆腐切成小块，装盘"], "zh")
    }
    assert "tok:zh" in metrics["bleu"].signature
    assert "tok:13a" in metrics["bleu_jieba"].signature and "words:jieba-" in metrics["bleu_jieba"].signature
    assert metrics["bleu_jieba"].parts[0, 8] == metrics["tokens"].parts[0, 0]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_text_scores_nothing_and_counts(lang: str) -> None:
    half = scores(["soup 汤 " * 5, ""], ["soup 汤 " * 5] * 2, lang)
    assert half["rouge_l"] == 50
    assert half["tokens"] == {"en": 5, "zh": 5}[lang]
    assert 0 < half["chrf"] < 100 and 0 < half["bleu"] < 100
    assert set(scores([""], ["x"], lang).values()) == {0}


@settings(deadline=None)
@given(words, words)
def test_rouge_l_is_the_librarys(left: list[str], right: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    expected = RougeScorer(["rougeL"]).score(" ".join(right), " ".join(left))["rougeL"].fmeasure
    assert rouge_l(left, right) == expected


@given(words, words)
def test_the_longest_common_part_is_symmetric_and_no_longer_than_either(
    left: list[str], right: list[str]
) -> None:
    common = longest_common(left, right)
    assert common == longest_common(right, left) <= min(len(left), len(right))
    assert longest_common(left + right, left) == len(left)
