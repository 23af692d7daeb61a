"""The real word lists name what the Chinese names: no place, style or ingredient that it does not give."""

import re
from functools import cache
from pathlib import Path

import pytest
from wokflow.match.lexicon import Entry, Lexicon

RESOURCES = Path(__file__).resolve().parents[2] / "resources" / "lexicon"

REMARK = re.compile(r"(?<!\s)\s*+\([^()]*\)")  # behind an English word, as in jiaozi (dumplings)
# English names that hold a place, for a thing that has none in Chinese.
NAMES = re.compile(
    r"\b(?:American ginseng|French (?:dressing|fries|press|toast)|Swiss roll|Bombay duck|Spanish mackerel|Korean mint"
    r"|Indian aster|Sichuan pepper\w*|Cantonese hot pot|Jinhua ham"
    r"|Chinese (?:artichoke|bayberry|bellflower|broccoli|cabbage|celery|chives?|crepe"
    r"|cured meats|five spice|hamburger|herbs|herbal tea|lettuce|olives|onion|rice wine"
    r"|sausage|tonic|toon|wampee|yam))\b",
    re.IGNORECASE,
)
# Places that a title may give by another name or by one character.
PLACES = {
    "African": "非",
    "Anhui": "皖",
    "Basque": "巴斯克",
    "Boston": "波龙",
    "Dai": "带子",
    "Dalian": "褡裢",
    "English": "英",
    "European": "欧",
    "French": "法",
    "Hangzhou": "杭",
    "Hui": "烩|桧",
    "Japanese": "练切",
    "Lao": "老|捞|锅烙|陶华碧",
    "Luzhou": "庐州",
    "Macanese": "葡",
    "Mianyang": "沔阳",
    "Ningbo": "宁式|大烤",
    "Osaka": "大[坂板]",
    "Portuguese": "葡",
    "Sichuan": "川",
    "Singapore": "星州|星洲",
    "Tibetan": "藏",
    "Uyghur": "曲曲",
    "West Lake": "西湖",
    "Western": "西",
    "Yangzhou": "杨州",
    "Yunnan": "云",
}
SAID = {  # what a name may hold only where the Chinese has one of these
    "orleans": "奥尔良",
    "margherita": "玛格丽[特塔](?:披|比|匹)",
    "carbonara": "卡邦|卡波|卡尔博|奶油培根酱",
    "alfredo": "阿尔弗",
    "teriyaki": "照烧",
    "garlic": "蒜|避风塘|薤|小根菜|大脑|藠|苦钟",
    "vermicelli": "粉|线|龙须|银丝面|细挂面|拉肠",
    "glass noodle": "粉|拉皮|线|杂菜",
    "bacon": "培根|烟肉|熏肉|腌肉",
    "chees[ey]|cheesecake|parmesan": "芝|酪|起[司士]|乳|奶[盖渣疙]|帕|巴马|凯芮|拉丝|巴斯克|吉士|爆浆|戈贡|古冈"
    "|罗克福|卡[门蒙芒特]|布里|菲达|格鲁耶|马斯卡|里科塔|费城芝",
    "kimchi": "泡|辣白|辣萝卜|韩式萝卜",
    "cumin": "孜然|安息茴香|枯茗",
    "rosemary": "迷迭香|海洋之露|艾菊",
    "peanut": "花生|长生果|四粒红|沙[爹嗲]|贡糖|长寿菜",
    "walnut": "核桃|胡桃|桃仁|核仁|合桃",
    "cashew": "腰果",
    "pineapple": "菠萝|凤梨|[王旺]梨|海鞘",
    "coconut": "椰|仁当",
    "mayonnaise": "蛋黄酱|美乃|美奶|沙拉|丘比|沙律|明太子|mayo",
}
TITLES = {
    "不烤的饼干": "Biscuits",
    "没烤箱也能做的蛋糕": "No-Oven Cake",
    "不煎不炸的茄盒": "Eggplant Sandwiches",
    "告别油炸的鸡米花": "Popcorn Chicken",
    "比烤肉店还好吃的海苔午餐肉炒饭": "Seaweed Luncheon Meat Fried Rice",
    "胜过红烧肉的烧茄子": "Braised Eggplant",
    "比目鱼汤": "Flounder Soup",
    "黄金比例炸鸡超香": "Fragrant Fried Chicken",
    "发烧宝宝吃的粥": "Congee",
    "爆炒土匪猪肝": "Stir-Fried Pork Liver",
    "熏鸡翅": "Smoked Chicken Wings",
    "无奶油水果蛋挞": "Cream-Free Fruit Egg Tarts",
    "番茄鳕鱼面": "Tomato and Cod Noodles",
    "花生油炒青菜": "Stir-Fried Vegetables with Peanut Oil",
    "无厨师机蜂蜜面包": "No-Stand-Mixer Honey Bread",
    "没有烤箱做披萨": "No-Oven Pizza",
    "宫保虾球不用油炸": "Kung Pao Shrimp",
    "不放糖的豆浆": "Sugar-Free Soy Milk",
    "不含牛奶和鸡蛋的蛋糕": "Milk-Free Egg-Free Cake",
    "无鸡蛋、牛奶蛋糕": "Egg-Free Cake",
    "蛋糕不加鸡蛋牛奶": "Egg-Free Cake",
    "没有鸡翅的日子就吃鸡腿": "Chicken Legs",
    "不用烤箱和厨师机的面包": "No-Stand-Mixer No-Bake Bread",
    "不需要烤箱的布丁": "No-Oven Pudding",
    "不用不粘锅的煎蛋": "Fried Eggs",
    "没有锅也能做饭": "Rice",
    "土豆炖牛肉不放水": "Braised Beef with Potatoes",
    "免炸鸡翅": "Chicken Wings",
    "免蒸年糕": "Nian Gao (Sticky Rice Cake)",
    "无肉包子": "Meat-Free Buns",
    "无奶油蘑菇汤": "Cream-Free Mushroom Soup",
    "不加奶油南瓜汤": "Cream-Free Pumpkin Soup",
    # no negation of what follows
    "无肉不欢卤肉饭": "Lu Rou Fan (Braised Pork Rice)",
    "无鸡不成宴白切鸡": "White Cut Chicken",
    "没有鸡翅解决不了的事": "Chicken Wings",
    "有没有鸡翅": "Chicken Wings",
    "一滴水不放鸡翅": "Chicken Wings",
    "一滴水都不放排骨": "Pork Ribs",
    "水都不放的番茄牛腩": "Tomato Beef Brisket",
    "鸡蛋牛奶都不放的蛋糕": "Cake",
    "无碱面": "Alkali-Free Noodles",
    "无无花果": "Fig",  # never a modifier alone
    "牛肉锅面": "Beef and Pot Noodles",
    "无油烟红烧肉": "Hong Shao Rou (Red Braised Pork Belly)",
    "椒盐排条": "Salt and Pepper Pork Strips",
    "烤鸡翅": "Roasted Chicken Wings",
    "玛格丽特饼干": "Marguerite Cookies",
    "桂林十八酿": "Eighteen Guilin Stuffed Dishes",
    "蒜蓉虾": "Shrimp with Garlic",
    "黄油煎虾": "Butter Pan-Fried Shrimp",
    "奥尔良烤鸡翅": "New Orleans Roasted Chicken Wings",
    "蒜蓉粉丝虾": "Shrimp with Garlic and Vermicelli",
    "夫妻肺片": "Fuqi Feipian (Sliced Beef and Ox Tongue in Chili Sauce)",
    "蚂蚁上树": "Ants Climbing a Tree",
    "肉末粉丝": "Glass Noodles with Minced Pork",
    "月饼": "Mooncakes",
    "水煮鱼": "Boiled Fish in Hot Chili Oil",
    "酿豆腐": "Stuffed Tofu",
    "花生酱拌面": "Noodles with Peanut Sauce",
    "豆豉酱油蒸鱼": "Soy Sauce Steamed Fish with Black Bean Sauce",
    "辣椒酱鸭": "Soy Sauce Duck with Chili Peppers",
    "无需番茄炒蛋": "Tomato and Egg Stir-Fry",
    "番茄酱焖虾": "Tomato Braised Shrimp",
    "土豆酱烧排骨": "Soy Braised Pork Ribs with Potatoes",
    "莴笋叶煎饼": "Celtuce Leaf Pancakes",
    "葡式蛋挞": "Portuguese Egg Tarts",
    "客家酿豆腐": "Hakka Stuffed Tofu",
    "焗红薯": "Baked Sweet Potatoes",
    "土豆泥": "Mashed Potatoes",
    "虾仁烧卖": "Shrimp Shumai",
    "芹菜牛肉": "Beef with Celery",
    "椰汁咖喱鸡": "Coconut Chicken Curry",
    "溜三鲜": "Stir-Fried Three Delicacies in Thick Sauce",
}


@cache
def rows() -> list[Entry]:
    lines = [
        line for path in sorted(RESOURCES.glob("*.tsv")) for line in path.read_text("utf-8").splitlines()[1:]
    ]
    return [Entry(*line.split("\t")) for line in lines]


@pytest.fixture(scope="module")
def real() -> Lexicon:
    return Lexicon.load(RESOURCES)


@cache
def by_english() -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for zh, en, _ in rows():
        texts.setdefault(en, []).append(zh)
    return texts


def test_places_are_said() -> None:
    regions = [(en, zh) for zh, en, kind in rows() if kind == "region" and en[:1].isupper()]
    places = sorted({en.removesuffix("-style") for en, _ in regions}, key=len, reverse=True)
    givers = {
        place: {PLACES.get(place, place), *(zh for en, zh in regions if place in en)} for place in places
    }
    said = {place: re.compile("|".join(words)) for place, words in givers.items()}
    place = re.compile(rf"\b(?:{'|'.join(places)})\b")
    unsaid = [
        f"{zh} = {en}"
        for en, chinese in by_english().items()
        for found in set(place.findall(NAMES.sub("", en)))
        for zh in chinese
        if not said[found].search(zh)
    ]
    assert unsaid == []


@pytest.mark.parametrize("english", SAID)
def test_styles_and_ingredients_are_said(english: str) -> None:
    word, said = re.compile(rf"\b(?:{english})", re.IGNORECASE), re.compile(SAID[english])
    named = {en: chinese for en, chinese in by_english().items() if word.search(REMARK.sub("", en))}
    assert [f"{zh} = {en}" for en, chinese in named.items() for zh in chinese if not said.search(zh)] == []


@pytest.mark.parametrize("title", TITLES)
def test_titles_say_what_they_say(real: Lexicon, title: str) -> None:
    assert real.translate(title) == TITLES[title]
