"""Mentions by a program: what it is given, what it may answer, and what of that stands."""

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.enrich.link import enrich_link
from wokflow.enrich.names import enrich_names
from wokflow.enrich.program import Answer, sort_out
from wokflow.enrich.schemas import MENTIONS, REJECTED_SENTENCES
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError

from tests.enrich.defaults import link_settings
from tests.enrich.facts import dumped, entity

TEXTS = ["🍜 Mapo tofu, and mapo tofu.", "Nothing\u2028here.", "Tofu of Mapo"]
ITEMS = [entity("Q836929", {"en": "mapo tofu"}), entity("Q177378", {"en": "tofu"})]
# A linker of a few lines: it knows two names, finds the shorter one within the longer one as well, and answers in no
# order of its input.
LINKER = """
import json, re, sys
NAMES = {"mapo tofu": "Q836929", "tofu": "Q177378", "here": "Q404"}
answers = []
for row in map(json.loads, sys.stdin):
    assert row.keys() == {"sentence_id", "text", "lang"} and row["lang"] == "en"  # and no more
    for name, qid in NAMES.items():
        for found in re.finditer(name, row["text"], re.IGNORECASE):
            start, end = found.span()
            row |= {"qid": qid, "start": start, "end": end, "score": 0.5}
            answers.append(dict(row))
for answer in reversed(answers):
    print(json.dumps(answer))
print("a line of a log", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("names")
    table = dumped(ITEMS, folder / "dump", ["en"])
    enrich_names(entities=table, names=str(folder / "n"), digest=str(folder / "d"), lang="en", job=Job())
    return str(folder / "n")


def link(names: str, folder: Path, command: list[str], texts: list[str] = TEXTS) -> dict[str, pl.DataFrame]:
    ids = [f"mine:{10 + row}" for row in range(len(texts))]
    rows = {"sentence_id": ids, "source": texts, "source_row": range(10, 10 + len(texts))}
    pl.DataFrame(rows, {"sentence_id": pl.String, "source": pl.String, "source_row": pl.Int64}).write_parquet(
        folder / "sentences"
    )
    enrich_link(
        sentences=str(folder / "sentences"), corpus_sentences=[], names=names, mentions=str(folder / "mentions"),
        rejects=str(folder / "rejects"), corpus="mine", job=Job(),
        settings=link_settings(backend="command", command=tuple(command), seconds=60),
    )  # fmt: skip
    return {name: tables.read(str(folder / name)) for name in ("mentions", "rejects")}


def program(folder: Path, code: str) -> list[str]:
    (folder / "linker.py").write_text(code, encoding="utf-8")
    return [sys.executable, str(folder / "linker.py")]


def test_a_program_s_mentions_are_written_in_the_order_of_the_text(names: str, tmp_path: Path) -> None:
    made = link(names, tmp_path, program(tmp_path, LINKER))
    assert made["mentions"].columns == MENTIONS.names and made["rejects"].columns == REJECTED_SENTENCES.names
    assert made["mentions"].rows() == [
        ("mine:10", 2, 11, "Mapo tofu", "Q836929", 0.5, 1),
        ("mine:10", 17, 26, "mapo tofu", "Q836929", 0.5, 1),
        ("mine:12", 0, 4, "Tofu", "Q177378", 0.5, 1),
    ]
    rejects = made["rejects"].select("corpus", "source_row", "reason", "detail").rows()
    assert rejects == [
        ("mine", 10, "overlap", "with 2 to 11, Q836929"),
        ("mine", 10, "overlap", "with 17 to 26, Q836929"),
        ("mine", 11, "unknown_item", "Q404 is not in the table of entities"),
    ]
    assert json.loads(made["rejects"]["raw"][2])["qid"] == "Q404"


def test_shards_of_a_corpus_are_linked_as_the_whole(names: str, tmp_path: Path) -> None:
    command = program(tmp_path, LINKER)
    whole = link(names, tmp_path, command)["mentions"]
    parts = [link(names, tmp_path, command, texts)["mentions"] for texts in (TEXTS[:1], [], TEXTS[1:])]
    assert pl.concat(parts).drop("sentence_id").rows() == whole.drop("sentence_id").rows()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"start": 0, "end": 99}, "outside"),
        ({"start": -3, "end": 2}, "outside"),
        ({"start": 4, "end": 4}, "outside"),
        ({"start": 4, "end": 2}, "outside"),
        ({"start": 0, "end": 4, "qid": "Q0"}, "unknown_item"),
        ({"start": 0, "end": 4, "qid": "P31"}, "unknown_item"),
        ({"start": 0, "end": 4, "qid": "Q1\x1b[2J"}, "unknown_item"),
    ],
)
def test_mentions_that_cannot_stand_are_rejected(
    line: dict[str, Any], reason: str, names: str, tmp_path: Path
) -> None:
    answer = json.dumps({"sentence_id": "mine:12", "qid": "Q177378"} | line)
    made = link(names, tmp_path, program(tmp_path, f"print({answer!r})"))
    assert made["mentions"].height == 0
    assert made["rejects"].select("source_row", "reason", "raw").rows() == [(12, reason, answer)]
    assert "\x1b" not in made["rejects"]["detail"][0]


@pytest.mark.parametrize(
    "line",
    [
        "Q177378 0 4",
        "[]",
        "{}",
        '{"sentence_id": "mine:99", "qid": "Q177378", "start": 0, "end": 4}',
        '{"sentence_id": ["mine:12"], "qid": "Q177378", "start": 0, "end": 4}',
        '{"sentence_id": "mine:12", "qid": "Q177378", "start": 0.0, "end": 4}',
        '{"sentence_id": "mine:12", "qid": "Q177378", "start": true, "end": 4}',
        '{"sentence_id": "mine:12", "qid": 177378, "start": 0, "end": 4}',
        '{"sentence_id": "mine:12", "qid": "Q177378", "start": 0, "end": 4, "score": NaN}',
        '{"sentence_id": "mine:12", "qid": "Q177378", "start": 0, "end": 4, "score": "high"}',
    ],
)
def test_a_line_that_is_no_mention_is_an_error_that_shows_it(line: str, names: str, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"enrich\.link\.command: line 2 of what the program wrote is no mention"
    ):
        link(names, tmp_path, program(tmp_path, f"print(); print({line!r})"))
    assert not (tmp_path / "mentions").exists()


def test_a_program_that_fails_is_an_error(names: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"enrich\.link\.command: .* ended with status 3"):
        link(names, tmp_path, program(tmp_path, "raise SystemExit(3)"))


PLACES = st.tuples(
    st.integers(-1, 9), st.integers(-1, 9), st.sampled_from(["Q1", "Q2", "Q3"]), st.floats(0, 1)
)


@given(found=st.lists(PLACES, max_size=8), shuffled=st.randoms(use_true_random=False))
def test_every_answer_is_kept_or_rejected_and_their_order_does_not_matter(
    found: list[Any], shuffled: Any
) -> None:
    answers = [
        Answer("s", start, end, qid, score, str(number))
        for number, (start, end, qid, score) in enumerate(found)
    ]

    def sorted_out(given: list[Answer]) -> tuple[list[Answer], list[Any]]:
        kept: list[Answer] = []
        rejected: list[Any] = []
        sort_out(given, 8, lambda qid: qid != "Q3", kept, rejected)
        return kept, rejected

    kept, rejected = sorted_out(answers)
    assert sorted([*kept, *(one for one, _, _ in rejected)]) == sorted(answers)
    assert all(first.end <= second.start for first, second in itertools.pairwise(kept))
    for one, reason, _ in rejected:
        if reason == "overlap":
            others = [other for other in kept if other.start < one.end and one.start < other.end]
            assert max(other.end - other.start for other in others) >= one.end - one.start
    again = answers.copy()
    shuffled.shuffle(again)
    assert sorted_out(again) == (kept, rejected)
