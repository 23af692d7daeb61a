"""BLEU and chrF: by hand, as sacrebleu has them, and repeatable whatever the environment says."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.evaluate.contributions import one_line
from wokflow.evaluate.sacre import SEED
from wokflow.evaluate.score_intervals import interval, p_values, score, whole
from wokflow.evaluate.settings import Bootstrap

from tests.evaluate.adapted import recipes

texts = st.lists(st.text("abc d。蒸鱼", max_size=9), min_size=1, max_size=5)


def sides(lang: str) -> tuple[list[str], list[str], list[str]]:
    """A run, a baseline of half of its texts, and the references."""
    better, references = recipes(lang)
    worse = [text if number % 2 else text[: len(text) // 2] for number, text in enumerate(better)]
    first, second, third = (list(map(one_line, side)) for side in (worse, better, references))
    return first, second, third


def test_bleu_and_chrf_by_hand() -> None:
    # 4 of 5 characters; pairs 3 of 4, triples 2 of 3, fours 1 of 2; no brevity penalty: (4/5 3/4 2/3 1/2) ** (1/4)
    bleu = whole("bleu", "bleu:zh", ["洗切煮炒盐"], ["洗切煮炒糖"])
    assert score(bleu) == pytest.approx(100 * 0.2**0.25) and bleu.values == pytest.approx([score(bleu)])
    # chrF of one character: precision 1/2, recall 1; F2 = 5 * .5 / (4 * .5 + 1)
    assert score(whole("chrf", "chrf", ["ab"], ["a"])) == pytest.approx(100 * 2.5 / 3)
    assert whole("bleu", "bleu:zh", [], []).values.tolist() == []


@given(texts, texts, st.sampled_from(["bleu:zh", "bleu:13a", "chrf"]))
def test_scores_of_all_texts_and_of_each_are_sacrebleus(left: list[str], right: list[str], kind: str) -> None:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    pairs = list(zip(left, right, strict=False))
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    found = whole("m", kind, left, right)
    tokenize = kind.partition(":")[2]
    corpus, single = (
        (BLEU(tokenize=tokenize), BLEU(tokenize=tokenize, effective_order=True))
        if tokenize
        else (CHRF(), CHRF())
    )
    assert score(found) == pytest.approx(corpus.corpus_score(left, [right]).score)
    assert found.values == pytest.approx([single.sentence_score(one, [other]).score for one, other in pairs])
    assert found.signature == str(corpus.get_signature())


@pytest.mark.parametrize("kind", ["bleu:13a", "chrf"])
def test_intervals_and_both_tests_are_sacrebleus(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.significance import PairedTest

    worse, better, references = sides("en")
    run, baseline = whole("m", kind, worse, references), whole("m", kind, better, references)
    ends = interval(run, Bootstrap(samples=200, seed=7))
    found = p_values(run, baseline, 300, Bootstrap(samples=200, seed=7))

    monkeypatch.setenv(SEED, "7")
    named = [("base", better), ("run", worse)]
    expected = {}
    for test, count in (("ar", 300), ("bs", 200)):
        metric = CHRF() if kind == "chrf" else BLEU()
        _, results = PairedTest(named, {"m": metric}, [references], test, n_samples=count)()
        expected[test] = next(of[1] for name, of in results.items() if name != "System")
    assert found == (expected["ar"].p_value, expected["bs"].p_value)
    mean, half = expected["bs"].mean, expected["bs"].ci
    assert ends == pytest.approx((mean - half, mean + half))
    assert score(run) == pytest.approx(expected["bs"].score)


@pytest.mark.parametrize("seed", [0, 5])
def test_the_environment_decides_nothing_and_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    worse, better, references = sides("zh")
    run, baseline = (whole("m", "bleu:zh", side, references) for side in (worse, better))
    bootstrap, found = Bootstrap(samples=30, seed=seed), []
    for value in (None, "none", "99"):
        monkeypatch.delenv(SEED, raising=False)
        if value:
            monkeypatch.setenv(SEED, value)
        found.append((interval(run, bootstrap), p_values(baseline, run, 30, bootstrap)))
        assert os.environ.get(SEED) == value
    assert found[0] == found[1] == found[2]


def test_some_of_the_instances_are_scored_as_if_there_were_no_others() -> None:
    worse, _, references = sides("en")
    some = whole("m", "chrf", worse, references).some([3, 1, 4])
    own = whole("m", "chrf", [worse[1], worse[3], worse[4]], [references[1], references[3], references[4]])
    assert score(some) == pytest.approx(score(own)) and sorted(some.values) == sorted(own.values)
