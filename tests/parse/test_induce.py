"""A first glossary: which words become candidates, how classes are made, and files a person can take over."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import Job, Progress, UserError
from wokflow.parse.glossary import read_glossary
from wokflow.parse.induce import Tags, cluster, names, object_places, parse_induce, verb_places
from wokflow.parse.settings import InduceSettings

from tests.parse.test_vectors import ROOT, train, write_recipes

SETTINGS: dict[str, Any] = {
    "verbs": 2,
    "ingredients": 2,
    "tools": 9,
    "least_count": 2,
    "recipes": None,
    "seed": 5,
}
STEPS = [
    ["土豆洗净切块，把胡萝卜切丝", "锅里倒油，放入土豆翻炒，加1勺盐", "用筷子搅拌，盛入大碗中"],
    ["先把土豆去皮，洗净", "热锅，倒入油，放入胡萝卜翻炒", "放入砂锅煮，加盐"],
    ["胡萝卜洗净，切丝", "砂锅中倒油，煮土豆", "用筷子翻炒，放入大碗"],
]
LISTS = [
    ["2个土豆", "胡萝卜1根", "油适量", "少许盐"],
    ["土豆 3 个", "胡萝卜半根", "油、盐", "水"],
    ["一个胡萝卜"],
]


@pytest.fixture(scope="session")
def tags() -> Tags:
    return Tags()


@pytest.fixture
def recipes(tmp_path: Path) -> str:
    return write_recipes(tmp_path / "recipes", STEPS, LISTS)


def induce(recipes: str, out: Path, log: io.StringIO | None = None, **changes: Any) -> list[list[str]]:
    """The rows of review.tsv below its header."""
    vectors = out.with_name("vectors")
    if not vectors.exists():
        train(recipes, vectors)
    files = {"vectors": str(vectors), "recipe_parts": [recipes], "induced": str(out)}
    settings = InduceSettings(**SETTINGS | changes)
    parse_induce(**files, settings=settings, job=Job(progress=Progress(log)))
    lines = (out / "review.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == ["kind", "class", "surface", "count", "distance"]
    return [line.split("\t") for line in lines[1:]]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("2勺生抽", ["生抽"]),
        ("生抽 2 勺", ["生抽"]),
        ("1.5大勺白糖（可不放）", ["白糖"]),
        ("半根胡萝卜", ["胡萝卜"]),
        ("适量油", ["油"]),
        ("盐少许", ["盐"]),
        ("葱、姜、蒜各适量", ["葱", "姜", "蒜"]),
        ("鲤鱼：1.2 斤（清理过的）", ["鲤鱼"]),
        ("鸡蛋2-3个或鸭蛋", ["鸡蛋", "鸭蛋"]),
        ("1小把花椒", ["花椒"]),
        ("一两个八角", ["八角"]),
        ("五香粉", ["五香粉"]),
        ("三文鱼200g", ["三文鱼"]),
        ("十三香", ["十三香"]),
        ("九层塔", ["九层塔"]),
        ("黄油 约 20g", ["黄油"]),
        ("½ 杯牛奶", ["牛奶"]),
        ("面粉", ["面粉"]),
        ("大蒜 3 瓣", ["大蒜"]),
        ("盐的用量为 2g", ["盐"]),
        ("适量", []),
        ("3个", []),
        ("（略）", []),
        ("", []),
    ],
)
def test_names_of_ingredients_without_amounts(line: str, found: list[str]) -> None:
    assert list(names(line)) == found


@given(st.text("0123一半个勺克 ()（、或约gG½.-适量盐", max_size=60))
def test_any_line_has_names_without_blanks(line: str) -> None:
    assert all(name and not any(map(str.isspace, name)) for name in names(line))


@pytest.mark.parametrize(
    ("words", "verbs"),
    [
        ("洗净 土豆", ["洗净"]),
        ("然后 再 加入 水", ["加入"]),
        ("把 土豆 全部 切块", ["切块"]),
        ("把 切块 的 土豆 放入 锅 中", ["放入"]),
        ("土豆 去皮", ["去皮"]),
        ("锅 中 加 水", []),
        ("再", []),
        ("把", []),
        ("", []),
    ],
)
def test_where_verbs_stand(words: str, verbs: list[str], tags: Tags) -> None:
    given_words = words.split()
    places = verb_places(given_words, tags, {"土豆"})
    assert [given_words[place] for place in sorted(places)] == verbs


@pytest.mark.parametrize(
    ("words", "objects"),
    [
        ("锅 中 放入 适量 土豆 葱 姜 翻炒", ["土豆", "葱", "姜"]),
        ("切 洋葱", ["洋葱"]),
        ("洋葱 土豆 洗净 切块", ["洋葱", "土豆"]),
        ("把 土豆 放入 碗 中", ["土豆"]),
        ("放入 锅 中 土豆", []),
        ("味道 很 好", []),
        ("煮 10 小时", []),
        ("加 2 勺 盐", ["盐"]),
        ("", []),
    ],
)
def test_where_nouns_stand_that_something_is_done_to(words: str, objects: list[str], tags: Tags) -> None:
    places = object_places(words.split(), tags)
    assert [word for place, word in enumerate(words.split()) if place in places] == objects


def test_candidates_and_their_counts(recipes: str, tmp_path: Path) -> None:
    rows = induce(recipes, tmp_path / "out")
    counts = {
        kind: {row[2]: int(row[3]) for row in rows if row[0] == kind} for kind in ("ingredient", "tool")
    }
    assert counts["ingredient"] == {"土豆": 2, "胡萝卜": 3, "油": 2, "盐": 2}
    assert counts["tool"] == {"筷子": 2, "砂锅": 2, "大碗": 2}
    verbs = {row[2] for row in rows if row[0] == "verb"}
    assert verbs == {"洗净", "切丝", "放入", "翻炒"}


def test_without_lists_foods_are_what_something_is_done_to(tmp_path: Path) -> None:
    recipes = write_recipes(tmp_path / "recipes", STEPS)
    rows = induce(recipes, tmp_path / "out")
    foods = {row[2] for row in rows if row[0] == "ingredient"}
    assert {"土豆", "胡萝卜"} <= foods and not foods & {"锅", "砂锅", "筷子", "大碗"}


def test_the_files_are_a_glossary(recipes: str, tmp_path: Path) -> None:
    log = io.StringIO()
    rows = induce(recipes, tmp_path / "out", log)
    glossary = read_glossary(tmp_path / "out")
    for kind, words in (
        ("verb", glossary.verbs),
        ("ingredient", glossary.ingredients),
        ("tool", glossary.tools),
    ):
        mine = [row for row in rows if row[0] == kind]
        assert words == {row[2]: row[1] for row in mine}
        assert set(words.values()) <= set(words)
        for name in set(words.values()):
            members = [row for row in mine if row[1] == name]
            assert int(next(row[3] for row in members if row[2] == name)) == max(
                int(row[3]) for row in members
            )
            distances = [float(row[4]) for row in members]
            assert distances == sorted(distances)
    assert len(set(glossary.verbs.values())) == len(set(glossary.ingredients.values())) == 2
    assert len(set(glossary.tools.values())) == len(glossary.tools)
    assert "(not 9: there are no more candidates)" in log.getvalue()


def test_two_processes_write_the_same_bytes(recipes: str, tmp_path: Path) -> None:
    train(recipes, tmp_path / "vectors")
    code = (
        "import sys; from pathlib import Path; from tests.parse.test_induce import induce;"
        f"induce({recipes!r}, Path(sys.argv[1]))"
    )
    for seed in "12":
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT}/scripts"}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], check=True, env=environment)
    for name in ("verbs.tsv", "ingredients.tsv", "tools.tsv", "review.tsv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_a_name_of_several_words_has_their_mean(tmp_path: Path) -> None:
    steps, lists = (
        [["土豆胡萝卜放入锅里"]] * 2,
        [["土豆胡萝卜"], ["土豆胡萝卜", "XO酱", "XO酱", "油_水", "油_水", "123456", "123456"]],
    )
    log = io.StringIO()
    rows = induce(write_recipes(tmp_path / "recipes", steps, lists), tmp_path / "out", log)
    assert [row[1:4] for row in rows if row[0] == "ingredient"] == [["土豆胡萝卜", "土豆胡萝卜", "2"]]
    assert (
        "ingredients: 1 surfaces in 1 classes (not 2: there are no more candidates); 1 candidates"
        in log.getvalue()
    )


def test_no_candidate_is_an_error(recipes: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no word .*occurs 99 times.*least_count"):
        induce(recipes, tmp_path / "out", least_count=99)
    assert not (tmp_path / "out").exists()


def test_near_vectors_share_a_class_named_by_the_commonest() -> None:
    units = np.array([[1, 0], [0, 1], [0.995, 0.0999], [0.0999, 0.995], [0, 1]])
    counts = {"a": 1, "b": 5, "c": 9, "d": 5, "e": 2}
    members = cluster(counts, units, 2, seed=0)
    assert [(member.cls, member.surface) for member in members] == [
        ("b", "b"),
        ("b", "d"),
        ("b", "e"),
        ("c", "c"),
        ("c", "a"),
    ]
    assert members[3].distance == pytest.approx(members[4].distance) == pytest.approx(0.05, abs=1e-3)


@given(
    rows=st.lists(st.tuples(st.integers(1, 3), st.integers(-2, 2)), max_size=12), number=st.integers(1, 15)
)
def test_classes_are_as_many_as_asked_or_as_there_are_distinct_rows(
    rows: list[tuple[int, int]], number: int
) -> None:
    surfaces = [chr(0x4E00 + row) for row in range(len(rows))]
    members = cluster(dict.fromkeys(surfaces, 1), np.array(rows, float).reshape(-1, 2), number, seed=1)
    assert sorted(member.surface for member in members) == surfaces
    assert len({member.cls for member in members}) == min(number, len(set(rows)))


def test_classes_of_real_recipes(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "real" / "counterfactual" / "base_recipes.tsv").read_text(encoding="utf-8").splitlines()
    recipes = write_recipes(tmp_path / "recipes", [[line.split("\t")[2]] for line in lines[::5]])
    train(recipes, tmp_path / "vectors", dimensions=50, window=5, epochs=10, least_count=3)
    induce(recipes, tmp_path / "out", verbs=30, ingredients=60, tools=10, least_count=5)
    glossary = read_glossary(tmp_path / "out")
    assert {"炒", "切", "煮", "放入", "洗净", "焯"} <= set(glossary.verbs)
    assert {"土豆", "盐", "蒜", "生抽", "牛肉"} <= set(glossary.ingredients)
    assert {"锅", "碗", "烤箱"} <= set(glossary.tools)
    assert glossary.verbs["炒"] != glossary.verbs["切"] != glossary.verbs["洗净"]
