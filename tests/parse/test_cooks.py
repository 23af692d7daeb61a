"""What cooks correct in actions, by kind: what is result or part and no food, what a liquid is, whose meat 肉 is.

The sentences are made for their kind, and read with the project's own glossary.
"""

from functools import cache

import pytest
from wokflow.parse.extract import extract
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.types import Action

from tests.conftest import ROOT


@cache
def glossary() -> Glossary:
    return read_glossary(ROOT / "resources" / "glossary")


def actions(*steps: str) -> list[Action]:
    return [action for step in extract(steps, glossary(), method="rules", style="house") for action in step]


def shown(*steps: str) -> list[str]:
    """Actions as verb: foods, inherited ones before those that are named."""
    return [
        f"{each.verb}: {' '.join(food.surface for food in each.foods)}".strip() for each in actions(*steps)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("鸡丁入锅炒散籽，加葱姜炒香", ["入锅: 鸡丁", "炒散籽: 鸡丁", "加: 葱 姜", "炒香: 鸡丁 葱 姜"]),
        ("肉末下锅滑散籽，盛出", ["下锅: 肉末", "滑散籽: 肉末", "盛出: 肉末"]),
        (
            "牛肉丝下锅炒散子，下青椒，炒匀",
            ["下锅: 牛肉丝", "炒散子: 牛肉丝", "下: 青椒", "炒匀: 牛肉丝 青椒"],
        ),
        ("虾下锅，倒料汁，收汁亮油后加花生", ["下锅: 虾", "倒: 料汁", "收汁: 虾 料汁", "加: 花生"]),
        ("红豆煮开花，关火", ["煮: 红豆", "关火: 红豆"]),
    ],
)
def test_a_result_that_names_a_part_or_a_liquid_is_no_food(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("炸皮蛋到表皮起泡，捞出", ["炸: 皮蛋", "捞出: 皮蛋"]),
        ("豆腐煎至表皮起泡", ["煎至: 豆腐"]),
        ("炸藕盒至外壳酥脆，捞出", ["炸: 藕盒", "捞出: 藕盒"]),
        ("煎鱼至鱼皮焦黄，翻面", ["煎: 鱼", "翻面: 鱼"]),
        ("煎豆腐到两面金黄", ["煎: 豆腐"]),
        ("鸡翅煎至鸡皮收紧，加水", ["煎至: 鸡翅", "加: 水"]),
        ("鱼放到盘子里，倒入油", ["放到: 鱼", "倒入: 油"]),  # a place, and no result
    ],
)
def test_what_stands_in_a_result_is_not_worked_on(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["锅里烧开水，放入米粉煮熟，捞出过凉"], "米粉"),
        (["豆腐切片，沸水汆一下捞出晾凉"], "豆腐"),
        (["嫩豆腐切块，盐水里煮1分钟，捞出来放凉"], "嫩豆腐"),
        (["西兰花掰小朵", "水开后加油和盐，焯一分钟，过凉水"], "西兰花"),
        (["牛肉切小块，焯水"], "牛肉"),
        (["排骨洗净。用清水浸泡1小时"], "排骨 清水"),
        (["排骨剁块。加清水、花椒泡1小时，捞出"], "排骨"),
        (["羊排剁块，开水焯一下"], "羊排 开水"),
        (["鸡爪煮熟，捞出，用冰水泡"], "鸡爪 冰水"),
        (["豆腐切块。用油煎"], "豆腐 油"),
        (["腰果冷油炸脆，捞出放凉", "芦笋切段焯水"], "芦笋"),
        (["雪菜用油炒香，放凉", "嫩豆腐切块，焯水，沥干"], "嫩豆腐"),
        (["锅中倒入清水，烧开"], "清水"),  # heats the water itself
        (["鱼洗净。锅里烧水"], "水"),
        (["面粉加酵母揉匀。冷水上锅，水开后蒸12分钟"], "面粉 酵母"),
        (["豆角焯水，放凉。皮蛋剥壳，水里煮3分钟，切块"], "皮蛋"),
    ],
)
def test_a_liquid_is_not_what_is_worked_on(steps: list[str], expected: str) -> None:
    assert shown(*steps)[-1].split(": ")[1].replace("锅里", "") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("大肠用面粉和白醋搓洗，加葱姜煮15分钟，捞出切成3厘米的段", "大肠"),
        ("肥肠加葱段姜片焯水，捞出切成3厘米", "肥肠"),
        ("肥肠焯水，葱姜切段。肥肠煮熟，捞出切成3厘米", "肥肠"),
        ("虾仁开背去虾线，洗净", "虾仁"),
        ("鸡洗净，鸡皮去掉，切块", "鸡"),
        ("榛蘑剪掉老根，洗净", "榛蘑"),
        ("花生炒熟，搓掉皮，切碎", "花生"),
        ("猪蹄焯水，姜切片，葱切段，放入高压锅，压20分钟", "猪蹄 姜 葱"),
        ("虾头用油煎，捞掉虾头。虾肉加盐、淀粉抓匀", "虾肉 盐 淀粉"),
    ],
)
def test_what_is_washed_off_or_taken_away_is_gone_and_what_it_was_of_stays(text: str, expected: str) -> None:
    assert shown(text)[-1].split(": ")[1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("锅里倒油，爆香葱姜，放青椒炒软。加油，下蒜末炒香", "青椒"),
        ("鸡翅放入烤箱烤10分钟，刷油，撒孜然粉，再烤5分钟", "鸡翅"),
        ("腊肠切片，小火煎透，加猪油，下米饭炒散", "腊肠"),
        ("虾用料酒腌制。锅里倒油，放虾煎熟，加番茄酱，炒匀", "虾"),
        ("锅中水烧开，放姜，羊排下去煮50分钟，捞出", "羊排"),
        ("鸡胸切丁，加盐、淀粉上浆", "鸡胸 盐 淀粉"),
    ],
)
def test_what_is_added_joins_what_the_pot_holds(text: str, expected: str) -> None:
    assert expected in shown(text)[-1]


def test_seasoning_of_another_food_does_not_join_what_was_prepared() -> None:
    assert shown("豆腐切块，蒜加盐捣成泥")[-1] == "捣成: 蒜 盐"


@pytest.mark.parametrize(
    ("text", "verb", "name"),
    [
        ("花生用油泡酥", "泡酥", "炸"),
        ("花生用热油泡5分钟", "泡", "炸"),
        ("腰果放油里泡3分钟", "泡", "炸"),
        ("油烧热，下花生米，小火泡5分钟，捞出", "泡", "炸"),
        ("花生下油锅浸炸", "浸炸", "炸"),
        ("辣椒用香油泡一夜", "泡", "浸泡"),  # a seasoning
        ("木耳加清水和少许油，泡30分钟", "泡", "浸泡"),
        ("锅里放油，放土豆煎熟，盛出，用水泡粉丝", "泡", "浸泡"),
        ("花生抖掉皮", "抖掉", "抖掉"),
        ("裹上淀粉，抖去多余的粉", "抖去", "抖掉"),
        ("盖盖焖，晃动锅子", "晃动", "晃动"),
        ("羊排室温放半小时", "放", "静置"),
        ("面团放一夜", "放", "静置"),
        ("汤里放3分之一的盐", "放", "加入"),
        ("放10克盐", "放", "加入"),
        ("水开了，火调中", "调", "转小火"),
        ("调料汁小火煮", "煮", "煮"),
        ("生菜摆盘，滴几滴香油", "滴", "淋"),
    ],
)
def test_the_class_is_what_the_verb_does_there(text: str, verb: str, name: str) -> None:
    assert {each.verb: each.verb_class for each in actions(text)}[verb] == name


def test_water_alone_is_not_taken_out() -> None:
    assert shown("水烧开，捞出")[-1] == "捞出:"


def test_food_that_stands_for_some_time_goes_nowhere() -> None:
    assert shown("排骨切块，放10分钟，锅里倒油，下葱炒香")[-1] == "炒香: 油 葱"


def test_food_that_curls_by_itself_is_not_rolled() -> None:
    assert shown("虾下锅炒，变红卷起来马上盛出") == ["下锅: 虾", "炒: 虾", "盛出: 虾"]
    assert shown("面皮放上馅卷起来")[-1].startswith("卷起来")
    assert shown("放入腊肠，炒至*微微卷边*，放入豆角，翻炒")[-1] == "翻炒: 腊肠 豆角"


def test_what_a_vessel_holds_already_is_not_put_there() -> None:
    assert shown("盛有蛋白的碗中加糖") == ["加: 糖"]
    assert shown("将步骤 2 中盛着大米的碗中的水倒出")[0].startswith("倒出")
    assert shown("炒好的菜盛出")[-1].startswith("盛出")


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (["羊排洗净", "肉放入锅中"], "羊肉"),
        (["鸡腿去骨，肉切丁"], "鸡肉"),
        (["鸡汤烧开。牛腩焯水，肉切块"], "牛肉"),
        (["鸭子斩块，下肉块炒香"], "鸭"),
        (["五花肉切片，肉下锅"], "五花肉"),
        (["牛肉切片。猪肉切丝，肉放入碗中"], "猪肉"),
        (["鱼去骨，肉切片"], "鱼"),
        (["肉切丝。鸡蛋打散"], "猪肉"),
        (["虾仁切丁，肉剁成末"], "猪肉"),  # beside shrimps it is pork
        (["牛奶加热。肉切丝"], "猪肉"),
        (["鱼豆腐切块，肉切片"], "猪肉"),
        (["鱼饼切片，鸡蛋液搅匀，肉切片"], "猪肉"),
        (["牛肝菌片泡软，牛蒡切丝，肉切片"], "猪肉"),  # without its cut no meat either
        (["素鸡块炒香，肉切片"], "猪肉"),
        (["鸡块洗净，肉切丝"], "鸡肉"),
    ],
)
def test_meat_without_a_name_is_that_of_the_dish(steps: list[str], name: str) -> None:
    found = [
        food.cls for each in actions(*steps) for food in each.ingredients if food.surface in ("肉", "肉块")
    ]
    assert found == [name]


def test_meat_without_a_name_is_what_the_pot_holds() -> None:
    assert shown("羊排洗净，加姜煮熟，把肉捞出，切块")[-1] == "切块: 肉"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a word that begins with a verb or liquid belongs to the verb or liquid before it
        ("翻炒芝麻", ["翻炒: 芝麻"]),
        ("洗净鸭肉", ["洗净: 鸭肉"]),
        ("锅中加水煮熟", ["加: 水", "煮熟: 水"]),
        ("冷锅热油，下蒜片", ["热油:", "下: 蒜片"]),
        ("烧一锅热水", ["烧: 热水"]),
        ("热锅凉油葱姜爆香", ["热锅:", "爆香: 葱 姜"]),
        ("把虾过油炸一遍", ["过油: 虾", "炸: 虾"]),
        ("加蚝油酱油各一勺", ["加: 蚝油 酱油"]),
        ("加入1000毫升水", ["加入: 水"]),
        # what a food tastes or looks like, where it was cut, and a knife behind it are no food
        ("炒去生辣椒味", ["炒去:"]),
        ("茄子切面朝下摆盘", ["摆盘: 茄子"]),
        ("蒜刀背拍碎", ["拍碎: 蒜"]),
        # implements with which a cook tests what is done
        ("鸭肉煮至筷子能插入", ["煮: 鸭肉"]),
        ("筷子放进去有小泡时下丸子", ["下: 丸子"]),
        # modifiers of more than one verb, or with an object
        ("放入洗净切好的冬瓜", ["放入: 冬瓜"]),
        ("放入裹过淀粉的豆皮", ["放入: 豆皮"]),
        ("豆皮煎至微焦的状态", ["煎至: 豆皮"]),
        # amounts and limits are no negation
        ("用不超过60度的水化开酵母", ["化开: 水 酵母"]),
        ("放一大勺生抽，1点盐，1勺淀粉搅拌均匀", ["放: 生抽 盐 淀粉", "搅拌均匀: 生抽 盐 淀粉"]),
        # rinsing
        ("虾用凉水过一下", ["过: 虾 凉水"]),
        ("鸭肉过两遍冷水", ["过: 鸭肉 冷水"]),
        ("切过的鸭肉放锅里", ["放: 鸭肉"]),
        # what is listed behind an action is its object
        ("放生抽，糖一勺，蒜拍碎", ["放: 生抽 糖", "拍碎: 蒜"]),
        ("冬瓜去皮，沥干水分，盐料酒腌制", ["去皮: 冬瓜", "沥干: 水分", "腌制: 冬瓜 盐 料酒"]),
        ("加糖，香油提鲜", ["加: 糖 香油", "提鲜: 糖 香油"]),
        ("鸭肉加盐.糖.醋，拌匀", ["加: 鸭肉 盐 糖 醋", "拌匀: 鸭肉 盐 糖 醋"]),
        ("冬瓜🍉切片", ["切片: 冬瓜"]),
        # a colon behind a stage or a sauce
        ("水开：下面条，煮熟", ["水开:", "下: 面条", "煮熟: 水 面条"]),
        ("调汁：生抽一勺、醋两勺、糖", ["调汁: 生抽 醋 糖"]),
        # parts
        ("芹菜去根，切段", ["去: 芹菜 根", "切段: 芹菜"]),
        ("大虾除去沙线，切段", ["除去: 大虾 沙线", "切段: 大虾"]),
    ],
)
def test_words_and_lists_are_read_as_a_cook_reads_them(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "verb_class"),
    [
        ("虾过沸水", "焯水"),
        ("虾过凉水", "过凉"),
        ("鸡丁划散", "翻炒"),
        ("将热油倒走", "倒掉"),
        ("金桔扔下去", "加入"),
        ("转至砂锅", "加入"),
        ("转到小火", "转小火"),
        ("翻煮年糕", "煮"),
        ("水太多可以倒出去", "倒掉"),
    ],
)
def test_a_verb_is_in_the_class_of_what_is_done(text: str, verb_class: str) -> None:
    assert [action.verb_class for action in actions(text)] == [verb_class]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (["苦瓜切片，洋葱切丝，放一起，腌十分钟"], "苦瓜 洋葱"),
        (["黄瓜切片，木耳焯水，放在一起拌匀"], "黄瓜 木耳"),
        (["蒜切末，姜切丝，豆腐切块，全部装入碗中拌匀"], "蒜 姜 豆腐"),
        (["牛肉切片。黄瓜切丝，放一起拌匀"], "黄瓜"),  # the sentence's
        (["大虾开背去虾肠，洗净"], "大虾"),
        (["锅中烧水，下入鱼片", "在水中放1分钟"], "鱼片 水"),
        (["香菜洗净", "锅里倒油，加入豆瓣酱和姜丝", "倒入开水，煮成红汤"], "油 豆瓣酱 姜丝 开水"),
        (["莲子洗净", "汤盅洗干净"], ""),
        (["菜梗洗净，切丁"], "菜梗"),
        (["锅里放油，下鸡块炒香，锅中加水煮，放入鸡蛋煮熟"], "油 鸡块 水 鸡蛋"),
        (["锅中放水，放入花生粉、鸡块煮，捞出"], "花生粉 鸡块"),
        (["电饭煲加水，放入鸡、玉米煮熟，捞出鸡", "鸡撕成丝，放入电饭锅，加盐，炖"], "水 玉米 鸡 盐"),
        (["鱼擦干，并用10克盐抹遍鱼身"], "盐 鱼身"),
        (["鸡翅加盐、黑胡椒粉腌制", "鸡翅放在烤盘上", "烤盘放入烤箱"], "鸡翅"),
    ],
)
def test_what_is_together_and_what_is_gone(steps: list[str], expected: str) -> None:
    assert " ".join(food.surface for food in actions(*steps)[-1].foods) == expected
