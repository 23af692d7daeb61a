"""Treebanks in CoNLL-U: read as written, or refused with file and line."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import UserError
from wokflow.parse.conllu import UPOS, Sentence, on_a_cycle, read_conllu


def as_conllu(sentences: Sequence[Sentence]) -> str:
    """Sentences as a file's text, with what treebanks have besides words."""
    blocks = []
    for number, sentence in enumerate(sentences, start=1):
        columns = zip(sentence.words, sentence.tags, sentence.heads, sentence.relations, strict=True)
        lines = [
            f"{index}\t{word}\t{word}\t{tag}\tX\t_\t{head + 1}\t{relation}\t_\tSpaceAfter=No\n"
            for index, (word, tag, head, relation) in enumerate(columns, start=1)
        ]
        blocks.append(f"# sent_id = {number}\n# text = {sentence.text}\n{''.join(lines)}\n")
    return "".join(blocks)


def row(number: str, word: str = "盐", tag: str = "NOUN", head: str = "0", relation: str = "root") -> str:
    return f"{number}\t{word}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"


@st.composite
def trees(draw: st.DrawFn) -> Sentence:
    """Sentences of 1 to 8 words under one root: each word hangs on one that comes earlier in a random order."""
    size = draw(st.integers(1, 8))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place in range(1, size):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    words = st.text("盐油葱姜洗切abc1#-，", min_size=1, max_size=3)
    return Sentence(
        words=tuple(draw(words) for _ in range(size)),
        tags=tuple(draw(st.sampled_from(sorted(UPOS))) for _ in range(size)),
        heads=tuple(heads),
        relations=tuple("root" if head < 0 else draw(st.sampled_from(["obj", "obl:tmod"])) for head in heads),
    )


@given(st.lists(trees(), max_size=4), st.sampled_from(["", "\n", "\ufeff"]))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[Sentence], before: str
) -> None:
    path = tmp_path_factory.mktemp("round") / "some.conllu"
    path.write_text(before + as_conllu(sentences), encoding="utf-8")
    assert read_conllu([path], simplify=False) == sentences
    assert read_conllu([path, path], simplify=False) == sentences * 2
    path.write_text(as_conllu(sentences).rstrip("\n"), encoding="utf-8")
    assert read_conllu([path], simplify=False) == sentences


def test_multiword_tokens_and_empty_nodes_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "some.conllu"
    lines = row("1-2", "加盐", "_", "_", "_") + row("1", "加", "VERB") + row("1.1", "它", "PRON", "_", "_")
    path.write_text("# text = 加盐\n" + lines + row("2", head="1", relation="obj"), encoding="utf-8")
    assert read_conllu([path], simplify=False) == [
        Sentence(("加", "盐"), ("VERB", "NOUN"), (-1, 0), ("root", "obj"))
    ]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("1 盐 NOUN\n", 1, "columns"),
        (row("1") + row("3", head="1"), 2, "found word 3, expected word 2"),
        (row("x"), 1, "not the number of a word"),
        (row("1", tag="N"), 1, "not a UPOS tag"),
        (row("1", word=" "), 1, "empty"),
        ("# 一\n" + row("1", head="2"), 2, "not a valid head"),
        (row("1", head="1"), 1, "not a valid head"),
        (row("1", head="_"), 1, "not a valid head"),
        (row("1", relation="_"), 1, "no relation"),
        (row("1") + row("2"), 1, "2 words are roots"),
        (row("1", head="2") + row("2", head="1"), 1, "0 words are roots"),
        (row("1") + "\n" + row("1") + row("2", head="3") + row("3", head="2"), 4, "own ancestor"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=rf"bad\.conllu, line {line}: .*{what}"):
        read_conllu([path], simplify=False)


def test_files_that_are_missing_or_in_another_encoding_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file .*none\.conllu with a treebank"):
        read_conllu([tmp_path / "none.conllu"], simplify=False)
    path = tmp_path / "gb.conllu"
    path.write_bytes(b"# one\n" + row("1").encode("gb18030"))
    with pytest.raises(UserError, match=r"gb\.conllu is not UTF-8 \(line 2\)"):
        read_conllu([path], simplify=False)


def test_traditional_characters_become_simplified(tmp_path: Path) -> None:
    path = tmp_path / "some.conllu"
    lines = (
        row("1", "將", "ADP", "3", "case")
        + row("2", "雞 蛋", head="3", relation="obl")
        + row("3", "煮熟", "VERB")
    )
    path.write_text(lines, encoding="utf-8")
    assert read_conllu([path], simplify=False)[0].words == ("將", "雞蛋", "煮熟")
    assert read_conllu([path], simplify=True)[0].words == ("将", "鸡蛋", "煮熟")


def test_cycles_are_found() -> None:
    assert on_a_cycle([]) is None
    assert on_a_cycle([-1, 0, 1, -1]) is None
    assert on_a_cycle([1, 2, 1, -1]) in (1, 2)
    assert on_a_cycle([0]) == 0


def test_published_treebanks_are_read(shared: Path) -> None:
    sizes = {
        "gsdsimp-ud-dev": 500,
        "gsdsimp-ud-test": 500,
        "hk-ud-test": 1004,
        "cfl-ud-test": 451,
        "pud-ud-test": 1000,
    }
    for name, size in sizes.items():
        sentences = read_conllu([shared / "real" / "treebanks" / f"zh_{name}.conllu"], simplify=False)
        assert len(sentences) == size
