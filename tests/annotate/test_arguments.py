"""The table of studies: what is read, refused and given."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.annotate.arguments import COLUMNS, Study, answers_given, read_studies, sheets_given, tasks_given
from wokflow.frame.arguments import block_arguments
from wokflow.frame.config import fill
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import Rows

from tests.conftest import ROOT

SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
RUNS = {"zh-en": ["mt"], "counterfactual": ["x", "y", "z"]}


def read(
    folder: Path, *rows: dict[str, str], runs: dict[str, list[str]] = RUNS, **changes: Any
) -> Rows[Study]:
    raters = folder / "raters.tsv"
    raters.write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    base = dict.fromkeys(COLUMNS, "") | {"kind": "rating", "data": "zh-en", "raters": str(raters)}
    cells = ["\t".join(({**base, "name": f"s{number}"} | row).values()) for number, row in enumerate(rows)]
    path = folder / "studies.tsv"
    path.write_text("\n".join(["\t".join(COLUMNS), *cells]) + "\n", encoding="utf-8")
    config: dict[str, Any] = {"sources": {}, "annotate": {"studies": str(path)}} | changes
    fill(config, SCHEMA)
    return read_studies(config, SCHEMA, runs, ["writer"])


def test_a_row_has_the_papers_files_in_the_language_of_its_raters(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {"settings": 'tasks.sample=9; sheets.per_rater=3; tasks.strata=["source"]'},
        {"data": "ash", "settings": "tasks.sample=200"},
        {"kind": "best_worst", "data": "counterfactual"},
        {"kind": "writing", "data": "en-zh", "checks": "none"},
        {"kind": "asking", "data": "pivot"},
        {"name": "ash"},
    )
    names = [
        [
            Path(each or "-").name
            for each in (study.dimensions, study.instructions, study.consent, study.checks)
        ]
        for study in found.values()
    ]
    assert names == [
        ["rating.en.tsv", "rating.en.md", "consent.en.md", "rating.zh-en.tsv"],
        ["-", "ash.en.md", "consent.en.md", "-"],
        ["best_worst.zh.tsv", "best_worst.zh.md", "consent.zh.md", "-"],
        ["-", "writing.zh.md", "consent.zh.md", "-"],
        ["asking.zh.tsv", "asking.zh.md", "consent.zh.md", "-"],
        ["rating.en.tsv", "rating.en.md", "consent.en.md", "rating.zh-en.tsv"],
    ]
    assert [study.runs for study in found.values()] == [("mt",), (), ("x", "y", "z"), (), (), ("mt",)]
    assert found["s0"].settings == {"tasks": {"sample": 9, "strata": ["source"]}, "sheets": {"per_rater": 3}}


def test_raters_of_one_name_from_two_tables_are_not_taken_for_one(tmp_path: Path) -> None:
    other = tmp_path / "others.tsv"
    other.write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    ash = {"data": "ash", "answers": str(tmp_path)}
    assert len(read(tmp_path, ash, ash)) == 2
    with pytest.raises(UserError, match="line 3: its ratings are analysed with those of study s0"):
        read(tmp_path, ash, ash | {"raters": str(other)})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"name": "a b"}, "'a b' is not a valid name"),
        ({"kind": "ranking"}, "kind 'ranking' is not one of rating, best_worst, writing, marking"),
        ({"data": "fr-en"}, "data 'fr-en' is not one of"),
        ({"data": "ash", "kind": "best_worst"}, "texts of data ash can only be rated: set kind to rating"),
        ({"data": "counterfactual", "kind": "writing"}, "people can adapt recipes of data zh-en and en-zh"),
        ({"systems": "mt gpt"}, "gpt is not a system of zh-en: mt, human"),
        ({"data": "dialogues"}, "no run adapts dialogues"),
        ({"data": "counterfactual"}, "instructions is empty: for kind rating of data counterfactual"),
        ({"data": "en-zh", "kind": "best_worst"}, "instructions is empty"),
        ({"raters": ""}, "raters is empty"),
        ({"raters": "nowhere.tsv"}, "there is no file nowhere.tsv"),
        ({"answers": "nowhere"}, "there is no sheet or folder nowhere"),
        ({"settings": "tasks.sample=0"}, "tasks.sample: 0 is less than the minimum of 1"),
        ({"settings": "prompt.seed=1"}, "STEP is tasks, sheets, ratings"),
        ({"settings": "written.attention=2"}, "settings of written have no effect on kind rating"),
        (
            {"kind": "writing", "settings": "ratings.alike=3"},
            "whose answers written takes: written.KEY=VALUE",
        ),
        ({"kind": "writing", "systems": "mt"}, "leave the columns systems and texts empty"),
        ({"kind": "marking"}, "items are marked in dialogues alone: set data to dialogues"),
        ({"kind": "marking", "data": "dialogues"}, "name their file, ingest.dialogues.path"),
        ({"kind": "asking"}, "kind asking and data pivot go together"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, row: dict[str, str], message: str
) -> None:
    with pytest.raises(UserError, match=f"line 3: .*{message}"):
        read(tmp_path, {}, row)


def test_under_a_papers_settings_studies_of_a_gold_set_that_is_not_there_are_left_out(tmp_path: Path) -> None:
    rows: tuple[dict[str, str], ...] = (
        {"name": "gold"},
        {"name": "of-the-matches", "settings": "tasks.dataset=silver"},
        {"name": "adapts", "kind": "writing"},
    )
    found = read(tmp_path, *rows, paper="recipes")
    assert [*found] == ["of-the-matches", "adapts"]
    assert found.left_out == {"gold": "there is no gold set zh-en (train.gold.zh-en)"}
    gold = {"gold": {"zh-en": "resources/gold/zh-en.tsv"}}
    assert len(read(tmp_path, *rows, paper="recipes", train=gold)) == 3
    assert len(read(tmp_path, *rows)) == 3


def test_under_a_papers_settings_a_study_is_left_out_for_want_of_raters_or_texts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    idle, human = {"name": "idle", "data": "counterfactual"}, {"name": "human", "systems": "human"}
    both: dict[str, Any] = {"paper": "recipes", "train": {"gold": {"zh-en": "resources/gold/zh-en.tsv"}}}
    found = read(tmp_path, idle, human, runs={}, **both)
    assert [*found] == ["human"] and not found.left_out  # the other one is another paper's
    row = {"name": "s", "kind": "best_worst", "data": "counterfactual"}
    found = read(tmp_path, row, runs={}, paper="counterfactual")
    assert found.left_out == {"s": "no text of counterfactual is made that people could rate"}
    for wrong, message in (
        ({"answers": "sheets"}, "there is no sheet or folder sheets"),
        ({"raters": "people/raters.tsv"}, "there is no file people/raters.tsv"),
        ({"systems": "mtt"}, "mtt is not a system of zh-en"),
        ({"data": "zh_en"}, "data 'zh_en' is not one of"),
    ):
        with pytest.raises(UserError, match=message):
            read(tmp_path, human | wrong, **both)


def test_every_setting_of_a_study_reaches_its_steps(tmp_path: Path) -> None:
    study = read(
        tmp_path, {"settings": "tasks.seed=5; sheets.per_task=2; ratings.alike=3", "answers": str(tmp_path)}
    )["s0"]
    config: dict[str, Any] = {"sources": {}}
    fill(config, SCHEMA)
    given = {"tasks": tasks_given, "sheets": sheets_given, "ratings": answers_given, "written": answers_given}
    found = {
        name: block_arguments(config, SCHEMA, f"annotate.{name}", study.settings.get(name), of(study))
        for name, of in given.items()
    }
    assert found["tasks"].settings["seed"] == 5 and found["sheets"].settings["per_task"] == 2
    assert found["ratings"].settings["alike"] == 3 and found["ratings"].resources["answers"] == str(tmp_path)
    assert {"dimensions", "texts"} <= found["tasks"].resources.keys()


def test_the_studies_that_come_with_the_workflow_can_be_read(tmp_path: Path) -> None:
    text = (ROOT / "config" / "studies.tsv").read_text(encoding="utf-8")
    raters = tmp_path / "raters.tsv"
    raters.write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    (tmp_path / "studies.tsv").write_text(text.replace("raters.tsv\t", f"{raters}\t"), encoding="utf-8")
    others = {"ingest": {"dialogues": {"path": "dialogues.jsonl"}}, "pivot": {"pivots": {"given": None}}}
    config = {"annotate": {"studies": str(tmp_path / "studies.tsv")}, **others}
    found = read_studies(
        config, SCHEMA, {**RUNS, "en-zh": ["mt"], "pta": ["mt"], "dialogues": ["llama2-70b"]}, ["writer"]
    )
    assert len(found) == 10 and found["ash"].settings["tasks"]["sample"] == 200
