"""Benchmarks notice rows that are lost and rejects for the wrong reason, and compute what they publish as said."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.bench import accounts, corpora, test_beyond, test_real_size
from tests.bench.accounts import Truth
from tests.bench.corpora import KINDS

# The duplicates repeat a clean row, a broken one (twice) and one with a line break in its title.
WRITTEN = ["clean", "duplicate", "newline", "broken", "duplicate", "duplicate", "nul", "wrong_type"]
WRITTEN += ["newline", "duplicate", "crlf"]
REJECTS = {
    1: "duplicate",
    3: "broken_record",
    4: "broken_record",
    5: "invalid_utf8",
    6: "nul_byte",
    7: "bad_list",
    9: "duplicate",
}
TRUTH = Truth(np.array([KINDS.index(kind) for kind in WRITTEN]), np.arange(len(WRITTEN)))


def rejects(reasons: dict[int, str]) -> pl.DataFrame:
    return pl.DataFrame(
        {"source_row": list(reasons), "reason": list(reasons.values())},
        {"source_row": pl.Int64, "reason": pl.String},
    )


def test_each_spoilt_row_is_a_reject_for_its_reason_and_no_other_row_is() -> None:
    assert accounts.check_rejects("ingest", rejects(REJECTS), TRUTH) == {
        "broken": 1,
        "duplicate": 4,
        "nul": 1,
        "wrong_type": 1,
    }
    assert TRUTH.dishes.tolist() == [0, -1, 2, -1, -1, -1, -1, -1, 8, -1, 10]
    for edited, said in (
        ({row: reason for row, reason in REJECTS.items() if row != 6}, "6 (nul): a recipe"),
        (REJECTS | {7: "nul_byte"}, "7 (wrong_type): nul_byte"),
        (REJECTS | {10: "duplicate"}, "10 (crlf): duplicate"),
        (REJECTS | {3: "duplicate"}, "3 (broken): duplicate"),
    ):
        with pytest.raises(AssertionError) as raised:
            accounts.check_rejects("ingest", rejects(edited), TRUTH)
        assert said in str(raised.value)


def test_rows_that_are_lost_or_come_twice_are_noticed() -> None:
    rows = np.arange(5)
    accounts.same_rows("step", rows, np.array([4, 0, 2]), np.array([3, 1]))
    for parts in (([0, 1, 2], [3]), ([0, 1, 2], [3, 3]), ([0, 1, 2, 3], [3, 4]), ([0, 1, 2], [3, 5])):
        with pytest.raises(AssertionError, match="step"):
            accounts.same_rows("step", rows, *map(np.array, parts))


def test_pairs_are_right_if_both_sides_are_one_dish_and_accepting_all_lowers_precision() -> None:
    kinds = np.zeros(4, np.int64)
    kinds[3] = KINDS.index("nul")
    zh, en = Truth(kinds, np.array([7, 8, 9, 7])), Truth(np.zeros(3, np.int64), np.array([7, 8, 5]))
    one = accounts.judged(np.array([0, 1]), np.array([0, 2]), zh, en)
    assert one == {"precision": 0.5, "paired": 1.0, "right": 0.5}
    every = accounts.judged(np.repeat([0, 1, 2], 3), np.tile([0, 1, 2], 3), zh, en)
    assert every == {"precision": 2 / 9, "paired": 1.0, "right": 1.0}


def test_neighbours_of_texts_make_at_most_k_pairs_of_each_recipe() -> None:
    near = pl.DataFrame({"source_index": [0, 0, 1], "target_index": [0, 1, 1]})
    sources = pl.DataFrame({"text_index": [0, 1, 2], "len": [2, 3, 1]})
    targets = pl.DataFrame({"text_index": [0, 1], "len": [4, 9]})
    assert accounts.expected_pairs(near, sources, targets) == 2 * accounts.K + 3 * 9


def test_a_file_with_two_names_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a").write_bytes(b"12345")
    (tmp_path / "one" / "b").write_bytes(b"12345")
    (tmp_path / "two").hardlink_to(tmp_path / "one" / "a")
    counted: set[tuple[int, int]] = set()
    assert test_real_size.new_bytes(tmp_path / "one", counted) == 10
    assert test_real_size.new_bytes(tmp_path / "two", counted) == 0


def test_a_start_that_was_killed_counts_until_its_last_job(tmp_path: Path) -> None:
    starts, jobs = tmp_path / "starts", tmp_path / "house" / "results" / "benchmarks" / "rule"
    starts.mkdir()
    jobs.mkdir(parents=True)
    for name, text in (("000.began", "1000 a"), ("001.began", "5000 b"), ("001.ended", "5600")):
        (starts / name).write_text(text)
    for name, at in (("first", 1200), ("second", 1900), ("third", 5500)):
        (jobs / f"{name}.tsv").touch()
        os.utime(jobs / f"{name}.tsv", (at, at))
    assert test_real_size.spent(tmp_path) == [(900, "a"), (600, "b")]


def test_corpora_that_are_whole_are_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    monkeypatch.setattr(corpora, "recipenlg", lambda path, rows, company: written.append(rows))
    monkeypatch.setattr(corpora, "xiachufang", lambda path, rows, company: written.append(rows))
    rows = {"recipenlg": 300, "xiachufang": 2000}
    for _ in range(2):
        test_real_size.write_corpora(tmp_path / "data", rows)
    assert written == [300, 2000]
    (tmp_path / "data" / "whole").unlink()  # as where writing was stopped
    test_real_size.write_corpora(tmp_path / "data", rows)
    test_real_size.write_corpora(tmp_path / "data", rows | {"recipenlg": 400})
    assert written == [300, 2000, 300, 2000, 400, 2000]


MEASURED = test_beyond.Measured(
    queries=1_000_000,
    targets=2_000_000,
    search=100.0,
    width=192,
    dtype="float32",
    product=4e12,
    coding=1e6,
    lists=1_024,
    probes=16,
    recall=0.9,
    inverted=20.0,
    texts=1_000.0,
)


def test_what_a_search_reaches_of_its_products_is_by_the_width_of_its_codes() -> None:
    plan = test_beyond.Plan(MEASURED)
    assert plan.share == 2 * 1e6 * 2e6 * 192 / 100 / 4e12 == pytest.approx(1.92)  # and has no cap
    assert plan.here == pytest.approx(100 * 100 * 50 / 3600)
    assert plan.gpu == pytest.approx(max(2 * 1e16 * 384 / 1_979e12, 12 * 1e16 / 3.35e12) / 3600 / 1.92)


def test_cost_and_recall_of_an_inverted_file_are_of_one_share_of_its_lists() -> None:
    plan = test_beyond.Plan(MEASURED)
    assert plan.probes / test_beyond.LISTS == MEASURED.probes / MEASURED.lists
    assert plan.whole / plan.approximate == pytest.approx(1e8 / 2 / (65_536 + 1e8 / 64))


def test_a_job_holds_as_many_english_rows_as_its_memory_allows() -> None:
    plan = test_beyond.Plan(MEASURED)
    assert 95_000 < plan.run < 105_000
    assert plan.runs == -(-100_000_000 // plan.run)


def test_the_memory_of_each_rule_is_held_against_what_it_asks_for() -> None:
    rows = {
        "recipenlg": ["9", "9", "1,200,000", "1,000"],
        "xiachufang": ["9", "9", "800,000", "600"],
        "ingest_source": ["2", "3", "2", "132", "0.0"],
        "match_texts": ["2", "4", "3", "632", "68.7"],
        "match_search": ["1", "9", "9", "5,364", "9"],  # its setting says how much
        "export_gone": ["2", "9", "9", "3,952", "9"],
        "all": ["9", "9", "9", "5,364", "9"],
    }
    assert list(test_beyond.memory(rows)) == [
        ("ingest_source", 132, 132, 1_000),
        ("match_texts", 632, 132 + 50_000, 3_000),
    ]
