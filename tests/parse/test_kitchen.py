"""What is in which vessel: food that goes into, onto or out of one, tools, remarks and headings.

The sentences are made for their kind of fault, and read with the project's own glossary.
"""

import pytest

from tests.parse.test_cooks import actions, shown


def last(*steps: str) -> str:
    return shown(*steps)[-1].split(":")[1].strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("土豆切丝，放入锅中", "放入: 土豆"),
        ("鱼洗净，放入微波炉", "放入: 鱼"),
        ("青菜焯水捞出，倒入碗中", "倒入: 青菜"),
        ("锅里放油，下鸡蛋炒散，倒入碗中", "倒入: 油 鸡蛋"),
        ("虾洗净，用厨房纸擦干", "擦干: 虾"),
        ("鸡块腌好，下油锅", "下: 鸡块"),
        ("锅里放油，下牛腩炒香，加水，转入砂锅", "转入: 油 牛腩 水"),
        # the tool itself is worked on, or only covers the food
        ("鸡翅煎熟，预热烤箱", "预热:"),
        ("鸡翅洗净，烤盘铺好锡纸", "铺好:"),
        ("面糊搅匀，将盆冲洗干净", "冲洗干净:"),
        ("鸡肉切块，准备一个小碗", "准备:"),
        ("排骨洗净，盖上锅盖", "盖上:"),
    ],
)
def test_what_goes_into_a_vessel_is_named_and_a_tool_that_is_worked_on_is_no_vessel(
    text: str, expected: str
) -> None:
    assert shown(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # lids and doors are opened; the food stays where it is
        ("锅里放油，下鸭肉炒，打开锅盖，下姜，翻炒", "油 鸭肉 姜"),
        ("鱼入烤箱烤，打开烤箱，烤5分钟", "鱼"),
        # a tool for the pot does not move the food to the board
        ("锅里放油，放米饭炒，用锅铲切成块，翻炒", "油 米饭"),
        # what an oven cooked leaves it together, and is turned on its tray
        ("鸡翅加盐，放入烤箱烤20分钟，取出翻面", "鸡翅 盐"),
        ("锅里加水，放年糕，锅煮开，翻炒", "水 年糕"),
    ],
)
def test_lids_tools_and_ovens(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("锅里放油，下鸡块炒熟，盛出备用。锅留底油，下蒜末，炒香", "底油 蒜末"),
        ("锅里放油，下肉片炒散，留少许油，翻炒", "油 肉片"),
        ("牛肉切丝，油热后下姜丝，炒香", "油 姜丝"),
        ("牛肉切丝，起锅烧水，下姜片，煮开", "水 姜片"),
        ("水烧开，放入鸡爪和盐煮熟，捞出，冲洗。锅里加水，放八角，煮开", "水 八角"),
    ],
)
def test_what_a_pot_holds_that_is_used_again(text: str, expected: str) -> None:
    assert last(text) == expected


def test_a_pot_that_is_put_on_again_is_heated_and_not_emptied() -> None:
    found = {each.verb: each.verb_class for each in actions("起锅，倒入油，下葱炒香，出锅。重新起锅，放姜")}
    assert (found["起锅"], found["出锅"], found["重新起锅"]) == ("加热", "出锅", "加热")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("豆腐切块，放入盐水中", "放入: 豆腐 盐水"),
        ("姜切丝放在水里", "放在: 姜 水"),
        ("锅里烧油，下花椒炸香，浇在鱼上", "浇: 油 花椒 鱼"),
        ("青菜焯水捞出，放在面条上", "放在: 青菜 面条"),
        ("娃娃菜洗净，摆在粉丝上面", "摆: 娃娃菜 粉丝"),
        ("调好的酱汁均匀的淋在鱼上", "淋: 酱汁 鱼"),
        ("锅里放油，下姜，倒入热水中火煮", "煮: 油 姜 热水"),  # no place, but a medium fire
        ("锅里放油，下鸡块炒匀，放在豆角上", "放在: 豆角"),  # what goes there is in no glossary
    ],
)
def test_what_goes_onto_or_into_named_food(text: str, expected: str) -> None:
    assert shown(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("鸡切块，用料酒、盐腌制", "腌制: 鸡 料酒 盐"),
        ("鸡爪洗净，用料酒泡", "泡: 鸡爪 料酒"),
        ("排骨冷水下锅，姜片、料酒焯水", "焯水: 排骨 水 姜片 料酒"),
    ],
)
def test_seasonings_alone_are_not_all_that_is_treated(text: str, expected: str) -> None:
    assert shown(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("芹菜摘去黄叶，清洗", "芹菜"),
        ("鸡爪洗净，去掉脚趾，冲洗", "鸡爪"),
        ("锅里放油，下姜片炸香，捞出姜片弃用，翻炒", "油"),
        ("凤爪焯水去浮沫，捞出", "凤爪"),
        ("锅里放油，放入肉末打散", "油 肉末"),
        ("锅里放油，下蒜炒香，粉丝装盘，淋酱汁，上锅蒸", "粉丝 酱汁"),
        ("菠菜洗净，鸡蛋打入碗中，搅匀", "鸡蛋"),
        ("黄瓜切丝，碗里放豆腐，加盐，拌匀", "豆腐 盐"),
        ("肉加盐腌制，调酱醋，搅匀", "酱 醋"),
    ],
)
def test_what_is_gone_or_elsewhere_is_not_worked_on(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a heading, a remark in a bracket, a list of ingredients
        ("焯水：锅里烧水，下排骨", ["烧: 水", "下: 排骨"]),
        ("调汁：生抽加醋，拌匀", ["调汁:", "加: 生抽 醋", "拌匀: 生抽 醋"]),
        (
            "锅里放油，放花椒、红椒（切段），炒香",
            ["放: 油", "放: 花椒 红椒", "切段: 红椒", "炒香: 油 花椒 红椒"],
        ),
        ("锅里加鸡（提前用盐腌制）", ["加: 鸡", "腌制: 鸡 盐"]),
        ("土豆1个、葱2根，土豆去皮", ["去皮: 土豆"]),
        # a list with blanks, water between two verbs, a measure, a result that 把 ends
        ("放入盐 糖 醋炒匀", ["放入: 盐 糖 醋", "炒匀: 盐 糖 醋"]),
        ("鸡爪煮熟，捞出冷水过凉", ["煮熟: 鸡爪", "捞出: 鸡爪", "过凉: 鸡爪 冷水"]),
        ("炸至酥脆就把油倒掉", ["炸至:", "倒掉: 油"]),
        ("选新鲜排骨，剁成块", ["剁成: 排骨"]),
        ("锅中留少许热油，下葱花", ["留: 油", "下: 葱花"]),
        ("姜切片，腌制用", ["切片: 姜"]),
        # how soft it is, what it smells of, and what is in the water are no actions
        ("鸡爪煮到筷子能轻松扎透，捞出", ["煮: 鸡爪", "捞出: 鸡爪"]),
        ("水开，可以打入一个鸡蛋", ["水开:", "打入: 鸡蛋"]),
        ("锅里放油，下姜，炒至出香味", ["放: 油", "下: 姜", "炒至出香味: 油 姜"]),
        ("金针菇平铺在刷了油的锡纸上", ["平铺: 金针菇"]),
    ],
)
def test_which_words_are_actions_and_what_belongs_to_them(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "tools"), [("加高汤两小碗", []), ("取一小碗", ["小碗"]), ("开另一小锅，将汁倒入", ["小锅"])]
)
def test_a_small_bowl_measures_beside_food(text: str, tools: list[str]) -> None:
    assert [tool.surface for tool in actions(text)[-1].tools] == tools


@pytest.mark.parametrize(
    ("text", "verb", "name"), [("面条夹入碗中", "夹入", "加入"), ("烤箱调180度", "调", "转小火")]
)
def test_classes_of_verbs_beside_vessels_and_degrees(text: str, verb: str, name: str) -> None:
    assert {each.verb: each.verb_class for each in actions(text)}[verb] == name


def test_the_meat_of_mushrooms_is_none() -> None:
    assert [food.cls for each in actions("鸡腿菇切片，肉下锅") for food in each.foods] == ["茶树菇", "猪肉"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("肉馅塞入青椒。锅里放油，放青椒，煎", "油 青椒 肉馅"),  # what is stuffed is not left on the board
        ("牛腩放入锅中，加水炖。另一口锅烧油，下土豆，炒", "油 土豆"),
        ("锅里加水，放鸡爪煮熟捞出，切块。炒锅里放花椒，炒香", "花椒"),  # no longer in the water
        ("苦瓜切片，放芝麻油，放五花肉煸炒", "芝麻油 五花肉"),
        ("虾头炸出油，虾仁煎熟盛出。锅里留虾头，下蒜，翻炒", "虾头 蒜"),
        ("葱切花。油烧热，扔葱花进去，炒香", "油 葱花"),
    ],
)
def test_what_goes_together_and_into_which_pot(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # another pot is named, food comes back that nobody took out, or the next vessel is a bowl
        ("锅中加水，放入鱼丸煮熟，捞出。牛肉片洗净，放入电压力锅，加盐，拌匀", "牛肉片 盐"),
        ("锅里放油，放入地瓜炸。锅里放入白糖，加热。放入炸好的地瓜，翻炒", "白糖 地瓜"),
        ("锅里放油，下虾炒，锅边倒入料酒，加与虾齐平的水，翻炒", "油 虾 料酒 水"),
        ("雪梨切开，把冰糖放进去，整只梨放入碗里，隔水蒸", "梨 冰糖"),
        # a sauce of its own
        ("白菜切片。葱和姜切片。葱和姜放入小碗，加入酱油，搅拌均匀", "葱 姜 酱油"),
        ("土豆切丝，蒜切末。盐、生抽、香醋，加清水，搅匀", "盐 生抽 香醋 清水"),
        # food soaks in the pot, and what it was soaked in stays behind
        ("锅里烧水，放入豆腐煮3分钟，关火浸泡", "水 豆腐"),
        ("鸡爪洗净，用凉白开浸泡，捞出", "鸡爪"),
        ("锅里放油，放地瓜炸熟，捞出。油倒入碗中，锅里倒入水和糖，熬制", "水 糖"),
    ],
)
def test_what_left_the_pot_though_no_verb_says_so(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("水中倒入淀粉，一勺生抽，两勺醋待用", ["倒入: 水 淀粉 生抽 醋", "待用: 水 淀粉 生抽 醋"]),
        ("倒入干辣椒，花椒，姜炝锅", ["倒入: 干辣椒 花椒 姜", "炝锅: 干辣椒 花椒 姜"]),
    ],
)
def test_a_list_goes_on_to_the_verb_that_adds_and_not_to_one_that_waits_or_stirs(
    text: str, expected: list[str]
) -> None:
    assert shown(text) == expected


def test_the_product_says_how_finely_something_is_cut() -> None:
    classes = [each.verb_class for each in actions("切点蒜末，葱切末，切好葱段")]
    assert classes == ["切碎", "切碎", "切"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("糖浆、花生油搅匀，筛入面粉，拌成团，包好", "糖浆 花生油 面粉"),
        ("黄油、鸡蛋打匀，筛入低筋面粉，放入烤箱，烤，脱模", "黄油 鸡蛋 低筋面粉"),
        ("黄油、鸡蛋打匀，面粉过筛加入，揉匀", "黄油 鸡蛋 面粉"),
        ("黄油、鸡蛋打匀，面粉过筛加入，翻拌", "黄油 鸡蛋 面粉"),
        ("鸡蛋打散，冲入热牛奶，搅匀", "鸡蛋 热牛奶"),
        ("肉馅加盐，挤入姜汁，搅匀", "肉馅 盐 姜汁"),
        ("面团揉匀，揉进黄油，发酵", "面团 黄油"),
        ("面糊备用，筛入面粉，拌匀", "面糊 面粉"),
        ("面团擀成皮，包入豆沙，上锅蒸", "面团 豆沙"),
        ("取面团，包豆沙，上锅蒸", "面团 豆沙"),
        ("面皮擀薄，包入肉馅，下锅", "面皮 肉馅"),
        ("金针菇洗净，包上培根，煎", "金针菇 培根"),
        ("紫菜铺上米饭，卷入黄瓜，切段", "紫菜 米饭 黄瓜"),
        ("面包片抹上黄油，夹上火腿，煎", "面包片 黄油 火腿"),
        ("锅里加牛奶，筛入可可粉，煮", "牛奶 可可粉"),
        # what is soaked or pierced, and work on a group of its own
        ("豆腐浸入盐水，切块", "豆腐"),
        ("豆腐煎黄，竹签插入豆腐，撒盐，煎", "豆腐 盐"),
        ("黄瓜切片备用。打入鸡蛋，搅匀", "鸡蛋"),
        ("面团包上保鲜膜，切块", "面团"),
    ],
)
def test_what_is_worked_into_food_joins_it(text: str, expected: str) -> None:
    assert last(text) == expected


@pytest.mark.parametrize(
    "sauce",
    ["酱油", "红烧酱油", "味极鲜酱油", "海鲜酱油", "薄盐酱油", "蒸鱼豉油", "素蚝油", "小磨香油", "淡奶油"],
)
def test_sauces_and_cream_of_any_brand_go_to_what_the_pot_holds(sauce: str) -> None:
    text = f"锅中放油，放五花肉炒香，加水煮开。土豆切块，加{sauce}，翻炒"
    assert last(text) == f"油 五花肉 水 {sauce}"


@pytest.mark.parametrize("oil", ["花生油", "猪油", "黄油", "亚麻油", "胡麻油"])
def test_oil_to_fry_in_goes_into_an_empty_pot(oil: str) -> None:
    assert last(f"锅里加水，放姜、五花肉煮熟，捞出。加{oil}，放土豆，翻炒") == f"{oil} 土豆"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("锅里放鸡蛋、鸡翅煮熟，捞出鸡蛋，加盐，翻炒", "鸡翅 盐"),
        ("锅中放油，放土豆、豆角炒熟，盛出土豆，加盐，炒匀", "油 豆角 盐"),
        ("锅中放油，放青椒、青菜炒熟，盛出青椒，翻炒", "油 青菜"),
        ("锅中放油，放香菇、香肠炒熟，盛出香肠，翻炒", "油 香菇"),
        # what was taken out is on the bench, and the rest in the pot
        ("锅中放油，放土豆、豆角炒熟，盛出土豆，备用", "土豆"),
        ("锅中放油，放豆腐、豆芽炒熟，捞出豆腐，装盘。再翻炒", "油 豆芽"),
        ("锅里放油，放鸡肉、鸡精炒熟，捞出，翻炒", "油 鸡精"),
        ("锅里放油，放八角、干辣椒段炸香，捞出，放土豆，翻炒", "油 土豆"),
        # what a vessel is filled with was not in the pot
        ("锅里放水，放鸡爪、姜煮熟，捞出鸡爪。装入冰块、凉水，晾透", "鸡爪"),
        # by another name, or by its kind
        ("锅里放水，放鲈鱼、豆腐煮熟，捞出鱼，煮", "水 豆腐"),
        ("锅里放水，放牛腩、豆腐煮熟，捞出牛肉，煮", "水 豆腐"),
        ("锅里放水，放羊排、豆腐煮熟，捞出肉，煮", "水 豆腐"),
    ],
)
def test_only_the_food_that_is_named_leaves_the_pot(text: str, expected: str) -> None:
    assert last(text) == expected
