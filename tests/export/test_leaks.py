"""What stands on two sides of a split is found: recipes, titles, connected pairs, and tests in training examples."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export.leaks import connected_pairs, shared_recipes, shared_titles, trained_on_tests
from wokflow.export.split_sides import Sides

Rows = list[tuple[str, ...]]
FIRST = {"train": 0, "valid": 1}


def stand(*rows: tuple[str, str], corpora: dict[str, int] | None = None) -> Sides:
    """Recipes on sides, without pairs."""
    sides = Sides(corpora or {}, Path(tempfile.gettempdir()))
    for recipe, split in rows:
        sides.add(pl.DataFrame({"source_id": recipe, "target_id": None}, IDS), split)
    return sides


def named(*rows: tuple[str, str, str]) -> list[pl.DataFrame]:
    """recipe_id, split and title, in two frames."""
    firsts = {one: min(FIRST.get(split, 2) for each, split, _ in rows if each == one) for one, _, _ in rows}
    table = [(*row, FIRST.get(row[1], 2) == firsts[row[0]]) for row in rows]
    schema = {"recipe_id": pl.String, "split": pl.String, "title": pl.String, "first": pl.Boolean}
    found = pl.DataFrame(table, schema, orient="row")
    return [found[:2], found[2:]]


def pairs(rows: Rows) -> Sides:
    sides = Sides({}, Path(tempfile.gettempdir()))
    for *ids, split in rows:
        sides.add(pl.DataFrame([ids], IDS, orient="row"), split)
    return sides


IDS = {"source_id": pl.String, "target_id": pl.String}


def test_a_recipe_on_two_sides_is_found_and_gold_and_silver_are_tests() -> None:
    sides = stand(
        ("a", "train"), ("a", "train"), ("b", "train"), ("b", "gold"), ("c", "test"), ("c", "silver"),
        ("d", "valid"), ("d", "test"), ("e", "train"), ("e", "validation"),
    )  # fmt: skip
    (found,) = shared_recipes(sides)
    assert (found.gate, found.count) == ("shared_recipes", 3)
    assert found.examples == (
        "b: in train and in test",
        "d: in valid and in test",
        "e: in train and in valid",
    )
    assert shared_recipes(stand(("a", "train"), ("b", "test"))) == []


def test_recipes_of_corpora_stand_in_order_with_each_side_and_others_are_known_by_name() -> None:
    rows = [("zh:2", "test"), ("en:0", "valid"), ("zh:0", "train"), ("zh:2", "train"), ("zh:9", "test")]
    sides = stand(*rows, ("zh:9", "train"), corpora={"zh": 3, "en": 1})
    found = [row for size in (1, 9) for each in sides.frames("zh", size) for row in each.rows()]
    assert found == 2 * [
        ("zh:0", "train", True),
        ("zh:2", "train", True),
        ("zh:2", "test", False),
    ]
    assert [each.rows() for each in sides.frames("en", 5)] == [[("en:0", "valid", True)]]
    (shared,) = shared_recipes(sides)
    assert shared.examples == ("zh:2: in train and in test", "zh:9: in train and in test")


def test_titles_are_compared_without_case_punctuation_spaces_and_width() -> None:
    titles = named(
        ("a", "train", "Mapo Tofu!"), ("b", "test", "mapo-tofu"), ("c", "valid", "ＭＡＰＯ ＴＯＦＵ"),
        ("d", "test", "麻婆豆腐"), ("e", "test", "!?"), ("f", "train", "…"),
    )  # fmt: skip
    (found,) = shared_titles(titles)
    assert (found.gate, found.count) == ("shared_titles", 2)
    assert found.examples == (
        "b in test, a in train: mapotofu",
        "c in valid, a in train: mapotofu",
    )


def test_titles_of_valid_and_test_are_compared_too_and_one_recipe_is_no_pair() -> None:
    soup = [("a", "valid", "soup"), ("b", "test", "Soup")]
    rice = [("c", "train", "rice"), ("c", "test", "rice")]
    (found,) = shared_titles(named(*soup, *rice))
    assert found.examples == ("b in test, a in valid: soup",)
    assert shared_titles(named(*rice, soup[1])) == []


@given(st.lists(st.tuples(st.sampled_from(["train", "valid", "test"]), st.sampled_from(["", "x", "y", "z"]))))
def test_shared_titles_are_those_that_one_counts(rows: list[tuple[str, str]]) -> None:
    found = shared_titles(named(*((str(row), *each) for row, each in enumerate(rows))))
    side = {"train": 0, "valid": 1, "test": 2}
    earlier = [any(t == title and side[s] < side[split] for s, t in rows) for split, title in rows if title]
    assert sum(one.count for one in found) == sum(earlier)


def test_pairs_are_connected_through_other_pairs() -> None:
    chain = [
        ("a", "x", "train"),
        ("b", "x", "train"),
        ("b", "y", "test"),
        ("c", "z", "test"),
        ("d", "z", "test"),
    ]
    (found,) = connected_pairs(pairs(chain))
    assert (found.gate, found.count) == ("connected_pairs", 1)
    assert found.examples == ("b>y: in test, connected with 2 pairs of train",)
    assert connected_pairs(pairs(chain[:2] + chain[3:])) == []
    assert connected_pairs(pairs([])) == []


ENDS = st.lists(
    st.tuples(
        st.sampled_from("abcdef"), st.sampled_from("uvwxyz"), st.sampled_from(["train", "valid", "test"])
    )
)


@given(ENDS, st.integers(1, 3))
def test_connected_pairs_are_those_that_share_recipes_step_by_step(
    rows: list[tuple[str, str, str]], at_a_time: int
) -> None:
    order = ["train", "valid", "test"]
    leaked = 0
    for source, _, split in rows:
        reached, before = {source}, set[str]()
        while reached != before:
            before = reached
            reached = before | {one for row in rows if before & set(row[:2]) for one in row[:2]}
        leaked += any(order.index(row[2]) < order.index(split) for row in rows if row[0] in reached)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wokflow.export.split_sides.SLICE", at_a_time)
        assert sum(one.count for one in connected_pairs(pairs(list(rows)))) == leaked


EXAMPLES = pl.DataFrame(
    {
        "instance_id": ["zh:1>en:1", "zh:2>en:2", "en:3>zh:3", "zh:4", "zh:5"],
        "split": ["train", "train", "valid", "train", "train"],
        "source": ["红烧肉 一", "Mapo tofu", "soup", "粥的做法", "饭的做法"],
        "target": ["pork", "tofu", "汤", "煮粥。", "蒸饭。"],
    }
)


def test_training_examples_are_found_by_id_and_by_text() -> None:
    tests = pl.LazyFrame({"source_id": ["zh:3", "zh:9", "zh:8"]})
    texts = pl.LazyFrame(
        {"recipe_id": ["zh:9", "zh:9", "zh:8", "zh:7"], "text": ["红烧肉，一", "蒸 饭", " ", "Mapo tofu"]}
    )
    (found,) = trained_on_tests(EXAMPLES.lazy(), tests, texts, "model-adapt")
    assert (found.gate, found.config, found.count) == ("trained_on_tests", "model-adapt", 3)
    assert found.examples == (
        "en:3>zh:3: the id is tested: soup",
        "zh:1>en:1: a text of zh:9 is tested: 红烧肉一",
        "zh:5: a text of zh:9 is tested: 饭的做法",
    )


def test_examples_of_other_recipes_are_no_finding() -> None:
    tests = pl.LazyFrame({"source_id": ["zh:33", "zh"]})
    texts = pl.LazyFrame({"recipe_id": ["zh:1"], "text": ["pork"]})
    assert trained_on_tests(EXAMPLES.lazy(), tests, texts, "") == []


def test_no_rows_are_no_finding() -> None:
    assert shared_recipes(stand()) == shared_titles([]) == shared_titles(named()) == []
