"""Ingredient lines of both languages are read as the same foods."""

from pathlib import Path

import pytest
from wokflow.match.amounts import grams
from wokflow.match.cooking import NAMES, cooking, forms
from wokflow.match.foods import Foods

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def foods() -> Foods:
    return Foods.load(ROOT / "resources/lexicon", ROOT / "resources/glossary")


@pytest.mark.parametrize(
    ("zh", "en"),
    [
        ("500克五花肉", "2 lb. skin-on pork belly, cubed"),
        ("2个西红柿", "2 ripe tomatoes"),
        ("淡奶油 30 毫升", "2 tbsp heavy cream"),
        ("2根小葱", "3 scallions, chopped"),
        ("4瓣蒜", "4 cloves of garlic"),
        ("1勺番茄酱", "1 tbsp ketchup"),
        ("少许辣椒粉", "1/4 tsp cayenne"),
        ("土豆 200 g（去皮）", "1 lb potatoes (peeled)"),
    ],
)
def test_a_line_names_the_same_food_in_both_languages(foods: Foods, zh: str, en: str) -> None:
    assert foods.chinese(zh) == foods.english(en) != []


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("盐 1/4 茶匙", ["salt"]),
        ("茶叶 5克", ["tea"]),
        ("Salt and pepper", ["salt", "pepper"]),
        ("2 cups beef broth", ["broth"]),
        ("1 cup broth (optional)", ["broth"]),
        ("1 tbsp red wine vinegar", ["vinegar"]),
        ("1 lb collard greens", ["leafy greens"]),
    ],
)
def test_a_spoon_or_a_broth_is_not_the_food_that_it_is_called_by(
    foods: Foods, line: str, named: list[str]
) -> None:
    assert foods.read(line, "en" if line.isascii() else "zh") == named


def test_brackets_count_only_where_nothing_else_names_a_food(foods: Foods) -> None:
    assert foods.english("2 onions (or leeks)") == foods.english("2 onions")
    assert foods.chinese("蔬菜叶（比如菠菜）") == foods.chinese("蔬菜叶")
    assert foods.english("1 box (spinach)") == foods.english("spinach")


def test_a_food_is_also_what_it_is_a_part_or_a_kind_of_but_a_sauce_is_not_its_ingredient(
    foods: Foods,
) -> None:
    assert foods.broader("pork belly") == ["pork"]
    assert foods.broader("rock sugar") == ["sugar"]
    assert foods.broader("oyster sauce") == []


def test_lists_of_a_lexicon_of_ones_own_are_read_whatever_they_are_called(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text(
        "zh\ten\tkind\n榴莲糖\tdurian candy\tingredient\n炒\tfried\ttechnique\n", "utf-8"
    )
    own = Foods.load(tmp_path, ROOT / "resources/glossary")
    assert own.chinese("榴莲糖三颗") == own.english("3 durian candies") == ["durian candy"]


@pytest.mark.parametrize(
    ("line", "amount"),
    [
        ("500克五花肉", 500),
        ("1 1/2 c. flour", 360),
        ("½ cup milk", 120),
        ("半碗水", 125),
        ("2-3 lbs shrimp", 908),
        ("约 2 斤", 1000),
        ("3勺生抽", 45),
        ("1-1/2 cups flour", 360),
        ("1 and ½ cup sugar", 360),
        ("1-2 1/2 cups flour", 240),
        ("6 to 8 Tbsp. water", 90),
        ("2,5 kg potatoes", 2500),
        ("1,000 g flour", 1000),
        ("1 kilogram beef", 1000),
        ("250 milliliters milk", 250),
        ("1 fluid ounce rum", 28),
        ("鸡半只/500g", 500),
        ("16盎司奶酪", 448),
        ("2 大茶匙盐", 10),
        ("3汤勺油", 45),
        ("十五克盐", 15),
        ("二十克糖", 20),
        ("三十毫升水", 30),
        ("一百克面粉", 100),
        ("两百零五克糖", 205),
        ("一百五克糖", 150),
        ("两千三百五十克肉", 2350),
        ("二〇〇克糖", 200),
        ("一点五千克肉", 1500),
        ("十多克盐", 10),
        ("两三勺油", 30),
        ("一两勺油", 15),
        ("三两牛肉", 150),
        ("一斤半五花肉", 750),
        ("一斤半肥半瘦的肉", 500),
        ("1杯半脂奶", 240),
        ("1、200克面粉", 200),
        ("1、2克盐", 1),
        ("两、三克盐", 2),
        ("鸡蛋3,200克面粉", 200),
        ("鸡蛋3，200克面粉", 200),
        ("面粉1,000克", 1000),
        ("约1,500克面粉", 1500),
        ("土豆2/500g", 500),
        ("1,125 kg beef", 1125),
        ("两三百克糖", 200),
        ("三四十克糖", 30),
        ("十七八克糖", 17),
        ("一百二三十克糖", 120),
        ("百克糖", 100),
        ("面粉（千克）", None),
        ("一万克米", 10000),
        ("三分之二杯水", 160),
        ("4分之三茶匙盐", 3.75),
        ("四分之一到三分之一杯水", 60),
        ("2又1/2杯水", 600),
        ("十 又 二分之一杯水", 2520),
        ("二又1/2杯水", 600),
        ("百分之二杯", None),
        (".5 cup milk", 120),
        ("5\u20e3\ufe0f.2g白糖", 2),
        ("1 / 2 cup milk", 120),
        ("1½ cups milk", 360),
        ("①500克面粉", 500),
        ("0点5克盐", 0.5),
        ("１．５升水", 1500),
        ("1 l\u0131ter milk", 1000),
        ("2 cl garlic", None),
        ("20cl cream", 200),
        ("1 (14.5-ounce) can tomatoes", 406),
        ("1 - 14 oz can tomatoes", 392),
        ("2-8 oz pkgs cheese", 224),
        ("10-12 oz pkg noodles", 280),
        ("5 fl.oz milk", 140),
        ("一大碗水", 250),
        ("1平勺盐", 15),
        ("一小勺盐", 5),
        ("一两个鸡蛋", None),
        ("姜一两片", None),
        ("三黄鸡、八角", None),
        ("4 cloves garlic", None),
        ("0/0 g salt", None),
        ("适量盐", None),
    ],
)
def test_amounts_are_read_in_grams(line: str, amount: float | None) -> None:
    assert grams(line) == amount


def test_steps_name_ways_of_cooking_and_vessels_but_no_parts_of_other_words() -> None:
    found = [NAMES[place] for place in cooking(["Add the potatoes to the pancakes, baked in an oven."], "en")]
    assert found == ["bake or roast", "oven"]
    assert [NAMES[place] for place in cooking(["焯水后放入高压锅"], "zh")] == ["blanch", "pressure cooker"]


@pytest.mark.parametrize(
    ("step", "lang", "names"),
    [
        ("Mix flour, baking powder and baking soda.", "en", []),
        ("Toss with the dressing until well coated.", "en", ["dress"]),
        ("Add 1 cup of water and tiny cubes of brown sugar to the glass.", "en", ["glass"]),
        ("加入1杯水、 2 碗米和半碗油", "zh", []),
        ("一大碗水、¾杯奶、１\u3000杯糖、1量\n杯米、两茶杯水", "zh", []),
        ("取一碗，打入鸡蛋，分成4碗", "zh", ["bowl"]),
        ("放入一碗中", "zh", ["bowl"]),
        ("Add baking  powder and\nbaking\nsoda.", "en", []),
        ("倒入一个大碗，再倒入玻璃杯", "zh", ["bowl", "glass"]),
        ("油烧至七成热，蛋白质凝固", "zh", []),
        ("打发蛋白", "zh", ["whip"]),
        ("Prick with the tines of a fork, cover with tin foil; open a tin of beans.", "en", []),
        ("Add the whipping cream and toasted sesame seeds.", "en", []),
        ("Whip the cream; toast the seeds in a cake tin.", "en", ["bake or roast", "whip", "tin"]),
        ("裹上蛋液和面包糠", "zh", []),
        ("和面包上保鲜膜", "zh", ["knead"]),
    ],
)
def test_measures_and_ingredients_are_no_vessels_or_ways_of_cooking(
    step: str, lang: str, names: list[str]
) -> None:
    assert [NAMES[place] for place in cooking([step], lang)] == names


def test_titles_name_the_kind_of_dish() -> None:
    assert [NAMES[place] for place in forms("奶油蘑菇汤", "zh")] == ["soup"]
    assert [NAMES[place] for place in forms("盐焗鸡（电饭煲）", "zh")] == []
    assert [NAMES[place] for place in forms("Air Fryer Casserole", "en")] == ["stew"]
    assert [NAMES[place] for place in forms("Cream of Mushroom Soup", "en")] == ["soup"]
