"""The treebank of recipe sentences keeps the format and the structural rules of Universal Dependencies.

Rules: universaldependencies.org, "CoNLL-U Format" and levels 1 to 3 of "Checking Treebank Consistency".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILES = sorted((ROOT / "resources" / "treebank").glob("*.conllu"))
SENTENCES_AT_LEAST = 300
NOT_PROJECTIVE: frozenset[str] = frozenset()  # sent_ids of trees that may have crossing arcs


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UPOS = words("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")
UNIVERSAL = words(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis "
    "punct reparandum root vocative xcomp"
)
CHINESE = words(
    "acl:relcl advmod:df aux:pass case:loc compound:dir compound:ext compound:vo compound:vv "
    "csubj:pass discourse:sp flat:foreign flat:name mark:adv mark:prt mark:rel nmod:tmod nsubj:outer "
    "nsubj:pass obj:periph obl:agent obl:patient obl:tmod"
)
FUNCTION = words("aux case cc cop mark punct")
# What may hang on a function word: its own modifiers, its coordination and the pieces of one expression.
BELOW_FUNCTION = words("advmod cc conj discourse fixed goeswith punct reparandum")
LEFT_HEADED = words("appos conj fixed flat goeswith")
UPOS_BY_RELATION = {
    "aux": {"AUX"},
    "clf": {"NOUN"},
    "cop": {"AUX", "PRON", "DET", "SYM"},
    "det": {"DET", "PRON"},
    "nummod": {"NUM"},
    "punct": {"PUNCT"},
}


@dataclass(frozen=True)
class Sentence:
    """One sentence as it stands in a file: its comments and the columns of its lines."""

    file: str
    comments: dict[str, str]
    rows: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        return self.comments.get("sent_id", f"{self.file}: {self.comments.get('text')}")

    @property
    def heads(self) -> list[int]:
        """The head of each word, counted from 1; 0 is above the root."""
        return [int(row[6]) for row in self.rows]

    @property
    def relations(self) -> list[str]:
        return [row[7] for row in self.rows]

    @property
    def text(self) -> str:
        """The forms written out, with a space where a word does not say SpaceAfter=No."""
        spaced = (row[1] + ("" if "SpaceAfter=No" in row[9].split("|") else " ") for row in self.rows)
        return "".join(spaced).rstrip()


def read(path: Path) -> Iterator[Sentence]:
    for block in path.read_text(encoding="utf-8").rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        comments = [re.match(r"# (\S+) = (.*)$", line) for line in lines if line.startswith("#")]
        yield Sentence(
            path.name,
            {found[1]: found[2] for found in comments if found},
            tuple(tuple(line.split("\t")) for line in lines if not line.startswith("#")),
        )


@cache
def treebank() -> tuple[Sentence, ...]:
    return tuple(sentence for path in FILES for sentence in read(path))


def universal(relation: str) -> str:
    return relation.split(":")[0]


def crossing(heads: list[int]) -> bool:
    """Whether two arcs cross, the root's own arc from 0 left aside."""
    arcs = [(min(word, head), max(word, head)) for word, head in enumerate(heads, 1) if head]
    return any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def reaches_root(heads: list[int], word: int) -> bool:
    seen = set()
    while word and word not in seen:
        seen.add(word)
        word = heads[word - 1]
    return word == 0


def none(faults: list[str]) -> None:
    """Fail with the faults written out, if there are any."""
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_is_plain_utf8_in_blocks(path: Path) -> None:
    content = path.read_bytes()
    assert content.endswith(b"\n\n"), "a blank line ends the last sentence too"
    assert b"\r" not in content
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\n\n\n" not in content


def test_there_are_enough_sentences() -> None:
    assert len(treebank()) >= SENTENCES_AT_LEAST


def test_every_sentence_has_its_own_name_and_text() -> None:
    for key in ("sent_id", "text"):
        values = [sentence.comments[key] for sentence in treebank()]
        none([f"{key} twice: {value}" for value in sorted({v for v in values if values.count(v) > 1})])


def test_rows_have_ten_filled_columns_numbered_from_one() -> None:
    for sentence in treebank():
        assert [row[0] for row in sentence.rows] == [str(n) for n in range(1, len(sentence.rows) + 1)], (
            sentence.name
        )
        for row in sentence.rows:
            assert len(row) == 10, (sentence.name, row)
            assert all(column and column == column.strip() for column in row), (sentence.name, row)
            assert not re.search(r"\s", row[1]), (sentence.name, row)


def test_text_is_its_words() -> None:
    none([sentence.name for sentence in treebank() if sentence.text != sentence.comments["text"]])


def test_labels_are_known() -> None:
    known = UNIVERSAL | CHINESE
    rows = [(sentence.name, row) for sentence in treebank() for row in sentence.rows]
    none(
        [
            f"{name}: {row[1]} {row[3]} {row[7]}"
            for name, row in rows
            if row[3] not in UPOS or row[7] not in known
        ]
    )


def test_features_are_sorted_pairs() -> None:
    pair = re.compile(r"[A-Z][A-Za-z]*=[A-Z0-9][A-Za-z0-9]*")
    for sentence in treebank():
        for row in sentence.rows:
            features = [] if row[5] == "_" else row[5].split("|")
            assert features == sorted(features, key=str.lower), (sentence.name, row)
            assert all(pair.fullmatch(feature) for feature in features), (sentence.name, row)


def test_trees_have_one_root_and_hang_together() -> None:
    for sentence in treebank():
        heads, relations = sentence.heads, sentence.relations
        roots = [word for word, head in enumerate(heads, 1) if head == 0]
        assert len(roots) == 1, (sentence.name, "roots", roots)
        assert [word for word, label in enumerate(relations, 1) if label == "root"] == roots, sentence.name
        assert all(0 <= head <= len(heads) for head in heads), (sentence.name, heads)
        assert all(reaches_root(heads, word) for word in range(1, len(heads) + 1)), (sentence.name, heads)


def test_trees_are_projective() -> None:
    found = {sentence.name for sentence in treebank() if crossing(sentence.heads)}
    assert found == NOT_PROJECTIVE


def test_function_words_bear_no_content() -> None:
    faults = []
    for sentence in treebank():
        for row, head in zip(sentence.rows, sentence.heads, strict=True):
            above = universal(sentence.relations[head - 1]) if head else ""
            allowed = BELOW_FUNCTION if above != "punct" else frozenset()
            if above in FUNCTION and universal(row[7]) not in allowed:
                faults.append(
                    f"{sentence.name}: {row[1]} ({row[7]}) under {sentence.rows[head - 1][1]} ({above})"
                )
    none(faults)


def test_coordination_and_names_are_headed_by_their_first_word() -> None:
    none(
        [
            f"{sentence.name}: {row[1]} ({row[7]})"
            for sentence in treebank()
            for word, (row, head) in enumerate(zip(sentence.rows, sentence.heads, strict=True), 1)
            if universal(row[7]) in LEFT_HEADED and head > word
        ]
    )


def test_relations_go_with_parts_of_speech() -> None:
    faults = []
    for sentence in treebank():
        for row in sentence.rows:
            allowed = UPOS_BY_RELATION.get(universal(row[7]), UPOS)
            if row[3] not in allowed or (row[3] == "PUNCT") != (row[7] == "punct"):
                faults.append(f"{sentence.name}: {row[1]} is {row[3]} and {row[7]}")
    none(faults)


def test_no_predicate_has_two_subjects_or_two_objects() -> None:
    """With 被 the agent is `nsubj` beside the patient's `nsubj:pass`, as in GSDSimp; each comes once."""
    faults = []
    kinds = (("nsubj", "csubj"), ("nsubj:pass", "csubj:pass"), ("obj", "ccomp"), ("iobj",))
    for sentence in treebank():
        for word in range(1, len(sentence.rows) + 1):
            pairs = zip(sentence.relations, sentence.heads, strict=True)
            below = [label for label, head in pairs if head == word]
            faults += [
                f"{sentence.name}: {sentence.rows[word - 1][1]} has two of {kind}"
                for kind in kinds
                if sum(label in kind for label in below) > 1
            ]
    none(faults)


@pytest.mark.parametrize(
    ("heads", "crosses"),
    [([0], False), ([2, 0, 2], False), ([3, 4, 0, 3], True), ([2, 0, 5, 3, 2], False)],
)
def test_crossing_arcs_are_seen(heads: list[int], crosses: bool) -> None:
    assert crossing(heads) is crosses


def test_a_cycle_does_not_reach_the_root() -> None:
    assert reaches_root([2, 0], 1)
    assert not reaches_root([2, 1, 0], 1)
