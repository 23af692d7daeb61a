"""Items that were edited, and edits that an aligner finds, by hand-worked dialogues."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.dialogues import evaluate_dialogues
from wokflow.evaluate.edit_finding import edits, likeness
from wokflow.evaluate.settings import DialoguesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.schemas import ADAPTATIONS
from wokflow.ingest.schemas import ANNOTATIONS


@pytest.mark.parametrize(
    ("text", "adapted", "expected"),
    [
        ("Who ate the pie?", "Who ate the KHEER?", [("replacement", 12, "pie", "KHEER")]),
        ("Hi, Ann!", "hi Ann...", []),
        ("Relax by the nude beach?", "Relax by the beach and do yoga?", [("deletion", 13, "nude", "")]),
        (
            "So: Thanksgiving!",
            "Diwali, so?",
            [("addition", 0, "", "Diwali"), ("deletion", 4, "Thanksgiving", "")],
        ),
        ("the White House lawn", "the Red Fort lawn", [("replacement", 4, "White House", "Red Fort")]),
        ("", "Achha.", [("addition", 0, "", "Achha")]),
        ("Don't y'know?", "Don't you know?", [("replacement", 6, "y'know", "you know")]),
    ],
)
def test_edits_are_the_fewest_words_that_come_and_go(text: str, adapted: str, expected: list[Any]) -> None:
    found = [(one.kind, one.start, one.original, one.adapted) for one in edits(text, adapted)]
    assert found[: len(expected)] == expected
    assert all(text[one.start : one.end] == one.original for one in edits(text, adapted))


@pytest.mark.parametrize(
    ("item", "adapted", "there"),
    [
        ("Thanksgiving", "Happy thanksgiving!", True),
        ("ice cream", "Icecream?", True),
        ("go to hell", "So — go, to HELL.", True),
        ("bar", "I love barfi.", False),  # within another word
        ("ham", "Abraham", False),
        ("Thanksgiving dinner", "no", False),  # which is found in the item, and not the item in it
        ("beer", "", False),
        ("?!", "What?!", True),
        ("pie", "I made two pies.", True),
        ("Knicks", "a Knick's fan", True),
        ("Christmas party", "So many Christmas parties!", True),
        ("sandwich", "sandwiches", True),
        ("the Rock", "he rocks", False),
        ("icecream", "an ice cream", True),
        ("ham", "jam", False),
    ],
)
def test_an_item_is_still_there_as_whole_words_with_slips(item: str, adapted: str, there: bool) -> None:
    assert (likeness(item, adapted) >= 90) is there


def marks(*rows: tuple[str, int, str, str, int, str]) -> pl.DataFrame:
    """Annotations: dialogue, position, the words with their place, category, foreignness, annotator."""
    found = []
    for dialogue, position, words, category, foreignness, annotator in rows:
        at, _, text = words.partition(":")
        found.append(
            {"dialogue_id": dialogue, "position": position, "start": int(at), "end": int(at) + len(text)}
            | {"text": text, "category": category, "foreignness": foreignness, "annotator": annotator}
            | {"source_row": 0}
        )
    return tables.frame(ANNOTATIONS, found)


def measured(
    folder: Path, adapted: list[tuple[Any, ...]], marked: pl.DataFrame | None
) -> dict[str, pl.DataFrame]:
    """The tables that come out; rows of `adapted` are run, dialogue, position, text and its adaptation."""
    names = ("run", "dialogue_id", "position", "text", "adapted")
    more = {"speaker": "Ann", "adapted_speaker": "Ann", "repairs": []}
    rows = [dict(zip(names, row, strict=True)) | more for row in adapted]
    frame = tables.frame(ADAPTATIONS, rows)
    tables.write(folder / "adaptations.parquet", ADAPTATIONS, frame, {})
    if marked is not None:
        tables.write(folder / "annotations.parquet", ANNOTATIONS, marked, {})
    paths = {name: str(folder / f"{name}.parquet") for name in ("marked", "edited", "changes")}
    evaluate_dialogues(
        adaptations=[str(folder / "adaptations.parquet")],
        annotations=[str(folder / "annotations.parquet")] if marked is not None else [],
        settings=DialoguesSettings(),
        job=Job({"key": "k"}),
        **paths,
    )
    return {name: tables.read(path) for name, path in paths.items()}


ADAPTED = [
    ("a", "d", 0, "Beer at  Thanksgiving?", "Lassi at Diwali?"),
    ("a", "d", 1, "Go to hell.", "Go to hell."),
    ("b", "d", 0, "Beer at  Thanksgiving?", "Beer at Thanksgivin?"),
    ("b", "d", 1, "Go to hell.", "Get lost."),
    ("a", "e", 0, "Pie!", "Kheer!"),
]
MARKED = marks(
    ("d", 0, "0:Beer", "Material Culture", 2, "r1"),
    ("d", 0, "0:Beer", "Social Culture", 3, "r2"),
    ("d", 0, "0:Beer", "Social Culture", 2, "r3"),
    *(("d", 0, "0:Beer", category, 3, "r2") for category in ("Humour", "Linguistic Culture")),
    ("d", 0, "9:Thanksgiving", "Social Culture", 3, "r1"),
    ("d", 1, "0:Go to hell", "Offensive Content", 3, "r1"),
    ("f", 0, "0:Rodeo", "Social Culture", 3, "r1"),  # of a dialogue that nobody adapted
)


def test_shares_of_edited_items_are_those_counted_by_hand(tmp_path: Path) -> None:
    found = measured(tmp_path, ADAPTED, MARKED)
    items = found["marked"].filter(run="a")
    assert items.select("text", "category", "foreignness", "annotators", "edited").rows() == [
        ("Beer", "Social Culture", 2, 3, True),
        ("Thanksgiving", "Social Culture", 3, 1, True),
        ("Go to hell", "Offensive Content", 3, 1, False),
    ]
    shares = found["edited"].filter(threshold=90.0)
    assert shares.select("run", "by", "name", "items", "edited").rows() == [
        ("a", "all", None, 3, 2),
        ("a", "category", "Offensive Content", 1, 0),
        ("a", "category", "Social Culture", 2, 2),
        ("a", "foreignness", "2", 1, 1),
        ("a", "foreignness", "3", 2, 1),
        ("b", "all", None, 3, 1),
        ("b", "category", "Offensive Content", 1, 1),
        ("b", "category", "Social Culture", 2, 0),
        ("b", "foreignness", "2", 1, 0),
        ("b", "foreignness", "3", 2, 1),
    ]
    assert shares["share"][0] == pytest.approx(200 / 3)
    exact = found["edited"].filter(run="b", by="all", threshold=100.0)
    assert exact["edited"].item() == 2  # Thanksgivin is not the word


def test_edits_tell_whether_they_touch_an_item_by_places_in_the_text_as_read(tmp_path: Path) -> None:
    changes = measured(tmp_path, ADAPTED, MARKED)["changes"].filter(run="a")
    assert changes.select("dialogue_id", "position", "number", "original", "adapted", "item").rows() == [
        ("d", 0, 1, "Beer", "Lassi", True),
        ("d", 0, 2, "Thanksgiving", "Diwali", True),
        ("e", 0, 1, "Pie", "Kheer", False),
    ]


def test_without_annotations_there_are_edits_alone(tmp_path: Path) -> None:
    found = measured(tmp_path, ADAPTED, None)
    assert found["marked"].height == found["edited"].height == 0
    assert found["changes"].height == 5 and not found["changes"]["item"].any()
