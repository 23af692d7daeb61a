"""A row that equals an earlier one is a duplicate, and no other row is."""

import itertools
from collections.abc import Callable
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.ingest import recipes

from tests.ingest.defaults import CLEAN, only, recipes_settings

Ingest = Callable[..., Any]


def test_later_duplicates_are_rejected_and_name_the_first(ingest: Ingest, corpus: Any) -> None:
    row = corpus.row
    rows = [
        row(0, "a"),
        row(1, "b"),
        row(2, "a"),
        row(3, "a", ["other"]),
        row(4, "a", steps=["other"]),
        row(5, " a★"),
        row(6, ""),
        row(7, ""),
    ]
    found = ingest(corpus.name, corpus.file(rows), cleaning=CLEAN)
    assert found.recipes["source_row"].to_list() == [0, 1, 3, 4]
    assert found.rejects.select("source_row", "reason", "detail").rows() == [
        (2, "duplicate", f"equals {corpus.name}:0"),
        (5, "duplicate", f"equals {corpus.name}:0"),
        (6, "empty_title", None),
        (7, "empty_title", None),
    ]
    kept = ingest(corpus.name, corpus.file(rows), cleaning=recipes_settings(duplicates=False))
    assert kept.recipes["source_row"].to_list() == [0, 1, 2, 3, 4, 5]


def test_lists_that_look_alike_are_no_duplicates(ingest: Ingest, corpus: Any) -> None:
    lists = [[], [""], ["", ""], ["ab"], ["a", "b"], ["a\x1fb"], ["b", "a"], ["a", "", "b"]]
    rows = [corpus.row(0, "a", items, ["s"]) for items in lists]
    rows += [corpus.row(0, "a", ["s"], items) for items in lists]
    found = ingest(corpus.name, corpus.file(rows), cleaning=only(duplicates=True))
    assert found.recipes.height == 2 * len(lists)


def test_steps_in_another_order_are_another_recipe(ingest: Ingest, xiachufang_corpus: Any) -> None:
    steps = ["抹油", "撒粉", "撒粉", "抹油"]
    swapped = ["撒粉", "抹油", "抹油", "撒粉"]
    rows = [xiachufang_corpus.row(0, "饼", steps=some) for some in (steps, swapped, steps)]
    found = ingest("xiachufang", xiachufang_corpus.file(rows), cleaning=CLEAN)
    assert found.recipes["steps"].to_list() == [steps, swapped]
    assert found.rejects["detail"].to_list() == ["equals xiachufang:0"]


LETTERS = st.lists(st.sampled_from(["a", "b", "ab", ""]), max_size=8)


@given(st.lists(LETTERS | LETTERS.map(lambda items: items + items[::-1]), max_size=40))
@settings(deadline=None)
def test_hashes_of_lists_are_equal_where_the_lists_are(lists: list[list[str]]) -> None:
    hashes = recipes._list_hashes(pl.Series(lists, dtype=pl.List(pl.String))).tolist()
    assert len(hashes) == len(lists)
    assert (
        len(set(zip(hashes, map(tuple, lists), strict=True)))
        == len(set(hashes))
        == len(set(map(tuple, lists)))
    )


def test_no_arrangement_of_a_few_steps_has_the_hash_of_another() -> None:
    lists = [list(items) for size in range(9) for items in itertools.product("abc", repeat=size)]
    assert len(set(recipes._list_hashes(pl.Series(lists, dtype=pl.List(pl.String))).tolist())) == len(lists)
