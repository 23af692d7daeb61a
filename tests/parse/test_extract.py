"""Each example is made for its rule; the labelled recipes are for the benchmark."""

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.frame.wordlists import word_table
from wokflow.parse import extract as extract_module
from wokflow.parse.extract import Action, Parse, extract
from wokflow.parse.glossary import Glossary
from wokflow.parse.roles import ATTRIBUTE, NEGATION, OTHER, RELATIVE, ROOT


def words(text: str) -> list[str]:
    return text.split()


VERBS = words("""
    切 切片 切丝 切块 切成 洗净 泡 泡软 炒 煮 煮沸 蒸 炸 煎 翻 放 放入 加 加入 倒入 下 入 出 捞出 装盘 备用 加水
    水开 关 开 转 去 去皮 调味 撒 淋 盖上 融化 上色 腌制 搅拌 打 用 待 焯水 爆 分 过 做 烧 准备 出来
    浇上 预热 剥 浆 糊 裹
    """)
FOODS = words("""
    姜 葱 蒜 葱花 盐 糖 油 水 热水 鸡蛋 鸡肉 牛肉 土豆 豆腐 虾 青菜 生粉 酱油 面 皮 核 粉丝 料酒 香菇 火 颜色
    鱼 粉 香油 香叶 壳
    """)
TOOLS = words("锅 碗 勺 盘子 锅盖 盖 冰箱 烤箱")
NOISE = {word: row["class"] for row in word_table("grammar/noise.tsv") for word in row["words"].split()}
GLOSSARY = Glossary(
    {word: word for word in VERBS},
    {word: NOISE.get(word, word) for word in FOODS},
    {word: word for word in TOOLS},
    noisy=True,
)


def shown(text: str, method: str = "rules", parses: dict[str, Parse] | None = None) -> str:
    """Actions as verb(ingredients|tools), optional ones with a question mark."""
    return " ".join(map(show, extract([text], GLOSSARY, parses, method=method, style="house")[0]))


def show(action: Action) -> str:
    foods, tools = (",".join(one.surface for one in some) for some in (action.ingredients, action.tools))
    return f"{action.verb}{'?' * action.optional}({foods}{'|' * bool(tools)}{tools})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("鸡肉切块", "切块(鸡肉)"),
        ("将土豆去皮，切丝备用", "去皮(土豆) 切丝() 备用()"),
        ("锅中倒入油，放入葱姜蒜爆香", "倒入(油|锅) 放入(葱,姜,蒜) 爆香()"),
        ("把虾用料酒腌制", "腌制(虾,料酒)"),
        ("粉丝用热水泡软", "泡软(粉丝,热水)"),
        ("加盐，糖，少许酱油，搅拌均匀", "加(盐,糖,酱油) 搅拌()"),
        ("豆腐，香菇，青菜切片", "切片(豆腐,香菇,青菜)"),
        ("牛肉不用去皮，切片", "切片(牛肉)"),
        ("将姜，蒜，葱切丝", "切丝(姜,蒜,葱)"),
        ("淋在豆腐上", "淋(豆腐)"),
        ("倒入碗中", "倒入(|碗)"),
    ],
)
def test_objects_topics_instruments_and_places(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("放入切好的豆腐", "放入(豆腐)"),
        ("将泡香菇的水倒入锅中", "倒入(水|锅)"),
        ("把盘子里的水倒入碗中", "倒入(水|碗)"),
        ("加入适量的盐", "加入(盐)"),
        ("加生粉水", "加(水)"),
        ("加一勺盐", "加(盐)"),
        ("撒姜丝和蒜末", "撒(姜,蒜)"),
        ("下锅煎", "下(|锅) 煎()"),
        ("出锅装盘", "出锅() 装盘()"),
        ("转小火，盖上锅盖", "转() 盖上(|锅盖)"),
        ("切成块", "切成()"),
        ("打成面", "打成()"),
    ],
)
def test_what_is_named_and_what_only_describes(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不要放盐", ""),
        ("不停翻炒", "翻炒()"),
        ("油热时放入姜", "放入(姜)"),
        ("出锅前撒葱花", "撒(葱花)"),
        ("炒至上色", "炒()"),
        ("煮至糖融化后关火", "煮() 关()"),
        ("等糖融化", "融化(糖)"),
        ("水开后煮五分钟", "水开() 煮()"),
        ("加料酒去腥味", "加(料酒)"),
        ("加工好，入味，开心", ""),
        ("我放的是牛肉", ""),
        ("因为鸡肉煮熟了", ""),
        ("拿出来", ""),
        ("青菜炒牛肉就做好了", ""),
        ("葱切丝 牛肉切块 少放一些不然会咸", "切丝(葱) 切块(牛肉)"),  # what 会 says ends at the blank before
        ("牛肉煎一小会", "煎(牛肉)"),
    ],
)
def test_verbs_that_are_no_actions(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("可以加糖", "加?(糖)"),
        ("喜欢吃姜的可以放姜", "放?(姜)"),
        ("煮五分钟即可出锅", "煮() 出锅()"),
        ("如果太淡就加盐", "加?(盐)"),
        ("喜欢的话放姜", "放?(姜)"),
        ("喜欢的话，放姜", "放?(姜)"),
        ("太咸的话加水，煮沸", "加水?() 煮沸()"),
        ("喜欢吃姜的放姜", "放?(姜)"),
        ("喜欢甜的，放糖", "放?(糖)"),
        ("如果是生的，煮一下", "煮?()"),
        ("水可以加多点 放姜", "加?(水) 放(姜)"),  # the blank ends what is optional
        ("中火蒸2分钟可以出锅了", "蒸() 出锅()"),  # it is time
    ],
)
def test_options(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("淋热油", "淋(油)"),
        ("浇上一勺热油", "浇上(油)"),
        ("把热油淋在鱼上", "淋(油,鱼)"),
        ("热油淋在鱼上", "淋(油,鱼)"),
        ("热油，放入姜", "放入(姜)"),
    ],
)
def test_hot_oil_is_a_noun_where_something_is_done_with_it(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_hot_oil_is_shown_whole_where_the_glossary_lists_it() -> None:
    listed = Glossary({"淋": "淋"}, {"油": "油", "热油": "油"}, {})
    assert [show(one) for one in extract(["把热油淋上"], listed, method="rules", style="house")[0]] == [
        "淋上(热油)"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("预热烤箱", "预热(|烤箱)"),
        ("预热好烤箱", "预热(|烤箱)"),
        ("烤箱预热180度", "预热(|烤箱)"),
        ("烤箱预热10分钟，虾放入", "预热(|烤箱) 放入(虾)"),
        ("焯水后青菜切块", "焯水() 切块(青菜)"),
    ],
)
def test_some_verbs_take_their_object_on_either_side(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("淋香油", "淋(香油)"),
        ("放香油", "放(香油)"),
        ("加香叶", "加(香叶)"),
        ("炒香姜", "炒香(姜)"),
        ("爆香葱姜", "爆香(葱,姜)"),
        ("裹上粉浆", "裹上(粉)"),
        ("面糊倒入碗中", "倒入(面|碗)"),
        ("虾浆好", "浆好(虾)"),
        ("虾剥壳", "剥(虾,壳)"),
        ("虾去壳去核", "去(虾,壳) 去(核)"),
    ],
)
def test_where_a_verb_ends_and_a_noun_begins(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_actions_without_nouns_inherit_over_steps() -> None:
    first, second = extract(
        ["鸡肉洗净", "放入锅中，煮熟，加盐，翻炒"], GLOSSARY, method="rules", style="house"
    )
    wash, put, boil, salt, stir = *first, *second
    assert [one.cls for one in wash.ingredients] == ["鸡肉"] and wash.inherited == ()
    assert put.tools and put.inherited == wash.ingredients  # what goes into the vessel
    assert boil.inherited == wash.ingredients
    assert stir.inherited == wash.ingredients + salt.ingredients


def test_a_bracket_is_read_by_itself() -> None:
    assert shown("加水（水没过牛肉）煮沸") == "加水() 煮沸()"


def test_traditional_characters() -> None:
    action = extract(["雞蛋打散，加鹽"], GLOSSARY, method="rules", style="house")[0]
    assert [(one.verb, [noun.surface for noun in one.ingredients]) for one in action] == [
        ("打散", ["雞蛋"]),
        ("加", ["鹽"]),
    ]


def test_the_parser_decides_about_a_clause() -> None:
    noun = Parse(("牛肉", "切片"), (1, -1), ("attribute", "root"))
    verb = Parse(("牛肉", "切片"), (1, -1), ("other", "root"))
    assert shown("牛肉切片", "parser", {"牛肉切片": noun}) == "切片()"
    assert shown("牛肉切片", "parser", {"牛肉切片": verb}) == "切片(牛肉)"
    assert shown("牛肉切片", "parser", {}) == "切片(牛肉)"


def test_a_parse_of_something_else_is_ignored() -> None:
    other = Parse(("别", "的"), (-1, 0), ("root", "other"))
    assert shown("牛肉切片", "parser", {"牛肉切片": other}) == "切片(牛肉)"


def tree(words: str, *heads: int) -> dict[str, Parse]:
    """A clause and its parse, by words with blanks between and the index of the head of each."""
    roles = tuple("root" if head < 0 else OTHER for head in heads)
    return {words.replace(" ", ""): Parse(tuple(words.split()), heads, roles)}


@pytest.mark.parametrize(
    ("words", "heads", "expected"),
    [
        ("加 盐 防止 上色", (-1, 0, 0, 2), "加(盐)"),
        ("加 盐 避免 炒 鸡肉", (-1, 0, 0, 2, 3), "加(盐)"),
        ("加 盐 以免 上色", (-1, 0, 0, 0), "加(盐)"),  # 以免 is on the wrong verb
        ("不 煮沸 炒 鸡肉", (1, 2, -1, 2), "炒(鸡肉)"),
        ("防止 鸡肉 上色 直接 加 盐", (-1, 2, 0, 4, 0, 4), "加(盐)"),
        ("不 放 盐", (1, -1, 1), ""),
        ("可以 放 葱花", (1, -1, 1), "放?(葱花)"),
        ("煮 五 分钟 即可 出锅", (-1, 2, 0, 4, 0), "煮() 出锅()"),
        ("如果 太 淡 就 加 盐", (2, 2, 4, 4, -1, 4), "加?(盐)"),
        ("炒 至 虾 变红", (-1, 3, 3, 0), "炒()"),
        ("煮 至 糖 融化 后 关 火", (-1, 3, 3, 5, 3, 0, 5), "煮() 关()"),
        ("打成 面", (-1, 0), "打成()"),
        ("油 热 时 放入 姜", (1, 3, 1, -1, 3), "放入(姜)"),
        ("因为 鸡肉 煮熟 了", (2, 2, -1, 2), ""),
        ("加 料酒 去 腥味", (-1, 0, 0, 2), "加(料酒)"),
    ],
)
def test_the_rules_say_what_is_no_action_or_optional_in_a_tree(
    words: str, heads: tuple[int, ...], expected: str
) -> None:
    assert shown(words.replace(" ", ""), "parser", tree(words, *heads)) == expected


def test_a_condition_or_a_negation_by_the_tree_reaches_the_next_clause() -> None:
    parses = tree("喜欢 的话", -1, 0) | tree("放 姜", -1, 0)
    assert shown("喜欢的话，放姜", "parser", parses) == "放?(姜)"
    parses = tree("加 糖", -1, 0) | tree("不 放 盐", 1, -1, 1) | tree("翻炒", -1)
    assert shown("加糖，不放盐，翻炒", "parser", parses) == "加(糖) 翻炒()"


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(ValueError, match="method"):
        extract(["切"], GLOSSARY, method="guess", style="house")


SIGNS = "切洗放入加下出开关水油盐姜葱锅碗的把将用和不可至到成后时前，。、（）：~～ 一二3克勺薑鹽😀ａA\n"
COOKING = st.lists(st.sampled_from([*SIGNS, "切好", "如果", "翻炒", "鸡蛋"])).map("".join)


@given(st.lists(st.one_of(COOKING, st.text()), max_size=4))
def test_any_text_gives_actions_as_written(steps: list[str]) -> None:
    found = extract(steps, GLOSSARY, method="rules", style="house")
    assert found == extract(steps, GLOSSARY, method="rules", style="house")
    before = ""
    for text, actions in zip(steps, found, strict=True):
        assert [action.start for action in actions] == sorted({action.start for action in actions})
        for action in actions:
            assert text[action.start : action.end] == action.verb != ""
            for noun in action.ingredients + action.tools:
                assert text[noun.start : noun.end] == noun.surface != ""
            assert all(food.surface in before + text[: action.end] for food in action.inherited)
            assert not action.inherited or all(food.surface[-1] in "水油" for food in action.ingredients)
        before += text


@settings(deadline=None)
@given(COOKING, COOKING)
def test_a_step_reads_the_same_whatever_stands_before(before: str, text: str) -> None:
    def own(actions: list[Action]) -> list[tuple[object, ...]]:
        return [(one.start, one.end, one.ingredients, one.tools, one.optional) for one in actions]

    assert own(extract([text], GLOSSARY, method="rules", style="house")[0]) == own(
        extract([before, text], GLOSSARY, method="rules", style="house")[1]
    )


@given(COOKING, st.data())
def test_any_parse_is_borne(text: str, data: st.DataObject) -> None:
    signs = tuple("".join(text.split()))
    size = len(signs)
    heads = tuple(data.draw(st.integers(-1, size - 1)) for _ in signs)
    roles = tuple(data.draw(st.sampled_from([ROOT, ATTRIBUTE, RELATIVE, NEGATION, OTHER])) for _ in signs)
    for action in extract(
        [text], GLOSSARY, {text: Parse(signs, heads, roles)}, method="parser", style="house"
    )[0]:
        assert text[action.start : action.end] == action.verb


@pytest.mark.parametrize(
    "text", ["把鸡肉切好放入锅中加盐" * 9000, "（" * 50_000, "拍蒜，" * 30_000, "盐 " * 50_000]
)
def test_very_long_texts_are_read(text: str) -> None:
    assert len(extract([text], GLOSSARY, method="rules", style="house")) == 1


@pytest.mark.parametrize("part", ["把鸡肉切好放入锅中加盐", "（", "拍蒜，", "盐 "])
def test_long_texts_take_linear_time(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For four times the text, four times the lines of Python run."""
    monkeypatch.setattr(
        extract_module, "CACHED", 0
    )  # of clauses; those of words are filled by the first call
    extract_module._rules.cache_clear()
    first, once, again = (lines_run(part * size) for size in (100, 100, 400))
    extract_module._rules.cache_clear()
    assert first >= once > 100
    assert again < 4.2 * once


def lines_run(text: str) -> int:
    """How many lines of Python run while the actions of a text are found."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        extract([text], GLOSSARY, method="rules", style="house")
    finally:
        sys.settrace(before)
    return count
