"""Our own glossary: a listed verb does not cut a longer one, and its class is what a cook means by it there."""

import pytest
from wokflow.parse.extract import extract
from wokflow.parse.glossary import Glossary, read_glossary

from tests.conftest import ROOT

Read = tuple[str, str, list[str], list[str]]  # verb, its class, ingredients (inherited ones too), tools

COVERED = [("放入", "加入"), ("盖上", "盖上"), ("蒸", "蒸")]


@pytest.fixture(scope="module")
def glossary() -> Glossary:
    return read_glossary(ROOT / "resources" / "glossary")


def read(text: str, glossary: Glossary) -> list[Read]:
    return [
        (
            action.verb,
            action.verb_class,
            [food.surface for food in action.foods],
            [tool.surface for tool in action.tools],
        )
        for action in extract([text], glossary, method="rules", style="house")[0]
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("把菜倒入锅中", [("倒入", "加入", ["菜"], ["锅"])]),
        ("鱼上锅蒸", [("上锅蒸", "蒸", ["鱼"], [])]),
        ("放入鱼，盖上盖，蒸", [(verb, verb_class, ["鱼"], []) for verb, verb_class in COVERED]),
        ("豆腐放入锅里", [("放入", "加入", ["豆腐"], ["锅"])]),
        ("把鱼放入锅蒸", [("放入", "加入", ["鱼"], ["锅"]), ("蒸", "蒸", ["鱼"], [])]),
        ("把豆腐摆入盘中", [("摆入", "摆", ["豆腐"], ["盘"])]),
        ("鱼下锅", [("下锅", "加入", ["鱼"], [])]),
        ("把鱼放到锅中", [("放到", "加入", ["鱼"], ["锅"])]),
        ("加入冷水烧开", [("加入", "加入", ["冷水"], []), ("烧开", "烧开", ["冷水"], [])]),
        ("锅内热油", [("热油", "加热", [], ["锅"])]),
        ("鱼淋上热油", [("淋上", "淋", ["鱼", "油"], [])]),
        ("烧热锅", [("烧热", "加热", [], ["锅"])]),
        ("排骨裹上糖色", [("裹上", "裹", ["排骨", "糖色"], [])]),
    ],
)
def test_a_verb_ends_before_its_vessel_or_food(text: str, expected: list[Read], glossary: Glossary) -> None:
    assert read(text, glossary) == expected


@pytest.mark.parametrize(
    ("text", "verb", "name"),
    [
        ("豆腐冲洗干净", "冲洗干净", "洗净"),
        ("豆腐翻炒出香味", "翻炒出香味", "爆香"),
        ("豆腐翻拌均匀", "翻拌均匀", "搅拌"),
        ("豆腐抓拌均匀", "抓拌均匀", "抓匀"),
        ("豆腐烧开小火慢炖", "烧开", "烧开"),
    ],
)
def test_a_verb_and_its_result_are_one_action(text: str, verb: str, name: str, glossary: Glossary) -> None:
    first = read(text, glossary)[0]
    assert verb.startswith(first[0]) and first[1:3] == (name, ["豆腐"])
    assert [each[1] for each in read(text, glossary)] in ([name], [name, "炖"])


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("打开锅盖", ["揭盖"]),
        ("打开火", ["开火"]),
        ("打开电磁炉", ["开火"]),
        ("鸡蛋打散", ["打散"]),
        ("起锅倒油", ["加热", "加入"]),
        ("起锅烧水", ["加热"]),
        ("起锅装盘", ["出锅", "装盘"]),
        ("起锅加葱花", ["出锅", "加入"]),
        ("扔锅里", ["加入"]),
        ("扔掉葱", ["倒掉"]),
        ("丢掉葱", ["倒掉"]),
        ("豆腐翻匀", ["翻炒"]),
        ("豆腐翻面", ["翻面"]),
        ("豆腐翻个面", ["翻面"]),
        ("豆腐翻几下", ["翻炒"]),
        ("豆腐翻均匀", ["翻炒"]),
        ("牛腩压十分钟", ["炖"]),
        ("牛腩压 15-20 分钟", ["炖"]),
        ("牛腩小火压个25分钟", ["炖"]),
        ("牛腩用高压锅压", ["炖"]),
        ("豆腐压一下", ["压"]),
        ("豆腐压扁", ["压"]),
        ("鱼上锅", ["蒸"]),
        ("鱼上锅大火蒸", ["加入", "蒸"]),
        ("鸡肉上锅炒", ["加入", "炒"]),
        ("冰糖化开", ["融化"]),
        ("鸡爪冰镇4小时", ["冷藏"]),
        ("豆腐淋干", ["沥干"]),
        ("鱼打斜刀", ["划刀"]),
        ("盖盖焖五分钟", ["盖上", "焖"]),
        ("盖好锅盖", ["盖上"]),
        ("唇齿留香", []),
        ("筷子能穿过就行", []),
        ("把鸡肉穿在竹签上", ["串"]),
        ("敲黑板", []),
        ("敲核桃", ["拍"]),
        ("放第二包辣酱", ["加入"]),
        ("红茶2 包放入杯中", ["加入"]),
        ("把材料包放进去", ["加入"]),
        ("把包心生菜洗净", ["洗净"]),
        ("用生菜包着吃", ["包"]),
        ("把鱼用锡纸包，烤", ["包", "烤"]),
        ("用餐巾纸包一下", ["包"]),
        ("炒至水分蒸发", ["炒"]),
    ],
)
def test_the_class_is_what_a_cook_means(text: str, classes: list[str], glossary: Glossary) -> None:
    assert [name for _, name, _, _ in read(text, glossary)] == classes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("锅中加水烧开", [("加", "加入", ["水"], ["锅"]), ("烧开", "烧开", ["水"], [])]),
        ("豆腐捞出放凉水里", [("捞出", "捞出", ["豆腐"], []), ("放", "加入", ["豆腐", "凉水"], [])]),
        ("豆腐捞出放凉", [("捞出", "捞出", ["豆腐"], []), ("放凉", "晾凉", ["豆腐"], [])]),
    ],
)
def test_a_verb_does_not_take_the_water_of_its_neighbour(
    text: str, expected: list[Read], glossary: Glossary
) -> None:
    assert read(text, glossary) == expected


@pytest.mark.parametrize(
    "text", ["下刚盛起备用的猪肉翻炒", "下切好的猪肉翻炒", "下之前煸好的猪肉，翻炒", "下猪肉翻炒"]
)
def test_an_object_with_a_relative_clause_is_an_object(text: str, glossary: Glossary) -> None:
    assert read(text, glossary) == [("下", "加入", ["猪肉"], []), ("翻炒", "翻炒", ["猪肉"], [])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("面粉加水和成面团", [("加", "加入", ["面粉", "水"], []), ("和成", "揉", ["面粉", "水"], [])]),
        ("面粉加水，和好", [("加", "加入", ["面粉", "水"], []), ("和好", "揉", ["面粉", "水"], [])]),
        ("盐、醋和匀", [("和匀", "搅拌", ["盐", "醋"], [])]),
        ("面粉和面包糠拌匀", [("拌匀", "搅拌", ["面粉", "面包糠"], [])]),
        ("面条和好吃的青菜拌匀", [("拌匀", "搅拌", ["面条", "青菜"], [])]),
        ("面粉和熟豆沙拌匀", [("拌匀", "搅拌", ["面粉", "豆沙"], [])]),
    ],
)
def test_to_knead_is_no_conjunction(text: str, expected: list[Read], glossary: Glossary) -> None:
    assert read(text, glossary) == expected


def test_to_knead_is_no_conjunction_in_a_glossary_without_it() -> None:
    glossary = Glossary({"加": "加入"}, {"面粉": "面粉", "水": "水", "面团": "面团"}, {})
    assert read("面粉加水和成面团", glossary) == [("加", "加入", ["面粉", "水"], [])]
