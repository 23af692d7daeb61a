"""What a verb without nouns acts on. The examples are made for their rule, with the project's own glossary."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.parse.extract import extract
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.kinds import PREFIX, WHOLE, Kind, kind
from wokflow.parse.simplified import simplified
from wokflow.parse.types import Action, Mention

from tests.bench.measure import ROOT


@cache
def glossary() -> Glossary:
    return read_glossary(ROOT / "resources" / "glossary")


def last(*steps: str) -> str:
    """What the last action of the steps inherits."""
    action = [
        action for step in extract(steps, glossary(), method="rules", style="house") for action in step
    ][-1]
    assert not action.ingredients and not action.tools
    return " ".join(food.surface for food in action.inherited)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        # everything in the pot, not only what came last
        (["下牛肉，加盐，翻炒"], "牛肉 盐"),
        (["锅里倒油，下姜丝爆香，放入牛肉炒散，加生抽，炒匀"], "油 姜丝 牛肉 生抽"),
        (["锅中放油。", "放入土豆。", "翻炒"], "油 土豆"),
        (["油锅下蒜末，炒香"], "油 蒜末"),
        (["锅中加水，放入排骨，煮开"], "水 排骨"),
        # what was taken out is gone, and what was never in is not there
        (["水烧开，放入年糕煮熟，捞出"], "年糕"),
        (["水烧开，放入年糕煮熟，捞出，沥干"], "年糕"),
        (["锅里放油，放鸡蛋炒熟，盛出。锅里再放油，下番茄，翻炒"], "油 番茄"),
        (["虾仁焯水。锅里放油，下蒜末，炒香"], "油 蒜末"),
        (["土豆切丝备用。锅里放油，下蒜末，爆香"], "油 蒜末"),
        (["水烧开，放入排骨、生姜，煮10分钟，捞出"], "排骨"),
        (["锅热油，下花生米，炸至金黄，捞出。锅中倒油，下葱花，爆香"], "油 葱花"),
        # what was prepared goes in where the pot has nothing to cook
        (["牛肉切片，加料酒腌制。锅里倒油，煎至变色"], "油 牛肉"),
        (["鱼洗净，上锅蒸"], "鱼"),
        (["鸡翅洗净，放入烤箱，烤20分钟"], "鸡翅"),
        (["排骨洗净，冷水下锅，焯水"], "排骨 水"),
        # a marinade is no group of its own once its food went in
        (["牛肉加盐和淀粉抓匀。油烧热，放入牛肉，翻炒"], "油 牛肉"),
        # on the bench: the last thing prepared
        (["鸡肉洗净，土豆去皮，切块"], "土豆"),
        (["苦瓜剖开，去籽，切片"], "苦瓜"),
        (["豆腐用盐水浸泡，切块"], "豆腐"),
        (["鸡蛋打散，加盐，搅匀"], "鸡蛋 盐"),
        (["准备半碗水，倒入淀粉，搅匀"], "水 淀粉"),
        (["牛肉切片，加料酒、盐、淀粉，腌制"], "牛肉 料酒 盐 淀粉"),
        (["牛肉切片，加生抽，蒜切末，拌匀"], "牛肉 生抽 蒜"),
        # verbs that hold water or oil put it there; blanching acts on the pot, and empties it of food
        (["水开后放入面条，煮"], "水 面条"),
        (["锅内热油，下葱花，炒香"], "油 葱花"),
        (["生菜放在开水里汆烫"], "生菜 开水"),
        (["生菜放在开水里汆烫，摆盘"], "生菜"),
        # to wait for hot oil moves nothing
        (["土豆切丝。锅里倒油，油热后下蒜末，炒香"], "油 蒜末"),
        # what is taken away is no food, nor is what comes out
        (["羊肉放入开水中去杂质，捞出"], "羊肉"),
        (["苦瓜加盐腌制出汁水，拌匀"], "苦瓜 盐"),
        # what is thrown away, poured off or taken out for good does not come back
        (["鱼装盘，葱姜扔掉，上锅蒸"], "鱼"),
        (["锅里放油，下八角、葱段炸香，捞出丢掉，放入鸭肉，翻炒"], "油 鸭肉"),
        (["锅里放油，放姜片，下鸭肉炒熟，拣去姜片，撒孜然，翻匀"], "油 鸭肉 孜然"),
        (["虾洗净，剪去虾腿，备用"], "虾"),
        (["瓠瓜切开，瓜瓤挖去，切片"], "瓠瓜"),
        (["木瓜剖开，刮净白瓤，切丁"], "木瓜"),
        # water over which food is steamed is none of it, but what was stirred into it is
        (["水烧开，把南瓜上锅蒸，关火焖"], "南瓜"),
        (["南瓜装盘，水开，上锅蒸"], "南瓜"),
        (["鸡蛋加水打散，上锅蒸"], "鸡蛋 水"),
        # sauce that is reduced was there
        (["鸭肉下锅，收汤汁，出锅"], "鸭肉"),
        # a pot that is put on again has oil, and what was left in it
        (["再起一油锅，下蒜片，炒香"], "油 蒜片"),
        (["起油锅，下蒜片，炒香"], "油 蒜片"),
        (["锅里留底油，热锅，下蒜片，炒香"], "底油 蒜片"),
        (["豆皮下开水锅，煮熟"], "水 豆皮"),
        # from the pot into a bowl, or over a plate that was prepared before
        (["锅里放油，倒入肉末炒熟，肉末倒入碗里，拌匀"], "肉末"),
        (["面条放盘里，锅里放蒜和酱油烧开，汤汁淋在面条上，拌匀"], "面条 汤汁 蒜 酱油"),
        (["鱼加盐腌制，姜切丝，放在鱼上，蒸"], "姜 鱼"),
        # what is fetched is no part of what was prepared before; a sauce of many seasonings is not either
        (["鱼加姜，取盐放入料酒中，化开"], "盐 料酒"),
        (["牛肉切片，小碗里放生抽、醋、糖，搅匀"], "生抽 醋 糖"),
        (["辣椒切圈，鸭肉加盐，蛋清，抓匀"], "鸭肉 盐 蛋清"),
        # to bind a soup in which food was scalded, which then stays in it
        (["锅里放水、木耳，放入鱼片烫熟，勾芡"], "水 木耳 鱼片"),
        # a marinade is all that is in it
        (["牛肉冲洗收干，加姜片、盐，拌匀，腌制"], "牛肉 姜片 盐"),
        # the plate
        (["锅里放油，下青菜翻炒，出锅，装盘"], "油 青菜"),
        (["水烧开，放入青菜，捞起，装盘"], "青菜"),
        # food in the verb's own word
        (["加水煮沸，关火"], "水"),
    ],
)
def test_what_is_in_the_pot_or_on_the_bench(steps: list[str], expected: str) -> None:
    assert last(*steps) == expected


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("鍋中放油，放蔥薑、雞肉炒熟，撈出，加鹽，翻炒", "锅中放油，放葱姜、鸡肉炒熟，捞出，加盐，翻炒"),
        ("雞腿洗淨，肉切絲，加醬油、澱粉，醃製", "鸡腿洗净，肉切丝，加酱油、淀粉，腌制"),
        ("麵粉加水，揉麵，包上餡，加熱", "面粉加水，揉面，包上馅，加热"),
    ],
)
def test_traditional_characters_read_alike_and_stay_as_written(written: str, plain: str) -> None:
    def read(text: str) -> list[Action]:
        return extract([text], glossary(), method="rules", style="house")[0]

    assert [plainly(action) for action in read(written)] == read(plain)
    for action in read(written):
        assert action.verb == written[action.start : action.end]
        for noun in (*action.foods, *action.tools):
            assert noun.surface == written[noun.start : noun.end]


def plainly(action: Action) -> Action:
    """The action in simplified characters."""

    def words(nouns: tuple[Mention, ...]) -> tuple[Mention, ...]:
        return tuple(replace(noun, surface=simplified(noun.surface)) for noun in nouns)

    nouns = {name: words(getattr(action, name)) for name in ("ingredients", "tools", "inherited")}
    return replace(action, verb=simplified(action.verb), **nouns)


def test_nothing_is_held_before_anything_is_named() -> None:
    assert last("翻炒") == ""


def test_listed_verbs_have_their_kind() -> None:
    assert {verb: kind(verb) for verb in WHOLE} == WHOLE
    assert {start: kind(start) for start in PREFIX if start not in WHOLE} == {
        start: what for start, what in PREFIX.items() if start not in WHOLE
    }
    assert kind("捞起来") is Kind.TAKE and kind("放在一边") is Kind.ASIDE and kind("加热") is Kind.HEAT
    assert kind("嘟囔") is Kind.MIX
    assert {kind(verb) for verb in ("筛入", "包进去", "拌入", "注入")} == {Kind.ADD}
    assert (kind("浸入"), kind("插入"), kind("捞入")) == (Kind.PREPARE, Kind.MIX, Kind.TAKE)


VERBS = [
    "洗净",
    "切",
    "放入",
    "加",
    "炒",
    "煮",
    "捞出",
    "盛出",
    "出锅",
    "备用",
    "腌制",
    "倒掉",
    "去",
    "蒸",
    "焯水",
    "拌匀",
    "盖上",
]
FOODS = ["", "牛肉", "土豆", "水", "油", "盐", "葱", "籽"]
PLACES = ["", "锅中", "碗中"]
CLAUSES = st.builds("".join, st.tuples(*map(st.sampled_from, (PLACES, VERBS, FOODS))))


@given(st.lists(st.lists(CLAUSES, min_size=1, max_size=6).map("，".join), min_size=1, max_size=5))
def test_inherited_food_was_named_before_and_is_there_once(steps: list[str]) -> None:
    named: set[str] = set()
    for step in extract(steps, glossary(), method="rules", style="house"):
        for action in step:
            classes = [food.cls for food in action.inherited]
            assert len(classes) == len(set(classes)) and {food.surface for food in action.inherited} <= named
            named |= {food.surface for food in action.ingredients} | {"水", "油", "面"} & set(action.verb)
            named |= {"油"} & {tool.surface[0] for tool in action.tools}
