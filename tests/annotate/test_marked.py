"""Items that people marked in dialogues come back as annotations that ingest reads."""

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import pytest
from openpyxl import load_workbook
from wokflow.annotate.marked import annotate_marked
from wokflow.annotate.settings import MarkedSettings, TasksSettings
from wokflow.annotate.studio import labels, task
from wokflow.annotate.tasks import annotate_tasks
from wokflow.frame.job import Job, Progress
from wokflow.ingest.annotations import ingest_annotations
from wokflow.ingest.item_spans import item_span
from wokflow.ingest.schemas import UTTERANCES
from wokflow.ingest.settings import AnnotationsSettings

from tests.annotate.studies import Study
from tests.conftest import ROOT

CATEGORIES = str(ROOT / "resources" / "dialogues" / "categories.tsv")
SPOKEN = (
    ("pie", 0, "Ann", "Pie, 🥧 pie\nand Gran’s  jello salad?"),
    ("pie", 2, "Bo", "=No. Thanksgiving is over."),
    ("tea", 0, "Cy", "Tea."),
)
FOOD = {"category": "Material Culture", "foreignness": "3"}
Rows = list[dict[str, str]]


class Marking(Study):
    """A study in which items of two dialogues are marked."""

    def __init__(self, folder: Path, name: str = "s") -> None:
        self.folder, self.kind = folder, "marking"
        names = ("dialogue_id", "position", "speaker", "text")
        made = [
            dict(zip(names, row, strict=True)) | {"utterance_id": None, "source_row": 0} for row in SPOKEN
        ]
        self.write("utterances", UTTERANCES, made)
        given = {"study": name, "kind": "marking", "data": "dialogues", "systems": [], "texts": None}
        annotate_tasks(
            instances=[],
            predictions=[],
            rated=[],
            utterances=[self.path("utterances")],
            recipes=[],
            tasks=self.path("tasks"),
            settings=TasksSettings(**{**given, "dimensions": CATEGORIES}),
            job=Job(),
        )

    def marked(self, log: TextIO | None = None) -> list[dict[str, Any]]:
        answers, raters = str(self.folder / "answers"), str(self.folder / "raters.tsv")
        annotate_marked(
            assigned=self.path("assigned"),
            marked=str(self.folder / "marked.jsonl"),
            dialogues=self.path("dialogues"),
            rejects=self.path("rejects"),
            settings=MarkedSettings(answers=answers, raters=raters),
            job=Job(progress=Progress(log)),
        )
        return [json.loads(line) for line in (self.folder / "marked.jsonl").read_text("utf-8").splitlines()]

    def ingested(self) -> list[tuple[Any, ...]]:
        """Place, start, words, category, foreignness and annotator of each mark that ingest.annotations reads."""
        assert self.marked() and self.read("rejects").is_empty()
        ingest_annotations(
            utterances=self.path("utterances"),
            annotations=self.path("annotations"),
            rejects=self.path("left"),
            published=self.path("published"),
            settings=AnnotationsSettings(path=str(self.folder / "marked.jsonl"), categories=CATEGORIES),
            job=Job(),
        )
        columns = ("position", "start", "text", "category", "foreignness", "annotator")
        return self.read("annotations").select(columns).rows()

    def spans(self) -> list[tuple[Any, ...]]:
        return [tuple(row[name] for name in ("utterance", "start", "end", "text")) for row in self.marked()]

    def reasons(self) -> list[str]:
        return sorted(self.read("rejects")["reason"])


@pytest.fixture
def study(tmp_path: Path) -> Marking:
    made = Marking(tmp_path)
    made.hand_out("r1", "r2", per_task=2)
    return made


def filled(study: Marking, *marks: Mapping[str, str], rater: str = "r1", place: str = "1") -> Rows:
    """The rows of a sheet, with further rows for marks in an utterance of the first dialogue."""
    rows = study.sheet(rater)
    [row] = [row for row in rows if row["place"] == place and row["speaker"] != "Cy"]
    return [*rows, *({**row, **FOOD, **mark} for mark in marks)]


def test_a_sheet_has_a_row_for_each_utterance_and_a_list_of_all_categories(study: Marking) -> None:
    rows = study.sheet("r1")
    assert [*rows[0]] == [
        "id",
        "rater",
        "place",
        "speaker",
        "text",
        "item",
        "category",
        "foreignness",
        "comment",
    ]
    assert sorted((row["place"], row["speaker"]) for row in rows) == [("1", "Ann"), ("1", "Cy"), ("3", "Bo")]
    book = load_workbook(study.folder / "sheets" / "r1.xlsx")
    lists = {rule.formula1 for rule in book["tasks"].data_validations.dataValidation}
    assert lists == {"values!$A$2:$A$10", '"1,2,3"'}
    assert [cell.value for cell in book["values"]["A"]][4] == "Institutions, Organisations and Ideas"


@pytest.mark.parametrize("ending", ["xlsx", "tsv"])
def test_marks_of_two_raters_come_back_as_annotations_of_the_dialogues_as_read(
    study: Marking, ending: str
) -> None:
    for rater in ("r1", "r2"):
        rows = [
            row | (FOOD | {"item": "thanksgiving"} if row["place"] == "3" else {})
            for row in study.sheet(rater, ending)
        ]
        study.send(rows, rater)
    mark = (2, 5, "Thanksgiving", "Material Culture", 3)
    assert study.ingested() == [(*mark, "r1"), (*mark, "r2")]


def test_the_same_words_in_another_row_are_the_next_ones_and_typed_words_are_found(study: Marking) -> None:
    study.send(filled(study, *({"item": each} for each in ("pie", "PIE", "pie", "gran's jello", "alad"))))
    assert study.spans() == [
        (0, 0, 3, "Pie"),
        (0, 7, 10, "pie"),
        (0, 15, 28, "Gran’s  jello"),
        (0, 30, 34, "alad"),
    ]
    assert study.reasons() == ["repeated"]


def test_columns_that_a_rater_added_to_a_sheet_are_none_of_label_studio(study: Marking) -> None:
    rows = filled(study, {"item": "pie"})
    study.send([row | {"start": "0", "dialogue is": "skipped"} for row in rows])
    log = StringIO()
    assert [row["start"] for row in study.marked(log)] == [7]
    assert "r1: 2 dialogues handed out: 1 with marks, 1 without, 0 skipped" in log.getvalue()


def test_a_faulty_row_uses_up_its_occurrence_and_so_does_another_kind_of_quotation_mark(
    study: Marking,
) -> None:
    grans = ({"item": "gran's"}, {"item": "gran’s", "foreignness": "2"})
    marks = ({"item": "PIE", "category": ""}, {"item": "PIE"}, *grans)
    study.send(filled(study, *marks))
    assert study.spans() == [(0, 7, 10, "pie"), (0, 15, 21, "Gran’s")]
    assert study.reasons() == ["missing", "repeated"]


def test_a_spelling_is_found_where_it_stands_and_in_the_order_of_the_text_where_it_repeats() -> None:
    text = "Pie first, pie then."
    assert item_span(text, "pie", "", (), in_order=False) == (11, 14)
    assert item_span(text, "pie", "", (), in_order=True) == (0, 3)
    assert item_span(text, "pie", "", [(0, 3)], in_order=True) == (11, 14)


@pytest.mark.parametrize(
    ("text", "words", "offset", "span"),
    [
        ("🥧🥧🥧🥧 ha ha ha", "ha", "9", (5, 7)),  # offsets count UTF-16 units
        ("cooking the pie at piecrust", "pie", "19", (19, 22)),  # a part of a word, beside the whole word
        ("cooking the pie at piecrust", "pie", "18", (19, 22)),  # drawn with the blank before it
        ("ha ha", "ha", "4", (3, 5)),  # not there: the nearest
    ],
)
def test_a_mark_stands_where_it_was_drawn(text: str, words: str, offset: str, span: tuple[int, int]) -> None:
    assert item_span(text, words, offset, (), in_order=False) == span


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        ({"item": "cake"}, "no_item"),
        ({"item": ""}, "missing"),
        ({"item": "pie", "foreignness": ""}, "missing"),
        ({"item": "pie", "foreignness": "4"}, "off_scale"),
        ({"item": "pie", "category": "Food"}, "off_scale"),
        ({"item": "pie", "text": "Cake?"}, "changed"),
        ({"item": "pie", "place": "2"}, "foreign"),
        ({"item": "pie", "rater": "r2"}, "other_rater"),
    ],
)
def test_what_is_no_item_is_a_reject_with_its_reason(
    study: Marking, mark: dict[str, str], reason: str
) -> None:
    study.send(filled(study, mark))
    assert not study.marked() and study.reasons() == [reason]


def test_two_sheets_of_a_rater_count_once_where_they_agree_and_not_where_they_differ(study: Marking) -> None:
    study.send(filled(study, {"item": "pie"}, {"item": "jello salad"}), "r1")
    study.send(filled(study, {"item": "pie"}, {"item": "jello salad", "foreignness": "2"}), "r1 (2)")
    assert [text for *_, text in study.spans()] == ["pie"]
    assert study.reasons() == ["repeated", "several", "several"]


def test_nothing_is_kept_of_a_rater_who_withdraws_and_nothing_counts_of_one_excluded(study: Marking) -> None:
    for rater in ("r1", "r2"):
        study.send(filled(study, {"item": "pie"}, rater=rater), rater)
    study.raters("r1|yes|withdrawn|", "r2|yes|excluded|")
    assert not study.marked() and study.reasons() == ["excluded"]
    assert study.read("rejects")["rater"].to_list() == ["r2"]


def test_marks_of_label_studio_stand_where_they_were_drawn(study: Marking) -> None:
    """The second pie, behind a character of two UTF-16 units; a mark over two utterances; one without its degree."""
    row = next(
        row for row in study.read("assigned").to_dicts() if row["rater"] == "r1" and row["task_id"] == "pie"
    )
    assert '<Label value="Institutions, Organisations and Ideas"' in labels(row)

    def mark(
        name: str, start: int, begin: int, words: str, *degree: str, end: int | None = None
    ) -> list[dict[str, Any]]:
        where = {
            "start": str(start),
            "end": str(start if end is None else end),
            "startOffset": begin,
            "text": words,
        }
        results = [
            ("category", {"paragraphlabels": ["Material Culture"]}),
            *(("foreignness", {"choices": [one]}) for one in degree),
        ]
        return [{"id": name, "from_name": field, "value": where | value} for field, value in results]

    marks = (
        mark("a", 0, 8, "pie ", "3")
        + mark("b", 0, 30, "salad?\n\n=No", "2", end=1)
        + mark("c", 1, 5, "Thanksgiving")
    )
    (study.folder / "answers").mkdir()
    given = json.dumps([task(row) | {"annotations": [{"result": marks}]}])
    (study.folder / "answers" / "r1.json").write_text(given, encoding="utf-8")
    assert study.spans() == [(0, 7, 10, "pie")]
    assert study.read("rejects").select("reason", "source_row").rows() == [("no_item", 1), ("missing", 1)]


def test_the_log_says_which_dialogues_of_a_rater_came_back_and_how(study: Marking) -> None:
    """Of r1, one is marked and one without; of r2, one was skipped in Label Studio and nobody opened the other."""
    study.send(filled(study, {"item": "pie"}))
    rows = [row for row in study.read("assigned").to_dicts() if row["rater"] == "r2"]
    given = [[{"result": [], "was_cancelled": True}], []]
    exported = [task(row) | {"annotations": some} for row, some in zip(rows, given, strict=True)]
    (study.folder / "answers" / "r2.json").write_text(json.dumps(exported), encoding="utf-8")
    log = StringIO()
    study.marked(log)
    assert "r1: 2 dialogues handed out: 1 with marks, 1 without, 0 skipped, 0 not answered" in log.getvalue()
    assert "r2: 2 dialogues handed out: 0 with marks, 0 without, 1 skipped, 1 not answered" in log.getvalue()
