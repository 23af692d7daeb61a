"""The recipes and scores of ASH, as its authors' programs write them, go in and come out."""

import csv
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow import cli
from wokflow.frame.job import UserError
from wokflow.judge.ash_files import (
    CRITERIA,
    RATED,
    RATED_BY,
    RATINGS_FILE,
    RECIPE,
    RECIPES_FILE,
    _answer,
    published_answers,
)

from tests.judge.models import Stage, rating

pytestmark = pytest.mark.usefixtures("keyed")
NAMES = [("Pizza", "Hindu diet"), ("Pizza", "Kosher"), ("Stew", "Hindu diet"), ("Stew", "Kosher")]


def recipes(model: str = "gen") -> list[dict[str, Any]]:
    """Two of them have the same text."""
    return [
        dict.fromkeys(RECIPE, "")
        | {
            "index": number,
            "model": model,
            "original_dish": dish,
            "variation": cuisine,
            "generated_recipe": f'ingredients:\nsalt, "{dish}"',
        }
        for number, (dish, cuisine) in enumerate(NAMES, start=1)
    ]


def rated(value: int, model: str = "gen") -> list[dict[str, Any]]:
    reasons = {f"{name}_reason": f"It is {value}." for name in CRITERIA}
    scores = {f"{name}_score": float(value) for name in CRITERIA}
    own = {"evaluator_model": "judge", "evaluation": rating(value, value, value)}
    return [
        row | own | {"iteration": number} | scores | reasons
        for row in recipes(model)
        for number in range(1, 6)
    ]


def written(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def test_the_authors_files_go_in_and_come_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage(tmp_path / "stage", cuisines=["Hindu", "Kosher"])
    made = written(tmp_path / "made.csv", RECIPE, recipes() + recipes("another"))
    scores = written(tmp_path / "scores.csv", RATED, rated(4))
    stage.write(None, "gen", released=made)
    stage.ask("judge", "tasks", None, repetitions=5, released=scores)
    stage.read("judge")
    assert stage.table("judge_ratings").height == 4 * 5 * 3
    places = {
        "instructions": "instructions",
        "gen": "answers/gen",
        "judge": "answers/judge",
        "tasks": "tasks",
        "judge_ratings": "ratings/judge",
    }
    for name, place in places.items():
        (tmp_path / "results/judge" / place).mkdir(parents=True)
        shutil.copy(stage.path(name), tmp_path / "results/judge" / place / "part-00000.parquet")
    places = ["--results", str(tmp_path / "results"), "--to", str(tmp_path / "out")]
    assert cli.main(["papers", "ash", *places]) == 0
    plain = {"Hindu diet": "Hindu"}  # what our table of cuisines calls it
    for name, columns, rows in ((RECIPES_FILE, RECIPE, recipes()), (RATINGS_FILE, RATED, rated(4))):
        for row in rows:
            row["variation"] = plain.get(row["variation"], row["variation"])
        same = written(tmp_path / "expected.csv", columns, rows)
        assert (tmp_path / "out" / name).read_bytes() == Path(same).read_bytes()
    assert cli.main(["papers", "ash", *places]) == 2, "what is there is not overwritten"
    capsys.readouterr()
    scored = tmp_path / "results" / RATED_BY
    scored.parent.mkdir(parents=True)
    pl.DataFrame({"rater": ["another", None]}).write_parquet(scored)
    given = ["papers", "ash", *places[:2], "--to"]
    assert cli.main([*given, str(tmp_path / "left")]) == 0
    assert capsys.readouterr().err.startswith("judge is not in evaluate/ratings/means")
    answers = tmp_path / "results/judge/answers/gen/part-00000.parquet"
    pl.read_parquet(answers).with_columns(answer=pl.lit("Boil.")).write_parquet(answers)
    assert cli.main([*given, str(tmp_path / "again")]) == 1
    assert "gen was asked again since. Run snakemake judge." in capsys.readouterr().err


def test_scores_go_to_the_generator_of_their_row_where_two_wrote_the_same(tmp_path: Path) -> None:
    stage = Stage(tmp_path, cuisines=["Hindu", "Kosher"])
    made = written(tmp_path / "made.csv", RECIPE, recipes() + recipes("another"))
    stage.write(None, "gen", "another", released=made)
    scores = written(tmp_path / "scores.csv", RATED, rated(4) + rated(2, "another"))
    stage.ask("judge", "tasks", None, repetitions=5, released=scores)
    stage.read("judge")
    pairs = stage.table("judge_ratings").join(stage.table("tasks"), on="task_id").select("system", "value")
    assert sorted(pairs.unique().rows()) == [("another", "2"), ("gen", "4")]


def test_a_refusal_comes_out_as_an_error() -> None:
    assert (
        _answer({"status": "refused", "reason": "content_filter", "answer": "No."}) == "Error: content_filter"
    )


def test_answers_that_do_not_fit_are_refused_and_named(tmp_path: Path) -> None:
    stage = Stage(tmp_path, cuisines=["Hindu", "Kosher"])
    rows = recipes()
    rows[0] |= {"variation": "Aztec"}
    made = written(tmp_path / "made.csv", RECIPE, rows)
    with pytest.raises(
        SystemExit, match=r"no answer for 1 .*nobody asks for for 1 \(the first: row 1: pizza / azt"
    ):
        stage.write(None, "gen", released=made)


@pytest.mark.parametrize(
    ("old", "new"),
    [('salt, ""Pizza""', 'salt, "Pizza"'), ('salt, ""Stew"""', 'salt, ""Ste'), (",Stew,", ",")],
)
def test_a_file_that_is_not_whole_is_refused_with_its_row(tmp_path: Path, old: str, new: str) -> None:
    """Else answers would be shorter than what the model wrote."""
    text = Path(written(tmp_path / "made.csv", RECIPE, recipes())).read_text()
    (tmp_path / "made.csv").write_text(text[: text.rindex(old)] + new + text[text.rindex(old) + len(old) :])
    with pytest.raises(UserError, match=r"made\.csv, row \d .*Take a whole copy"):
        published_answers(str(tmp_path / "made.csv"), pl.DataFrame(), "gen", "gen")
