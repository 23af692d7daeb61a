"""People get a sheet to fill in; their answers are read strictly, and the majority decides."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError, job
from wokflow.pivot import schemas
from wokflow.pivot.people_answers import GIVEN, read_answers
from wokflow.pivot.pivots import majority, per_pair, pivot_pivots
from wokflow.pivot.questions import HEADER, identified, pivot_questions
from wokflow.pivot.settings import PivotsSettings, QuestionsSettings


def candidate(verb: str, kind: str, phrases: list[str] | None = None) -> dict[str, object]:
    return {
        "base_dish": "凉拌豆腐",
        "target_dish": "凉拌皮蛋豆腐",
        "verb_class": verb,
        "ingredient_classes": ["姜", "葱"],
        "tool_classes": [],
        "base_frequency": 0.2,
        "target_frequency": 0.3,
        "base_recipes": 10,
        "target_recipes": 10,
        "p_value": 0.001,
        "kind": kind,
        "phrases": phrases or [],
    }


GLOSSARY: dict[str, dict[str, str]] = {"verbs": {}, "ingredients": {"姜": "姜", "蒜": "蒜"}, "tools": {}}
PAIRS = """\
base_dish\ttarget_dish\tingredient_removed\tingredient_added
凉拌豆腐\t凉拌皮蛋豆腐\t姜\t蒜
"""
OUTPUTS = ("pivots", "votes", "agreement", "rejects")
ROWS = [
    candidate("洗", "remove"),
    candidate("煮", "insert"),
    candidate("切", "ask", ["切姜\t和葱", '再"切"一刀']),
    candidate("拌", "ask"),
]


@pytest.fixture
def written(tmp_path: Path) -> str:
    tables.write(tmp_path / "candidates", schemas.CANDIDATES, pl.DataFrame(ROWS), {})
    return str(tmp_path / "candidates")


@pytest.fixture
def ids(written: str) -> dict[str, str]:
    frame = identified(tables.read(written))
    return dict(zip(frame["verb_class"], frame["question_id"], strict=True))


def sheet(folder: Path, *rows: tuple[str, str, str], name: str = "answers.tsv") -> str:
    path = folder / name
    path.write_text("\n".join("\t".join(row) for row in (GIVEN, *rows)) + "\n", encoding="utf-8")
    return str(path)


def asked(*ids: str) -> pl.DataFrame:
    return pl.DataFrame({"question_id": ids})


def test_the_sheet_asks_what_frequency_leaves_open(written: str, ids: dict[str, str], tmp_path: Path) -> None:
    out, path = tmp_path / "questions", tmp_path / "questions.tsv"
    given = {"candidates": written, "questions": str(out), "sheet": str(path)}
    pivot_questions(**given, settings=QuestionsSettings(), job=Job())
    assert tables.read(out)["question_id"].to_list() == [ids["切"], ids["拌"]]
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")), dialect="excel-tab"))
    assert rows[0] == HEADER
    assert rows[1][1:] == [
        "凉拌豆腐",
        "凉拌皮蛋豆腐",
        "切",
        "姜,葱",
        "",
        "切姜 和葱",
        '再"切"一刀',
        "",
        "",
        "",
    ]
    pivot_questions(**given, settings=QuestionsSettings(ask_all=True), job=Job())
    assert tables.read(out).height == 4 == len(set(ids.values()))


def test_a_filled_in_sheet_is_read_again(written: str, ids: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "questions.tsv"
    given = {"candidates": written, "questions": str(tmp_path / "questions"), "sheet": str(path)}
    pivot_questions(**given, settings=QuestionsSettings(), job=Job())
    lines = path.read_text(encoding="utf-8").splitlines()
    empty = lines[1].removesuffix("\t")
    filled = [lines[0], f"{empty}anna\tAlways ", lines[2], f"{empty}bo\t不出现", ""]
    path.write_text("\r\n".join(filled), encoding="utf-8")
    candidates = identified(tables.read(written))
    assert read_answers([str(path)], candidates, Progress()).rows() == [
        (ids["切"], "anna", "always"),
        (ids["切"], "bo", "never"),
    ]
    assert all(line.startswith("q") for line in lines[1:]), "else a spreadsheet takes some ids for numbers"
    path.write_text(path.read_text().replace("\t切\t", "\t拌\t"), encoding="utf-8")
    with pytest.raises(UserError, match="row 2: verb is '拌', but that of question_id is '切'"):
        read_answers([str(path)], candidates, Progress())


def test_answers_to_questions_that_are_no_longer_open_are_passed_over(tmp_path: Path) -> None:
    with job(str(tmp_path / "log")) as progress:
        rows = ("q", "anna", "never"), ("gone", "anna", "never")
        assert read_answers([sheet(tmp_path, *rows)], asked("q"), progress).rows() == [("q", "anna", "never")]
    assert "1 of 2 answers are to no question of this run" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("x", "", ""), ("other", "anna", "never")], r"none of its .* run \(the first: row 3, 'other'\)"),
        ([("q", "anna", "perhaps")], "row 2: 'perhaps' is not an answer"),
        ([("q", " ", "never")], "row 2: an answer without annotator"),
    ],
)
def test_wrong_answers_are_refused_by_file_and_row(
    rows: list[tuple[str, str, str]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=f"answers.tsv(, |: ){message}"):
        read_answers([sheet(tmp_path, *rows)], asked("q"), Progress())


def test_one_annotator_under_two_spellings_does_not_count_as_two(tmp_path: Path) -> None:
    alike = sheet(tmp_path, ("q", "anna", "always"), ("q", "anna\u200b ", "never"))
    assert read_answers([alike], asked("q"), Progress()).rows() == [("q", "anna", "never")]
    with pytest.raises(UserError, match="the annotators Anna and anna differ in letter case"):
        read_answers(
            [sheet(tmp_path, ("q", "anna", "always"), ("q", "Anna", "never"))], asked("q"), Progress()
        )


def test_files_that_are_no_sheets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("question_id,annotator,answer\n")
    (tmp_path / "b").write_bytes("question_id\tannotator\tanswer\nq\ta\t不出现\n".encode("gbk"))
    for name, message in (("a", "separated by tabs"), ("b", "is not UTF-8"), ("c", "There is no file")):
        with pytest.raises(UserError, match=message):
            read_answers([str(tmp_path / name)], asked("q"), Progress())


def test_of_two_answers_of_one_annotator_the_last_counts_and_the_log_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = sheet(tmp_path, ("q", "anna", "never"), ("q", "bo", "never"), ("q", "anna", "rarely"))
    two = sheet(tmp_path, ("q", "bo", "always"), ("r", "bo", ""), name="more.tsv")
    answers = read_answers([one, two], asked("q", "r"), Progress(sys.stdout))
    assert answers.rows() == [("q", "anna", "rarely"), ("q", "bo", "always")]
    assert capsys.readouterr().out.count("1 questions were answered again") == 2


answer_lists = st.lists(st.sampled_from(["never", "rarely", "sometimes", "always"]), min_size=1, max_size=7)


@given(answer_lists, st.integers(1, 5))
def test_more_than_half_must_agree(given_answers: list[str], annotators: int) -> None:
    rows = [("q", str(number), answer) for number, answer in enumerate(given_answers)]
    votes = majority(pl.DataFrame(rows, dict.fromkeys(GIVEN, pl.String), orient="row"), annotators).rows()
    if len(given_answers) < annotators:
        assert votes == []
    else:
        most = [one for one in set(given_answers) if given_answers.count(one) * 2 > len(given_answers)]
        assert votes == [("q", most[0] if most else "none")]


def decided(written: str, answers: list[str], tmp_path: Path, **more: object) -> list[tuple[str, str, str]]:
    pairs, glossary = tmp_path / "pairs", tmp_path / "glossary.json"
    pairs.write_text(PAIRS, encoding="utf-8")
    glossary.write_text(json.dumps(GLOSSARY), encoding="utf-8")
    known: dict[str, Any] = {
        "pairs": str(pairs),
        "glossary": str(glossary),
        "answers": answers,
    }
    files = {name: str(tmp_path / name) for name in OUTPUTS}
    settings = PivotsSettings(**known | {"annotators": 1} | more)
    pivot_pivots(candidates=[written], **files, settings=settings, job=Job())
    return tables.read(tmp_path / "pivots").select("verb_class", "kind", "decided_by").rows()  # type: ignore[return-value]


def test_people_decide_what_frequency_does_not(written: str, ids: dict[str, str], tmp_path: Path) -> None:
    by_frequency = [("洗", "remove", "frequency"), ("煮", "insert", "frequency")]
    assert decided(written, [], tmp_path) == by_frequency
    answers = sheet(
        tmp_path, (ids["切"], "a", "never"), (ids["拌"], "a", "always"), (ids["洗"], "a", "always")
    )
    people = [("切", "remove", "people"), ("拌", "insert", "people")]
    assert decided(written, [answers], tmp_path) == [*by_frequency, *people]
    assert decided(written, [answers], tmp_path, annotators=2) == by_frequency
    tie = sheet(tmp_path, (ids["切"], "b", "always"), (ids["拌"], "b", "sometimes"), name="tie.tsv")
    assert decided(written, [answers, tie], tmp_path) == by_frequency


def test_votes_are_kept_with_what_frequency_says(written: str, ids: dict[str, str], tmp_path: Path) -> None:
    """Also those that decide nothing, for a pilot study."""
    given_answers = [(ids["切"], "b", "rarely"), (ids["切"], "a", "never"), (ids["洗"], "a", "never")]
    decided(written, [sheet(tmp_path, *given_answers)], tmp_path, annotators=2)
    votes = tables.read(tmp_path / "votes")
    assert votes.select("question_id", "verb_class", "kind", "annotator", "answer").rows() == [
        (ids["洗"], "洗", "remove", "a", "never"),
        (ids["切"], "切", "ask", "a", "never"),
        (ids["切"], "切", "ask", "b", "rarely"),
    ]
    agreed = tables.read(tmp_path / "agreement")
    assert agreed.select("kind", "questions", "answers", "decided", "none").rows() == [
        ("remove", 1, 1, 0, 0),
        ("ask", 1, 2, 1, 1),
        ("all", 2, 3, 1, 1),
    ]
    decided(written, [], tmp_path)
    assert tables.read(tmp_path / "votes").is_empty() and tables.read(tmp_path / "agreement").is_empty()


def test_people_overrule_frequency_only_if_asked_to(
    written: str, ids: dict[str, str], tmp_path: Path
) -> None:
    answers = sheet(tmp_path, (ids["洗"], "a", "always"), (ids["煮"], "a", "sometimes"))
    assert decided(written, [answers], tmp_path, overrule=True) == [("洗", "insert", "people")]


def test_people_can_make_half_of_a_replacement(tmp_path: Path) -> None:
    """切 with 姜 is gone by frequency, and people say that 切 with 蒜 is always done: one replacement, by people."""
    new = candidate("切", "ask") | {"ingredient_classes": ["葱", "蒜"], "target_frequency": 0.08}
    rows = [candidate("切", "remove"), candidate("洗", "remove"), new]
    path = str(tmp_path / "candidates")
    tables.write(path, schemas.CANDIDATES, pl.DataFrame(rows), {})
    assert [kind for _, kind, _ in decided(path, [], tmp_path)] == ["remove", "remove"]
    answers = sheet(tmp_path, (identified(tables.read(path))["question_id"][2], "a", "always"))
    assert decided(path, [answers], tmp_path) == [("切", "replace", "people"), ("洗", "remove", "frequency")]
    found = tables.read(tmp_path / "pivots").row(0, named=True)
    assert (found["base_frequency"], found["target_frequency"]) == (0.2, 0.08)
    assert (found["ingredient_classes"], found["new_ingredient_classes"]) == (["姜", "葱"], ["葱", "蒜"])


def test_counts_of_a_pair_stand_beside_the_papers() -> None:
    rows = [
        {"base_dish": "甲", "target_dish": pair, "kind": kind}
        for pair in "乙丙"
        for kind in ("remove", "replace")
    ]
    text = per_pair(pl.DataFrame([*rows, rows[0]]))
    assert (
        "1.5 to remove, 0.0 to insert, 1.0 with" in text and "2.5 and 1.0; the paper has 13.6 and 8.8" in text
    )


def test_a_question_keeps_its_id(ids: dict[str, str], written: str) -> None:
    """The id depends on dishes and action alone: sheets of earlier runs stay good."""
    assert ids["切"] == "46b786ffddbd"
    tabs = tables.read(written)[:2].with_columns(
        base_dish=pl.Series(["甲", "甲\t乙"]),
        target_dish=pl.Series(["乙\t丙", "丙"]),
        verb_class=pl.lit("切"),
    )
    assert identified(tabs)["question_id"].n_unique() == 2
    other = tables.read(written)[2:3].with_columns(kind=pl.lit("remove"), base_frequency=0.9)
    assert identified(other)["question_id"].to_list() == ["46b786ffddbd"]
