"""Whether a word that the glossary lists as a verb is a cooking action where it stands."""

from collections.abc import Callable

from wokflow.parse import lexemes as lx
from wokflow.parse.lattice import NUMBER, OTHER, VERB
from wokflow.parse.view import View

COMPLEMENTS = lx.RESULTS | lx.LONG_RESULTS | lx.DIRECTIONS
BEFORE_OBJECT = lx.AMOUNTS | lx.MEASURES | lx.TASTES | lx.ASPECT


def counts(view: View, index: int, disposal: bool) -> bool:
    """Whether the verb at `index` is an action; `disposal`: 把 or 将 stands before it."""
    text, after = view.text(index), view.text(index + 1)
    if remarked(view, index) or repeated(view, index):
        return False
    counted = view.kind(index - 1) == NUMBER and view.text(index - 1)[-1] not in "个下次遍"
    if (counted and text in lx.MEASURES) or (text in lx.REMOVING and after in lx.SMELLS):
        return False
    if text in lx.DIRECTIONS:
        before = view.text(index - 1)
        return view.kind(index - 1) == NUMBER or before in lx.MEASURES or before in lx.INTRANSITIVE
    if text in ("准备", "等待") and (view.verb_at(index + 1) or after in ("工作", "好了", "开始")):
        return False
    if text == "等待":
        return view.kind(index + 1) == NUMBER or not after
    if text in ("做", "做好", "制作") and (not after or after in lx.ASPECT | lx.METHODS):
        return False
    return text not in CAREFUL or CAREFUL[text](view, index, disposal)


def remarked(view: View, index: int) -> bool:
    """切不开, 炒久了, 加根据 (a slip), and what somebody did (熬了几天)."""
    after, then = view.text(index + 1), view.text(index + 2)
    return (
        (after == "不" and (then in COMPLEMENTS or then == view.text(index)))
        or (after in lx.LONG and view.kind(index - 1) != VERB)
        or (after in lx.GUIDES and len(view.text(index)) == 1)
        or (after == "了" and then[-1:] in ("天", "年", "次"))
    )


def repeated(view: View, index: int) -> bool:
    """The second verb of 拌拌, 拌一拌, 加不加."""
    text, before = view.text(index), view.text(index - 1)
    return before == text or (before in ("一", "了", "不") and view.text(index - 2) == text)


def _object(view: View, index: int) -> bool:
    ahead = view.skip(index + 1, BEFORE_OBJECT)
    return view.noun_at(ahead) and not view.dead[ahead]


def _second(view: View, index: int) -> bool:
    """Whether a word is the second half of another one: 倒出, 没过."""
    before = view.text(index - 1)
    return (
        len(before) == 1 and view.touches(index) and (view.kind(index - 1) == VERB or view.unknown(index - 1))
    )


def _switches(view: View, index: int, disposal: bool) -> bool:
    """开火, 关火, 水开; not 开始 and the like."""
    boils = view.text(index) == "开" and view.text(index - 1) in ("水", "汤", "锅")
    return boils or view.text(index + 1) in lx.SWITCHED


def _removes(view: View, index: int, disposal: bool) -> bool:
    """去 with a part; not as a direction (倒去)."""
    after = view.text(index + 1)
    part = after in lx.PARTS | lx.WASTE or (view.unknown(index + 1) and len(after) == 1)
    return (part or _object(view, index)) and not (_second(view, index) and view.kind(index - 1) == VERB)


def _comes_out(view: View, index: int, disposal: bool) -> bool:
    after = view.text(index + 1)
    return (after == "锅" or (after == "水" and disposal)) and not _second(view, index)


def _goes_in(view: View, index: int, disposal: bool) -> bool:
    """下 and 入 with an object or a vessel."""
    if view.text(index + 1) == "锅" and not view.unknown(index - 1):
        return True
    ahead = view.skip(index + 1, BEFORE_OBJECT)
    return (_object(view, index) or view.text(ahead) in lx.UNLISTED_FOOD) and not _second(view, index)


def _rinses(view: View, index: int, disposal: bool) -> bool:
    """过 with water; not the particle."""
    free = not _second(view, index) and view.kind(index - 1) != OTHER
    return free and (_object(view, index) or view.text(index + 1) in ("凉", "冷", "筛"))


def _boils(view: View, index: int, disposal: bool) -> bool:
    return view.noun_at(index - 1) or view.text(index + 1) in lx.AFTER | lx.ASPECT


def _never(view: View, index: int, disposal: bool) -> bool:
    return False


CAREFUL: dict[str, Callable[[View, int, bool], bool]] = {
    # verbs of one sign that are mostly something else
    **dict.fromkeys("开关停", _switches),
    **dict.fromkeys("下入", _goes_in),
    **dict.fromkeys("滚沸", _boils),
    **dict.fromkeys("制备刻用待", _never),
    "转": lambda view, index, disposal: view.text(index + 1) in lx.SWITCHED,
    "去": _removes,
    "出": _comes_out,
    "过": _rinses,
    "滴": lambda view, index, disposal: (
        _object(view, index) or view.text(index + 1) in ("入", "在", "上", "几")
    ),
    "做": lambda view, index, disposal: _object(view, index) and view.text(index + 1) not in lx.AMOUNTS,
    "发": lambda view, index, disposal: (
        view.text(index + 1) in ("至", "到", "好", "起") or view.kind(index + 1) == NUMBER
    ),
    "分": lambda view, index, disposal: (
        view.kind(index + 1) == NUMBER and view.text(index + 2) in ("份", "等份")
    ),
    "化": lambda view, index, disposal: view.noun_at(index - 1) or view.text(index + 1) in ("开", "成"),
}
