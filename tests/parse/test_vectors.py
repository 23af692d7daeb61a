"""Word vectors: counted, ordered, the same bytes each time; read back, or from a file of the user's."""

import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.ingest.schemas import RECIPES
from wokflow.parse.settings import VectorsSettings
from wokflow.parse.vectors import parse_vectors, read_vectors, sampled

ROOT = Path(__file__).resolve().parents[2]
SETTINGS: dict[str, Any] = {
    "model": "skip_gram",
    "dimensions": 8,
    "window": 3,
    "epochs": 2,
    "least_count": 1,
    "recipes": None,
    "seed": 5,
}
STEPS = [["土豆切块，土豆洗净", "热锅倒油"], ["锅里倒油，放入土豆炒 10 分钟"], ["切块", "切块"]]


def write_recipes(path: Path, steps: list[list[str]], ingredients: list[list[str]] | None = None) -> str:
    """A part of a recipes table."""
    rows = pl.DataFrame(
        {
            "recipe_id": [f"xiachufang:{row}" for row in range(len(steps))],
            "corpus": ["xiachufang"] * len(steps),
            "lang": ["zh"] * len(steps),
            "title": ["菜"] * len(steps),
            "ingredients": ingredients or [[] for _ in steps],
            "steps": steps,
            "dish": [None] * len(steps),
            "url": [None] * len(steps),
            "source_row": range(len(steps)),
        },
        tables.columns(RECIPES),
    )
    tables.write(path, RECIPES, rows, {})
    return str(path)


@pytest.fixture
def recipes(tmp_path: Path) -> str:
    return write_recipes(tmp_path / "recipes.parquet", STEPS)


def train(recipes: str, out: Path, glossary: str | None = None, **settings: Any) -> tuple[list[str], Any]:
    files = {"recipe_parts": [recipes], "vectors": str(out), "digest": f"{out}.sha256"}
    chosen = VectorsSettings(glossary=glossary, **SETTINGS | settings)
    parse_vectors(**files, settings=chosen, job=Job())
    return read_vectors(out)


def test_words_come_by_count_and_then_alphabetically(recipes: str, tmp_path: Path) -> None:
    words, vectors = train(recipes, tmp_path / "out")
    assert words[:2] == ["切块", "土豆"]  # three times each
    assert "10" not in words and "，" not in words
    ones = [word for word in words if word in ("炒", "热锅", "洗净", "放入", "分钟")]
    assert ones == sorted(ones)
    assert vectors.shape == (len(words), 8) and vectors.dtype == np.float32


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    recipes = write_recipes(tmp_path / "recipes", STEPS * 100)  # of fewer, frequent words are left out
    code = (
        "import sys; from pathlib import Path; from tests.parse.test_vectors import train;"
        f"train({recipes!r}, Path(sys.argv[1]))"
    )
    for seed in "12":
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT}/scripts"}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], check=True, env=environment)
    for name in ("1/words.txt", "1/vectors.npy", "1.sha256"):
        assert (tmp_path / name).read_bytes() == (tmp_path / name.replace("1", "2", 1)).read_bytes()


def test_the_models_differ_and_each_repeats(tmp_path: Path) -> None:
    recipes = write_recipes(tmp_path / "recipes", STEPS * 100)
    one, again, other = (
        train(recipes, tmp_path / str(number), model=model)[1]
        for number, model in enumerate(("cbow", "cbow", "skip_gram"))
    )
    assert np.array_equal(one, again) and not np.allclose(one, other, atol=1e-3)


def test_the_digest_is_of_what_the_folder_holds(recipes: str, tmp_path: Path) -> None:
    train(recipes, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["vectors.npy", "words.txt"]
    names = ("words.txt", "vectors.npy")
    parts = [hashlib.sha256((tmp_path / "out" / name).read_bytes()).digest() for name in names]
    assert (tmp_path / "out.sha256").read_text() == hashlib.sha256(b"".join(parts)).hexdigest() + "\n"
    train(recipes, tmp_path / "other", seed=6)
    assert (tmp_path / "out.sha256").read_text() != (tmp_path / "other.sha256").read_text()


def test_the_glossary_says_what_a_word_is(recipes: str, tmp_path: Path) -> None:
    glossary = tmp_path / "glossary.json"
    glossary.write_text('{"verbs": {}, "ingredients": {"土豆切块": "土豆"}, "tools": {}}', encoding="utf-8")
    assert "土豆切块" not in train(recipes, tmp_path / "without")[0]
    assert "土豆切块" in train(recipes, tmp_path / "with", str(glossary))[0]


def test_words_that_are_too_rare_have_no_vector(recipes: str, tmp_path: Path) -> None:
    assert train(recipes, tmp_path / "out", least_count=3)[0] == ["切块", "土豆"]
    words, vectors = train(recipes, tmp_path / "none", least_count=9)
    assert words == []
    assert len(vectors) == 0


@pytest.mark.parametrize("steps", [[], [[]], [["", " ", "，123"]]])
def test_recipes_without_words_give_no_vectors(steps: list[list[str]], tmp_path: Path) -> None:
    assert train(write_recipes(tmp_path / "recipes", steps), tmp_path / "out")[0] == []


@settings(deadline=None)
@given(total=st.integers(0, 40), cut=st.integers(0, 40), wanted=st.integers(1, 50))
def test_recipes_are_drawn_evenly_however_the_table_is_cut(
    total: int, cut: int, wanted: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    steps = [[str(row)] for row in range(total)]
    whole = write_recipes(folder / "whole", steps)
    parts = [write_recipes(folder / "a", steps[:cut]), write_recipes(folder / "b", steps[cut:])]
    drawn = [int(cell[0]) for cell in sampled(parts, "steps", wanted)]
    assert drawn == [int(cell[0]) for cell in sampled([whole], "steps", wanted)]
    assert len(drawn) == min(wanted, total)
    gaps = np.diff(drawn)
    assert not len(gaps) or gaps.max() - gaps.min() <= 1
    assert [cell[0] for cell in sampled(parts, "steps", None)] == [str(row) for row in range(total)]


@pytest.mark.parametrize("header", ["2 3\n", ""])
@pytest.mark.parametrize("packed", [False, True])
def test_vectors_of_the_user_in_text_form(header: str, packed: bool, tmp_path: Path) -> None:
    data = (header + "酱油 1 0 -0.5\nolive oil 2e-1 0 1 \n").encode()
    path = tmp_path / ("vectors.gz" if packed else "vectors.txt")
    path.write_bytes(gzip.compress(data) if packed else data)
    if not header:  # the number of columns is that of the first line
        assert read_vectors(path)[0] == ["酱油", "olive oil"]
    words, vectors = read_vectors(path)
    assert words == ["酱油", "olive oil"]
    np.testing.assert_array_equal(vectors, np.array([[1, 0, -0.5], [0.2, 0, 1]], np.float32))


def test_of_a_word_that_comes_twice_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("3 1\n盐 1\n糖 2\n盐 3\n", encoding="utf-8")
    words, vectors = read_vectors(path)
    assert words == ["盐", "糖"] and vectors.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("盐" * (1 << 20), "a line has more than"),
        ("1 99999999999999999999\n盐 1\n", "no word vectors"),
        ("", "damaged: 0 words"),
        ("\n", "damaged: 0 words"),
        ("盐\n", "is not a word and 0 numbers"),
        ("2 2\n盐 1 0\n", "cut off"),
        ("1 2\n盐 1\n", "vector 1 is not a word and 2 numbers"),
        ("盐 1 0\n糖 1\n", "vector 2 is not"),
        ("1 2\n\ufffd\ufffd 1 0\n", "most of its words are not UTF-8"),
        ("1 2\n盐 1 x\n", "could not convert"),
        ("1 2\n盐 1 nan\n", "of 盐 is not finite"),
        ("1 1\n盐 1e99\n", "of 盐 is not finite"),
        ("1 2\n\x00\x12\x9f\n", "binary"),
    ],
)
def test_damaged_text_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_vectors(path)


def test_damaged_archives_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "vectors.gz"
    whole = gzip.compress("1 1\n盐 1\n".encode() * 500)
    for data in (b"1 1\n", whole[: len(whole) // 2], whole[:12] + b"\xff\xff\xff" + whole[15:]):
        path.write_bytes(data)
        with pytest.raises(UserError, match=r"vectors\.gz holds no word vectors"):
            read_vectors(path)


def test_absent_and_damaged_folders_are_errors(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no word vectors at .*nowhere"):
        read_vectors(tmp_path / "nowhere")
    words, vectors = tmp_path / "words.txt", tmp_path / "vectors.npy"
    with pytest.raises(UserError, match=r"no word vectors at .*words\.txt"):
        read_vectors(tmp_path)
    words.write_text("盐\n糖\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"no word vectors at .*vectors\.npy"):
        read_vectors(tmp_path)
    for array, message in (
        (np.ones((3, 2), np.float32), "2 words"),
        (np.ones(2, np.float32), "1-dimensional"),
        (np.ones((2, 2)), "float64"),
        (np.array([[1, 2], [3, np.inf]], np.float32), "糖 is not finite"),
    ):
        np.save(vectors, array)
        with pytest.raises(UserError, match=message):
            read_vectors(tmp_path)
    vectors.write_bytes(vectors.read_bytes()[:100])
    with pytest.raises(UserError, match="holds no word vectors"):
        read_vectors(tmp_path)
    np.save(vectors, np.ones((2, 2), np.float32))
    words.write_text("盐\n盐\n", encoding="utf-8")
    with pytest.raises(UserError, match="1 of them distinct"):
        read_vectors(tmp_path)
