"""Decides whether a verb of the glossary is a cooking action in its context."""

import re
from collections.abc import Callable

from wokflow.parse import lexemes as lx
from wokflow.parse.kinds import Kind, fries_in, kind
from wokflow.parse.lattice import BLANK, FOOD, NUMBER, OTHER, TOOL, VERB
from wokflow.parse.view import View

COMPLEMENTS = lx.RESULTS | lx.LONG_RESULTS | lx.DIRECTIONS
BEFORE_OBJECT = lx.AMOUNTS | lx.MEASURES | lx.TASTES | lx.ASPECT

NUMERALS = r"\d一二两三四五六七八九十半几"
# at the beginning of what follows 压, a time: 个25分钟, 半小时
DURATION = re.compile(rf"\s*+(?:个\s*+)?[{NUMERALS}][{NUMERALS}多来个\s~～-]*(小时|分|刻|会|min)")
# at the beginning of what follows 放, which then is to let stand: 10分钟, 半小时, 一夜, but not 3分之一
RESTING = re.compile(
    rf"[着个上置]?\s*+(?:(?:约|大约|大概)\s*+)?[{NUMERALS}][{NUMERALS}多来个到至\s~～.-]*(小时|分钟|分(?!之)|刻|会|min|h|天|夜|晚|宿|周)"
    "|片刻|隔夜|过夜"
)


def counts(view: View, index: int, disposal: bool) -> bool:
    """Whether the verb at `index` is an action. `disposal`: 把 or 将 stands before it."""
    text, after = view.text(index), view.text(index + 1)
    if remarked(view, index) or repeated(view, index) or tests(view, index) or served(view, index):
        return False
    counted = view.kind(index - 1) == NUMBER and view.text(index - 1)[-1] not in "个下次遍"
    if (counted and text in lx.MEASURES) or (text in lx.REMOVING and after in lx.SMELLS):
        return False
    if text in lx.DIRECTIONS:
        before = view.text(index - 1)
        return view.kind(index - 1) == NUMBER or before in lx.MEASURES or before in lx.INTRANSITIVE
    if text in ("准备", "等待") and (view.verb_at(index + 1) or after in lx.INTENDED):
        return False
    if text == "滚刀" and view.text(index + 1)[:1] == "切":
        return False
    if text == "等待":
        return view.kind(index + 1) == NUMBER or not after
    if text in ("做", "做好", "制作") and (not after or after in lx.ASPECT | lx.METHODS):
        return False
    if text == "出":
        return _comes_out(view, index, disposal)
    return text not in CONDITIONS or CONDITIONS[text](view, index)


def remarked(view: View, index: int) -> bool:
    """Whether the verb is part of a remark: 切不开, 炒久了, 加根据 (a typo), or a past event (熬了几天)."""
    after, then = view.text(index + 1), view.text(index + 2)
    return (
        (after == "不" and (then in COMPLEMENTS or then == view.text(index)))
        or (after in lx.LONG and view.kind(index - 1) != VERB)
        or (after in lx.GUIDES and len(view.text(index)) == 1)
        or (after == "用" and not then and view.text(index) != "弃")  # 腌制用, but not 弃用
        or (after == "了" and then[-1:] in ("天", "年", "次"))
        or (after == "过" and then == "了")
        or (
            after == "着"
            and view.noun_at(index + 2)
            and not any(map(view.verb_at, range(index + 2, len(view))))
        )
    )


def tests(view: View, index: int) -> bool:
    """Whether the verb only tests how soft food is: 筷子能轻松扎透."""
    text = view.text(index)
    if view.text(index - 1)[-2:] in lx.TESTERS and kind(text) is Kind.ADD:  # 筷子放进去有小泡
        return view.text(index - 2) not in lx.INSTRUMENT | lx.DISPOSAL
    able = any(view.text(at) in lx.ABLE for at in range(max(0, index - 3), index))
    return text[0] in lx.PRICKING and text[-1] in lx.THROUGH and able


def served(view: View, index: int) -> bool:
    """Whether the verb is in the name of a dish that is counted: 一道炒花蛤."""
    dish = view.text(index) in lx.DISH_VERBS and view.noun_at(index + 1)
    return dish and view.text(index - 1)[-1:] in lx.COURSES


def repeated(view: View, index: int) -> bool:
    """Whether it is the second verb of a reduplication: 拌拌, 拌一拌, 加不加."""
    text, before = view.text(index), view.text(index - 1)
    return before == text or (before in ("一", "了", "不") and view.text(index - 2) == text)


def sense(view: View, index: int) -> str:
    """The verb whose class the verb at `index` has here: its own text, but 开火 for 打开 in 打开火."""
    text = view.text(index)
    if text[0] in lx.STEEPING and (text[-1] == "炸" or _in_oil(view, index)):
        return "炸"
    if text not in SENSES:
        return text
    other, holds = SENSES[text]
    return other if holds(view, index) else text


def _switches_on(view: View, index: int) -> bool:
    return view.text(index + 1) in lx.HEAT_SOURCES or view.text(index - 1) in lx.HEAT_SOURCES


def _heats_the_pot(view: View, index: int) -> bool:
    after = view.text(index + 1)
    return after[:1] in ("烧", "热") or (after in lx.ADDING and _pours(view, index + 1))


def _stirs(view: View, index: int) -> bool:
    """Whether 翻 is followed by 匀 or by several strokes, rather than by a side: 翻几下, but not 翻个面."""
    return view.text(index + 1) in lx.STROKES


def _throws_into(view: View, index: int) -> bool:
    return view.kind(index + 1) == TOOL or any(
        view.text(at)[:1] in ("进", "入") for at in range(index + 1, len(view))
    )


def _cooks_under_pressure(view: View, index: int) -> bool:
    """Whether 压 has a duration behind it (压十分钟) or a pressure cooker before it."""
    behind = "".join(view.text(place) for place in range(index + 1, index + 8))
    before = [view.text(place) for place in range(index) if view.kind(place) == TOOL]
    return bool(DURATION.match(behind)) or any("压" in tool for tool in before)


def _rests(view: View, index: int) -> bool:
    """Whether 放 has a time behind it, and no food: 放10分钟, 放一夜."""
    return bool(RESTING.match("".join(view.text(place) for place in range(index + 1, index + 8))))


def _sets_heat(view: View, index: int) -> bool:
    """Whether 调 is about the fire: 调中火, 调至小火, 火调中."""
    behind = index + 1 + (view.text(index + 1) in ("至", "到", "成", "为", "回"))
    before = view.text(index - 1) if view.text(index - 1) not in ("力", "再") else view.text(index - 2)
    if view.kind(behind) == NUMBER and view.text(behind + 1)[:1] in ("度", "℃", "°", "摄"):
        return True
    return view.text(behind) in lx.FIRES or before in lx.FIRES


def _in_hot_water(view: View, index: int) -> bool:
    """Whether the water through which food goes is hot: 过沸水."""
    beside = view.text(_ahead(view, index)), view.text(index - 1)
    return any(text[-1:] == "水" and text[0] in "热沸开滚" and text[:2] != "开白" for text in beside if text)


def _in_oil(view: View, index: int) -> bool:
    """Whether the oil in which food is soaked is named, and not only added: 放油里泡, 用热油泡, 泡在油中."""
    for place in range(len(view)):
        if view.kind(place) != FOOD or not fries_in(view.text(place)):
            continue
        inside = view.text(place + 1) in lx.LOCATION
        before = view.skip(place + 1, lx.MANNER) == index and not view.verb_at(_behind(view, place))
        if (
            inside
            or before
            or place == index + 1
            or (place > index and view.text(place - 1) in lx.PLACE | {"入"})
        ):
            return True
    return False


def _behind(view: View, index: int) -> int:
    """The index of what stands before the amounts and tastes of the noun at `index`."""
    index -= 1
    while view.kind(index) == NUMBER or (
        index >= 0 and view.text(index) in lx.AMOUNTS | lx.MEASURES | lx.TASTES
    ):
        index -= 1
    return index


def _cooked_later(view: View, index: int) -> bool:
    """Whether another verb of the clause names the cooking method: 上锅炒, 上锅大火蒸."""
    return any(view.kind(place) == VERB for place in range(index + 1, len(view)))


# verbs of several senses: another verb that has the sense, and when it is meant
SENSES: dict[str, tuple[str, Callable[[View, int], bool]]] = {
    "打开": ("开火", _switches_on),
    "起锅": ("热锅", _heats_the_pot),
    "扔": ("扔进", _throws_into),
    "过": ("焯水", _in_hot_water),
    "夹入": ("放入", _throws_into),
    "放": ("静置", _rests),
    "放置": ("放入", lambda view, index: view.kind(view.skip(index + 1, lx.PLACE)) == TOOL),
    "调": ("转", _sets_heat),
    "转": ("转入", lambda view, index: view.text(index + 1) in ("至", "到") and view.kind(index + 2) == TOOL),
    "翻": ("翻炒", _stirs),
    **dict.fromkeys(("翻匀", "翻遍", "翻均匀"), ("翻炒", lambda view, index: True)),
    "压": ("炖", _cooks_under_pressure),
    "上锅": ("下锅", _cooked_later),
}


def _pours(view: View, index: int) -> bool:
    """Whether the object of the verb at `index` is oil or water."""
    return view.text(_ahead(view, index))[-1:] in ("油", "水")


def _ahead(view: View, index: int) -> int:
    """The index of what may be the object of the verb at `index`, behind amounts and modifiers (下切好的肉)."""
    ahead = view.skip(index + 1, BEFORE_OBJECT)
    while ahead < len(view) and view.suppressed[ahead]:
        ahead = view.skip(ahead + 1, BEFORE_OBJECT)
    return ahead


def _object(view: View, index: int) -> bool:
    return view.noun_at(_ahead(view, index))


def _second(view: View, index: int) -> bool:
    """Whether the verb is the second half of a longer word: 倒出, 没过."""
    before = view.text(index - 1)
    return (
        len(before) == 1 and view.touches(index) and (view.kind(index - 1) == VERB or view.unknown(index - 1))
    )


def _switches(view: View, index: int) -> bool:
    """Whether 开, 关 or 停 switches heat (开火, 关火) or says that water boils (水开); 开始 does neither."""
    boils = view.text(index) == "开" and view.text(index - 1) in ("水", "汤", "锅")
    return boils or view.text(index + 1) in lx.SWITCHED


def _removes(view: View, index: int) -> bool:
    """Whether 去 takes a part away, rather than being a direction (倒去)."""
    after = view.text(index + 1)
    part = after in lx.PARTS | lx.WASTE or (view.unknown(index + 1) and len(after) == 1)
    return (part or _object(view, index)) and not (_second(view, index) and view.kind(index - 1) == VERB)


def _comes_out(view: View, index: int, disposal: bool) -> bool:
    after = view.text(index + 1)
    return (after == "锅" or (after == "水" and disposal)) and not _second(view, index)


def _goes_in(view: View, index: int) -> bool:
    """Whether 下 or 入 has an object or a vessel."""
    if view.text(index + 1) == "锅" and not view.unknown(index - 1):
        return True
    return (_object(view, index) or view.text(_ahead(view, index)) in lx.UNLISTED_FOOD) and not _second(
        view, index
    )


def _rinses(view: View, index: int) -> bool:
    """Whether 过 means to rinse, rather than being the particle."""
    free = not _second(view, index) and view.kind(index - 1) not in (OTHER, VERB)
    times = view.kind(index + 1) == NUMBER and view.text(index - 1)[-1:] == "水"  # 用凉开水过一下
    behind = index + (view.text(index + 1) == "下")  # 过下冷水
    water = view.text(_ahead(view, behind))[-1:] == "水"
    then = view.kind(index - 1) == VERB and len(view.text(index - 1)) > 1 and view.kind(index + 1) == NUMBER
    return (free and (times or water or view.text(index + 1) in ("凉", "冷", "筛"))) or (then and water)


def _boils(view: View, index: int) -> bool:
    return view.noun_at(index - 1) or view.text(index + 1) in lx.AFTER | lx.ASPECT


def _wraps(view: View, index: int) -> bool:
    """Whether 包 is to wrap, and neither a measure (两包, 整包) nor the end of a noun (材料包)."""
    after, before = view.text(index + 1), view.text(index - 1)
    if before[:1] in ("第", "整", "半", "每") or view.kind(index - 1) == BLANK:
        return False
    wrapped = after[:1] in ("入", "在", "住", "成", "起", "一") or after in lx.ASPECT
    return wrapped or _object(view, index) or view.kind(index - 1) == TOOL


def _turns_colour(view: View, index: int) -> bool:
    """Whether the verb stands beside a change of colour, and so happens to food by itself: 变红卷起来就捞."""
    behind = next(
        (at for at in range(index + 1, len(view)) if view.text(at) in lx.STATES or view.verb_at(at)), index
    )
    return view.text(index - 1)[:1] == "变" or view.text(behind)[:1] == "变"


def _never(view: View, index: int) -> bool:
    return False


CONDITIONS: dict[str, Callable[[View, int], bool]] = {
    # verbs of one character that are mostly part of something else: when each is an action
    **dict.fromkeys("开关停", _switches),
    **dict.fromkeys("下入", _goes_in),
    **dict.fromkeys("滚沸", _boils),
    **dict.fromkeys("制备刻用待", _never),
    "包": _wraps,
    "卷": lambda view, index: (
        view.text(index + 1)[:1] not in ("边", "曲", "缩") and not _turns_colour(view, index)
    ),
    "卷成": lambda view, index: not _turns_colour(view, index),
    "卷起": lambda view, index: not _turns_colour(view, index),
    "卷起来": lambda view, index: not _turns_colour(view, index),
    "穿": lambda view, index: view.text(index + 1) != "过",
    "敲": lambda view, index: view.text(index + 1) not in lx.EMPHASISED,
    "转": lambda view, index: view.text(index + 1) in lx.SWITCHED,
    **dict.fromkeys("盛装", lambda view, index: view.text(index + 1)[:1] not in ("有", "着")),
    "去": _removes,
    "过": _rinses,
    "滴": lambda view, index: _object(view, index) or view.text(index + 1) in ("入", "在", "上", "几"),
    "做": lambda view, index: _object(view, index) and view.text(index + 1) not in lx.AMOUNTS,
    "发": lambda view, index: (
        view.text(index + 1) in ("至", "到", "好", "起") or view.kind(index + 1) == NUMBER
    ),
    "分": lambda view, index: view.kind(index + 1) == NUMBER and view.text(index + 2) in ("份", "等份"),
    "化": lambda view, index: view.noun_at(index - 1) or view.text(index + 1) in ("开", "成"),
}
