"""The culinary glossary that comes with the workflow is well formed."""

import unicodedata
from collections import Counter
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import pytest
from wokflow.frame.wordlists import word_table
from wokflow.parse.extract import extract
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.lattice import in_simplified, without_noise
from wokflow.parse.simplified import simplified

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


def missed(glossary: Glossary) -> set[str]:
    """The ingredients and tools, noise aside, that are not found with their class alone behind 放入."""
    return {
        word
        for kind in ("ingredients", "tools")
        for word, name in in_simplified(without_noise(glossary, kind)).items()
        if not any(
            noun.cls == name
            for action in extract([f"放入{word}"], glossary, method="rules", style="house")[0]
            for noun in getattr(action, kind)
        )
    }


def test_every_food_and_tool_of_the_glossary_is_found() -> None:
    assert missed(read_glossary(GLOSSARY)) == set()


def test_every_food_and_tool_of_the_published_glossary_is_found_or_noise(shared: Path) -> None:
    """Words of this glossary in traditional characters have classes of their own; a text's are simplified first."""
    glossary = read_glossary(shared / "real" / "counterfactual" / "glossary.json")
    assert {word for word in missed(glossary) if simplified(word) == word} == {
        "和面",
        "盖",
        "刷",
    }  # verbs too


@pytest.mark.parametrize("word", ["雞蛋", "先生", "方", "刺", "儿菜", "水泡", "散子"])
def test_a_listed_food_is_never_refused(word: str) -> None:
    glossary = Glossary({"放入": "加入", "放": "加入"}, {word: word, "菜": "菜"}, {})
    (action,) = extract([f"放入{word}"], glossary, method="rules", style="house")[0]
    assert [food.cls for food in action.ingredients] == [word]


@pytest.mark.parametrize("word", ["架", "串", "磨", "垫", "火把"])
def test_a_listed_tool_is_never_refused(word: str) -> None:
    glossary = Glossary({"放入": "加入"}, {"鱼": "鱼"}, {word: word})
    (action,) = extract([f"鱼放入{word}"], glossary, method="rules", style="house")[0]
    assert [tool.cls for tool in action.tools] == [word]


NOISE = {row["words"].split()[0]: row["class"] for row in word_table("grammar/noise.tsv")}


@pytest.mark.parametrize(
    ("noisy", "name", "found"),
    [(False, NOISE["天使"], True), (True, NOISE["天使"], False), (True, "天使面", True)],
    ids=["another glossary", "the published one", "another class"],
)
def test_noise_is_left_out_of_the_published_glossary_alone(noisy: bool, name: str, found: bool) -> None:
    """A glossary that lists a word in another class than the noise has another food in mind."""
    glossary = Glossary({"放入": "加入"}, {"天使": name, "丝瓜": "丝瓜"}, {}, noisy=noisy)
    words = {
        word: extract([f"放入{word}"], glossary, method="rules", style="house")[0][0].ingredients
        for word in glossary.ingredients
    }
    assert {word: bool(foods) for word, foods in words.items()} == {"天使": found, "丝瓜": True}


def test_the_document_counts_its_words_and_classes() -> None:
    document = " ".join((GLOSSARY.parents[1] / "docs" / "parse.md").read_text(encoding="utf-8").split())
    rows = {kind: pairs(kind) for kind in FILES}
    words, classes = ({kind: len({row[place] for row in rows[kind]}) for kind in FILES} for place in (0, 1))
    assert (
        f"{words['verb']:,} verbs in {classes['verb']} classes, {words['ingredient']:,} ingredients in "
        f"{classes['ingredient']}, {words['tool']:,} tools in {classes['tool']}"
    ) in document


def test_the_document_counts_what_is_there() -> None:
    """Words and classes of the glossary, sentences and words of the treebank, in docs/parse.md."""
    root = GLOSSARY.parents[1]
    document = " ".join((root / "docs" / "parse.md").read_text(encoding="utf-8").split())
    of_kind = {kind: (len(pairs(kind)), len({name for _, name in pairs(kind)})) for kind in FILES}
    verbs, foods, tools = of_kind.values()
    assert (
        f"{verbs[0]:,} verbs in {verbs[1]} classes, {foods[0]:,} ingredients in {foods[1]}, "
        f"{tools[0]:,} tools in {tools[1]}."
    ) in document
    trees = "".join(
        path.read_text(encoding="utf-8") for path in (root / "resources/treebank").glob("*.conllu")
    )
    sentences, of_words = trees.count("# sent_id"), sum(line[:1].isdecimal() for line in trees.splitlines())
    assert f"has {sentences} recipe sentences ({of_words:,} words)" in document
