"""What the title of a dish says that it is not: what is left out of it, is not done, or is only compared with it."""

import re

from wokflow.frame.languages import CHINESE
from wokflow.match.english_nouns import SINGULARS, word_set
from wokflow.match.title_words import Entry, listed

WITHOUT = dict.fromkeys(word_set("无 无需 不用 不需 不需要 不要 免"), "N") | {"没有": "M"}
WITHOUT |= dict.fromkeys(word_set("不放 不加 不含"), "P") | {"没": "M"}
NEEDLESS = ("需", "需要")  # 无需 is about what one does
# Words as letters, for NEGATION: by the whole word, by the start of a decoration, and by the kind of word.
WORDS = (
    WITHOUT
    | dict.fromkeys(word_set("不 非 别 拒绝 告别"), "X")
    | dict.fromkeys("和与及跟、", "&")
    | dict.fromkeys("水油", "W")
    | dict.fromkeys("都也", "A")
)
STARTS = {"有": "H", "一滴": "Y", "不": "B", "解决": "B", "的": "L", "做": "L", "也": "L", "就": "L"}
LETTERS = {
    "technique": "t",
    "ingredient": "f",
    "flavour": "f",
    "form": "f",
    "dish": "D",
    "decoration": ".",
    "unknown": ".",
}
NEGATION = re.compile(
    "(?:X[ti]){1,4}|HM|YA?[NMP]|WP|(?:W|[fit&]{1,9})A[NMP]"  # 有没有 X, 一滴水都不放 X, 水不放 X; 鸡蛋都不放的 X
    "|(?P<lacking>(?<=[fD])P[fW&]{1,9}$"  # X 不放鸡蛋牛奶
    "|[NMP][fitWD&]{1,9}(?=L.{0,20}[fWD])"  # 不放鸡蛋牛奶的 X
    "|[NMP][fitW](?:&[fitW]){0,9}"  # 无鸡蛋、牛奶 X
    "|(?<=n)(?:&[fitW]){1,9})(?P<doubt>[BX]?)"  # 不用烤箱和厨师机的 X, where 不用烤箱 is one word
)
COMPARED = re.compile(  # 比肉还好吃的, 胜过红烧肉的: food that is only spoken of
    r"(?:(?<![无对相])比(?!目鱼|萨|利时|斯|司|基尼|例|较|重)[^|，。！!,、\s的]{1,6}?(?:做|卖)?的?[还更都]?要?"
    r"(?:好吃|好喝|美味|过瘾|解馋|健康|松软|香|鲜|嫩)"
    r"|(?:赛过|胜过|胜似|秒杀|完胜|媲美|不输|堪比)[^|，。！!,、\s的]{1,6})的?"
)


def without_comparisons(title: str) -> str:
    """A title with bars in place of food that its dish is only compared with, unless nothing else is left."""
    return COMPARED.sub("|", title) if CHINESE.search(COMPARED.sub("", title)) else title


def _letter(word: Entry) -> str:
    """A word as NEGATION reads it."""
    if word.zh in WORDS:
        return WORDS[word.zh]
    if word.kind == "decoration":
        return next((letter for start, letter in STARTS.items() if word.zh.startswith(start)), ".")
    fused = word.kind in ("technique", "modifier") and word.zh.startswith(tuple(WITHOUT))
    return "n" if fused else LETTERS.get(word.kind, "i")


def without(words: list[Entry]) -> list[Entry]:
    """Words of which those that are negated are left out; a tool or ingredient becomes no-oven or egg-free.

    Nothing is said where it is in doubt: of 没有 with food, of tools named by a verb (pan-fried), and of 无肉不欢
    (no joy without meat).
    """
    kept: list[Entry] = []
    at = 0
    for found in NEGATION.finditer("".join(map(_letter, words))):
        lacking = words[found.start() : found.end()] if found["lacking"] and not found["doubt"] else []
        said = {word.zh: _lacks(word, food=words[found.start()].zh != "没有") for word in lacking}
        kept += words[at : found.start()]
        kept += [Entry(f"无{zh}", en, "modifier") for zh, en in said.items() if en]
        at = found.end()
    return kept + words[at:]


def _lacks(word: Entry, food: bool) -> str:
    """What a dish without something is called: no-oven, egg-free; empty if that is not certain."""
    if word.kind == "vessel" and not re.search("(ed|ing|one-pot)$", word.en):
        return f"no-{word.en.replace(' ', '-')}"
    if word.kind != "ingredient" or not food:
        return ""
    return f"{'meat' if word.zh == '肉' else listed([word.en], SINGULARS).replace(' ', '-')}-free"
