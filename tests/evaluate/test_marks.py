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


POOL = 200  # references of the scores that read texts, and for each as many texts as VARIANTS
VARIANTS = 4


def measured(of: Metric, run: str, data: str = "zh-en") -> Measured:
    names = tuple(f"{number:03}" for number in range(len(of.values)))
    return Measured(f"{data}/silver", run, of.name, names, of)


def drawn_metric(kind: str, random: np.random.Generator, count: int) -> Metric:
    """A metric of a run whose instances are all drawn in the same way; a sixth of them are the same in all runs."""
    if kind == "real":
        return mean("m", np.where(np.arange(count) % 6 == 0, 0.5, random.random(count) ** 3))
    if kind == "either":  # the discrete case: most differences are ties
        return mean("m", random.integers(2, size=count))
    if kind == "heavy":  # sentences with several items, one of them with very many
        weights = np.where(np.arange(count) == 0, 30, np.arange(count) % 5)
        return ratio("m", 100 * random.random(count) ** 3 * weights, weights)
    sizes = random.integers(5, 40, size=(count, 2)) * np.where(np.arange(count) == 0, 10, 1)[:, None]
    found = random.binomial(
        sizes.min(axis=1), random.random(count)
    )  # graphs of several sizes, one of them large
    return Metric("m", found / sizes[:, 0], np.column_stack([found, found, sizes]).astype(float), "f1")


def pool(kind: str, random: np.random.Generator) -> Metric:
    """Texts of which runs are drawn: one of each reference, VARIANTS times."""
    references = [" ".join(random.choice(WORDS, size=20)) for _ in range(POOL)]
    texts = [" ".join(random.choice(WORDS, size=random.integers(6, 30))) for _ in range(VARIANTS * POOL)]
    return whole("m", kind, texts, references * VARIANTS)


def rejected(kind: str, count: int, draws: int, *, runs: int = 1, trials: int = 199) -> float:
    """The share of draws in which some run is marked as different from its baseline."""
    random = np.random.default_rng([len(kind), count])
    texts = pool(kind, random) if kind in ("bleu:13a", "chrf") else None
    pairs = []
    for draw in range(draws):
        chosen = random.choice(POOL, size=count, replace=False)
        variants = random.permuted(np.tile(np.arange(VARIANTS), (count, 1)), axis=1).T
        variants[:, ::6] = 0  # the same for all runs
        baseline, *others = (
            measured(
                texts.some((chosen + POOL * variants[run]).tolist())
                if texts
                else drawn_metric(kind, random, count),
                str(run),
                str(draw),
            )
            for run in range(runs + 1)
        )
        pairs += [(other, baseline) for other in others]
    rows = comparison_rows(pairs, trials, Bootstrap(samples=1))
    assert rows["dataset"].n_unique() == draws
    return rows.filter("significant")["dataset"].n_unique() / draws


@pytest.mark.parametrize(
    ("kind", "count", "draws"),
    [
        ("real", 25, 500),
        ("real", 41, 500),
        ("either", 60, 500),
        ("heavy", 41, 500),
        ("f1", 25, 500),
        ("bleu:13a", 25, 400),
        ("bleu:13a", 41, 400),
        ("chrf", 25, 300),
        ("chrf", 41, 300),
    ],
)
def test_a_mark_is_wrong_as_often_as_its_level_says(kind: str, count: int, draws: int) -> None:
    assert ALPHA == 0.05
    least = 0.02 if kind == "real" else 0  # a test that never rejects would be no better
    assert least < rejected(kind, count, draws) <= RATE


@pytest.mark.parametrize("kind", ["real", "either", "heavy", "f1", "bleu:13a", "chrf"])
def test_of_few_instances_none_is_marked(kind: str) -> None:
    assert rejected(kind, LEAST - 1, 50) == 0


def test_over_several_runs_a_wrong_mark_is_no_more_frequent() -> None:
    assert 0 < rejected("real", 25, 200, runs=5, trials=999) <= RATE


@pytest.mark.parametrize("count", [8, 41])
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


@pytest.mark.parametrize(("runs", "count"), [(3, 25), (5, 8)])
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
