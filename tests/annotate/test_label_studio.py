"""A real Label Studio, in an environment of its own: raters answer in Chromium, and their answers come back.

make test-annotate runs it; pictures of what raters see go to the folder that WOKFLOW_PICTURES names.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import polars as pl
import pytest
from wokflow import cli
from wokflow.annotate.studio_program import Account
from wokflow.annotate.studio_server import Studio
from wokflow.frame.job import Progress
from wokflow.judge.schemas import TASKS
from wokflow.judge.tasks import read_dimensions
from wokflow.pivot.people_answers import read_answers

from tests.annotate.browser import PROGRAM, Browser
from tests.annotate.studies import DIMENSIONS, OWN, Study
from tests.annotate.test_marked import Marking
from tests.annotate.test_questions import KNOWN, MEANT, VERBS, Asked
from tests.annotate.test_written import Writing
from tests.conftest import ROOT

WANTED = os.environ.get("WOKFLOW_LABEL_STUDIO")
pytestmark = pytest.mark.skipif(not WANTED, reason="needs Label Studio: make test-annotate")
STORE = "window.Htx?.annotationStore?.selected"  # the answer that is being given
MOVED = f"{STORE}?.id != window.before || /No More Tasks Left/.test(document.body.innerText)"
SKIP = "[...document.querySelectorAll('button')].find(one => one.innerText == 'Skip').click()"
UNKNOWN = "焯"  # an action of which a rater does not know whether it occurs
# What a rater does: choose a value of a field, write into a field, choose a category, draw over words.
CHOOSE = """((field, value) => [...document.querySelectorAll(".lsf-choices")[field].querySelectorAll("input")]
  .find(one => one.name == value).click())"""
WRITE = """((field, text) => {
  const area = document.querySelectorAll("textarea")[field];
  area.focus();
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(area, text);
  area.dispatchEvent(new Event("input", {bubbles: true}));
  area.blur();
})"""
LABEL = """(name => [...document.querySelectorAll("[class*=lsf-label]")]
  .find(one => one.innerText.startsWith(name)).click())"""
DRAW = """((line, start, end) => {
  const text = document.querySelectorAll("[class^=dialoguetext]")[line], range = document.createRange();
  const pieces = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);  // earlier marks cut the text
  for (let at = 0, piece; (piece = pieces.nextNode()); at += piece.length) {
    if (at <= start && start < at + piece.length) range.setStart(piece, start - at);
    if (at < end && end <= at + piece.length) range.setEnd(piece, end - at);
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  text.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
})"""


@pytest.fixture(scope="module")
def likert(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = Study(tmp_path_factory.mktemp("likert"), items=2, study="likert")
    study.hand_out("r1", "r2", per_rater=2)
    study.move("results/annotate")
    return study


@pytest.fixture(scope="module")
def account(likert: Study) -> Iterator[Account]:
    """Of the Label Studio that one command opens, with the projects of a study."""
    assert PROGRAM, "make test-annotate needs Chromium"
    folder, url = likert.folder / "studio", f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "wokflow.cli", "studio", "open", *common(likert, url)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    program = subprocess.Popen(
        [*command, "--folder", str(folder)], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert program.stdout
        said = ""
        while "Ctrl-C ends it" not in said:
            line = program.stdout.readline()
            assert line, said
            said += line
        assert "likert r1: project 1 with 2 tasks" in said
        made = Account.read(folder)
        assert made and made.password not in said and made.token not in said
        yield made
    finally:
        program.terminate()
        program.wait(60)
        with pytest.raises(httpx.ConnectError):  # what it started has ended, too
            httpx.get(url)


@pytest.fixture(scope="module")
def url(account: Account) -> str:
    return account.url


@pytest.fixture(scope="module")
def token(account: Account) -> str:
    return account.token


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def browser(account: Account, tmp_path: Path) -> Iterator[Browser]:
    """Logged in."""
    made = Browser(tmp_path / "profile")
    made.open(f"{account.url}/user/login/")
    for name, value in (("email", account.email), ("password", account.password)):
        made.run(f"document.querySelector('[name={name}]').value = '{value}'")
    made.run("document.querySelector('form').submit()")
    made.wait("location.pathname != '/user/login/'")
    yield made
    made.close()


def set_up(study: Study, url: str, token: str) -> dict[str, int]:
    """The project of each rater of a study that was handed out, made by the command."""
    study.move("results/annotate")
    assert cli.main(["studio", "set-up", *common(study, url)]) == 0
    return projects_of(study, url, token)


def projects_of(study: Study, url: str, token: str) -> dict[str, int]:
    known = Studio(url, token).projects()
    return {title.removeprefix(f"{study.name} "): int(one["id"]) for title, one in known.items()}


def common(study: Study, url: str) -> list[str]:
    return [study.name, "--results", str(study.folder / "results"), "--url", url]


def fetched(study: Study, url: str) -> None:
    assert cli.main(["studio", "fetch", *common(study, url), "--to", str(study.folder / "answers")]) == 0
    study.move("results/annotate", back=True)


def opened(browser: Browser, url: str, project: int) -> None:
    browser.open(f"{url}/projects/{project}/data?labeling=1")
    browser.wait(f"{STORE} && document.querySelector('textarea')")
    browser.run("document.querySelector('[aria-label=\"Close modal\"]')?.click()")


def submitted(browser: Browser, name: str, *held: str) -> None:
    """Submit once Label Studio has taken all of `held`, and wait until it has gone on.

    It takes words that are written when they are submitted, and until then holds them beside the answer.
    """
    answer = f"JSON.stringify({STORE}.serializeAnnotation())"
    for text in held:
        quoted = json.dumps(json.dumps(text, ensure_ascii=False))
        written = f"[...{STORE}.names.values()].some(one => one._value == {json.dumps(text)})"
        browser.wait(f"{answer}.includes({quoted}) || {written}")
    if folder := os.environ.get("WOKFLOW_PICTURES"):
        browser.picture(Path(folder) / f"{name}.png")
    browser.run(f"window.before = {STORE}.id")
    browser.run("document.querySelector('[aria-label=\"Submit current annotation\"]').click()")
    browser.wait(MOVED)


@pytest.fixture(autouse=True)
def known_token(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABEL_STUDIO_TOKEN", token)


def test_two_raters_answer_in_a_browser_and_their_ratings_are_those_that_they_clicked(
    likert: Study, url: str, token: str, browser: Browser
) -> None:
    projects = projects_of(likert, url, token)
    for rater, value in {"r1": 7, "r2": 2}.items():
        opened(browser, url, projects[rater])
        for number in range(2):
            browser.wait("/source-\\d/.test(document.body.innerText)")
            shown = browser.run("document.body.innerText")
            assert re.search(r"source-\d\s+cook", shown) and "predictions" not in shown
            for field in range(len(DIMENSIONS)):
                browser.run(f"{CHOOSE}({field}, '{value}')")
            browser.run(f"{WRITE}(0, 'Good 粥')")
            submitted(browser, f"{rater}-{number}", "Good 粥", *DIMENSIONS)
    fetched(likert, url)
    found = likert.collect()
    assert found["rejects"].is_empty()
    by_rater = found["ratings"].group_by("rater", "value", "rationale").agg(pl.len()).sort("rater")
    assert by_rater.rows() == [("r1", "7", "Good 粥", 8), ("r2", "2", "Good 粥", 8)]


def test_the_best_and_the_worst_that_were_clicked_are_those_of_their_systems(
    tmp_path: Path, url: str, token: str, browser: Browser
) -> None:
    study = Study(tmp_path, ("a", "b", "c"), items=1, kind="best_worst", study="compared")
    study.hand_out("r1")
    [row] = study.read("assigned").to_dicts()
    opened(browser, url, set_up(study, url, token)["r1"])
    for number, field in enumerate(row["fields"]):
        letter = field["values"][field["means"].index("c" if "worst" in field["column"] else "a")]
        browser.run(f"{CHOOSE}({number}, '{letter}')")
    submitted(browser, "best-worst", *(field["column"] for field in row["fields"]))
    fetched(study, url)
    found = study.collect()
    assert found["rejects"].is_empty() and found["ratings"].height == len(row["fields"])
    clicked = {
        (name.rpartition(".")[2], value)
        for name, value in found["ratings"].select("dimension", "value").rows()
    }
    assert clicked == {("best", "a"), ("worst", "c")}


def test_a_recipe_that_was_written_beside_its_source_is_read_as_a_gold_set(
    tmp_path: Path, url: str, token: str, browser: Browser
) -> None:
    study = Writing(tmp_path, "recipes")
    study.hand_out("r1", per_rater=1)
    opened(browser, url, set_up(study, url, token)["r1"])
    texts = ["Congee", "1 c. rice\n8 c. water", "Boil.\nServe."]
    for number, text in enumerate(texts):
        browser.run(f"{WRITE}({number}, {json.dumps(text)})")
    submitted(browser, "writing", *texts)
    fetched(study, url)
    [row] = study.gold().to_dicts()
    assert (row["title"], row["ingredients"], row["steps"]) == (
        "Congee",
        ["1 c. rice", "8 c. water"],
        ["Boil.", "Serve."],
    )


def test_how_often_an_action_was_said_to_occur_is_what_pivot_reads(
    tmp_path: Path, url: str, token: str, browser: Browser
) -> None:
    study = Asked(tmp_path, study="asked")
    study.hand_out("r1", per_task=1)
    waiting = {row["action"]: (VERBS | KNOWN).get(row["action"]) for row in study.sheet("r1")}
    waiting = {action: said or VERBS[action[0]] for action, said in waiting.items()}
    opened(browser, url, set_up(study, url, token)["r1"])
    while waiting:
        some = json.dumps([*waiting], ensure_ascii=False)
        named = f"{some}.find(action => document.body.innerText.includes(action))"
        browser.wait(named)
        action = str(browser.run(named))
        said = waiting.pop(action)
        if action[0] == UNKNOWN:
            browser.run(f"window.before = {STORE}.id")
            browser.run(SKIP)
            browser.wait(MOVED)
        else:
            browser.run(f"{CHOOSE}(0, '{said}')")
            submitted(browser, f"asking-{len(waiting)}", "occurs")
    fetched(study, url)
    found = study.collect()
    assert found["rejects"].select("task_id", "reason").rows() == [(UNKNOWN, "missing")]
    read = read_answers([str(tmp_path / "criteria.tsv")], VERBS.keys(), Progress())
    assert {*read.rows()} == {(verb, "r1", MEANT[verb]) for verb in VERBS if verb != UNKNOWN}


def choosing(folder: Path) -> Study:
    """A study in which a translation of an item is compared with the reference."""
    study = Study(folder, items=1, study="choices")
    [row, *_] = study.read("tasks").to_dicts()
    texts = {
        "item": "mapo tofu",
        "language": "French",
        "source": "She made mapo tofu.",
        "A": "Un tofu.",
        "B": "Du mapo.",
    }
    row |= {"shown": [{"name": name, "text": text} for name, text in texts.items()]}
    row |= {"dimensions": read_dimensions(str(ROOT / "resources" / "pta" / "dimensions.tsv"))}
    study.write("tasks", TASKS, [row])
    return study


def test_the_translation_that_was_preferred_is_the_one_behind_its_letter(
    tmp_path: Path, url: str, token: str, browser: Browser
) -> None:
    study = choosing(tmp_path)
    study.hand_out("r1", instructions=str(OWN / "pta.en.md"))
    opened(browser, url, set_up(study, url, token)["r1"])
    browser.run(f"{CHOOSE}(0, 'B')")
    submitted(browser, "pta", "preferred")
    fetched(study, url)
    assert study.collect()["ratings"].select("dimension", "value").rows() == [("preferred", "B")]


def test_items_that_were_drawn_over_are_marks_with_category_and_foreignness(
    tmp_path: Path, url: str, token: str, browser: Browser
) -> None:
    """Two marks in one utterance, behind an emoji of two UTF-16 units, and one in the next; no mark in a dialogue."""
    study = Marking(tmp_path, "marks")
    study.hand_out("r1")
    projects = set_up(study, url, token)
    opened(browser, url, projects["r1"])
    marks = [  # offsets of a browser: UTF-16 units
        (0, 8, 11, "Material Culture", "2"),
        (0, 16, 29, "Humour", "2"),
        (1, 5, 17, "Social Culture", "3"),
    ]
    for _ in range(2):  # dialogues
        browser.wait("document.querySelector('[class^=dialoguetext]')")
        if browser.run("document.querySelector('[class^=dialoguetext]').innerText.startsWith('Pie')"):
            for number, (line, start, end, category, degree) in enumerate(marks, 1):
                browser.run(f"{LABEL}({json.dumps(category)})")
                browser.run(f"{DRAW}({line}, {start}, {end})")
                browser.wait(f"{STORE}.regions.length == {number}")
                browser.run(f"{STORE}.selectArea({STORE}.regions[{number - 1}])")
                browser.run(f"{CHOOSE}(0, '{degree}')")
                browser.wait(
                    f"JSON.stringify({STORE}.serializeAnnotation()).split('foreignness').length == {number + 1}"
                )
                browser.escape()  # else the next category is one of this mark
                browser.wait(f"!{STORE}.selectionSize")
            submitted(browser, "marking", "foreignness")
        else:
            submitted(browser, "without-marks")
    fetched(study, url)
    assert study.ingested() == [
        (0, 7, "pie", "Material Culture", 2, "r1"),
        (0, 15, "Gran’s  jello", "Humour", 2, "r1"),
        (2, 5, "Thanksgiving", "Social Culture", 3, "r1"),
    ]
