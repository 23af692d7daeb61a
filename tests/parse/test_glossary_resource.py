"""The culinary glossary that comes with the workflow is well formed."""

import unicodedata
from collections import Counter
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import pytest

GLOSSARY = Path(__file__).resolve().parents[2] / "resources" / "glossary"
FILES = {"verb": "verbs.tsv", "ingredient": "ingredients.tsv", "tool": "tools.tsv"}
LEAST_CLASSES = {"verb": 85, "ingredient": 440, "tool": 18}
LEAST_SURFACES = {"verb": 250, "ingredient": 3500, "tool": 300}
KINDS = pytest.mark.parametrize("kind", FILES)


def read(name: str, header: list[str]) -> list[list[str]]:
    text = (GLOSSARY / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    first, *rows = [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    assert first == header
    assert all(len(row) == len(header) and all(row) for row in rows)
    return rows


def pairs(kind: str) -> list[list[str]]:
    return read(FILES[kind], ["surface", "class"])


def written(surface: str) -> bool:
    """Only Chinese characters, Latin letters and digits: no white space, no punctuation."""
    return all(unicodedata.category(sign)[0] in "LN" for sign in surface)


@KINDS
def test_surfaces_are_words(kind: str) -> None:
    assert [surface for surface, _ in pairs(kind) if not written(surface)] == []


def test_surface_stands_once_in_the_whole_glossary() -> None:
    counts = Counter(surface for kind in FILES for surface, _ in pairs(kind))
    assert [surface for surface, count in counts.items() if count > 1] == []


@KINDS
def test_class_is_named_by_the_first_of_its_surfaces(kind: str) -> None:
    blocks = [(name, next(rows)[0]) for name, rows in groupby(pairs(kind), key=lambda row: row[1])]
    assert [name for name, first in blocks if name != first] == []
    assert len(dict(blocks)) == len(blocks), "the surfaces of a class are not together"


@KINDS
def test_each_class_has_one_english_name(kind: str) -> None:
    rows = read("english.tsv", ["kind", "class", "english"])
    english = [(name, text) for of, name, text in rows if of == kind]
    assert [name for name, _ in english] == list(dict.fromkeys(name for _, name in pairs(kind)))
    assert len({text for _, text in english}) == len(english)
    assert all(text.isascii() and text == text.strip() for _, text in english)


def test_english_knows_no_other_kind() -> None:
    assert {kind for kind, _, _ in read("english.tsv", ["kind", "class", "english"])} == set(FILES)


@KINDS
def test_glossary_is_large_enough(kind: str) -> None:
    rows = pairs(kind)
    assert len({name for _, name in rows}) >= LEAST_CLASSES[kind]
    assert len(rows) >= LEAST_SURFACES[kind]


@pytest.mark.skipif(find_spec("opencc") is None, reason="OpenCC is not installed")
@KINDS
def test_no_traditional_characters(kind: str) -> None:
    """薹 is simplified Chinese, but OpenCC writes 苔 in most words: both must then be in the same class."""
    from opencc import OpenCC

    simplified = OpenCC("t2s").convert
    classes = dict(pairs(kind))
    changed = [surface for surface in classes if simplified(surface) != surface]
    assert [surface for surface in changed if "薹" not in surface] == []
    assert all(classes[simplified(surface)] == classes[surface] for surface in changed)
