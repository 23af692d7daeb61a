"""Metrics of overlap: by hand, and as rouge_score has them."""

import csv
import re

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


def test_rouge_l_of_what_is_ascii_in_chinese() -> None:
    """By rouge_score's own words, a Chinese recipe is its numbers: copying them from the source is enough."""
    reference = "番茄炒蛋 番茄2个，鸡蛋3个，盐5克 番茄切块，鸡蛋打散，炒5分钟。"
    found = scores(["2 3 5 5", "番茄炒蛋 番茄，鸡蛋，盐 番茄切块，鸡蛋打散，炒熟。"], [reference] * 2, "zh")
    metrics = {metric.name: metric for metric in overlap(["2 3 5 5"], [reference], "zh")}
    assert score(metrics["rouge_l_ascii"]) == pytest.approx(100) and score(metrics["rouge_l"]) < 40
    assert found["rouge_l_ascii"] == pytest.approx(
        50
    )  # the second, an adaptation without amounts, has nothing
    assert "ASCII" in metrics["rouge_l_ascii"].signature and "jieba" in metrics["rouge_l"].signature


def test_the_published_rouge_l_of_chinese_is_what_copied_numbers_get() -> None:
    """The paper has 49.7 to 61.0 for all methods. The source's numbers alone get that by ASCII, and not by words."""
    with (ROOT / "resources/gold/en-zh.tsv").open(encoding="utf-8", newline="") as file:
        gold = list(csv.DictReader(file, delimiter="\t"))
    named = ("title", "ingredients", "directions")
    with (ROOT / "resources/demo/recipenlg/full_dataset.csv").open(errors="replace", newline="") as file:
        sources = {row["title"]: " ".join(row[name] for name in named) for row in csv.DictReader(file)}
    numbers = [" ".join(re.findall(r"[0-9]+", sources[row["source_title"]])) for row in gold]
    references = [" ".join((row["title"], row["ingredients"], row["steps"])) for row in gold]
    found = scores(numbers, references, "zh")
    assert (round(found["rouge_l_ascii"], 1), round(found["rouge_l"], 1)) == (
        54.7,
        10.5,
    )  # as docs/runs.md says
    assert found["bleu"] < 0.1


@settings(deadline=None)
@given(words, words)
def test_rouge_l_is_the_librarys(left: list[str], right: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    texts = [" ".join(side) for side in (left, right)]
    expected = RougeScorer(["rougeL"]).score(texts[1], texts[0])["rougeL"].fmeasure
    assert score(rouge_l("m", texts[:1], texts[1:], None, "")) == pytest.approx(100 * expected)
