"""A real Label Studio, in an environment of its own: two raters answer in Chromium, and their answers come back.

make test-annotate runs it; pictures of what raters see go to the folder that WOKFLOW_PICTURES names.
"""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import polars as pl
import pytest
from wokflow import cli
from wokflow.annotate.studio import labels
from wokflow.annotate.studio_server import Studio

from tests.annotate.browser import PROGRAM, Browser
from tests.annotate.studies import DIMENSIONS, Study

SERVER = os.environ.get("WOKFLOW_LABEL_STUDIO")
pytestmark = pytest.mark.skipif(not SERVER or PROGRAM is None, reason="needs Label Studio and Chromium")
WHO = {"username": "admin@example.org", "password": "only-for-this-test"}
STARTS = 1200  # seconds that it may take to make its database
COMMENT = """(text => {
  const area = document.querySelector("textarea");
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(area, text);
  area.dispatchEvent(new Event("input", {bubbles: true}));
  area.blur();
})("Good 粥")"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port = tmp_path_factory.mktemp("studio"), free_port()
    options = ["--no-browser", "--internal-host", "127.0.0.1", "--port", str(port), "--data-dir", str(folder)]
    options += [part for name, value in WHO.items() for part in (f"--{name}", value)]
    with (folder / "log").open("w") as log:
        program = subprocess.Popen([str(SERVER), "start", *options], stdout=log, stderr=log)
    try:
        end = time.monotonic() + STARTS
        while not _answers(f"http://127.0.0.1:{port}/health"):
            assert program.poll() is None and time.monotonic() < end, (folder / "log").read_text()[-2000:]
            time.sleep(1)
        yield f"http://127.0.0.1:{port}"
    finally:
        program.terminate()
        program.wait(60)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.HTTPError:
        return False


@pytest.fixture(scope="module")
def token(url: str) -> str:
    """A personal access token, as its owner makes one."""
    with httpx.Client(base_url=url, follow_redirects=True) as client:
        page = client.get("/user/login/").text
        [csrf] = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        login = {"csrfmiddlewaretoken": csrf, "email": WHO["username"], "password": WHO["password"]}
        client.post("/user/login/", data=login, headers={"Referer": f"{url}/user/login/"})
        headers = {"X-CSRFToken": client.cookies["csrftoken"], "Referer": url}
        return str(client.post("/api/token/", headers=headers).json()["token"])


@pytest.fixture
def browser(url: str, tmp_path: Path) -> Iterator[Browser]:
    """Logged in."""
    made = Browser(tmp_path / "profile")
    made.open(f"{url}/user/login/")
    for name, value in (("email", WHO["username"]), ("password", WHO["password"])):
        made.run(f"document.querySelector('[name={name}]').value = '{value}'")
    made.run("document.querySelector('form').submit()")
    made.wait("location.pathname != '/user/login/'")
    yield made
    made.close()


def test_two_raters_answer_in_a_browser_and_their_ratings_are_those_that_they_clicked(
    tmp_path: Path, url: str, token: str, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study(tmp_path, items=2)
    study.hand_out("r1", "r2", per_rater=2)
    place = tmp_path / "results" / "annotate"
    for name, part in {
        "sheets": "sheets/likert",
        "assigned.parquet": "assigned/likert/part-00000.parquet",
    }.items():
        (place / part).parent.mkdir(parents=True)
        (tmp_path / name).rename(place / part)
    monkeypatch.setenv("LABEL_STUDIO_TOKEN", token)
    common = ["likert", "--results", str(tmp_path / "results"), "--url", url]
    assert cli.main(["studio", "set-up", *common]) == 0
    projects = Studio(url, token).projects()
    for rater, value in {"r1": 7, "r2": 2}.items():
        browser.open(f"{url}/projects/{projects[f'likert {rater}']['id']}/data?labeling=1")
        for number in range(2):
            _answer(browser, value, f"{rater}-{number}")
    assert cli.main(["studio", "fetch", *common, "--to", str(tmp_path / "answers")]) == 0
    (place / "assigned/likert/part-00000.parquet").rename(tmp_path / "assigned.parquet")
    found = study.collect()
    assert found["rejects"].is_empty()
    by_rater = found["ratings"].group_by("rater", "value", "rationale").agg(pl.len()).sort("rater")
    assert by_rater.rows() == [("r1", "7", "Good 粥", 8), ("r2", "2", "Good 粥", 8)]


def _answer(browser: Browser, value: int, name: str) -> None:
    """Give a task the value in all dimensions, write a comment, and submit."""
    buttons = f"[...document.querySelectorAll('input[type=radio]')].filter(one => one.name == '{value}')"
    browser.wait(f"{buttons}.length == {len(DIMENSIONS)} && /source-\\d/.test(document.body.innerText)")
    shown = browser.run("document.body.innerText")
    assert re.search(r"source-\d\s+cook", shown) and "predictions" not in shown
    browser.run("document.querySelector('[aria-label=\"Close modal\"]')?.click()")
    browser.run(f"{buttons}.forEach(one => one.click())")
    browser.run(COMMENT)
    time.sleep(1)
    if folder := os.environ.get("WOKFLOW_PICTURES"):
        browser.picture(Path(folder) / f"{name}.png")
    browser.run("document.querySelector('[aria-label=\"Submit current annotation\"]').click()")
    browser.wait(f"!document.querySelector('input:checked') || !({buttons}.length)")


def test_configurations_of_all_kinds_are_valid(tmp_path: Path, url: str, token: str) -> None:
    compared = Study(tmp_path, ("a", "b", "c"), kind="best_worst")
    compared.hand_out("r1")
    written = {
        "shown": [{"name": name, "text": "x"} for name in ("title", "ingredients", "steps")],
        "fields": [],
    }
    choice = {"shown": [{"name": name, "text": "x"} for name in ("item", "language", "source", "A", "B")]}
    choice["fields"] = [{"column": "preferred", "values": ["A", "B", "C"]}]
    studio = Studio(url, token)
    for name, row in {
        "best": compared.read("assigned").to_dicts()[0],
        "pta": choice,
        "writing": written,
    }.items():
        made = studio.ask(
            "POST", "/api/projects/", json={"title": f"valid {name}", "label_config": labels(row)}
        )
        assert made["label_config"].count("<Text ") == len(row["shown"])
