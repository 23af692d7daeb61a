"""Personal data is found in any column, told from amounts and times, and masked where it is shown."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export.cells import strings
from wokflow.export.gate_findings import WIDTH
from wokflow.export.privacy import excerpt, masked, searches, text_findings


def found(text: str) -> dict[str, list[str]]:
    """What is found in a text by each gate that finds something, as the text of the hits."""
    hits = {}
    for gate, one in searches().items():
        if places := one.find(text):
            assert pl.Series([text]).str.contains(one.prefilter).all(), "the prefilter lacks what is found"
            hits[gate] = [text[start:end] for start, end in places]
    return hits


@pytest.mark.parametrize(
    ("text", "gate", "hit"),
    [
        ("Write to jane.doe+food@mail.example.org!", "mail_addresses", "jane.doe+food@mail.example.org"),
        ("邮箱abc_1@qq.com联系", "mail_addresses", "abc_1@qq.com"),
        ("有问题打13812345678问我", "phone_numbers", "13812345678"),
        ("138 1234 5678", "phone_numbers", "138 1234 5678"),
        ("订座010-62785001", "phone_numbers", "010-62785001"),
        ("热线400-820-8820", "phone_numbers", "400-820-8820"),
        ("(212) 736-5000", "phone_numbers", "(212) 736-5000"),
        ("Questions? Call 212 736 5000", "phone_numbers", "212 736 5000"),
        ("1-800-444-4444 for help", "phone_numbers", "1-800-444-4444"),
        ("tel:3108616", "phone_numbers", "3108616"),
        ("recipenlg:3108616:13812345678", "phone_numbers", "13812345678"),
        ("London: +44 20 7946 0958.", "phone_numbers", "+44 20 7946 0958"),
        ("see https://blog.example/a?b=1, then", "links", "https://blog.example/a?b=1,"),
        ("www.kitchen.example/soup", "links", "www.kitchen.example/soup"),
        ("from cooks.com", "links", "cooks.com"),
        ("更多见xiachufang.com/recipe/1哦", "links", "xiachufang.com/recipe/1"),
        ("video: youtu.be/aBc123", "links", "youtu.be/aBc123"),
        ("bbc.co.uk/food", "links", "bbc.co.uk/food"),
        ("Thanks @noodle_queen for this", "user_names", "noodle_queen"),
        ("做好了@爱做饭的小林 一下", "user_names", "爱做饭的小林"),
        ("加我微信号：chufang_88", "user_names", "chufang_88"),
        ("WeChat ID: wok_master", "user_names", "wok_master"),
        ("vx：lin20_cook", "user_names", "lin20_cook"),
        ("QQ群123456789", "user_names", "123456789"),
        ("公众号「深夜厨房」", "user_names", "深夜厨房"),
        ("Instagram: @dumpling.house", "user_names", "dumpling.house"),
        ("More on Instagram: cookie.lover.", "user_names", "cookie.lover"),
        ("小红书号 1234567", "user_names", "1234567"),
        ("公眾號 abc.123", "user_names", "abc.123"),
        ("微博：小厨娘.欢迎关注我的菜谱", "user_names", "小厨娘"),
    ],
)
def test_personal_data_is_found(text: str, gate: str, hit: str) -> None:
    assert any(hit.startswith(one.rstrip(",")) or one == hit for one in found(text)[gate]), found(text)
    assert hit not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "350-375 degrees, 1 1/2 cups, 2020-12-01, 10-15分钟",
        "Preheat to 350 400 1234",
        "200 250 3000 g",
        "1000 1200 1500 ml",
        "烤箱180-200度20-25分钟，黄油1200克",
        "ISBN 978-0-306-40615-7 and ISBN 4-12-101213-5, ISBN 4121012135",
        "Edo (1603-1867), built 1682–1683",
        "2012/05/13 20120513 12:30:45",
        "3-4 lb. (1.5-2 kg) roast, 1 (14 1/2 oz.) can",
        "Cook until tender.Top with cheese.Add salt.So good.In a bowl",
        "(8 oz.net wt.) can, 1 tsp.vanilla, e.g.the",
        "bake @350, microwave @high, leave @room temperature, 2 lb @ $3",
        "QQ糖 1包，口感QQ的，QQ弹弹的面",
        "加微信好友，关注公众号，发微博，看公众号 里的做法",
        "关注我的公众号\n1.鸡蛋打散加盐",
        "公众号 3分钟搞定早餐",
        "公众号 DIY 厨房，小红书号 2023 年",
        "a 1/2-inch dice; No. 10 can; 7-Up; 1234567",
        "100 200 300 400 500 600",
        "面粉100-200-300克，13800克",
        "recipenlg:3108616",
        "silver:recipenlg:3108616",
        "xiachufang:3108616:红烧肉",
    ],
)
def test_amounts_times_and_common_words_are_no_personal_data(text: str) -> None:
    assert found(text) == {}
    assert masked(text) == text


def test_masked_text_keeps_first_characters_only() -> None:
    assert masked("Mail jane@example.org now") == "Mail j***@e***.org now"
    assert masked("微信：chufang88，电话13812345678") == "微信：c***，电话1***"
    assert masked("see http://www.example.com/me") == "see http://www.e***.com/m***"


def test_an_excerpt_shows_the_hit_with_all_personal_data_masked() -> None:
    text = "x" * 100 + " a@example.org 13812345678 " + "y" * 100
    place = text.index("13812345678")
    short = excerpt(text, [(place, place + 11)])
    assert "1***" in short and "138" not in short and "@example" not in short
    assert short.startswith("…") and short.endswith("…") and len(short) == WIDTH + 2
    assert excerpt("红烧肉") == "红烧肉"


@given(st.text("abc.@12 38-微信:号/", max_size=60))
def test_masking_finds_nothing_new_and_leaves_the_rest(text: str) -> None:
    assert masked(text) == text or found(text)
    places = [place for one in searches().values() for place in one.find(text)]
    assert len(excerpt(text, places)) <= WIDTH + 2 or "***" in excerpt(text, places)


NESTED = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "source": [{"title": "soup", "url": "www.cooks.com"}] * 3 + [{"title": "a@b.org", "url": None}],
        "targets": [
            [{"steps": ["boil", "call 1-800-444-4444"]}, {"steps": ["1-800-444-4444"]}],
            [],
            None,
            [{"steps": []}],
        ],
        "count": [1, 2, 3, 4],
    }
)


def test_text_is_searched_in_lists_and_structs_and_each_row_counts_once() -> None:
    cells = {path: frame.rows() for path, frame in strings(NESTED)}
    steps = [(0, "boil"), (0, "call 1-800-444-4444"), (0, "1-800-444-4444")]
    assert cells["targets.steps"] == steps
    assert cells["source.title"][3] == (3, "a@b.org")
    findings = {one.gate: one for one in text_findings([NESTED], "id", "pairs-zh-en", searches())}
    assert {gate: one.count for gate, one in findings.items()} == {
        "mail_addresses": 1,
        "phone_numbers": 1,
        "links": 3,
    }
    assert findings["mail_addresses"].examples == ("d: source.title: a***@b***.org",)
    assert findings["phone_numbers"].examples == ("a: targets.steps: call 1***-8***-4***-4***",)


def test_frames_add_up() -> None:
    rows = pl.DataFrame({"id": range(10), "text": ["cooks.com"] * 10})
    whole = text_findings([rows], "id", "", searches())
    assert text_findings([rows[:3], rows[3:3], rows[3:]], "id", "", searches()) == whole
    assert whole[0].count == 10 and [one[0] for one in whole[0].examples] == list("01234")


def test_endless_tokens_take_no_endless_time() -> None:
    for unit in ("a", "1", "a.", "<p ", "@", "1-", "微信", "www.", "qq1"):
        found(unit * 20_000)


def test_real_recipes_hold_links_and_names_and_no_phone_numbers(shared: Path) -> None:
    """Read by hand: both links and the four account names are such, and no digits are a phone number."""
    lines = (shared / "real/counterfactual/base_recipes.tsv").read_text(encoding="utf-8").splitlines()
    rows = pl.DataFrame({"id": range(len(lines)), "text": lines})
    counts = {one.gate: one.count for one in text_findings([rows], "id", "", searches())}
    assert counts == {"links": 2, "user_names": 4}
