"""Names of dishes find the titles that are most alike, in both corpora."""

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.match import candidates, schemas
from wokflow.match.candidates import distinct, look_up, match_candidates
from wokflow.match.dish_names import normal, similarity
from wokflow.match.settings import CandidatesSettings

ENGLISH = [
    "Caramelized Leek Rice",
    "Leek Rice",
    "Kung Pao Chicken",
    "KUNG PAO CHICKEN!",
    "=Chicken, Kung Pao",
    "🎂",
]
CHINESE = ["韭葱饭", "宫保鸡丁", "宮保雞丁（附碗汁）", "宫保虾球"]
TITLES = """\
zh\ten\tdirection\tsource
宮保雞丁\tKung-Pao Chickens\tzh-en\tEasy Recipes

韭葱饭\tRice with caramelized leeks\t\t
佛跳墙\tBuddha Jumps over the Wall\t\t
宫保鸡丁\t\t\t
宮保雞丁\tKung-Pao Chickens\tzh-en\tanother site
"""


def eligible(path: Path, corpus: str, titles: list[str]) -> str:
    rows = [(f"{corpus}:{number}", title, 9) for number, title in enumerate(titles)]
    columns = {"recipe_id": pl.String, "title": pl.String, "tokens": pl.Int32}
    tables.write(path, schemas.ELIGIBLE, pl.DataFrame(rows, columns, orient="row"), {})
    return str(path)


def made(folder: Path, titles: str = TITLES, count: int = 5, cutoff: float = 60) -> dict[str, pl.DataFrame]:
    (folder / "titles.tsv").write_text(titles, encoding="utf-8")
    out = {name: str(folder / name) for name in ("candidates", "rejects", "sheet")}
    match_candidates(
        recipenlg=eligible(folder / "en", "recipenlg", ENGLISH),
        xiachufang=eligible(folder / "zh", "xiachufang", CHINESE),
        **out,
        settings=CandidatesSettings(titles=str(folder / "titles.tsv"), cutoff=cutoff, count=count),
        job=Job(),
    )
    return {name: tables.read(out[name]) for name in ("candidates", "rejects")}


def test_the_best_come_first_and_titles_alike_count_once(tmp_path: Path) -> None:
    rows = made(tmp_path)["candidates"]
    columns = ("line", "dish_en", "zh_id", "zh_score", "en_id", "en_title", "en_recipes", "en_score")
    assert rows.select(columns).rows()[:2] == [
        (2, "Kung-Pao Chickens", "xiachufang:1", 100, "recipenlg:2", "Kung Pao Chicken", 3, 100),
        (
            2,
            "Kung-Pao Chickens",
            "xiachufang:2",
            pytest.approx(72.73, abs=0.01),
            "recipenlg:2",
            "Kung Pao Chicken",
            3,
            100,
        ),
    ]
    assert rows.filter(pl.col("line") == 4).select("zh_title", "en_title", "score").row(0) == (
        *("韭葱饭", "Caramelized Leek Rice"),
        100,
    )
    assert (rows["score"] - (rows["zh_score"] + rows["en_score"]) / 2).abs().max() == 0
    assert made(tmp_path, count=1)["candidates"]["line"].to_list() == [2, 4]


def test_every_dish_has_candidates_or_a_reason(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert found["rejects"].rows() == [
        (5, "no_candidate", "in xiachufang and recipenlg", "佛跳墙 | Buddha Jumps over the Wall |  | "),
        (6, "no_name", None, "宫保鸡丁 |  |  | "),
        (7, "repeated", "row 2", "宮保雞丁 | Kung-Pao Chickens | zh-en | another site"),
    ]
    assert set(found["rejects"]["reason"]) <= schemas.REASONS.keys()
    assert set(found["candidates"]["line"]) == {2, 4}


def test_the_sheet_is_the_table_with_an_empty_column(tmp_path: Path) -> None:
    rows = made(tmp_path)["candidates"]
    text = (tmp_path / "sheet").read_text(encoding="utf-8-sig")
    sheet = list(csv.DictReader(text.splitlines(), dialect="excel-tab"))
    assert [row["en_title"] for row in sheet] == rows["en_title"].to_list()
    assert [row["zh_score"] for row in sheet] == [f"{score:.1f}" for score in rows["zh_score"]]
    assert {row["accepted"] for row in sheet} == {""}
    assert sheet[0]["source"] == "Easy Recipes" and sheet[0]["direction"] == "zh-en"


def test_a_table_without_dishes_makes_an_empty_sheet(tmp_path: Path) -> None:
    assert made(tmp_path, "zh\ten\n")["candidates"].height == 0
    assert (tmp_path / "sheet").read_text(encoding="utf-8-sig").count("\n") == 1


@pytest.mark.parametrize(
    ("titles", "message"),
    [
        ("zh,en\n茶,tea\n", "missing column en, zh"),
        ("zh\ten\tdirection\n茶\ttea\tchinese\n", "row 2: 'chinese' is not"),
    ],
)
def test_what_is_wrong_is_said(titles: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        made(tmp_path, titles)


words = st.lists(st.sampled_from(["rice", "Leek", "fried", "leeks", "soup", "!"]), max_size=3).map(" ".join)


@settings(deadline=None)
@given(
    st.lists(words, max_size=12),
    st.lists(words, max_size=3),
    st.integers(1, 4),
    st.sampled_from([1, 7, 10**6]),
)
def test_look_up_is_a_search_one_by_one_whatever_is_compared_at_once(
    tmp_path_factory: pytest.TempPathFactory, titles: list[str], names: list[str], count: int, cells: int
) -> None:
    path = eligible(tmp_path_factory.mktemp("corpus") / "en", "recipenlg", titles)
    corpus = distinct(path, "en")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "CELLS", cells)
        found = look_up(pl.Series(names, dtype=pl.String), path, "en", 50, count, 1)
    for number, name in enumerate(normal(pl.Series(names, dtype=pl.String), "en")):
        scores = [(-similarity()(name, form), row) for row, form in enumerate(corpus["form"])]
        expected = sorted(pair for pair in scores if pair[0] <= -50)[:count]
        assert [row["row"] for row in found.get(number, [])] == [row for _, row in expected]
