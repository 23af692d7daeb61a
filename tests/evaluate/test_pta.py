"""Figures of choices between translations, from choices whose figures can be worked out by hand."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scipy.stats import pearsonr
from wokflow.evaluate.pta import evaluate_pta
from wokflow.evaluate.settings import PtaSettings
from wokflow.frame import tables
from wokflow.frame.intervals import wilson
from wokflow.frame.job import Job
from wokflow.judge.schemas import PTA_PAIRS, RATINGS

# Pair: its run, what is A in the first order, whether its item has a name, and whether the run wrote nothing.
Pairs = dict[str, tuple[str, str, bool, bool]]
PAIRS: Pairs = {
    "p": ("mt", "system", True, False),
    "q": ("mt", "reference", True, False),
    "r": ("mt", "system", False, False),
    "s": ("mt", "system", False, True),
    "t": ("llm", "reference", False, False),
}


def measured(
    folder: Path, *choices: tuple[str, str, int, str], known: Pairs = PAIRS, sentences: str = "pqrpt"
) -> dict[str, pl.DataFrame]:
    """The tables of figures of choices (rater, task, repetition, value) between pairs, each with its sentence.

    The first letters of a pair's name are its item.
    """
    pairs = [
        {
            "pair_id": name,
            "run": run,
            "a": a,
            "translated": translated,
            "empty": empty,
            "sentence_id": sentence,
        }
        | {"corpus": "x", "mention": "x", "qid": "p" if name == "s" else name[:2]}
        | {"seed": 13, "system_length": 9 if name in "pr" else 2, "reference_length": 5}
        for (name, (run, a, translated, empty)), sentence in zip(known.items(), sentences, strict=True)
    ]
    rows = [
        {"rater": rater, "task_id": task, "repetition": repetition, "value": value}
        | {"kind": "person" if rater.startswith("r") else "model"}
        | {"dimension": "preferred", "rationale": "", "status": "exact"}
        for rater, task, repetition, value in choices
    ]
    for name, schema, given in (("pairs", PTA_PAIRS, pairs), ("ratings", RATINGS, rows)):
        frame = tables.frame(schema, given)
        tables.write(folder / f"{name}.parquet", schema, frame, {})
    made = {name: str(folder / f"{name}.parquet") for name in ("pta", "biases", "agreement", "alpha")}
    given_paths: dict[str, Any] = {
        "pairs": str(folder / "pairs.parquet"),
        "ratings": [str(folder / "ratings.parquet")],
    }
    nobody = PtaSettings(judges=(), systems=())
    evaluate_pta(**given_paths, **made, settings=nobody, job=Job({"key": "k"}))
    return {name: tables.read(path) for name, path in made.items()}


CHOICES = [
    *(("j", "p:1", 1, "A"), ("j", "p:2", 1, "B")),  # the system, twice
    *(("j", "q:1", 1, "A"), ("j", "q:2", 1, "A")),  # the reference, then the system: A whatever it is
    *(("j", "r:1", 1, "C"), ("j", "r:2", 1, "A")),  # a tie, then the reference
]


def test_win_rates_of_all_items_and_of_those_without_a_name(tmp_path: Path) -> None:
    scores = measured(tmp_path, *CHOICES)["pta"]
    columns = ["run", "items", "pairs", "unrated", "choices", "pta", "tied", "lost", "same_in_both_orders"]
    assert scores.select(columns).rows() == [
        ("llm", "all", 0, 1, 0, None, None, None, None),
        ("llm", "untranslated", 0, 1, 0, None, None, None, None),
        # The system gets 1, 1/2, 0 and, of what it did not write, 0.
        ("mt", "all", 4, 0, 6, 37.5, 12.5, 50, 33.3333),
        ("mt", "translated", 2, 0, 4, 75, 0, 25, 50),
        ("mt", "untranslated", 2, 0, 2, 0, 25, 75, 0),
    ]
    low, high = wilson(0.375, 4)
    row = scores.filter(run="mt", items="all").row(0, named=True)
    assert (row["low"], row["high"]) == (round(100 * low, 4), round(100 * high, 4))
    assert row["same_when_repeated"] is None


def test_what_goes_to_a_and_to_the_longer_text(tmp_path: Path) -> None:
    biases = measured(tmp_path, *CHOICES)["biases"]
    # A gets 1/2 of p, 1 of q, 3/4 of r. The system is longer in p (1) and r (1/4), and shorter in q (1/2).
    assert biases.select("run", "bias", "units", "value").rows() == [
        (None, "position", 3, 75),
        ("mt", "position", 3, 75),
        ("mt", "length", 3, 56.25),
    ]


def test_repetitions_are_compared_within_a_task(tmp_path: Path) -> None:
    said = [("j", "p:1", 1, "A"), ("j", "p:1", 2, "A"), ("j", "p:1", 3, "B"), ("j", "q:1", 1, "B")]
    row = measured(tmp_path, *said)["pta"].filter(run="mt", items="translated").row(0, named=True)
    # Of three pairs of repetitions of p:1, one is the same; the system gets 2/3 of p, and q.
    assert row["same_when_repeated"] == 33.3333
    assert (row["pairs"], row["pta"], row["same_in_both_orders"]) == (2, 83.3333, None)


def test_pearson_between_raters_is_scipys(tmp_path: Path) -> None:
    other = [("k", "p:1", 1, "A"), ("k", "q:1", 1, "A"), ("k", "r:1", 1, "A"), ("k", "t:1", 1, "A")]
    pairs, runs = measured(tmp_path, *CHOICES, *other)["agreement"].rows(named=True)
    expected = pearsonr([1, 0.5, 0.25], [1, 0, 1]).statistic
    assert (pairs["rater"], pairs["other"], pairs["of"], pairs["pairs"]) == ("j", "k", "pairs", 3)
    assert pairs["pearson"] == pytest.approx(expected, abs=1e-4)
    assert (runs["of"], runs["units"], runs["pearson"]) == ("runs", 1, None)  # both rated pairs of mt alone


def test_pearson_over_runs_and_its_interval_are_scipys(tmp_path: Path) -> None:
    known: Pairs = {name: (f"run {name}", "system", True, False) for name in "pqrst"}
    said = {"j": "AABBC", "r1": "ABBBA"}
    choices = [
        (rater, f"{name}:1", 1, one)
        for rater, some in said.items()
        for name, one in zip(known, some, strict=True)
    ]
    rows = measured(tmp_path, *choices, known=known)["agreement"].filter(rater="j", other="r1")
    pairs, runs = rows.rows(named=True)
    assert pairs["pearson"] == pytest.approx(pearsonr([1, 1, 0, 0, 0.5], [1, 0, 0, 0, 1]).statistic, abs=1e-4)
    found = pearsonr([1, 1, 0, 0, 0], [1, 0, 0, 0, 1])  # a tie is not a win
    assert (runs["units"], runs["pearson"]) == (5, pytest.approx(found.statistic, abs=1e-4))
    assert (runs["low"], runs["high"]) == pytest.approx(tuple(found.confidence_interval(0.95)), abs=1e-4)


# Items p1, q1 and so on of two runs, each in its sentence.
BOTH_RUNS: Pairs = {
    f"{item}1{run}": (run, "system", True, False) for run in ("llm", "mt") for item in "pqrstuvw"
}
ALIKE = {"j": "AABABBAB", "k": "AABBBBAA"}  # what each takes of these items, of both runs the same


def of_items(raters: dict[str, str], known: Pairs, *repetitions: int) -> list[tuple[str, str, int, str]]:
    return [
        (rater, f"{name}:{order}", repetition, value if order == 1 else {"A": "B", "B": "A"}[value])
        for rater, values in raters.items()
        for name, value in zip(known, values * 2, strict=False)
        for order in (1, 2)
        for repetition in repetitions
    ]


def test_what_is_drawn_together_is_worth_no_more_than_one(tmp_path: Path) -> None:
    """Runs that are chosen alike, and repetitions, make no interval narrower: a sentence is drawn with both."""
    once = {name: row for name, row in BOTH_RUNS.items() if name.endswith("mt")}
    alone = measured(tmp_path, *of_items(ALIKE, once, 1), known=once, sentences="pqrstuvw")
    found = measured(tmp_path, *of_items(ALIKE, BOTH_RUNS, 1, 2), known=BOTH_RUNS, sentences="pqrstuvw" * 2)
    ends = ["low", "high", "kappa", "kappa_low", "kappa_high"]
    [one], [other] = (some["agreement"].filter(of="pairs").select(ends).rows() for some in (alone, found))
    assert other == pytest.approx(one, abs=1e-4) and one[0] < one[1]
    widths = [
        some["alpha"].filter(pl.col("rater").is_null()).select(pl.col("high") - pl.col("low")).item()
        for some in (alone, found)
    ]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    position = (
        found["biases"].filter(rater="j", bias="position").filter(pl.col("run").is_null()).row(0, named=True)
    )
    low, high = wilson(0.5, 8)
    assert (position["units"], position["value"]) == (16, 50)
    assert (position["low"], position["high"]) == pytest.approx((100 * low, 100 * high), abs=1e-4)


def test_items_of_a_sentence_that_are_chosen_alike_are_worth_little_more_than_one(tmp_path: Path) -> None:
    """Four sentences with two items each: by the design effect, (4 / 3) 16 / ((8 / 7) 8) is 7 / 3."""
    known = {name: row for name, row in BOTH_RUNS.items() if name.endswith("mt")}
    scores = measured(tmp_path, *of_items({"j": "AABBAABB"}, known, 1), known=known, sentences="ppqqrrss")[
        "pta"
    ]
    row = scores.filter(items="all").row(0, named=True)
    assert (row["pta"], row["low"], row["high"]) == pytest.approx(
        (50, *(100 * end for end in wilson(0.5, 8 * 3 / 7))), abs=1e-4
    )


def test_people_count_together_and_each_with_the_pairs_that_were_given_to_them(tmp_path: Path) -> None:
    """All persons rated p and q, of which a run with an empty text lost one more: s is of the same item."""
    said = [("r1", "p:1", 1, "A"), ("r2", "p:1", 1, "B"), ("r1", "q:1", 1, "C"), ("j", "p:1", 1, "A")]
    found = measured(tmp_path, *said)
    whole = found["pta"].filter(items="all").sort("kind", "rater")
    assert whole.select("kind", "rater", "run", "pairs", "unrated", "choices", "pta", "tied").rows() == [
        ("model", "j", "llm", 0, 1, 0, None, None),
        ("model", "j", "mt", 2, 2, 1, 50, 0),  # p, and s, which is empty
        ("people", "people", "mt", 3, 0, 3, 16.6667, 33.3333),  # 1/2 of p, a tie, and s
        ("person", "r1", "mt", 3, 0, 2, 33.3333, 33.3333),
        ("person", "r2", "mt", 2, 0, 1, 0, 0),
    ]
    same = whole.select("same_in_both_orders", "same_when_repeated")
    assert same.null_count().row(0) == (5, 5), "two persons are no repetition"
    both = found["agreement"].select("rater", "other").unique()
    assert set(both.rows()) == {("j", "people"), ("j", "r1"), ("j", "r2"), ("r1", "r2")}


def test_position_without_a_second_order_is_measured_by_which_side_was_drawn(tmp_path: Path) -> None:
    said = [("r1", "p:1", 1, "A"), ("r1", "q:1", 1, "A"), ("r1", "r:1", 1, "A")]  # A whatever it is
    row = (
        measured(tmp_path, *said)["biases"]
        .filter(kind="person", run="mt", bias="position")
        .row(0, named=True)
    )
    assert (row["units"], row["value"]) == (3, 100)


def test_kappa_and_alpha_are_those_of_which_side_is_preferred(tmp_path: Path) -> None:
    """Two models and a person, one choice of each pair: system, system, reference, reference of j; k differs once."""
    said = {
        "j": ("p:1A", "q:1B", "r:1B", "t:1A"),
        "k": ("p:1A", "q:1A", "r:1B", "t:1A"),
        "r1": ("p:1A", "q:1B"),
    }
    found = measured(tmp_path, *((rater, one[:3], 1, one[3]) for rater, some in said.items() for one in some))
    rows = found["agreement"].filter(of="pairs")
    kappas = {(row["rater"], row["other"]): row["kappa"] for row in rows.iter_rows(named=True)}
    assert kappas["j", "k"] == 0.5  # 3 of 4 alike, 1/2 by chance: 2 and 1 of 4 go to the system
    assert kappas["j", "people"] is None  # all to the system
    assert found["agreement"].filter(of="runs")["kappa"].null_count() == found["agreement"].height // 2
    [row] = found["alpha"].iter_rows(named=True)
    assert (row["kind"], row["rater"], row["units"], row["ratings"]) == ("model", None, 4, 8)
    assert row["alpha"] == pytest.approx(1 - (2 / 8) / (2 * 3 * 5 / (8 * 7)))  # 2 of 8 values differ
    assert row["low"] < row["alpha"] < row["high"]


def test_two_raters_that_both_follow_the_place_agree(tmp_path: Path) -> None:
    """Kappa is of choices in the same order, as alpha is; l saw one order alone, and took the system each time."""
    both = ("p:1A", "p:2A", "q:1A", "q:2A")  # the system, the reference; the reference, the system
    said = {"j": both, "k": both, "l": ("p:1A", "q:1B")}
    found = measured(tmp_path, *((rater, one[:3], 1, one[3]) for rater, some in said.items() for one in some))
    rows = found["agreement"].filter(of="pairs").iter_rows(named=True)
    kappas = {(row["rater"], row["other"]): row["kappa"] for row in rows}
    assert kappas == {("j", "k"): 1, ("j", "l"): 0, ("k", "l"): 0}  # j and l: 1 of 2 alike, 1/2 by chance
