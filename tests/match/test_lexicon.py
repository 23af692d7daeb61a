"""The grammar of the title translator, on a tiny lexicon, and the real word lists."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame.job import UserError
from wokflow.match.lexicon import Entry, Lexicon

RESOURCES = Path(__file__).resolve().parents[2] / "resources" / "lexicon"
ROWS = """
红烧肉 Red_Braised_Pork_Belly dish|蛋炒饭 Egg_Fried_Rice dish|小笼包 Xiao_Long_Bao_(Soup_Dumplings) dish
西红柿炒鸡蛋 Stir-Fried_Tomato_and_Eggs dish|慕斯蛋糕 Mousse_Cake dish|莫吉托 Mojito dish
土豆 potato ingredient|番茄 tomato ingredient|西红柿 tomato ingredient|鸡蛋 egg ingredient|牛肉 beef ingredient
虾仁 shrimp ingredient|洋葱 onion ingredient|芒果 mango ingredient|肉 pork ingredient|冬瓜 winter_melon ingredient
虾 shrimp ingredient|排骨 spare_ribs ingredient|黄瓜 cucumber ingredient|咖喱 curry_powder ingredient
培根 bacon ingredient|金针菇 enoki ingredient|卷 rolls form|汤 soup form|面 noodles form|粥 congee form
咖喱 curry form|滑蛋 scrambled_eggs_with_... form|丸子 meatballs form
丝 shredded cut|圈 ..._rings cut|炒 stir-fried technique
炖 stewed technique|蒸 steamed technique|凉拌 cold_..._salad technique|酿 stuffed technique|卷 wrapped technique
葱爆 stir-fried_..._with_scallions technique|和 and technique|配 with technique|酸辣 hot_and_sour flavour
豉汁 ..._with_black_bean_sauce flavour|咖喱 curry flavour|砂锅 clay_pot vessel|四川 Sichuan region
脆皮 crispy modifier|家常 _ decoration|的做法 _ decoration|的 _ decoration|味 _ decoration
""".replace("\n", "|")


@pytest.fixture(scope="session")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    lines = ["zh\ten\tkind"]
    for zh, en, kind in (row.split() for row in ROWS.split("|") if row):
        lines.append(f"{zh}\t{en.replace('_', ' ').strip()}\t{kind}")
    folder = tmp_path_factory.mktemp("lexicon")
    (folder / "words.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Lexicon.load(folder)


CASES = {
    # whole dishes, and what is set aside around them
    "红烧肉": "Red Braised Pork Belly",
    "家常红烧肉的做法": "Red Braised Pork Belly",
    "【家常】红烧肉！！～": "Red Braised Pork Belly",
    "小笼包": "Xiao Long Bao (Soup Dumplings)",
    "家常｜蛋炒饭": "Egg Fried Rice",
    "【红烧肉】": "Red Braised Pork Belly",
    "「红烧肉」家常": "Red Braised Pork Belly",
    "乾隆红烧肉": "Red Braised Pork Belly",
    # a set dish with something more
    "虾仁蛋炒饭": "Egg Fried Rice with Shrimp",
    "土豆红烧肉": "Red Braised Pork Belly with Potatoes",
    "红烧肉鸡蛋": "Red Braised Pork Belly with Eggs",
    "红烧肉面": "Red Braised Pork Belly Noodles",
    "四川红烧肉": "Sichuan Red Braised Pork Belly",
    "芒果慕斯蛋糕": "Mango Mousse Cake",
    "芒果味的慕斯蛋糕": "Mango Mousse Cake",
    # ingredients, verbs and heads
    "番茄鸡蛋": "Tomatoes and Eggs",
    "番茄鸡蛋汤": "Tomato and Egg Soup",
    "番茄和鸡蛋汤": "Tomato and Egg Soup",
    "土豆番茄鸡蛋汤": "Potato, Tomato and Egg Soup",
    "牛肉面": "Beef Noodles",
    "牛肉丸子": "Beef Meatballs",
    "土豆丸子": "Potato Balls",
    "炖丸子": "Stewed Meatballs",
    "砂锅粥": "Clay Pot Congee",
    "洋葱炒鸡蛋": "Stir-Fried Eggs with Onions",
    "牛肉炒洋葱": "Stir-Fried Beef with Onions",
    "土豆炖牛肉": "Stewed Beef with Potatoes",
    "炒土豆丝": "Stir-Fried Shredded Potatoes",
    "四川酸辣炒土豆丝": "Sichuan Hot and Sour Stir-Fried Shredded Potatoes",
    "脆皮虾": "Crispy Shrimp",
    "豉汁蒸排骨": "Steamed Spare Ribs with Black Bean Sauce",
    "葱爆牛肉": "Stir-Fried Beef with Scallions",
    "葱爆": "Stir-Fried with Scallions",
    "凉拌黄瓜": "Cold Cucumber Salad",
    "冬瓜酿肉": "Winter Melon Stuffed with Pork",
    "培根卷金针菇": "Enoki Wrapped in Bacon",
    "牛肉卷": "Beef Rolls",
    "洋葱圈": "Onion Rings",
    "虾仁滑蛋": "Scrambled Eggs with Shrimp",
    "滑蛋": "Scrambled Eggs",
    "咖喱牛肉": "Curry Beef",
    "牛肉咖喱": "Beef Curry",
    "红烧肉配蛋炒饭": "Red Braised Pork Belly with Egg Fried Rice",
    # Latin letters and unknown words
    "Mojito莫吉托": "Mojito",
    "Daiquiri莫吉托": "Mojito (Daiquiri)",
    "XO牛肉": "XO Beef",
    " Apple Pie ": "Apple Pie",
    "乾隆": "乾隆",
    "": "",
}


@pytest.mark.parametrize("title", CASES)
def test_titles(lexicon: Lexicon, title: str) -> None:
    assert lexicon.translate(title) == CASES[title]


def test_segment_gives_words_and_unknown_stretches(lexicon: Lexicon) -> None:
    assert lexicon.segment("乾隆炒土豆丝") == [
        Entry("乾隆", "", "unknown"),
        Entry("炒", "stir-fried", "technique"),
        Entry("土豆", "potato", "ingredient"),
        Entry("丝", "shredded", "cut"),
    ]


@given(
    text=st.text(max_size=40)
    | st.text(alphabet="【】（）()[]「」《》家常土豆炒牛肉丝的和、ab 1", max_size=20)
)
def test_any_text(lexicon: Lexicon, text: str) -> None:
    assert lexicon.translate(text) == lexicon.translate(text)
    named = lexicon.translate(f"红烧肉【{text}】")
    assert named and not set("【】「」《》") & set(named)


@pytest.mark.parametrize(
    "row", ["红烧\tbraised", "红烧\tbraised\tverb", "红烧\t\tdish", "汤\tsoup\tform\n汤\tbroth\tform"]
)
def test_bad_rows_are_named(tmp_path: Path, row: str) -> None:
    (tmp_path / "bad.tsv").write_text(f"zh\ten\tkind\n{row}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"bad\.tsv, line [23]: "):
        Lexicon.load(tmp_path)


def test_real_word_lists() -> None:
    zhconv = pytest.importorskip("zhconv")
    rows = [
        line.split("\t")
        for path in RESOURCES.glob("*.tsv")
        for line in path.read_text("utf-8").splitlines()[1:]
    ]
    simplified_too = str.maketrans("", "", "薹髈鮰麴醯")  # 菜薹, 蹄髈: right so, whatever the tables say
    words = [zh.translate(simplified_too) for zh, _, _ in rows]
    assert [zh for zh in words if zhconv.convert(zh, "zh-hans") != zh] == []
    assert len({tuple(row) for row in rows}) >= 5000
    assert Lexicon.load(RESOURCES).translate("西红柿炒鸡蛋") == "Tomato and Egg Stir-Fry"


def test_traditional_titles_and_words_are_read_in_simplified_characters() -> None:
    lexicon = Lexicon([Entry("鸡", "chicken", "ingredient"), Entry("薑", "ginger", "ingredient")])
    for title in ("雞薑", "鸡姜", "雞姜"):
        assert lexicon.translate(title) == lexicon.translate("鸡薑") != title
    assert lexicon.translate("宮保") == "宮保", "without a known word it stays"
