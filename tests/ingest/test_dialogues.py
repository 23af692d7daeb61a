"""Dialogues and annotations: each line is a row or a reject."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.dialogues import consensus
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.ingest.annotations import ingest_annotations, read_categories
from wokflow.ingest.dialogues import ingest_dialogues
from wokflow.ingest.schemas import REASONS
from wokflow.ingest.settings import AnnotationsSettings, DialoguesSettings

from tests.conftest import ROOT

CATEGORIES = str(ROOT / "resources" / "dialogues" / "categories.tsv")


def said(dialogue: str, text: str, **own: Any) -> dict[str, Any]:
    return {"dialogue": dialogue, "speaker": "Ann", "text": text} | own


def convokit(name: str, reply: str | None, text: str = "Well.", **own: Any) -> dict[str, Any]:
    """As ConvoKit's Friends corpus has it: a conversation goes by its first utterance."""
    made = {
        "id": name,
        "conversation_id": "c1",
        "speaker": "Bo",
        "text": text,
        "reply-to": reply,
        "timestamp": None,
    }
    return made | {"meta": {"tokens": []}} | own


def lines_of(*records: Any) -> bytes:
    """A line each: bytes as they are, all else as JSON."""
    return b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in records) + b"\n"


def read(
    folder: Path, *records: Any, data: bytes | None = None, **own: Any
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The utterances and rejects of a file of these lines."""
    path = folder / ("spoken.jsonl" if data is None else "spoken.jsonl.gz")
    made = [str(folder / f"{name}.parquet") for name in ("utterances", "rejects")]
    path.write_bytes(lines_of(*records) if data is None else data)
    ingest_dialogues(
        utterances=made[0],
        rejects=made[1],
        settings=DialoguesSettings(path=str(path), **own),
        job=Job({"key": "k"}),
    )
    return tables.read(made[0]), tables.read(made[1])


def test_our_own_form_is_read_in_the_order_of_its_lines(tmp_path: Path) -> None:
    rows, rejects = read(tmp_path, said("b", " Hi. "), said("a", "Ho."), said("b", "Há\n!", speaker=" Bo "))
    assert rows.rows() == [
        ("b", 0, None, "Ann", " Hi. ", 0),
        ("b", 1, None, "Bo", "Há\n!", 2),
        ("a", 0, None, "Ann", "Ho.", 1),
    ]
    assert rejects.height == 0


def test_convokit_s_utterances_stand_in_the_order_of_their_replies(tmp_path: Path) -> None:
    note = convokit("u3", "u2", "", speaker="TRANSCRIPT_NOTE", meta={"transcript_with_note": "(They leave)"})
    other = {"id": "v1", "root": "c2", "user": "Cy", "text": "Old.", "reply_to": None}
    rows, rejects = read(tmp_path, note, convokit("u1", None, "One."), other, convokit("u2", "u1", "Two."))
    assert rows.select("dialogue_id", "position", "utterance_id", "speaker", "text").rows() == [
        ("c1", 0, "u1", "Bo", "One."),
        ("c1", 1, "u2", "Bo", "Two."),
        ("c1", 2, "u3", "TRANSCRIPT_NOTE", "(They leave)"),
        ("c2", 0, "v1", "Cy", "Old."),
    ]
    assert rejects.height == 0


@pytest.mark.parametrize(
    ("replies", "detail"),
    [
        ([("u1", None), ("u2", "u1"), ("u3", "u1")], "two utterances reply to u1"),
        ([("u1", None), ("u2", None)], "two utterances reply to nothing"),
        ([("u1", None), ("u2", "u9")], "u2 replies to u9, which is not there"),
        ([("u1", "u2"), ("u2", "u1")], "the replies go in a circle"),
        ([("u1", None), ("u2", "u3"), ("u3", "u2")], "the replies go in a circle"),
        ([("u1", "u1")], "the replies go in a circle"),
    ],
)
def test_a_dialogue_whose_replies_form_no_chain_is_a_reject_with_all_lines(
    tmp_path: Path, replies: list[tuple[str, str | None]], detail: str
) -> None:
    rows, rejects = read(tmp_path, said("good", "Yes."), *(convokit(*one) for one in replies))
    assert rows["dialogue_id"].to_list() == ["good"]
    assert rejects.select("source_row", "reason", "detail").rows() == [
        (number, "no_order", detail) for number in range(1, len(replies) + 1)
    ]


def test_dialogues_of_one_to_fifteen_utterances_are_kept(tmp_path: Path) -> None:
    records = [said(str(length), "Yes.") for length in (1, 15, 16) for _ in range(length)]
    rows, rejects = read(tmp_path, *records)
    assert Counter(rows["dialogue_id"]) == {"1": 1, "15": 15}
    assert Counter(rejects.select("reason", "detail").rows()) == {("dialogue_length", "16"): 16}
    rows, _ = read(tmp_path, *records, shortest=2, longest=20)
    assert Counter(rows["dialogue_id"]) == {"15": 15, "16": 16}


def test_damaged_lines_are_rejects_and_rows_add_up(tmp_path: Path) -> None:
    records = [
        b"\xef\xbb\xbf" + lines_of(said("a", "Begin."))[:-1],
        b"{broken",
        b'["no object"]',
        b'{"dialogue": "a", "speaker": "\xff", "text": "x"}',
        said("a", "x", speaker=None),
        {"dialogue": "a", "text": "x"},
        {"speaker": "Ann", "text": "x"},
        said("a", "half \ud83c pair"),
        said("a", "x", **{"reply-to": 3}),
        said("a", "x", **{"reply-to": "\ud83c"}),
        said("a", "x", speaker=" "),
        b"[" * 100_000,
        b"   ",
        b"",
        said("a", " "),
        said("a", "End.\r"),
        said("b", "x", id="u"),
        said("b", "again", id="u"),
    ]
    rows, rejects = read(tmp_path, *records)
    assert rows.select("dialogue_id", "position", "text").rows() == [
        ("a", 0, "Begin."),
        ("a", 13, "End.\r"),  # the lines before it keep their places, but for blank ones
        ("b", 0, "x"),
    ]
    assert rejects.select("source_row", "reason").rows() == [
        *((1, "broken_record"), (2, "broken_record"), (3, "invalid_utf8"), (4, "wrong_type")),
        *((5, "missing_field"), (6, "missing_field"), (7, "invalid_utf8"), (8, "wrong_type")),
        (9, "invalid_utf8"),
        *((10, "missing_field"), (11, "broken_record"), (14, "empty_text"), (17, "duplicate_id")),
    ]
    assert rows.height + rejects.height == len(records) - 2  # two are blank
    assert {*rejects["reason"]} <= {*REASONS}


def test_compressed_files_are_read_and_cut_ones_refused(tmp_path: Path) -> None:
    packed = gzip.compress(lines_of(*(said("a", f"Line {number}.") for number in range(9))))
    rows, _ = read(tmp_path, data=packed)
    assert rows.height == 9
    with pytest.raises(UserError, match=r"ingest\.dialogues\.path: .* is cut off or damaged"):
        read(tmp_path, data=packed[:-20])
    plain = gzip.decompress(packed).rstrip()
    rows, _ = read(tmp_path, data=gzip.compress(plain))
    assert rows.height == 9
    with pytest.raises(UserError, match="is cut off in line 9"):
        read(tmp_path, data=gzip.compress(plain[:-5]))


def test_a_file_without_dialogues_is_refused_with_the_most_frequent_reason(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"no dialogue .*2 rejects, 2 for missing_field: first line 1, dialogue"
    ):
        read(tmp_path, {"speaker": "Ann", "text": "Hi."}, {"speaker": "Ann", "text": "Hi."})


SPOKEN = (
    said("d", "We watched baseball. 🍿 Baseball!"),
    convokit("u1", None, "Thanksgiving it is."),
    convokit("u2", "u1", "Rodeo?"),
)
MARK = {"dialogue": "d", "utterance": 0, "start": 11, "end": 19, "text": "baseball", "annotator": "r1"}
MARK |= {"category": "Social Culture", "foreignness": 2}
HOLIDAY = {
    "dialogue": "c1",
    "utterance": "u1",
    "start": 0,
    "end": 12,
    "text": "Thanksgiving",
    "annotator": "r1",
}
HOLIDAY |= {"category": "social  culture", "foreignness": 3}


def marked(folder: Path, *records: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The annotations and rejects of a file of these lines."""
    read(folder, *SPOKEN)
    path, made = (
        folder / "marked.jsonl",
        [str(folder / f"{name}.parquet") for name in ("annotations", "left")],
    )
    path.write_bytes(lines_of(*records))
    ingest_annotations(
        utterances=str(folder / "utterances.parquet"),
        annotations=made[0],
        rejects=made[1],
        published=str(folder / "published.csv"),
        settings=AnnotationsSettings(path=str(path), categories=CATEGORIES),
        job=Job({"key": "k"}),
    )
    return tables.read(made[0]), tables.read(made[1])


def test_items_of_several_annotators_are_kept_in_the_order_of_the_dialogues(tmp_path: Path) -> None:
    other = MARK | {"annotator": "r0", "category": "GESTURES & HABITS"}
    later = MARK | {"start": 23, "end": 31, "text": "Baseball"}  # the emoji is one character
    rows, rejects = marked(tmp_path, HOLIDAY, later, MARK, other)
    columns = ["dialogue_id", "position", "start", "category", "foreignness", "annotator", "source_row"]
    assert rows.select(columns).rows() == [
        ("d", 0, 11, "Gestures and Habits", 2, "r0", 3),
        ("d", 0, 11, "Social Culture", 2, "r1", 2),
        ("d", 0, 23, "Social Culture", 2, "r1", 1),
        ("c1", 0, 0, "Social Culture", 3, "r1", 0),
    ]
    assert rejects.height == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"dialogue": "e"}, "unknown_utterance"),
        ({"utterance": 1}, "unknown_utterance"),
        ({"utterance": -1}, "unknown_utterance"),
        ({"utterance": "u1"}, "unknown_utterance"),
        ({"utterance": None}, "wrong_type"),
        ({"utterance": "\ud83c"}, "invalid_utf8"),
        ({"utterance": 0.0}, "wrong_type"),
        ({"start": 12}, "bad_span"),
        ({"start": -22}, "bad_span"),
        ({"end": 99}, "bad_span"),
        ({"start": 5, "end": 5, "text": ""}, "bad_span"),
        ({"text": "Baseball"}, "bad_span"),
        ({"start": True}, "wrong_type"),
        ({"category": "Sport"}, "unknown_category"),
        ({"category": 3}, "wrong_type"),
        ({"foreignness": 1}, "familiar"),
        ({"foreignness": 4}, "bad_foreignness"),
        ({"foreignness": "2"}, "wrong_type"),
        ({"annotator": " "}, "missing_field"),
        ({}, "duplicate"),
    ],
)
def test_a_mark_that_does_not_fit_is_a_reject(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    rows, rejects = marked(tmp_path, MARK, MARK | change)
    assert rows.height == 1
    assert rejects.select("corpus", "source_row", "reason").rows() == [("annotations", 1, reason)]
    assert reason in REASONS


def test_members_that_are_missing_are_named(tmp_path: Path) -> None:
    broken = [{name: value for name, value in MARK.items() if name != gone} for gone in MARK]
    rows, rejects = marked(tmp_path, *broken, MARK)
    assert rows.height + rejects.height == len(broken) + 1
    assert rejects.select("reason", "detail").rows() == [("missing_field", name) for name in MARK]


def test_annotations_of_which_none_fits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no line of .* is an item in the dialogues, 1 for unknown_category"):
        marked(tmp_path, MARK | {"category": "Sport"})


def test_the_nine_categories_of_the_paper_and_their_spellings_are_known() -> None:
    known = read_categories(CATEGORIES)
    assert len({*known.values()}) == 9
    assert known["institutions, organizations and ideas"] == "Institutions, Organisations and Ideas"


def test_a_spelling_of_two_categories_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("name\talso\twhat\nFood\tMeals\tx\nDrink\tmeals\tx\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 3: 'meals' is empty, or belongs to two"):
        read_categories(str(path))


# The form of friends_csi_annotations_final.csv; the dialogue is ours.
ANN, BO = '"Ann: Did they eat Aunt Jo\'s pie, dude?"', '"Bo: No, ""Thanksgiving"" is over: I did."'
PIE = """(""Aunt Jo's pie"", 'M', '3', 'T'), (""Aunt Jo's pie"", 'H', '3', 'T')"""
PUBLISHED = f"""\
,Pre Context,Post Context,Current Utterance,No,csi_annotations_final
0,,{BO},{ANN},1,"[('dude', 'F', '2', 'I'), {PIE}]"
1,{ANN},,{BO},1,"[('Thanksgiving', 'S', '3', 'F')]"
2,,,TRANSCRIPT_NOTE: [A diner.],2,[]
"""


def published(folder: Path, text: str) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, str]:
    """Utterances, annotations and rejects of a CSV, and the CSV that comes out."""
    path, made = (
        folder / "marked.csv",
        [str(folder / f"{name}.parquet") for name in ("said", "marks", "left")],
    )
    path.write_text(text, encoding="utf-8")
    job, out = Job({"key": "k"}), folder / "published.csv"
    ingest_dialogues(utterances=made[0], rejects=made[2], settings=DialoguesSettings(path=str(path)), job=job)
    ingest_annotations(
        utterances=made[0],
        annotations=made[1],
        rejects=made[2],
        published=str(out),
        settings=AnnotationsSettings(path=str(path), categories=CATEGORIES),
        job=job,
    )
    said, marks, left = map(tables.read, made)
    return said, marks, left, out.read_text(encoding="utf-8")


def test_the_authors_csv_goes_in_and_comes_out(tmp_path: Path) -> None:
    said, marks, left, out = published(tmp_path, PUBLISHED)
    assert out == PUBLISHED
    assert said.select("dialogue_id", "position", "speaker", "text").rows() == [
        ("1", 0, "Ann", "Did they eat Aunt Jo's pie, dude?"),
        ("1", 1, "Bo", 'No, "Thanksgiving" is over: I did.'),
        ("2", 0, "TRANSCRIPT_NOTE", "[A diner.]"),
    ]
    assert marks.select("position", "text", "category", "foreignness", "level").rows() == [
        (0, "Aunt Jo's pie", "Humour", 3, "technical"),
        (0, "Aunt Jo's pie", "Material Culture", 3, "technical"),
        (0, "dude", "Slang or Figure of Speech", 2, "informal"),
        (1, "Thanksgiving", "Social Culture", 3, "formal"),
    ]
    assert left.is_empty()
    assert consensus([str(tmp_path / "marks.parquet")])["category"][0] == "Humour | Material Culture"


def test_items_of_the_csv_are_whole_words_and_the_next_ones_where_they_are_marked_again(
    tmp_path: Path,
) -> None:
    text = PUBLISHED.replace("Ann: Did they", "Ann: Dudes, dude, did they").replace(
        "('Thanks", "('no', 'S', '3', 'F'), ('Thanks"
    )
    twice = text.replace("('dude', 'F', '2', 'I')", "('dude', 'F', '2', 'I'), ('dude', 'F', '2', 'I')")
    _, marks, left, out = published(tmp_path, twice.replace("('no'", "('no', 'S', '3', 'F'), ('no'"))
    assert marks.filter(pl.col("text").str.to_lowercase() == "dude")["start"].to_list() == [7, 41]
    assert [*left["reason"]] == ["duplicate"]  # there is one no
    assert out == twice.replace("('no'", "('No'")


def test_items_of_the_csv_that_cannot_be_used_are_rejects(tmp_path: Path) -> None:
    changes = {"'dude'": "'DUDE'", "'S', '3'": f"'S', '{'9' * 5000}'", "2,[]": "2,[1]"}
    text = PUBLISHED.replace("""pie"", 'H'""", """lie"", 'H'""")
    for old, new in changes.items():
        text = text.replace(old, new)
    text += f"3,,,Bo: {'x' * 140_000},2,{{[]: 1}}\n"
    _, marks, left, _ = published(tmp_path, text)
    assert marks["text"].to_list() == ["Aunt Jo's pie", "dude"]  # letter case aside
    assert sorted(left.select("source_row", "reason").rows()) == [
        (0, "bad_span"),
        (1, "wrong_type"),
        (2, "broken_record"),
        (3, "broken_record"),
    ]
