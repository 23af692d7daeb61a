"""Texts on two sides of a split that are nearly the same are found, whatever batches they come in."""

import random
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export.gate_findings import Finding
from wokflow.export.near_duplicates import jaccard, near_duplicates, shingles

WORDS = [
    "切",
    "炒",
    "煮",
    "盐",
    "油",
    "葱",
    "姜",
    "蒜",
    "豆腐",
    "肉片",
    "面粉",
    "鸡蛋",
    "酱油",
    "小火",
    "大火",
    "五分钟",
    "翻炒",
    "出锅",
    "加水",
    "搅拌",
]


def text_of(seed: int, words: int = 120) -> str:
    return "".join(random.Random(seed).choices(WORDS, k=words))


def leaked(frames: Iterable[pl.DataFrame]) -> list[Finding]:
    return near_duplicates(frames, Path(tempfile.gettempdir()))


def frame(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, dict.fromkeys(("recipe_id", "split", "text"), pl.String), orient="row")


def test_a_text_with_a_few_words_changed_is_found_with_its_similarity() -> None:
    text = text_of(1)
    rows = [("a", "train", text), ("b", "test", text + "，撒上香菜。"), ("c", "test", text_of(2))]
    (found,) = leaked([frame(rows)])
    grams = [{one[place : place + 5] for place in range(len(one) - 4)} for one in (text, text + " 撒上香菜")]
    exact = len(grams[0] & grams[1]) / len(grams[0] | grams[1])
    assert (found.gate, found.count) == ("near_duplicates", 1)
    assert found.examples[0].startswith(f"b in test, a in train ({exact:.2f}): {text[:20]}")


def test_order_of_sides_and_frames_and_equal_ids() -> None:
    one, two = text_of(3), text_of(4)
    rows = [
        ("a", "test", one),
        ("b", "valid", one),
        ("c", "test", two),
        ("c", "train", two),
        ("d", "gold", two),
    ]
    (found,) = leaked([frame(rows[:2]), frame([]), frame(rows[2:])])
    assert [example.split(" (")[0] for example in found.examples] == [
        "a in test, b in valid",
        "d in test, c in train",
    ]


def test_texts_that_share_a_side_or_too_little_are_no_finding() -> None:
    text = text_of(5)
    half = text[: len(text) // 2]
    rows = [
        ("a", "test", text),
        ("b", "test", text),
        ("c", "train", half),
        ("d", "train", ""),
        ("e", "test", ""),
    ]
    assert leaked([frame(rows)]) == []
    assert leaked([]) == [] and leaked([frame([])]) == []


def test_texts_that_can_be_read_only_once_are_refused() -> None:
    with pytest.raises(TypeError, match="twice"):
        leaked(iter([frame([])]))


@given(st.lists(st.text("abc 汤饭,", max_size=12), min_size=1, max_size=8))
def test_shingles_are_the_five_grams_of_each_text_alone(texts: list[str]) -> None:
    hashes, offsets = shingles(pl.Series(texts, dtype=pl.String))
    known: dict[str, int] = {}
    for number, text in enumerate(texts):
        own = hashes[int(offsets[number]) : int(offsets[number + 1])].tolist()
        text = text.ljust(5, "\0")
        grams = [text[place : place + 5] for place in range(len(text) - 4)]
        assert len(own) == len(grams)
        for gram, value in zip(grams, own, strict=True):
            assert known.setdefault(gram, value) == value
    assert len(set(known.values())) == len(known)


@given(st.lists(st.integers(0, 20), min_size=1), st.lists(st.integers(0, 20), min_size=1))
def test_similarity_is_that_of_sets(one: list[int], two: list[int]) -> None:
    arrays = [np.array(some, np.uint64) for some in (one, two)]
    assert jaccard(*arrays) == len({*one} & {*two}) / len({*one, *two})


@given(st.integers(0, 1000), st.integers(1, 40))
def test_what_is_counted_is_what_all_comparisons_find_whatever_the_frames(seed: int, size: int) -> None:
    draw = random.Random(seed)
    rows = []
    for number in range(40):
        words = list(random.Random(draw.randrange(12)).choices(WORDS, k=100))
        for place in draw.sample(range(100), draw.choice([0, 1, 2, 30])):
            words[place] = draw.choice(WORDS)
        rows.append((str(number), draw.choice(["train", "train", "valid", "test"]), "".join(words)))
    order = {"train": 0, "valid": 1, "test": 2}
    hashes, ends = shingles(pl.Series([text for _, _, text in rows]))
    sets = [hashes[int(ends[row]) : int(ends[row + 1])] for row in range(len(rows))]
    near = {
        held
        for held in range(len(rows))
        for other in range(len(rows))
        if order[rows[other][1]] < order[rows[held][1]] and jaccard(sets[held], sets[other]) >= 0.8
    }
    frames = [frame(rows[at : at + size]) for at in range(0, len(rows), size)]
    assert sum(one.count for one in leaked(frames)) == len(near)
