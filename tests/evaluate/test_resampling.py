"""Intervals and paired comparisons: by hand, as sacrebleu's own, and what must hold for all."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.evaluate import resampling
from wokflow.evaluate.intervals import Bootstrap, Floats, ratio
from wokflow.evaluate.measured import Measured, read_measured
from wokflow.evaluate.overlap import overlap
from wokflow.evaluate.parts import one_line
from wokflow.evaluate.resampling import comparison_rows, p_value, score_rows

from tests.evaluate.adapted import recipes, write_parts

SACREBLEU = Bootstrap(samples=1000, level=0.95, seed=12345)  # its default seed
shares = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12)


@pytest.fixture(autouse=True, scope="module")
def few_instances_suffice() -> Iterator[None]:
    """So that examples can be reckoned by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampling, "LEAST", 1)
        yield


def measured(values: list[float], run: str = "r", ids: list[str] | None = None) -> Measured:
    parts = np.column_stack([values, np.ones(len(values))]).astype(np.float64)
    names = tuple(ids or [f"{number:03}" for number in range(len(values))])
    return Measured("zh-en/silver", run, "m", ratio, names, parts, "s", None)


def test_the_interval_of_two_instances_by_hand() -> None:
    # a resample has both (half of the time), or one of them twice: means 0, 50 and 100, a quarter of each end
    row = score_rows([measured([0, 1])], Bootstrap(samples=4000, level=0.4)).row(0, named=True)
    assert (row["value"], row["low"], row["high"], row["instances"]) == (50, 50, 50, 2)
    row = score_rows([measured([0, 1])], Bootstrap(samples=4000, level=0.9)).row(0, named=True)
    assert (row["low"], row["high"]) == (0, 100)


def test_what_has_no_instances_says_why() -> None:
    none = np.zeros((0, 1))
    skipped = Measured("d", "r", "m", ratio, (), none, "", "No model.")
    rows = score_rows([skipped, measured([1])], Bootstrap(samples=10))
    assert rows["note"].to_list() == ["No model.", None]
    assert rows["value"].to_list() == [None, 100]
    empty = Measured("d", "r", "m", ratio, (), none, "", None)
    assert score_rows([empty], Bootstrap())["note"].to_list() == ["No instance counts for it."]


def test_the_p_value_by_hand() -> None:
    drawn = np.array([0.0, 1, 2, 3, 4])
    assert p_value(2.0, drawn) == (1 + 2) / 6  # 0 and 4 are as far from 2 as 2 is from 0
    assert p_value(-2.0, -drawn) == (1 + 2) / 6
    assert p_value(0.0, drawn) == 1


def test_runs_are_compared_on_what_both_have() -> None:
    one = measured([1, 1, 0], "a", ["x", "y", "z"])
    other = measured([0, 0, 1], "b", ["w", "x", "y"])
    row = comparison_rows([(one, other)], Bootstrap(samples=200)).row(0, named=True)
    assert row["instances"] == 2
    assert row["difference"] == 50  # (1 + 1) / 2 - (0 + 1) / 2
    assert (row["low"], row["high"]) == (0, 100)


def test_fewer_instances_than_suffice_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "LEAST", 5)
    for count, rows in ((4, 0), (5, 1)):
        pair = measured([1.0] * count, "a"), measured([0.5] * count, "b")
        assert comparison_rows([pair], Bootstrap(samples=10)).height == rows


def test_runs_that_share_no_instance_are_not_compared() -> None:
    pair = measured([1], "a", ["x"]), measured([1], "b", ["y"])
    assert comparison_rows([pair], Bootstrap(samples=10)).is_empty()


def test_a_clear_difference_is_significant_and_a_doubtful_one_is_not() -> None:
    base = [0.1, 0.2, 0.3, 0.4] * 10
    better = comparison_rows([(measured([x + 0.3 for x in base]), measured(base, "b"))], Bootstrap())
    assert better.row(0, named=True)["p_value"] == 1 / 1001
    swapped = comparison_rows([(measured(base[::-1]), measured(base, "b"))], Bootstrap())
    assert swapped.row(0, named=True)["p_value"] == 1  # the difference is 0


@settings(deadline=None, max_examples=40)
@given(shares, st.integers(0, 5))
def test_what_must_hold_of_comparisons(values: list[tuple[float, float]], seed: int) -> None:
    bootstrap = Bootstrap(samples=60, seed=seed)
    one, other = measured([a for a, _ in values], "a"), measured([b for _, b in values], "b")
    forth, back, self = comparison_rows([(one, other), (other, one), (one, one)], bootstrap).to_dicts()
    assert forth["difference"] == -back["difference"] and forth["p_value"] == back["p_value"]
    assert (forth["low"], forth["high"]) == pytest.approx((-back["high"], -back["low"]), abs=1e-4)
    assert (self["difference"], self["low"], self["high"], self["p_value"]) == (0, 0, 0, 1)
    assert 1 / 61 <= forth["p_value"] <= 1


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(8)))
def test_the_order_of_instances_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    rows = [
        {"instance_id": f"i{number}", "run": "r", "statistic": "ratio", "parts": [number / 8, 1.0]}
        for number in range(8)
    ]
    folder = tmp_path_factory.mktemp("parts")
    plain = write_parts(folder / "plain", rows)
    mixed = write_parts(folder / "mixed", [rows[place] for place in order])
    scores = [score_rows(read_measured([path]), Bootstrap(samples=50)) for path in (plain, mixed)]
    assert scores[0].equals(scores[1])


def test_parts_that_are_null_or_nothing_do_not_count(tmp_path: Path) -> None:
    usual = {"run": "r", "statistic": "ratio"}
    rows = [
        usual | {"instance_id": "a", "parts": [1.0, 2.0]},
        usual | {"instance_id": "b", "parts": [0.0, 0.0]},
        usual | {"instance_id": "c", "parts": None, "note": "none"},
        usual | {"instance_id": "a", "metric": "n", "parts": None, "note": "No model."},
    ]
    first, second = read_measured([write_parts(tmp_path / "p", rows)])
    assert (first.ids, first.parts.tolist()) == (("a",), [[1, 2]])
    assert (second.ids, second.note) == ((), "No model.")


def systems(metric: str) -> tuple[Measured, Measured, list[list[str]], list[str]]:
    """A run and a baseline of made-up recipes, as parts and as texts, and the references."""
    texts, references = recipes("en")
    worse = [text if number % 2 else text[: len(text) // 2] for number, text in enumerate(texts)]
    lines = [list(map(one_line, side)) for side in (worse, texts)]
    references = list(map(one_line, references))
    found = []
    for name, side in zip(("run", "baseline"), lines, strict=True):
        of = {one.name: one for one in overlap(side, references, "en")}[metric]
        ids = tuple(f"{number:03}" for number in range(len(side)))
        found.append(Measured("d", name, metric, of.statistic, ids, of.parts, of.signature, None))
    return found[0], found[1], lines, references


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_with_its_seed_the_resampled_scores_are_those_of_sacrebleus_paired_test(metric: str) -> None:
    from sacrebleu.metrics.base import Metric
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.significance import PairedTest

    run, baseline, lines, references = systems(metric)
    theirs: dict[str, Metric] = {"bleu": BLEU(references=[references])} if metric == "bleu" else {}
    theirs = theirs or {"chrf": CHRF(references=[references])}
    test = PairedTest([("base", lines[1]), ("run", lines[0])], theirs, None, "bs", n_samples=1000)
    _, results = test()
    (result,) = (of[1] for name, of in results.items() if name != "System")

    sums = both_sums(run, baseline)
    drawn = run.statistic(sums[0]), baseline.statistic(sums[1])
    cut = len(drawn[0]) // 40  # their interval is of ranks, and about the mean of the resamples
    ranked = np.sort(drawn[0])
    assert result.score == pytest.approx(run.value(run.parts), abs=1e-9)
    assert result.mean == pytest.approx(drawn[0].mean(), abs=1e-3)  # they count in single precision
    assert result.ci == pytest.approx((ranked[-cut - 1] - ranked[cut]) / 2, abs=1e-3)
    of_size = np.abs(drawn[0] - drawn[1])
    difference = abs(run.value(run.parts) - baseline.value(baseline.parts))
    one_sided = (1 + (of_size - of_size.mean() > difference).sum()) / 1001
    assert result.p_value == one_sided
    ours = comparison_rows([(run, baseline)], SACREBLEU)["p_value"][0]
    assert (ours < 0.05) == (result.p_value < 0.05)
    assert ours >= result.p_value  # ours has both tails


def both_sums(run: Measured, baseline: Measured) -> list[Floats]:
    from wokflow.evaluate.intervals import resamples

    sums = np.concatenate(list(resamples(np.hstack([run.parts, baseline.parts]), SACREBLEU)))
    return np.split(sums, [run.parts.shape[1]], axis=1)


def test_intervals_are_the_same_alone_and_beside_other_runs() -> None:
    one, other = measured([0.1, 0.5, 0.9]), measured([0.3, 0.2, 0.8], "b")
    few = measured([0.3, 0.2], "c")
    together = score_rows([one, few, other], Bootstrap(samples=100))
    assert pl.concat([score_rows([each], Bootstrap(samples=100)) for each in (one, few, other)]).equals(
        together
    )
