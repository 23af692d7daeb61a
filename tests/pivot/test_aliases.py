"""Which words mean the same food."""

import pytest
from wokflow.parse.glossary import Glossary
from wokflow.pivot.aliases import aliases

CLASSES = {
    "土豆": ["土豆"],
    "腐竹": ["土豆丝"],
    "丝": ["丝"],
    "鸡": ["鸡", "鸡丁", "鸡肉", "仔鸡", "鸡皮"],
    "田鸡": ["田鸡"],
    "洋葱": ["萝卜"],
    "南瓜": ["胡萝卜"],
    "鸡爪": ["鸡爪"],
    "鸡精": ["鸡精"],
    "鱼": ["鱼"],
    "肉": ["鱼片"],
    "虾": ["虾", "虾仁", "大虾"],
    "菜": ["菜"],
    "白菜": ["白菜", "小白菜"],
}
WORDS = {word: kind for kind, words in CLASSES.items() for word in words}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("土豆丝", {"土豆丝", "土豆"}),
        ("鱼片", {"鱼片", "鱼"}),
        ("鸡丁", {"鸡丁", "鸡", "鸡肉", "仔鸡"}),
        ("鸡爪", {"鸡爪"}),
        ("胡萝卜", {"胡萝卜"}),
        ("大虾", {"大虾", "虾"}),
        ("虾", {"虾", "虾仁", "大虾"}),
        ("小白菜", {"小白菜", "白菜"}),
        ("龙虾尾", {"龙虾尾"}),
    ],
)
def test_parts_and_longer_names(name: str, found: set[str]) -> None:
    assert aliases(name, Glossary({}, WORDS, {})) == found
