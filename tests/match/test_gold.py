import json
from pathlib import Path

import polars as pl
import pytest
from wokflow.frame.job import UserError
from wokflow.match.gold import gold_set, read_gold

from tests.conftest import ROOT
from tests.train.recipes import write_recipes

HEADER = "source_id\tsource_title\ttitle\tingredients\tsteps"


def gold(tmp_path: Path, *lines: str) -> str:
    (tmp_path / "gold.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path / "gold.tsv")


def test_lists_are_cut_at_bars(tmp_path: Path) -> None:
    [row] = read_gold(gold(tmp_path, HEADER, 'zh:1\t茶\tTea\t1 "cup" ｜ water|\tBoil.')).to_dicts()
    assert row == {
        "source_id": "zh:1",
        "title": "Tea",
        "ingredients": ['1 "cup"', "water"],
        "steps": ["Boil."],
        "source_title": "茶",
        "source_ingredients": None,
        "source_steps": None,
        "line": 2,
    }


def test_lists_are_cut_at_line_breaks_too(tmp_path: Path) -> None:
    [row] = read_gold(
        gold(tmp_path, HEADER, 'zh:1\t茶\tTea\t"2 eggs\n1 cup"\t"Boil. | Stir.\nServe."')
    ).to_dicts()
    assert (row["ingredients"], row["steps"]) == (["2 eggs", "1 cup"], ["Boil.", "Stir.", "Serve."])


def test_a_source_may_come_with_the_set(tmp_path: Path) -> None:
    header = f"{HEADER}\tsource_ingredients\tsource_steps"
    [row] = read_gold(gold(tmp_path, header, "mine\t茶\tTea\twater\tBoil.\t水\t烧 | 喝")).to_dicts()
    assert (row["source_title"], row["source_steps"]) == ("茶", ["烧", "喝"])


def test_texts_of_sources_may_hold_a_word_that_was_read_wrongly(tmp_path: Path) -> None:
    rows = [
        {
            "source": {"id": 1, "title": "Pie", "ingredients": ["apple"], "steps": [f"Bake at {source}."]},
            "targets": [{"title": "派", "ingredients": ["苹果"], "steps": [f"{target}烤。"]}],
        }
        for source, target in (("350Â°F", ""), ("350°F", "350Â°F "))
    ]
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(rows[0]), encoding="utf-8")
    assert read_gold(str(path))["source_steps"].to_list() == [["Bake at 350Â°F."]]
    path.write_text(json.dumps(rows[1]), encoding="utf-8")
    with pytest.raises(UserError, match="line 1, column steps: '350Â°F'"):
        read_gold(str(path))
    header = f"{HEADER}\tsource_ingredients\tsource_steps"
    assert len(read_gold(gold(tmp_path, header, "en:1\tPie\t派\t苹果\t烤\tapple\tBake at 350Â°F.")))
    with pytest.raises(UserError, match="line 2, column steps: '350Â°F'"):
        read_gold(gold(tmp_path, HEADER, "en:1\tPie\t派\t苹果\t350Â°F"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["source_id\ttitle"],
            "line 1: missing column ingredients, source_title, steps; found",
        ),
        (["source_id\ttitle\tingredients\tsteps"], "missing column source_title"),
        ([HEADER, "zh:1\t茶\tTea\t\tBoil."], "line 2: ingredients is empty"),
        ([HEADER, "zh:1\t \tTea\twater\tBoil."], "line 2: source_title is empty"),
        ([HEADER, "zh:1\t茶\tTea\twater"], "line 2: steps is empty"),
        ([HEADER, "zh:1\t茶\tA\tb\tc", "zh:1\t茶\tA\tb\tc"], "line 3: zh:1 occurs twice"),
        ([f"{HEADER}\tsource_steps", "zh:1\t茶\tA\tb\tc\t烧"], "line 2: give both of source_ingredients"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_gold(gold(tmp_path, *lines))


def test_without_a_set_there_are_no_rows(tmp_path: Path) -> None:
    assert gold_set(None, write_recipes(tmp_path), simplified=False).is_empty()


def test_a_row_whose_title_is_another_in_the_corpus_is_refused(tmp_path: Path) -> None:
    path = gold(tmp_path, HEADER, "zh:0\t茶0\tTea\twater\tBoil.", "zh:1\t汤\tSoup\twater\tBoil.")
    with pytest.raises(UserError) as error:
        gold_set(path, write_recipes(tmp_path), simplified=False)
    assert f"{path}, line 3: the title of zh:1 is '茶1' in the corpus, but source_title is '汤'" in str(
        error.value
    )
    assert "1 of 2 rows differ" in str(error.value)
    assert "train.gold: null" in str(error.value)


@pytest.mark.parametrize(
    "title", ["茶0", " 茶0 ", "★茶 0🍵", "茶０".replace("０", "0\u200b"), "1\ufe0f\u20e3茶0"]
)
def test_what_cleaning_removes_from_titles_does_not_count(tmp_path: Path, title: str) -> None:
    path = gold(tmp_path, HEADER, f"zh:0\t{title}\tTea\twater\tBoil.")
    assert len(gold_set(path, write_recipes(tmp_path), simplified=False)) == 1


def test_titles_of_simplified_corpora_are_compared_in_simplified_characters(tmp_path: Path) -> None:
    recipes = write_recipes(tmp_path)
    pl.read_parquet(recipes[0]).with_columns(title=pl.lit("红烧鸡")).write_parquet(recipes[0])
    path = gold(tmp_path, HEADER, "zh:0\t紅燒雞\tChicken\tchicken\tBraise.")
    assert len(gold_set(path, recipes, simplified=True)) == 1
    with pytest.raises(UserError, match="紅燒雞"):
        gold_set(path, recipes, simplified=False)


def test_a_source_that_is_in_no_corpus_has_no_other_title(tmp_path: Path) -> None:
    path = gold(tmp_path, HEADER, "mine\t汤\tSoup\twater\tBoil.")
    assert gold_set(path, write_recipes(tmp_path), simplified=False)["source_id"].to_list() == ["mine"]


@pytest.mark.parametrize("data", ["zh-en", "en-zh"])
def test_the_sets_of_the_demo_can_be_read(data: str) -> None:
    assert len(read_gold(str(ROOT / "resources" / "gold" / f"{data}.tsv"))) >= 8


PUBLISHED = {
    "source": {
        "id": "7",
        "title": "茶",
        "title_translated": "tea",
        "ingredients": ["水"],
        "steps": ["烧"],
        "dish": "茶",
    },
    "targets": [{"id": "1", "title": "Tea", "ingredients": ["water", " "], "steps": ["Boil.", "Drink."]}],
}


def test_the_published_form_brings_its_sources(tmp_path: Path) -> None:
    own = PUBLISHED | {"source": PUBLISHED["source"] | {"id": "zh:1"}}  # type: ignore[operator]
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (PUBLISHED, own))
    (tmp_path / "gold.jsonl").write_text(lines, encoding="utf-8")
    first, second = read_gold(str(tmp_path / "gold.jsonl")).to_dicts()
    assert first == {
        "source_id": "published:7",
        "title": "Tea",
        "ingredients": ["water"],
        "steps": ["Boil.", "Drink."],
        "source_title": "茶",
        "source_ingredients": ["水"],
        "source_steps": ["烧"],
        "line": 1,
    }
    assert second["source_id"] == "zh:1"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"targets": []}, "line 1: not a source with one target"),
        ({"targets": PUBLISHED["targets"] * 2}, "line 1: not a source with one target"),  # type: ignore[operator]
        ({"source": {"id": "7", "title": "茶", "ingredients": "水", "steps": []}}, "ingredients is '水'"),
        ({"source": {"id": "7", "title": "茶", "ingredients": ["水"]}}, "steps"),
        ({"source": {"id": "7", "title": None, "ingredients": ["水"], "steps": ["煮"]}}, "title is None"),
        (
            {"source": {"id": "7", "title": "茶", "ingredients": ["水", None], "steps": []}},
            "ingredients has None",
        ),
        ({"source": {"id": 7.5, "title": "茶", "ingredients": ["水"], "steps": ["煮"]}}, "id is 7.5"),
        ({"source": PUBLISHED["source"] | {"id": None}}, "a source without id"),  # type: ignore[operator]
        (
            {"targets": [{"title": "Tea", "ingredients": [" "], "steps": ["Boil."]}]},
            "line 1: ingredients is empty",
        ),
    ],
)
def test_what_is_not_in_the_published_form_is_refused(
    edit: dict[str, object], message: str, tmp_path: Path
) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps(PUBLISHED | edit) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_gold(str(tmp_path / "gold.jsonl"))
