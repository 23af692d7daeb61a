"""How often a mark of significance is wrong: runs that are alike, ratings by chance, and nothing to be found."""

import numpy as np
import pytest
from wokflow.evaluate import correlations
from wokflow.evaluate.comparisons import ALPHA, LEAST, comparison_rows
from wokflow.evaluate.correlations import correlation_rows
from wokflow.evaluate.measured import Measured
from wokflow.evaluate.score_intervals import Metric, mean, ratio, whole
from wokflow.evaluate.settings import Bootstrap

RATE = 0.06  # the most rejections at level 0.05 that are borne
WORDS = [*"abcdefghijklm"]


def measured(of: Metric, run: str) -> Measured:
    return Measured(
        "zh-en/silver", run, of.name, tuple(f"{number:03}" for number in range(len(of.values))), of
    )


def drawn_metric(kind: str, random: np.random.Generator, count: int, references: list[str]) -> Metric:
    """A metric of a run whose instances are all drawn in the same way; a sixth of them are the same in all runs."""
    if kind == "real":
        return mean("m", np.where(np.arange(count) % 6 == 0, 0.5, random.random(count) ** 3))
    if kind == "either":  # the discrete case: most differences are ties
        return mean("m", random.integers(2, size=count))
    if kind == "heavy":  # sentences with several items, one of them with very many
        weights = np.where(np.arange(count) == 0, 30, np.arange(count) % 5)
        return ratio("m", 100 * random.random(count) ** 3 * weights, weights)
    if kind == "f1":  # graphs of several sizes, one of them large
        sizes = random.integers(5, 40, size=(count, 2)) * np.where(np.arange(count) == 0, 10, 1)[:, None]
        found = random.binomial(sizes.min(axis=1), random.random(count))
        return Metric("m", found / sizes[:, 0], np.column_stack([found, found, sizes]).astype(float), "f1")
    texts = [" ".join(random.choice(WORDS, size=random.integers(6, 30))) for _ in range(count)]
    texts = [references[place] if place % 6 == 0 else text for place, text in enumerate(texts)]
    return whole("m", kind, texts, references)


def rejected(kind: str, count: int, draws: int, *, runs: int = 1, trials: int = 199) -> float:
    """The share of draws in which some run is marked as different from its baseline."""
    random = np.random.default_rng([len(kind), count])
    wrong = 0
    for _ in range(draws):
        references = [" ".join(random.choice(WORDS, size=20)) for _ in range(count)]
        sides = [measured(drawn_metric(kind, random, count, references), str(run)) for run in range(runs + 1)]
        rows = comparison_rows([(side, sides[0]) for side in sides[1:]], trials, Bootstrap(samples=1))
        wrong += rows["significant"].any()
    return wrong / draws


@pytest.mark.parametrize("count", [8, 25, 41])
@pytest.mark.parametrize(
    ("kind", "draws"),
    [("real", 1000), ("either", 1000), ("heavy", 1000), ("f1", 1000), ("bleu:13a", 400), ("chrf", 300)],
)
def test_a_mark_is_wrong_as_often_as_its_level_says(kind: str, draws: int, count: int) -> None:
    assert ALPHA == 0.05
    found = rejected(kind, count, draws)
    assert found <= RATE
    if count < LEAST:
        assert found == 0
    elif kind == "real":
        assert found > 0.02, "a test that never rejects would pass as well"


@pytest.mark.parametrize("count", [25, 41])
def test_over_several_runs_a_wrong_mark_is_no_more_frequent(count: int) -> None:
    assert 0 < rejected("real", count, 200, runs=5, trials=999) <= RATE


@pytest.mark.parametrize("count", [8, 25, 41])
def test_agreement_with_ratings_by_chance_is_marked_as_often_as_its_level_says(count: int) -> None:
    """Of two criteria by two metrics, corrected by Bonferroni; ratings are of 1 to 7, so many are tied."""
    random = np.random.default_rng(count)
    texts, wrong, draws = [("r", f"{number:03}") for number in range(count)], 0, 1000
    for _ in range(draws):
        found = [measured(mean(name, random.random(count)), "r") for name in ("bleu", "chrf")]
        ratings = {
            criterion: dict(zip(texts, random.integers(1, 8, size=count).tolist(), strict=True))
            for criterion in ("GRA", "CUL")
        }
        marks = [row[6] for row in correlation_rows(found, ratings, ALPHA)]
        assert len(marks) == 4
        wrong += any(marks)
    assert wrong / draws <= RATE


@pytest.mark.parametrize(("runs", "count"), [(8, 25), (3, 25), (5, 8)])
def test_agreement_by_chance_is_no_more_frequent_where_runs_and_sources_differ(
    runs: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Good runs and easy sources have many high values and ratings; of which, the two sides do not agree on."""
    monkeypatch.setattr(correlations, "EXCHANGES", 99)
    random = np.random.default_rng([runs, count])
    names = tuple(f"{number:03}" for number in range(count))

    def drawn() -> np.ndarray:
        return sum(random.normal(size=size) for size in ((runs, 1), (1, count), (runs, count)))

    draws, wrong = 200, 0
    for _ in range(draws):
        values, ratings = 1 / (1 + np.exp(-drawn())), np.clip(np.round(4 + drawn()), 1, 7)
        found = [
            Measured("zh-en/silver", str(run), "chrf", names, mean("chrf", values[run]))
            for run in range(runs)
        ]
        cells = {
            (str(run), name): float(ratings[run, at]) for run in range(runs) for at, name in enumerate(names)
        }
        (row,) = correlation_rows(found, {"CUL": cells}, ALPHA)
        wrong += row[6]
    assert wrong / draws <= RATE
