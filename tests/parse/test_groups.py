"""Mixtures that go on by a name of their own, marinades, several vessels, and what recovers from a flaw.

The sentences are made for their kind of fault, and read with the project's own glossary.
"""

import pytest

from tests.parse.test_cooks import shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a mixture's name stands for its parts, in the bowl, in the pot, and where several groups wait
        ("鸡爪煮熟捞出。生抽、醋、糖放入碗中搅匀，倒入料汁，拌匀", "拌匀: 鸡爪 料汁"),
        ("淀粉、生抽、醋、水搅匀调成料汁，备用", "备用: 料汁"),
        ("面粉加水揉成面团，醒发", "醒发: 面团"),
        ("山药和肉一起搅，把葱花加入肉馅中，搅匀", "搅匀: 肉馅 葱花"),
        ("鸡蛋加细砂糖打散。糯米粉和泡打粉过筛，加入蛋糊中，搅匀", "搅匀: 糯米粉 泡打粉 蛋糊"),
        ("豆腐切块。生抽、醋、糖调成汁，倒入料汁，拌匀", "拌匀: 豆腐 料汁"),
        # while its parts are named, its name is none of them
        ("先调一碗料汁，生抽、醋、糖，搅匀", "搅匀: 生抽 醋 糖"),
        ("调酱汁，生抽、料酒、白糖，加水搅匀", "搅匀: 生抽 料酒 白糖 水"),
        ("粉丝，苦瓜，调料汁，倒在一起", "倒在: 粉丝 苦瓜 料汁"),
        ("锅里放油，放葱姜、花椒、盐，将所有调料炒香，加水，煮开", "煮开: 油 葱 姜 花椒 盐 水"),
        ("下葱姜蒜调料，炒香", "炒香: 葱 姜 蒜"),
        # what is stirred beside the pot goes into it, and nothing else
        ("青椒切块。锅里放油，下鸡块炒，将海鲜酱、糖搅拌均匀加入锅内，炒", "炒: 油 鸡块 海鲜酱 糖"),
        # what is wrapped or filled
        ("猪肉剁碎，加盐拌匀，用饺子皮包好，蒸熟", "蒸熟: 猪肉 盐 饺子皮"),
        # another name of the same food
        ("多宝鱼洗净，放入姜片，将鱼放在盘子上，蒸", "蒸: 姜片 鱼"),
        ("锅里放油，放入鸡腿，炒鸡块，加盐，炒", "炒: 油 鸡块 盐"),
    ],
)
def test_a_mixture_goes_on_by_its_name(text: str, expected: str) -> None:
    assert shown(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # marinades, and water in which food lay
        ("鸡翅加盐、蛋清，腌制，下油锅，炸", "炸: 油 鸡翅"),
        ("鸡翅切块，姜切末，腌制", "腌制: 鸡翅 姜"),
        ("羊肉放在清水中浸泡，洗净", "洗净: 羊肉"),
        ("花蛤放清水中，加盐，浸泡，搓洗", "搓洗: 花蛤"),
        ("虾仁倒入冷水，化冻", "化冻: 虾仁"),
        ("鱼放入姜片，腌制。把姜片去掉，蒸", "蒸: 鱼"),
        ("大虾洗净，从虾头往虾尾剪开，腌制", "腌制: 大虾"),
        # from the pot into cold water, and over what lies on a plate
        ("鸡爪放入锅中煮熟。生姜切片。将煮好的鸡爪放入冰水中，泡", "泡: 鸡爪 冰水"),
        ("将年糕煮熟，放入凉水中", "放入: 年糕 凉水"),
        ("粉丝铺在娃娃菜上。锅里放油，下蒜末炒香，将蒜末淋在粉丝上，上锅蒸", "上锅蒸: 粉丝 娃娃菜 蒜末"),
        ("鱼装盘，浇上豉油。锅里放油，放入花椒，烧出烟", "烧出: 油 花椒"),
        # two pots on heat, and an empty one
        ("锅里放牛腩，加水炖。另锅热油，下土豆炒熟，倒入牛腩锅中，煮", "煮: 牛腩 水 油 土豆"),
        ("锅里放鸡爪，煮。另取一锅，倒入凉水，烧开", "烧开: 凉水"),
        ("虾切好，取一锅，烧热，倒入油，煮", "煮: 油 虾"),
        ("锅里放油，下葱炒香。起锅，水烧开，下菜心，煮", "煮: 水 菜心"),
        ("锅里加水，放鸡爪煮熟，捞出切开，翻动", "翻动: 鸡爪"),
        # fried though nobody put it in
        ("五花肉切片，锅里放油，加姜片，翻炒", "翻炒: 油 姜片 五花肉"),
    ],
)
def test_what_stays_behind_and_what_is_elsewhere(text: str, expected: str) -> None:
    assert shown(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("热锅冷油，下蒜片，爆香", ["热锅:", "下: 蒜片", "爆香: 油 蒜片"]),
        ("锅内热1大匙油，放入鸡块", ["热: 油", "放入: 鸡块"]),
        ("锅里加水，再放入番茄酱（开小火）", ["加: 水", "放入: 番茄酱", "开小火: 水 番茄酱"]),
        ("藕切片，锅中放入适量的水烧开", ["切片: 藕", "放入: 水", "烧开: 水"]),
        ("放蒜，盐也这个时候放", ["放: 蒜", "放: 盐"]),
        ("苦瓜准备用开水煮", ["煮: 苦瓜 开水"]),
        ("地瓜滚刀切块", ["切块: 地瓜"]),
        ("盖上锅盖静静等待蛤蜊开口", ["盖上:"]),
        ("虾下锅，盖上盖煮", ["下锅: 虾", "盖上: 虾", "煮: 虾"]),
        ("蚝油、水调和均匀", ["调和: 蚝油 水"]),
        # names of dishes, remarks and scenes
        ("加入葱。一道炒花蛤就完成啦", ["加入: 葱"]),
        ("放盐（前面放过了）", ["放: 盐"]),
        ("放盐。剥着小龙虾", ["放: 盐"]),
    ],
)
def test_what_is_an_action(text: str, expected: list[str]) -> None:
    assert shown(text) == expected
