"""A parser trained on a handful of sentences, what it is trained towards, and how it is scored."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import Job, UserError
from wokflow.parse.conllu import Sentence
from wokflow.parse.dependencies import SpaCy, load_trained
from wokflow.parse.parser import attachment, clauses_of, parse_parser, project
from wokflow.parse.roles import SCHEMES
from wokflow.parse.segment import Segmenter
from wokflow.parse.settings import ParserSettings

from tests.parse.test_conllu import as_conllu, trees
from tests.parse.test_segment import EMPTY

FOODS = ("鸡蛋", "豆腐", "白菜", "牛肉", "土豆", "葱花")
VERBS = ("切碎", "洗净", "煮熟", "炒香")

SETTINGS: dict[str, Any] = {
    "simplify": False,
    "max_sentences": None,
    "epochs": 1,
    "width": 16,
    "depth": 1,
    "dropout": 0.2,
    "learning_rate": 0.004,
    "batch_words": 600,
    "seed": 0,
}


SMALL = {"epochs": 10, "width": 32, "depth": 2, "batch_words": 30}


def sentence(food: str, verb: str, other: str) -> Sentence:
    """As in 把鸡蛋切碎，加入豆腐。"""
    return Sentence(
        words=("把", food, verb, "，", "加入", other, "。"),
        tags=("ADP", "NOUN", "VERB", "PUNCT", "VERB", "NOUN", "PUNCT"),
        heads=(1, 2, -1, 4, 2, 4, 2),
        relations=("case", "obl:patient", "root", "punct", "conj", "obj", "punct"),
    )


TREEBANK = [sentence(food, verb, FOODS[-1 - i]) for i, food in enumerate(FOODS) for verb in VERBS]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    """A treebank and a glossary as files, and where to write."""
    glossary = tmp_path / "glossary.json"
    words = {"verbs": dict.fromkeys(VERBS, "煮"), "ingredients": dict.fromkeys(FOODS, "菜"), "tools": {}}
    glossary.write_text(json.dumps(words))
    treebank = tmp_path / "some.conllu"
    treebank.write_text(as_conllu(TREEBANK), encoding="utf-8")
    names = {name: str(tmp_path / name) for name in ("model", "scores")}
    return {"treebanks": [str(treebank)], "glossary": str(glossary), **names, **SETTINGS}


def train(model: str, scores: str, **settings: Any) -> None:
    parse_parser(model=model, scores=scores, settings=ParserSettings(**settings), job=Job())


def test_training_learns_and_its_scores_say_so(files: dict[str, Any]) -> None:
    train(**files | SMALL)
    scores = json.loads(Path(files["scores"]).read_text())
    assert (scores["train_sentences"], scores["test_sentences"], scores["held_out"]) == (22, 2, True)
    assert scores["sentences"]["gold_words"]["las"] > 90
    assert scores["clauses"]["own_words"]["las"] > 90
    parser = SpaCy(load_trained(files["model"]), Segmenter(EMPTY), 8, SCHEMES[0])
    assert parser(["把牛肉洗净"]) == [
        Sentence(("把", "牛肉", "洗净"), ("ADP", "NOUN", "VERB"), (1, 2, -1), ("case", "obl:patient", "root"))
    ]


def test_the_same_seed_gives_the_same_files_in_another_process(files: dict[str, Any], tmp_path: Path) -> None:
    settings = {"epochs": 3, "seed": 5}
    code = "import json, sys; from tests.parse.test_parser import train; train(**json.loads(sys.argv[1]))"
    root = Path(__file__).resolve().parents[2]
    for hash_seed in ("1", "2"):
        names = {name: str(tmp_path / f"{name}-{hash_seed}") for name in ("model", "scores")}
        subprocess.run(
            [sys.executable, "-c", code, json.dumps(files | names | settings)],
            env={"PYTHONPATH": f"{root}:{root}/scripts", "PYTHONHASHSEED": hash_seed},
            check=True,
        )
    assert (tmp_path / "scores-1").read_bytes() == (tmp_path / "scores-2").read_bytes()
    first, second = tmp_path / "model-1", tmp_path / "model-2"
    parts = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert parts == sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    assert [part for part in parts if (first / part).read_bytes() != (second / part).read_bytes()] == []


def test_named_treebanks_are_the_test_and_training_may_be_cut(files: dict[str, Any]) -> None:
    train(**files | {"test": files["treebanks"], "max_sentences": 10})
    scores = json.loads(Path(files["scores"]).read_text())
    assert (scores["train_sentences"], scores["test_sentences"], scores["held_out"]) == (10, 24, False)
    train(**files)  # another model takes its place
    assert sorted(path.name for path in Path(files["model"]).parent.iterdir()) == [
        "glossary.json",
        "model",
        "scores",
        "some.conllu",
    ]


def test_too_few_sentences_are_refused(files: dict[str, Any]) -> None:
    Path(files["treebanks"][0]).write_text(as_conllu(TREEBANK[:9]), encoding="utf-8")
    with pytest.raises(UserError, match=r"9 sentences to train on and 0 to test.*at least 10"):
        train(**files)


def test_a_failed_training_leaves_no_folder(files: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wokflow.parse.parser.write_text", lambda *_: pytest.fail("not reached"))
    monkeypatch.setattr("spacy.language.Language.to_disk", lambda _, path: [(path / "half").mkdir(), 1 / 0])
    with pytest.raises(ZeroDivisionError):
        train(**files)
    assert {path.name for path in Path(files["model"]).parent.iterdir()} == {"glossary.json", "some.conllu"}


def test_clauses_keep_their_arcs_and_what_leads_outside_is_a_root() -> None:
    first, second = clauses_of(sentence("鸡蛋", "切碎", "豆腐"))
    assert first == Sentence(
        ("把", "鸡蛋", "切碎"), ("ADP", "NOUN", "VERB"), (1, 2, -1), ("case", "obl:patient", "root")
    )
    assert second == Sentence(("加入", "豆腐"), ("VERB", "NOUN"), (-1, 0), ("root", "obj"))


# 葱 花 切 成 小段: 葱 <- 花 <- 切 -> 成, 切 -> 小段
CUT = Sentence(
    ("葱", "花", "切", "成", "小段"),
    ("NOUN", "NOUN", "VERB", "VERB", "NOUN"),
    (1, 2, -1, 2, 2),
    ("compound", "nsubj", "root", "mark", "obj"),
)


@pytest.mark.parametrize(
    ("words", "tags", "heads", "relations"),
    [
        (CUT.words, CUT.tags, (1, 2, 2, 2, 2), ("compound", "nsubj", "ROOT", "mark", "obj")),
        # A word that joins others takes the arc that leads out of it.
        (("葱花", "切成", "小段"), ("NOUN", "VERB", "NOUN"), (1, 1, 1), ("nsubj", "ROOT", "obj")),
        # The last piece of a word takes its arc.
        (
            ("葱花", "切成", "小", "段"),
            ("NOUN", "VERB", "NOUN", "NOUN"),
            (1, 1, None, 1),
            ("nsubj", "ROOT", None, "obj"),
        ),
        # 花切 hides the arc between its words, 成小 crosses a boundary, and two arcs lead out of 成小段.
        (
            ("葱", "花切", "成小", "段"),
            ("NOUN", "VERB", "", "NOUN"),
            (1, 1, None, 1),
            ("compound", "ROOT", None, "obj"),
        ),
        (("葱花切", "成小段"), ("VERB", ""), (0, None), ("ROOT", None)),
    ],
)
def test_arcs_are_projected_onto_other_words(
    words: tuple[str, ...], tags: tuple[str, ...], heads: tuple[int, ...], relations: tuple[str, ...]
) -> None:
    assert project(CUT, words) == (words, tags, heads, relations)


@given(trees())
def test_projection_onto_the_same_words_changes_nothing(tree: Sentence) -> None:
    words, tags, heads, relations = project(tree, tree.words)
    assert (words, tags) == (tree.words, tree.tags)
    roots = [head < 0 for head in tree.heads]
    assert heads == tuple(i if head < 0 else head for i, head in enumerate(tree.heads))
    assert relations == tuple(
        "ROOT" if root else name for root, name in zip(roots, tree.relations, strict=True)
    )


@given(trees(), st.data())
def test_projection_gives_heads_within_the_text(tree: Sentence, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(tree.text)))) | {len(tree.text)})
    words = [tree.text[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]
    _, tags, heads, relations = project(tree, words)
    assert len(tags) == len(heads) == len(relations) == len(words)
    for here, (head, relation) in enumerate(zip(heads, relations, strict=True)):
        assert (head is None) == (relation is None)
        assert head is None or 0 <= head < len(words)
        assert (head == here) == (relation == "ROOT")


def test_scores_can_be_counted_by_hand() -> None:
    gold = sentence("鸡蛋", "切碎", "豆腐")
    assert set(attachment([gold], [gold]).values()) == {100.0}
    # One tag, one head and one relation are wrong; a subtype does not count.
    tags = ("ADP", "PROPN", "VERB", "PUNCT", "VERB", "NOUN", "PUNCT")
    relations = ("mark", "obl", "root", "punct", "conj", "obj", "punct")
    other = Sentence(gold.words, tags, (1, 2, -1, 2, 2, 4, 2), relations)
    scores = attachment([gold], [other])
    assert [scores[name] for name in ("words", "upos", "uas", "las")] == [100, 85.71, 85.71, 71.43]
    without = [scores[f"{name}_without_punctuation"] for name in ("words", "upos", "uas", "las")]
    assert without == [100, 80, 100, 80]


def test_scores_on_other_words_are_f1_over_equal_words() -> None:
    gold = Sentence(("加", "鸡", "蛋"), ("VERB", "NOUN", "NOUN"), (-1, 2, 0), ("root", "compound", "obj"))
    found = Sentence(("加", "鸡蛋"), ("VERB", "NOUN"), (-1, 0), ("root", "obj"))
    scores = attachment([gold], [found])
    assert [scores[name] for name in ("words", "upos", "uas", "las")] == [40, 40, 40, 40]  # 2 * 1 / (3 + 2)
    assert attachment([], [])["las"] == 0
