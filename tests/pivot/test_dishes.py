"""Pairs of dishes are read strictly; a recipe's dish is what the corpus says, or the longest name in its title."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.ingest.schemas import RECIPES
from wokflow.pivot.dishes import PUBLISHED, SHORTEST, finder, names, pair_rows, pivot_dishes, read_pairs
from wokflow.pivot.settings import DishesSettings

ROOT = Path(__file__).resolve().parent.parent.parent
HEADER = "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n"


def write_recipes(path: Path, rows: list[tuple[str, str | None]]) -> str:
    """Recipes x:0, x:1, ... of title and dish."""
    frame = tables.frame(
        RECIPES,
        [
            (f"x:{number}", "x", "zh", title, ["水"], ["煮"], dish, None, number)
            for number, (title, dish) in enumerate(rows)
        ],
    )
    tables.write(path, RECIPES, frame, {})
    return str(path)


def write_pairs(path: Path, *rows: str) -> str:
    path.write_text(HEADER + "".join("\t".join(row.split()) + "\n" for row in rows))
    return str(path)


def test_the_papers_fifty_pairs() -> None:
    pairs = read_pairs(str(ROOT / "resources" / "pivot" / "dish_pairs.tsv"))
    assert pairs.height == 50 and pairs["ingredient_removed"].null_count() == 4
    assert pairs.row(0) == ("香辣小龙虾", "香辣鸡爪", "小龙虾", "鸡爪")
    for base, target, removed, added in pairs.iter_rows():
        assert removed is None or removed in base
        assert added in target
    assert len(names(pairs)) == 100


def test_pairs_as_their_authors_published_them(tmp_path: Path) -> None:
    published = [
        {"base": "甲豆", "target": "甲蛋", "ingredient_removed": "豆", "ingredient_added": "蛋"},
        {"base": "甲", "target": "甲蛋", "ingredient_removed": "", "ingredient_added": "蛋"},
    ]
    path = tmp_path / "dish_pairs.json"
    path.write_text(json.dumps(published), encoding="utf-8")
    assert read_pairs(str(path)).rows() == [("甲豆", "甲蛋", "豆", "蛋"), ("甲", "甲蛋", None, "蛋")]
    assert pair_rows(str(path))[0]["base_english"] == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is not JSON"),
        ("{}", "not a list of pairs"),
        ('[{"base": "a", "target": "b", "ingredient_added": "c"}]', "pair 1: not an object with the texts"),
        ('[{"base": "a", "target": "", "ingredient_removed": "", "ingredient_added": "c"}]', "pair 1: only"),
        (
            "[" + ",".join([json.dumps(dict(zip(PUBLISHED, "abcd", strict=True)))] * 2) + "]",
            "pair 2: .* twice",
        ),
    ],
)
def test_what_is_wrong_with_published_pairs_is_said(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.json").write_text(text)
    with pytest.raises(UserError, match=message):
        read_pairs(str(tmp_path / "pairs.json"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("base_dish\ttarget_dish\tingredient_removed\na\tb\tc\n", "missing column ingredient_added"),
        (HEADER + "a\tb\tc\t\n", "row 2: only ingredient_removed may be empty"),
        (HEADER + "a\tb\tc\td\na\tb\tc\td\n", "row 3: the pair a to b occurs twice"),
        (HEADER + "a\tb\tc\td,e\n", "row 2: 'd,e' has a comma or a slash"),
        (HEADER + "a\tb\tc\td\na\u200b\tb\tc\td\n", "row 3: the pair a to b occurs twice"),
        (HEADER + "a\ta\tc\td\n", "row 2: the pair a to a occurs twice, or both dishes are the same"),
    ],
)
def test_what_is_wrong_with_pairs_is_said_with_its_row(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(text)
    with pytest.raises(UserError, match=message):
        read_pairs(str(tmp_path / "pairs.tsv"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEADER.replace("\t", ";").encode(), "Are the columns separated by tabs"),
        (
            (HEADER + "粥\t饭\t水\t米\n").encode("gb18030"),
            r"\(line 2\). It looks like GB18030: save it again",
        ),
        (
            (HEADER + "粥\t饭\t水\t米\n").encode("utf-16"),
            r"\(line 1\). It looks like UTF-16: save it again",
        ),
    ],
)
def test_pairs_as_spreadsheets_save_them_otherwise_are_named(
    data: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "pairs.tsv").write_bytes(data)
    with pytest.raises(UserError, match=message):
        read_pairs(str(tmp_path / "pairs.tsv"))


def test_a_dish_comes_from_the_field_or_else_from_the_title(tmp_path: Path) -> None:
    parts = [
        write_recipes(
            tmp_path / "a", [("家常红烧肉", None), ("随便", "豆腐"), ("豆腐", "红烧鱼"), ("白粥", None)]
        ),
        write_recipes(tmp_path / "b", [("红烧肉炖豆腐", None), ("酱豆腐", None), ("凉菜", "红烧鱼")]),
    ]
    pairs = write_pairs(tmp_path / "pairs.tsv", "红烧肉 炖豆腐 肉 豆腐")
    pivot_dishes(
        recipes=parts, dishes=str(tmp_path / "out"), settings=DishesSettings(pairs=pairs, least=2), job=Job()
    )
    found = [(row[1], row[2]) for row in tables.read(tmp_path / "out").iter_rows()]
    assert found == [
        ("红烧肉", "title"),
        ("豆腐", "field"),  # too rare to be looked for in titles, but said
        ("红烧鱼", "field"),
        ("红烧肉", "title"),  # as long as 炖豆腐, and earlier
        ("红烧鱼", "field"),
    ]


def test_parts_do_not_change_the_dishes(tmp_path: Path) -> None:
    rows = [("红烧肉", None), ("粥粥粥", "粥粥"), ("粥粥", None), ("汤", "粥粥"), ("x", None)]
    pairs = write_pairs(tmp_path / "pairs.tsv", "红烧肉 炖豆腐 肉 豆腐")
    whole_table = [write_recipes(tmp_path / "all", rows)]
    pivot_dishes(
        recipes=whole_table,
        dishes=str(tmp_path / "one"),
        settings=DishesSettings(pairs=pairs, least=2),
        job=Job(),
    )
    whole = pl.read_parquet(tmp_path / "all")
    parts = []
    for number, (start, stop) in enumerate([(0, 2), (2, 2), (2, 5)]):
        tables.write(tmp_path / f"part{number}", RECIPES, whole[start:stop], {})
        parts.append(str(tmp_path / f"part{number}"))
    pivot_dishes(
        recipes=parts,
        dishes=str(tmp_path / "three"),
        settings=DishesSettings(pairs=pairs, least=2),
        job=Job(),
    )
    assert tables.read(tmp_path / "one").rows() == tables.read(tmp_path / "three").rows()


@given(st.sets(st.text("abc", min_size=1, max_size=4)), st.text("abc", max_size=12))
def test_the_longest_name_and_of_these_the_earliest(known: set[str], title: str) -> None:
    places = [
        (-len(name), title.find(name), name) for name in known if name in title and len(name) >= SHORTEST
    ]
    assert finder(known)(title) == (min(places)[2] if places else None)
