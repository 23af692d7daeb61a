"""What stands on two sides of a split is found: recipes, titles, connected pairs, and tests in training examples."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export.leaks import connected_pairs, shared_recipes, shared_titles, trained_on_tests

Rows = list[tuple[str, ...]]


def splits(*rows: tuple[str, str]) -> pl.LazyFrame:
    return pl.LazyFrame(rows, {"recipe_id": pl.String, "split": pl.String}, orient="row")


def titles(*rows: tuple[str, str]) -> pl.LazyFrame:
    return pl.LazyFrame(rows, {"recipe_id": pl.String, "title": pl.String}, orient="row")


def pairs(rows: Rows) -> pl.LazyFrame:
    return pl.LazyFrame(rows, dict.fromkeys(("source_id", "target_id", "split"), pl.String), orient="row")


def test_a_recipe_on_two_sides_is_found_and_gold_and_silver_are_tests() -> None:
    table = splits(
        ("a", "train"), ("a", "train"), ("b", "train"), ("b", "gold"), ("c", "test"), ("c", "silver"),
        ("d", "valid"), ("d", "test"), ("e", "train"), ("e", "validation"),
    )  # fmt: skip
    (found,) = shared_recipes(table)
    assert (found.gate, found.count) == ("shared_recipes", 3)
    assert found.examples == (
        "b: in train and in test",
        "d: in valid and in test",
        "e: in train and in valid",
    )
    assert shared_recipes(splits(("a", "train"), ("b", "test"))) == []


def test_titles_are_compared_without_case_punctuation_spaces_and_width() -> None:
    where = splits(
        ("a", "train"), ("b", "test"), ("c", "valid"), ("d", "test"), ("e", "test"), ("f", "train")
    )
    named = titles(
        ("a", "Mapo Tofu!"), ("b", "mapo-tofu"), ("c", "ＭＡＰＯ ＴＯＦＵ"), ("d", "麻婆豆腐"),
        ("e", "!?"), ("f", "…"),
    )  # fmt: skip
    (found,) = shared_titles(named, where)
    assert (found.gate, found.count) == ("shared_titles", 2)
    assert found.examples == (
        "b in test, a in train: mapotofu",
        "c in valid, a in train: mapotofu",
    )


def test_titles_of_valid_and_test_are_compared_too_and_one_recipe_is_no_pair() -> None:
    where = splits(("a", "valid"), ("b", "test"), ("c", "train"), ("c", "test"))
    (found,) = shared_titles(titles(("a", "soup"), ("b", "Soup"), ("c", "rice")), where)
    assert found.examples == ("b in test, a in valid: soup",)
    assert shared_titles(titles(("c", "rice"), ("b", "soup")), where) == []


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


@given(ENDS)
def test_connected_pairs_are_those_that_share_recipes_step_by_step(rows: list[tuple[str, str, str]]) -> None:
    order = ["train", "valid", "test"]
    leaked = 0
    for source, _, split in rows:
        reached, before = {source}, set[str]()
        while reached != before:
            before = reached
            reached = before | {one for row in rows if before & set(row[:2]) for one in row[:2]}
        leaked += any(order.index(row[2]) < order.index(split) for row in rows if row[0] in reached)
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
        "zh:1>en:1: the text of zh:9 is tested: 红烧肉一",
        "zh:5: the text of zh:9 is tested: 饭的做法",
    )


def test_examples_of_other_recipes_are_no_finding() -> None:
    tests = pl.LazyFrame({"source_id": ["zh:33", "zh"]})
    texts = pl.LazyFrame({"recipe_id": ["zh:1"], "text": ["pork"]})
    assert trained_on_tests(EXAMPLES.lazy(), tests, texts, "") == []


@pytest.mark.parametrize("gate", [shared_recipes, lambda rows: shared_titles(titles(), rows)])
def test_no_rows_are_no_finding(gate: object) -> None:
    assert callable(gate) and gate(splits()) == []
