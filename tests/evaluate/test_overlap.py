"""Metrics of overlap: by hand, and as rouge_score has them."""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.evaluate.overlap import overlap, rouge_l
from wokflow.evaluate.score_intervals import score

from tests.conftest import ROOT

words = st.lists(st.sampled_from("abcd"), max_size=12)


def scores(texts: list[str], references: list[str], lang: str) -> dict[str, float]:
    return {metric.name: score(metric) for metric in overlap(texts, references, lang) if metric.note is None}


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


def test_other_languages_have_no_rouge() -> None:
    metrics = {metric.name: metric for metric in overlap(["El cocido."], ["El cocido."], "es")}
    assert metrics["rouge_l"].note == "rouge-score has no words of language es."
    assert metrics["bleu_jieba"].note == "In language es it is the same as bleu: words are as they stand."
    assert score(metrics["chrf"]) == pytest.approx(100) and score(metrics["tokens"]) == 2


@pytest.mark.parametrize("lang", ["ja", "th"])
def test_languages_without_spaces_count_characters(lang: str) -> None:
    found = scores(
        ["鸡蛋を食べた。"], ["鸡蛋を食べる。"], lang
    )  # 6 of 7, 4 of 6 pairs, 3 of 5 triples, 2 of 4 fours
    assert found["bleu"] == pytest.approx(100 * (6 / 7 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25)
    assert found["tokens"] == 7


def test_the_words_of_jieba_are_joined_for_bleu() -> None:
    metrics = {
        metric.name: metric for metric in overlap(["把豆腐切成小块，下锅"], ["把豆腐切成小块，装盘"], "zh")
    }
    assert "tok:zh" in metrics["bleu"].signature
    assert "tok:13a" in metrics["bleu_jieba"].signature and "words:jieba-" in metrics["bleu_jieba"].signature
    import jieba

    joined = metrics["bleu_jieba"]
    assert joined.texts[0].split() == list(jieba.cut("把豆腐切成小块，下锅"))
    assert score(metrics["tokens"]) == len(joined.texts[0].split())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_text_scores_nothing_and_counts(lang: str) -> None:
    half = scores(["soup 汤 " * 5, ""], ["soup 汤 " * 5] * 2, lang)
    assert half["rouge_l"] == 50
    assert half["tokens"] == {"en": 5, "zh": 5}[lang]
    assert 0 < half["chrf"] < 100 and 0 < half["bleu"] < 100
    assert set(scores([""], ["x"], lang).values()) == {0}


def test_rouge_l_of_chinese_as_the_authors_program_counts_it() -> None:
    """Characters, and two empty words for each blank between words, which is all that these have in common."""
    found = scores(["番茄鸡蛋", ""], ["土豆牛肉"] * 2, "zh")
    assert found["rouge_l"] == 0 and found["rouge_l_blanks"] == pytest.approx(100 * (2 / 6) / 2)


def test_the_published_rouge_l_of_chinese_is_what_any_recipe_gets() -> None:
    """The paper has 49.7 to 61.0 for all methods, 52.9 for retrieved recipes."""
    with (ROOT / "resources/gold/en-zh.tsv").open(encoding="utf-8", newline="") as file:
        gold = list(csv.DictReader(file, delimiter="\t"))
    references = [" ".join((row["title"], row["ingredients"], row["steps"])) for row in gold]
    found = scores([*references[1:], references[0]], references, "zh")
    assert (round(found["rouge_l_blanks"], 1), round(found["rouge_l"], 1)) == (
        60.4,
        20.7,
    )  # as docs/runs.md says


@settings(deadline=None)
@given(words, words)
def test_rouge_l_is_the_librarys(left: list[str], right: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    texts = [" ".join(side) for side in (left, right)]
    expected = RougeScorer(["rougeL"]).score(texts[1], texts[0])["rougeL"].fmeasure
    assert score(rouge_l("m", texts[:1], texts[1:], None, "")) == pytest.approx(100 * expected)
