"""Lists of ingredients and tools in a clause, without nouns that only describe or measure another one."""

from wokflow.parse import lexemes as lx
from wokflow.parse.lattice import BLANK, FOOD, JOIN, NUMBER, TOOL, Lexicon
from wokflow.parse.types import Noun
from wokflow.parse.view import View

LISTS = lx.AND | lx.AMOUNTS | lx.MEASURES | lx.SHAPES  # what may stand between the nouns of a list
QUANTITY = lx.TASTES | lx.MEASURES | lx.AMOUNTS
COUNTS = lx.NUMERALS | lx.COUNTS


def nouns(view: View, index: int) -> tuple[list[Noun], int]:
    """The nouns of the list that begins at `index`, and the index behind the list."""
    listed: list[Noun] = []
    blanks = 0  # that separated nouns so far
    while index < len(view):
        token = view.tokens[index]
        if view.noun_at(index):
            sums_up = token.text in lx.SUMS and len(listed) > 1 and view.touches(index)  # 葱姜蒜调料
            if not (view.suppressed[index] or sums_up or is_side(view, index) or describes(view, index)):
                listed.append(Noun(*token.core, token.cls, token.kind))
            index += 1
        elif (ahead := next_of_list(view, index, blanks)) > index:
            blanks += any(view.kind(at) == BLANK for at in range(index, ahead))
            index = ahead
        else:
            break
    return listed, index


def next_of_list(view: View, index: int, blanks: int) -> int:
    """The index of the noun that continues a list after the words from `index` on; `index` if none does.

    `blanks` separated earlier nouns. The last noun of such a list stays in it if a verb follows: 放盐 糖 醋炒匀.
    """
    token = view.tokens[index]
    if view.acting(index) or not (token.kind in (JOIN, BLANK, NUMBER) or token.text in LISTS):
        return index
    if token.text in lx.WITH and (view.text(index - 1) in lx.LOCATION or view.kind(index - 1) == TOOL):
        return index
    ahead = view.skip(index, LISTS | lx.TASTES)
    between = range(index, ahead)
    if not view.noun_at(ahead) or any(view.text(at) in lx.DISPOSAL for at in between):
        return index
    if not blanks and any(view.kind(at) == BLANK for at in between) and begins(view, ahead):
        return index
    return ahead


def begins(view: View, index: int) -> bool:
    """Whether a verb follows the nouns at `index`; behind a blank they then begin a new phrase."""
    while index < len(view) and (
        view.noun_at(index) or view.kind(index) in (JOIN, NUMBER) or view.text(index) in LISTS | lx.LOCATION
    ):
        index += 1
    return view.verb_at(index)


def is_side(view: View, index: int) -> bool:
    """Whether the token is 面 in the sense of side (两面, 切面朝下), not of flour or noodles."""
    if view.text(index) in lx.CUT_SIDES and view.text(index + 1)[:1] in lx.FACING:
        return True
    return view.text(index) == "面" and (view.kind(index - 1) == NUMBER or view.text(index - 1) in lx.SIDES)


def describes(view: View, index: int) -> bool:
    """Whether a noun only describes or measures its neighbour: 生粉 in 生粉水, 鱼碗, 一勺盐, 虾须; 脚 in 鸡脚."""
    token, after = view.tokens[index], index + 1
    if token.kind == TOOL and measures(view, index):
        return True
    joined = after < len(view) and view.touches(after)
    if token.kind == FOOD and view.kind(after) != TOOL and view.text(after) in lx.WASTE | lx.PART_HEADS:
        return joined
    if token.kind == FOOD and joined and view.text(after) in lx.LOOKS:  # 辣椒味, 汤色
        return True
    if token.text in lx.BODY_PARTS and view.kind(index - 1) == FOOD:
        return view.touches(index)
    if not joined or not view.noun_at(after):
        return False
    if view.text(after) in lx.HEAD_LIQUIDS:
        return not (view.text(after) in lx.SUMS and view.noun_at(index - 1))
    vessel = view.kind(after) == TOOL and view.text(after)[0] != "刀"  # 大蒜刀背拍碎
    return vessel and token.kind == FOOD and not measures(view, after)


def measures(view: View, index: int) -> bool:
    """Whether a vessel is a measure (一勺, 半碗): behind a number and not before a word of place."""
    text, before = view.text(index), index - 1
    if text in lx.POTS or (text[0] in "大小" and text[1:] in lx.VESSELS):  # 高汤两小碗, but not 取一小碗
        if FOOD not in (view.kind(view.skip(index + 1, QUANTITY)), view.kind(index - 2)):
            return False
    elif text not in lx.VESSELS | {"刀"}:
        return False
    if view.text(before) in ("大", "小", "满", "平"):
        before -= 1
    if view.kind(before) != NUMBER and view.text(before) not in COUNTS:
        return False
    counted = view.kind(before) == NUMBER and view.text(before)[-1] in "个只口张把"
    return not counted and view.text(index + 1) not in lx.LOCATION


def part(view: View, index: int, lexicon: Lexicon) -> Noun | None:
    """The noun for a part that is taken away (去根), although the word is not an ingredient elsewhere."""
    text, listed = view.text(index), lexicon.listed_foods
    name = listed.get(text) or listed.get(f"{text}部")  # 根 as 根部
    if text not in lx.PARTS or not name:
        return None
    return Noun(view.tokens[index].start, view.tokens[index].end, name, FOOD)
