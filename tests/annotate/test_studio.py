"""Label Studio: what it is given, and answers as it exports them; a server that answers as its documentation says."""

import json
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import polars as pl
import pytest
from wokflow import cli
from wokflow.annotate.studio import labels, read_export, task
from wokflow.frame.job import UserError

from tests.annotate.studies import DIMENSIONS, Study

HAND = Path(__file__).parent / "label_studio.json"
Answer = Callable[[Mapping[str, str]], Mapping[str, str]]


def annotated(row: Mapping[str, Any], answers: Mapping[str, str], **more: Any) -> dict[str, Any]:
    """A task as Label Studio exports it."""
    kinds = {"comment": ("textarea", lambda text: {"text": [text]})}
    results = []
    for name, value in answers.items():
        kind, held = kinds.get(name, ("choices", lambda text: {"choices": [text]}))
        results.append(
            {"from_name": name, "to_name": "source", "type": kind, "value": held(value), "id": "x"}
        )
    annotation = {"id": 1, "completed_by": 7, "result": results, "was_cancelled": False, "lead_time": 3.5}
    return {"id": 3, **task(row), "annotations": [annotation | more], "predictions": [], "meta": {}}


def export(study: Study, tasks: list[dict[str, Any]], name: str = "r1") -> None:
    (study.folder / "answers").mkdir(exist_ok=True)
    (study.folder / "answers" / f"{name}.json").write_text(
        json.dumps(tasks, ensure_ascii=False), encoding="utf-8"
    )


def assigned(study: Study, rater: str = "r1") -> list[dict[str, Any]]:
    return study.read("assigned").filter(rater=rater).sort("position").to_dicts()


def sevens() -> dict[str, str]:
    return dict.fromkeys(DIMENSIONS, "7")


def test_a_configuration_shows_each_text_and_asks_for_each_field(tmp_path: Path) -> None:
    study = Study(tmp_path, ("a", "b", "c"), kind="best_worst")
    study.hand_out("r1")
    row = assigned(study)[0]
    view = ElementTree.fromstring(labels(row))
    assert [(one.get("name"), one.get("value")) for one in view.iter("Text")] == [
        (name, f"$text_{name}") for name in ("source", "A", "B", "C")
    ]
    asked = {one.get("name"): [value.get("value") for value in one] for one in view.iter("Choices")}
    assert asked["grammar: best"] == asked["grammar: worst"] == ["A", "B", "C"] and len(asked) == 6
    assert {one.get("required") for one in view.iter("Choices")} == {"true"}
    given = task(row)["data"]
    assert {*given} == {"id", "rater", "text_source", "text_A", "text_B", "text_C"} and given["rater"] == "r1"


def test_marks_of_xml_in_names_and_values_stay_what_they_are() -> None:
    field = {"column": 'a "b" <c>', "question": "x < y?", "values": ["1 & 2", "<3>"]}
    row = {"shown": [{"name": "source", "text": "x"}], "fields": [field]}
    view = ElementTree.fromstring(labels(row))
    [choices] = view.iter("Choices")
    assert field["question"] in [one.get("value") for one in view.iter("Header")]
    assert choices.get("name") == field["column"]
    assert [one.get("value") for one in choices] == field["values"]


def test_texts_are_shown_wherever_the_compared_ones_stand_among_them() -> None:
    row = {
        "shown": [{"name": name, "text": "x"} for name in ("A", "item", "B")],
        "fields": [{"column": "better", "question": "", "values": ["A", "B"]}],
    }
    assert [one.get("name") for one in ElementTree.fromstring(labels(row)).iter("Text")] == ["item", "A", "B"]


def test_answers_of_label_studio_and_of_sheets_give_the_same_ratings(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1", "r2")
    export(study, [annotated(row, sevens() | {"comment": "Good 粥"}) for row in assigned(study)])
    study.answer("r2", lambda row: sevens() | {"comment": "Good 粥"})
    found = study.collect()
    ratings = (
        found["ratings"].group_by("rater").agg(pl.len(), pl.col("value", "rationale").unique()).sort("rater")
    )
    assert ratings.rows() == [("r1", 12, ["7"], ["Good 粥"]), ("r2", 12, ["7"], ["Good 粥"])]
    assert found["rejects"].is_empty()


def test_foreign_duplicate_and_changed_tasks_are_rejects_that_say_which(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1", "r2")
    one, two, three = assigned(study)
    tasks = [annotated(row, sevens()) for row in (one, two, three, one, two)]
    tasks[1]["data"]["text_recipe"] = "another recipe"
    tasks[4] = annotated(two, dict.fromkeys(DIMENSIONS, "1"))  # the same again, unchanged: this one counts
    tasks.append(annotated(assigned(study, "r2")[0] | {"rater": "r1"}, sevens()))
    tasks.append(annotated(one | {"id": "t0"}, sevens()))
    export(study, tasks)
    rejects = study.collect()["rejects"].select("file", "source_row", "reason", "task_id", "detail").rows()
    assert rejects == [
        ("r1.json", 2, "changed", two["task_id"], "column recipe"),
        ("r1.json", 4, "repeated", one["task_id"], None),
        ("r1.json", 6, "other_rater", assigned(study, "r2")[0]["task_id"], "the task of r2"),
        ("r1.json", 7, "foreign", None, "t0"),
    ]


def test_skipped_annotations_count_as_none_and_two_that_differ_do_not_count(tmp_path: Path) -> None:
    study = Study(tmp_path)
    study.hand_out("r1")
    one, two, *_ = assigned(study)
    tasks = [annotated(one, sevens(), was_cancelled=True), annotated(two, sevens())]
    tasks[1]["annotations"] += annotated(two, dict.fromkeys(DIMENSIONS, "2"))["annotations"]
    export(study, tasks)
    found = study.collect()
    assert found["ratings"].is_empty()
    reasons = found["rejects"].group_by("task_id").agg(pl.col("reason").unique())
    assert dict(reasons.rows())[one["task_id"]] == ["missing"]
    assert dict(reasons.rows())[two["task_id"]] == ["several"]


def test_an_export_that_was_written_by_hand_is_read() -> None:
    """By the published format: stars, a number, a text in lines, a relation, a draft and a prediction."""
    assert [*read_export(HAND)] == [
        (
            1,
            {"id": "t1", "rater": "r1", "source": "Congee", "recipe": "Boil rice.\nStir."}
            | {"grammar": "4", "culture": "6", "comment": "Two\nlines"},
        ),
        (2, {"id": "t2", "rater": "r1", "source": "Tofu", "recipe": "Fry."}),
    ]


def test_a_recipe_to_adapt_has_a_field_beside_each_part_and_comes_back_as_the_rows_of_a_sheet(
    tmp_path: Path,
) -> None:
    texts = {"title": "粥", "ingredients": "米\n水", "steps": "煮"}
    row = {
        "id": "t1",
        "rater": "r1",
        "shown": [{"name": name, "text": text} for name, text in texts.items()],
        "fields": [],
    }
    view = ElementTree.fromstring(labels(row))
    fields = {one.get("name"): one.get("toName") for one in view.iter("TextArea")}
    assert fields == {f"adapted {name}": name for name in texts} | {"comment": "title"}
    results = [
        {"from_name": f"adapted {name}", "type": "textarea", "value": {"text": [text]}}
        for name, text in {"title": "Congee", "ingredients": "rice\nwater"}.items()
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([task(row) | {"annotations": [{"result": results}]}]), encoding="utf-8")
    rows = [
        (place, *map(cells.get, ("part", "source", "target")))
        for place, cells in read_export(path, ("part",))
    ]
    assert rows == [
        (1, "title", "粥", "Congee"),
        (1, "ingredients", "米\n水", "rice\nwater"),
        (1, "steps", "煮", ""),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: this is not JSON"),
        ('{"id": 1}', "is not a list of tasks"),
        (
            '[{"id": 1, "source": "x", "grammar": "7"}]',
            "task 1: there are no data. Export the project as JSON",
        ),
        ('[{"data": {"id": "t1"}}]', "task 1: there are no annotations"),
        ('[{"data": {}, "annotations": [{"result": [7]}]}]', "task 1: a result is not an object"),
    ],
)
def test_what_is_no_export_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        [*read_export(tmp_path / "x.json")]


class Server(ThreadingHTTPServer):
    """Keeps projects and tasks as Label Studio's REST API does; tokens are `pat` and, of an hour, `access`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.made: list[dict[str, Any]] = []
        self.tasks: dict[int, list[dict[str, Any]]] = {}
        self.expired = self.full = False


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if not self._known():
            return self._say(401, {"detail": f"no such token: {self.headers['Authorization']}"})
        if path == "/api/projects/":
            numbers = {one["id"]: len(self.server.tasks.get(one["id"], [])) for one in self.server.made}
            known = [one | {"task_number": numbers[one["id"]]} for one in self.server.made]
            return self._say(200, {"results": known, "next": None})
        return self._say(200, self.server.tasks[int(path.split("/")[3])])

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/token/refresh":
            held = given == {"refresh": "eyJpat"}
            return self._say(200 if held else 401, {"access": "access"} if held else {})
        if not self._known():
            return self._say(401, {})
        if self.path == "/api/projects/":
            self.server.made.append(given | {"id": len(self.server.made) + 1})
            return self._say(201, self.server.made[-1])
        if self.server.full:
            return self._say(500, {"detail": "disk full"})
        self.server.tasks[int(self.path.split("/")[3])] = [
            one | {"id": place, "annotations": []} for place, one in enumerate(given)
        ]
        return self._say(201, {"task_count": len(given)})

    def _known(self) -> bool:
        if self.server.expired:
            self.server.expired = False
            return False
        return self.headers["Authorization"] in ("Bearer access", "Token legacy")

    def _say(self, status: int, body: Any, text: str = "") -> None:
        data = (text or json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def server() -> Any:
    with Server() as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def handed_out(folder: Path) -> Study:
    """A study where the workflow puts it."""
    study = Study(folder)
    study.hand_out("r1|yes||", "r2|yes||", "r3|||", per_rater=3)
    for name, place in {"sheets": "sheets/s", "assigned.parquet": "assigned/s/part-00000.parquet"}.items():
        (folder / "results/annotate" / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).rename(folder / "results/annotate" / place)
    return study


def studio(folder: Path, server: Server, *arguments: str) -> int:
    url = f"http://127.0.0.1:{server.server_port}"
    return cli.main(["studio", *arguments, "--results", str(folder / "results"), "--url", url])


@pytest.mark.parametrize("held", ["eyJpat", "legacy"])
def test_one_command_makes_a_project_for_each_rater_and_another_fetches_answers(
    tmp_path: Path,
    server: Server,
    held: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    handed_out(tmp_path)
    monkeypatch.setenv("LABEL_STUDIO_TOKEN", held)
    assert studio(tmp_path, server, "set-up", "s") == 0
    assert [one["title"] for one in server.made] == ["s r1", "s r2"]  # r3 has not consented
    assert server.made[0]["label_config"].startswith("<View>") and server.made[0]["show_instruction"]
    given = [one["data"] for some in server.tasks.values() for one in some]
    assert len({one["id"] for one in given}) == len(given) == 6
    server.expired = held == "eyJpat"  # access ends: it is asked for again
    assert studio(tmp_path, server, "set-up", "s") == 0
    assert len(server.made) == 2 and "stays as it is" in capsys.readouterr().out
    server.tasks[1][0]["annotations"] = [{"id": 1, "completed_by": {"email": "a@b"}, "result": []}]
    assert studio(tmp_path, server, "fetch", "s", "--to", str(tmp_path / "back")) == 0
    text = (tmp_path / "back" / "r1.json").read_text(encoding="utf-8")
    assert "a@b" not in text and len([*read_export(tmp_path / "back" / "r1.json")]) == 3
    assert held not in capsys.readouterr().out


def test_answers_that_were_fetched_are_not_replaced_by_fewer(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of another server, or of a project of the same title. A rater without a project is named."""
    handed_out(tmp_path)
    monkeypatch.setenv("LABEL_STUDIO_TOKEN", "legacy")
    assert studio(tmp_path, server, "set-up", "s") == 0
    server.tasks[1][0]["annotations"] = [{"id": 1, "result": []}]
    server.made[1]["title"] = "s r2 (old)"
    back = str(tmp_path / "back")
    assert studio(tmp_path, server, "fetch", "s", "--to", back) == 0
    assert "r2.json is not written: Label Studio has no project s r2" in capsys.readouterr().out
    server.tasks[1][0]["annotations"] = []
    assert studio(tmp_path, server, "fetch", "s", "--to", back) == 1
    assert "r1.json has 1 tasks that are done, and Label Studio's project s r1 0" in capsys.readouterr().err
    (tmp_path / "back" / "r1.json").write_text("thesis")
    assert studio(tmp_path, server, "fetch", "s", "--to", back) == 1
    assert "r1.json is no export of Label Studio" in capsys.readouterr().err
    server.made[1]["title"] = "s r1"
    assert studio(tmp_path, server, "fetch", "s", "--to", back) == 1
    assert "two projects s r1" in capsys.readouterr().err


def test_a_project_whose_tasks_were_not_imported_gets_them_by_the_next_command(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handed_out(tmp_path)
    monkeypatch.setenv("LABEL_STUDIO_TOKEN", "legacy")
    server.full = True
    assert studio(tmp_path, server, "set-up", "s") == 1 and "disk full" in capsys.readouterr().err
    server.full = False
    assert studio(tmp_path, server, "set-up", "s") == 0
    assert len(server.made) == 2 and [len(some) for some in server.tasks.values()] == [3, 3]


def test_what_is_no_label_studio_is_said(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handed_out(tmp_path)
    monkeypatch.setenv("LABEL_STUDIO_TOKEN", "legacy")
    monkeypatch.setattr(Handler, "do_GET", lambda handler: handler._say(200, None, "<html>"))
    assert studio(tmp_path, server, "set-up", "s") == 1
    assert "is not Label Studio. Give its address: --url" in capsys.readouterr().err


def test_a_study_in_which_nobody_takes_part_has_no_projects(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    handed_out(tmp_path)
    for sheet in (tmp_path / "results/annotate/sheets/s").glob("*.tsv"):
        sheet.unlink()
    assert studio(tmp_path, server, "set-up", "s") == 1
    assert "nobody in the table of raters takes part" in capsys.readouterr().err and not server.made


def test_a_wrong_token_is_refused_and_not_shown(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    handed_out(tmp_path)
    for held in ("eyJother-token", "another-token"):
        (tmp_path / "token").write_text(held + "\n", encoding="utf-8")
        assert studio(tmp_path, server, "set-up", "s", "--token-file", str(tmp_path / "token")) == 1
        said = capsys.readouterr().err
        assert "401" in said and "token" in said and held not in said


def test_files_of_a_study_are_those_that_a_project_is_made_from_by_hand(
    tmp_path: Path, server: Server
) -> None:
    handed_out(tmp_path)
    assert studio(tmp_path, server, "files", "s", "--to", str(tmp_path / "files")) == 0
    names = {path.name for path in (tmp_path / "files").iterdir()}
    assert names == {"labels.xml", "instructions.md", "r1.json", "r2.json"} and not server.made
    assert len(json.loads((tmp_path / "files" / "r1.json").read_text(encoding="utf-8"))) == 3
    (tmp_path / "files" / "thesis.txt").touch()
    assert studio(tmp_path, server, "files", "s", "--to", str(tmp_path / "files")) == 2
    assert len([*(tmp_path / "files").iterdir()]) == 5
