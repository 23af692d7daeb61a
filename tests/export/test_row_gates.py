"""Ids that come twice, rows that do not add up and sources without a licence are found, and nothing else."""

import hashlib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export import standoff
from wokflow.export.row_gates import Account, accounts, duplicate_ids, unlicensed


def test_ids_that_occur_twice_are_counted_once_each() -> None:
    rows = pl.DataFrame({"key": ["b", "a", "b", "a", "c", "a"]})
    (found,) = duplicate_ids([rows[:2], rows[2:]], "items-zh-en")
    assert (found.gate, found.config, found.count) == ("duplicate_ids", "items-zh-en", 2)
    assert found.examples == ("a: 3 times", "b: 2 times")


@given(st.lists(st.text("xy>", max_size=3)))
def test_duplicates_are_those_that_one_counts(ids: list[str]) -> None:
    findings = duplicate_ids([pl.DataFrame({"key": ids}, {"key": pl.String})], "")
    assert sum(one.count for one in findings) == sum(ids.count(one) > 1 for one in set(ids))


GOOD = [
    Account("ingest.recipes", 100, 90, 10),
    Account("match.eligible", 90, 80, 10, after="ingest.recipes"),
    Account("export.actions", 80, 80, 0, after="match.eligible"),
]


def test_rows_that_add_up_are_no_finding() -> None:
    assert accounts(GOOD) == []


def test_rows_that_a_step_lost_or_took_from_nowhere_are_counted() -> None:
    (found,) = accounts([GOOD[0], Account("match.eligible", 92, 80, 9, after="ingest.recipes")])
    assert found.count == 5
    assert found.examples == (
        "match.eligible: 92 rows in, 80 out and 9 rejects (3 missing)",
        "match.eligible: 90 rows out of ingest.recipes, 92 in (2 too many)",
    )


@pytest.mark.parametrize("steps", [GOOD[1:], [GOOD[0], GOOD[0]]])
def test_accounts_that_cannot_be_checked_are_refused(steps: list[Account]) -> None:
    with pytest.raises(ValueError, match="is repeated, or"):
        accounts(steps)


def test_each_source_needs_a_licence_and_a_decision() -> None:
    sources = {
        "demo": {"licence": "Apache-2.0", "release": "text"},
        "books": {"licence": "Unknown.", "release": "ids"},
        "blogs": {"licence": "No licence file comes with the corpus.", "release": "everything"},
        "notes": {},
    }
    (found,) = unlicensed(sources)
    assert found.count == 3 and [text.split(":")[0] for text in found.examples] == ["blogs", "books", "notes"]
    assert found.examples[1] == "books: no licence"
    assert "no licence; release: None" in found.examples[2]
    assert unlicensed({"demo": sources["demo"]}) == []


def test_predictions_have_the_digest_that_the_tables_description_says(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"instance_id": ["a", "b"], "run": "tiny", "prediction": ["盐", None]}).write_parquet(path)
    (rows,) = standoff.predictions([str(path)], {}, text=False, given=None)
    assert rows["sha256"].to_list() == [hashlib.sha256("盐".encode()).hexdigest(), None]
    assert rows["prediction"].null_count() == 2
