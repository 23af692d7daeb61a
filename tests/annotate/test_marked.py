"""Items that people marked in dialogues come back as annotations that ingest reads."""

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import polars as pl
import pytest
from openpyxl import load_workbook
from wokflow.annotate.marked import annotate_marked
from wokflow.annotate.settings import MarkedSettings, TasksSettings
from wokflow.annotate.studio import labels, task
from wokflow.annotate.tasks import annotate_tasks
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.workbooks import Page, write_workbook
from wokflow.ingest.annotations import ingest_annotations
from wokflow.ingest.item_spans import item_span
from wokflow.ingest.schemas import UTTERANCES
from wokflow.ingest.settings import AnnotationsSettings

from tests.annotate.studies import OWN, Study
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
            sources=[self.path("utterances")],
            tasks=self.path("tasks"),
            settings=TasksSettings(**{**given, "dimensions": CATEGORIES}),
            job=Job(),
        )

    def marked(self, log: TextIO | None = None, **own: Any) -> list[dict[str, Any]]:
        answers, raters = str(self.folder / "answers"), str(self.folder / "raters.tsv")
        annotate_marked(
            assigned=self.path("assigned"),
            marked=str(self.folder / "marked.jsonl"),
            dialogues=self.path("dialogues"),
            raters=self.path("raters"),
            rejects=self.path("rejects"),
            settings=MarkedSettings(answers=answers, raters=raters, **own),
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


def drawn(
    name: str,
    line: int,
    begin: int,
    words: str,
    *degree: str,
    category: str = "Material Culture",
    end: int | None = None,
) -> list[dict[str, Any]]:
    """The results of a mark in Label Studio; `begin` counts UTF-16 units, `line` utterances."""
    where = {
        "start": str(line),
        "end": str(line if end is None else end),
        "startOffset": begin,
        "text": words,
    }
    results = [
        ("category", {"paragraphlabels": [category]}),
        *(("foreignness", {"choices": [one]}) for one in degree),
    ]
    return [{"id": name, "from_name": field, "value": where | value} for field, value in results]


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


def test_a_copy_of_a_worksheet_makes_no_further_mark(study: Marking) -> None:
    study.send(filled(study, {"item": "pie"}))
    (study.folder / "answers" / "r1.tsv").unlink()
    rows = [[*row.values()] for row in filled(study, {"item": "pie"})]
    header = [*study.sheet("r1")[0]]
    pages = [Page(name, header, rows, [9] * len(header)) for name in ("tasks", "copy of tasks")]
    write_workbook(study.folder / "answers" / "r1.xlsx", pages)
    assert study.spans() == [(0, 7, 10, "pie")] and study.reasons() == ["repeated"]


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

    marks = (
        drawn("a", 0, 8, "pie ", "3")
        + drawn("b", 0, 30, "salad?\n\n=No", "2", end=1)
        + drawn("c", 1, 5, "Thanksgiving")
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


CHECKS = str(OWN / "marking.checks.tsv")
HOLIDAY = ("Thanksgiving", "Gestures and Habits", "3")
PIE = ("pumpkin pie", "Material Culture", "2")
RODEO = ("rodeo", "Social Culture", "3")
BICYCLE = ("bicycle", "Humour", "1")
KNOWN = (HOLIDAY, PIE, RODEO, BICYCLE)
SALAD = ("jello salad", "Material Culture", "2")  # in a task
LINES = (
    "You are coming for Thanksgiving, right? I have bought a pumpkin pie.",
    "I would love to, but my uncle takes us to the rodeo that day.",
)


@pytest.fixture
def checked(tmp_path: Path) -> Marking:
    made = Marking(tmp_path)
    made.hand_out("r1", "r2", per_task=2, checks=CHECKS)
    return made


def found(study: Marking, rater: str, *marks: tuple[str, str, str]) -> Rows:
    """The sheet of a rater with these words marked wherever they occur."""
    rows = study.sheet(rater)
    cells = [dict(zip(("item", "category", "foreignness"), mark, strict=True)) for mark in marks]
    return [*rows, *(row | cell for row in rows for cell in cells if cell["item"] in row["text"])]


@pytest.mark.parametrize(
    ("marks", "reason"),
    [
        ((PIE, RODEO, ("bought", *PIE[1:]), BICYCLE), None),  # one of three missed, one too many: 0.67
        ((RODEO, BICYCLE), "failed_comprehension"),  # two missed: 0.5
        (
            (HOLIDAY, ("pumpkin pie", "Ecology", "2"), ("rodeo", "Social Culture", "2"), BICYCLE),
            "failed_comprehension",
        ),
        (((LINES[0], *PIE[1:]), (LINES[1], *RODEO[1:]), BICYCLE), "failed_comprehension"),  # whole utterances
        ((*KNOWN, ("umbrella", *PIE[1:])), "failed_comprehension"),  # in a dialogue without items
        ((*KNOWN, ("umbrella", "", ""), ("rain", "Food", "9")), "failed_comprehension"),  # and are rejects
        ((HOLIDAY, PIE, RODEO), "failed_attention"),
        ((), "failed_comprehension"),
    ],
)
def test_marks_count_of_raters_alone_who_mark_the_known_items_of_checks(
    checked: Marking, marks: tuple[tuple[str, str, str], ...], reason: str | None
) -> None:
    checked.send(found(checked, "r1", *KNOWN[1:], SALAD), "r1")
    checked.send(found(checked, "r2", *marks, SALAD), "r2")
    log = StringIO()
    counted = ["r1"] if reason else ["r1", "r2"]
    assert [(line["text"], line["annotator"]) for line in checked.marked(log)] == [
        ("jello salad", rater) for rater in counted
    ]
    raters = checked.read("raters")
    assert raters.select("rater", "left_out").rows() == [("r1", None), ("r2", reason)]
    assert raters.select("tasks", "answered", "examples", "examples_right").row(0) == (2, 2, 2, 2)
    tasks = checked.read("rejects").filter(pl.col("task_id").is_in(["pie", "tea"]))
    rejects = {*tasks.select("rater", "task_id", "reason").rows()}
    assert rejects == ({("r2", "pie", reason)} if reason else set())
    assert sorted(checked.read("dialogues").select("task_id", "rater").rows()) == [
        (task, rater) for task in ("pie", "tea") for rater in counted
    ]
    assert "r2: 2 dialogues handed out: 1 with marks, 1 without, 0 skipped, 0 not answered" in log.getvalue()
    assert (f"does not count: {reason}" in log.getvalue()) == bool(reason)


def test_checks_in_label_studio_are_marked_and_one_that_nobody_answers_is_failed(checked: Marking) -> None:
    """r2 skips the dialogue with items, and nobody opens the other checks; the task is marked by both."""
    of_task: dict[str, list[dict[str, Any]]] = {
        "pie": drawn("a", 0, 16, "Gran’s", "3"),
        "November": drawn("a", 0, 56, "pumpkin pie", "3")
        + drawn("b", 1, 46, "rodeo", "3", category="Social Culture"),
        "one-word": drawn("a", 1, 62, "bicycle", "1", category="Humour"),
    }
    (checked.folder / "answers").mkdir()
    for rater in ("r1", "r2"):
        exported = []
        for row in checked.read("assigned").filter(rater=rater).to_dicts():
            given = [{"result": of_task.get(row["task_id"], [])}]
            if rater == "r2" and row["kind"] != "task":
                given = [{"result": [], "was_cancelled": True}] if row["task_id"] == "November" else []
            exported.append(task(row) | {"annotations": given})
        path = checked.folder / "answers" / f"{rater}.json"
        path.write_text(json.dumps(exported), encoding="utf-8")
    assert [(line["text"], line["annotator"]) for line in checked.marked()] == [("Gran’s", "r1")]
    columns = ("rater", "examples_right", "attention_failed", "left_out")
    assert checked.read("raters").select(columns).rows() == [
        ("r1", 2, 0, None),
        ("r2", 0, 1, "failed_comprehension"),
    ]
    assert [line["annotator"] for line in checked.marked(comprehension=0, attention=1)] == ["r1", "r2"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (("x|quiz|1|Ann|Pie.|||",), "line 2: a check needs a name, and a kind: comprehension or attention"),
        (
            ("x|attention|1|Ann|Pie.|||", "x|comprehension|2|Bo|No.|||"),
            "line 3: the check x is of kind attention",
        ),
        (("x|attention|0|Ann|Pie.|||",), "line 2: an utterance needs a text, and a place"),
        (
            ("x|attention|1|Ann|Pie.|||", "x|attention|1|Bo|Pie.|||"),
            "line 3: place 1 of the check x has another",
        ),
        (("x|attention|1|Ann|Pie.|Pie|Food|",), "line 2: Food is not a value of category"),
        (("x|attention|1|Ann|Pie.|cake||",), "line 2: cake does not stand in the text"),
        (2 * ("x|attention|1|Ann|Pie.|Pie||",), "line 3: Pie does not stand in the text"),
        (("x|attention|1|Ann|Pie.|||3",), "line 2: there is no item"),
        (("x|attention|1|Ann|Pie.|||",), "no check has an item"),
        (("pie|attention|1|Ann|Pie.|Pie||",), "a task and a check have the same name: pie"),
    ],
)
def test_a_check_that_nobody_can_pass_is_refused_with_its_line(
    checked: Marking, rows: tuple[str, ...], message: str
) -> None:
    path = checked.folder / "checks.tsv"
    header = "name|kind|place|speaker|text|item|category|foreignness"
    path.write_text("\n".join((header, *rows)).replace("|", "\t") + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        checked.hand_out("r1", checks=str(path))
