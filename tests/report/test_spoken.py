"""The page's section of adapted dialogues, of the demo's answers."""

import polars as pl
import pytest
from wokflow.evaluate.adaptations import evaluate_adaptations
from wokflow.evaluate.dialogues import evaluate_dialogues
from wokflow.evaluate.settings import AdaptationsSettings, DialoguesSettings
from wokflow.evaluate.stage import ADAPTATION_FIGURES, ADAPTATION_TABLES
from wokflow.frame import tables
from wokflow.generate.schemas import CALLS
from wokflow.judge.ratings import judge_ratings
from wokflow.judge.schemas import ANSWERS
from wokflow.report import spoken
from wokflow.report.arguments import TEMPLATES
from wokflow.report.inputs import Tables
from wokflow.report.render import Templates

from tests.conftest import ROOT
from tests.judge.demo_dialogues import Demo, runs

PUBLISHED = str(ROOT / "resources" / "published.tsv")
ASKED = {"plain-scores": "dialogues", "other-scores": "dialogues", "plain-rates-edits": "edits"}
ASKED |= {"names-strategies": "strategies"}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables that the page is given, of the demo's dialogues."""
    demo = Demo(tmp_path_factory.mktemp("demo"))
    tables.write(demo.path("calls"), CALLS, demo.calls(), {})
    demo.adapt()
    answers, ratings = demo.answers(), []
    for name, of in ASKED.items():
        tables.write(demo.path(name), ANSWERS, answers.filter(asked=name), {})
        paths = {each: demo.path(f"{name}_{each}") for each in ("ratings", "rejects")}
        judge_ratings(tasks=demo.path(of), answers=demo.path(name), job=demo.job, **paths)
        ratings.append(paths["ratings"])
    adapted = [demo.path(f"adapted_{name}") for name in runs()]
    made = {name: demo.path(f"of_{name}") for name in (*ADAPTATION_TABLES, *ADAPTATION_FIGURES)}
    evaluate_dialogues(
        adaptations=adapted,
        annotations=[demo.path("annotations")],
        marked=made["items"],
        edited=made["edited"],
        changes=made["changes"],
        settings=DialoguesSettings(),
        job=demo.job,
    )
    evaluate_adaptations(
        tasks=[demo.path(name) for name in ("dialogues", "edits", "strategies")],
        ratings=ratings,
        figures=[made[name] for name in ADAPTATION_FIGURES],
        settings=AdaptationsSettings(judges=(), systems=()),
        job=demo.job,
    )
    return {"generate_adaptations": adapted} | {
        f"evaluate_dialogues_{name}": path for name, path in made.items()
    }


def test_the_section_shows_a_dialogue_with_its_edits_and_all_tables_beside_the_papers(
    parts: Tables,
) -> None:
    shown = spoken.section(parts, ["bold-adapts"], PUBLISHED)
    assert shown and shown["ruled"] == ["bold-adapts"]
    edited = {row[0].text: [cell.text for cell in row[1:]] for row in shown["edited"].rows}
    assert len(edited) == 12 and edited["All"][2:] == ["45.0 %", "82.8 %", "79.7 %"]
    assert [row[0].text for row in shown["scores"].rows][-3:] == ["Llama-2 70B", "Llama-3 8B", "Llama-3 70B"]
    printed = ["5,747", "99.87", "1.74", "0.0", "27.6", "72.4", "0.00"]
    assert [cell.text for cell in shown["edits"].rows[-1][1:]] == printed and len(
        shown["strategies"].rows
    ) >= 3
    assert len(shown["aspects"].rows) == 10 and not shown["people"].rows
    page = str(Templates(str(TEMPLATES)).render("spoken.html", **shown))
    assert "bold-adapts: small rules answered" in " ".join(page.split())
    scene = shown["scenes"][0]
    assert [name for name, _ in scene["runs"]] == ["bold-adapts", "mild-adapts"]
    kinds = {kind for _, said in scene["lines"] for kind, _, _ in said}
    assert kinds == {"", "tool"}
    for row in scene["runs"][0][1]:
        assert "".join(text for _, text, _ in row[1])


def test_words_that_came_are_marked_where_they_came() -> None:
    """And not where the same letters stood before."""
    said = {"I like tea and coffee.": "I like tea and tea.", "We party.": "We start the party with art."}
    rows = pl.DataFrame({"adapted_speaker": "a", "text": [*said], "adapted": [*said.values()]})
    assert [pieces for _, pieces in spoken._made(rows)] == [
        [("", "I like tea and ", 0), ("food", "tea", 0), ("", ".", 0)],
        [("", "We ", 0), ("food", "start the", 0), ("", " party ", 0), ("food", "with art", 0), ("", ".", 0)],
    ]


def test_a_text_is_whole_whatever_is_marked_in_it() -> None:
    assert spoken._marked("abcdef", [(1, 3), (2, 5), (5, 6)], "food") == [
        ("", "a", 0),
        ("food", "bc", 0),
        ("", "de", 0),
        ("food", "f", 0),
    ]


def test_without_runs_on_dialogues_there_is_no_section() -> None:
    assert spoken.section({}, [], PUBLISHED) is None
