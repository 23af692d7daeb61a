"""Suppresses parts of a clause that are no actions: modifiers before 的, time clauses, comparisons, exceptions."""

from wokflow.parse import lexemes as lx
from wokflow.parse.lattice import BLANK, JOIN, NUMBER, VERB
from wokflow.parse.view import View

AFTER_VERB = (
    lx.ASPECT | lx.AFTER | lx.MEASURES | lx.LONG_RESULTS | lx.RESULTS | lx.STATES | lx.MANNER
)  # may stand between a verb and its 的: 切好的, 煮了很久的
ENDING = ("出锅", "起锅", "关火", "装盘", "上桌", "盛出")  # what is done once a dish is ready
QUANTITY = lx.AMOUNTS | lx.MEASURES | lx.STATES | lx.TASTES


def suppress_modifiers(view: View) -> None:
    """Suppress modifiers before 的: relative clauses (切好的年糕) and nouns that describe (盘子里的水)."""
    for index in range(1, len(view)):
        if view.text(index - 1) in lx.DISPOSAL and view.kind(index) == VERB and view.noun_at(index + 1):
            view.suppressed[index] = any(
                view.kind(at) == VERB for at in range(index + 2, len(view))
            )  # 把冷冻年糕放入
        if view.text(index) == "的" and not view.suppressed[index]:
            view.suppress(modifier_start(view, index), index + 1)


def modifier_start(view: View, index: int) -> int:
    """The first index of the modifier that ends at the 的 at `index`; `index` if there is none."""
    after = view.text(index + 1)
    if view.text(index - 1) in lx.MANNER - lx.RESULTS and view.verb_at(index + 1):  # 料汁均匀的洒在
        return index
    if after in lx.SHAPES and not view.noun_at(index + 2):
        return index
    if after in lx.DEGREES:  # 炒至微焦的状态
        first = next((at for at in range(index - 1, 0, -1) if view.text(at) in ("至", "到", "成")), 0)
        reached = next((at for at in range(index) if view.text(at)[-1] in "至到成" and view.verb_at(at)), 0)
        if first or (reached or view.text(0)[-1:] in ("至", "到", "成")):
            return index
    state = after in lx.STATES and not view.noun_at(index + 2)
    if state or not after or after in lx.DURING | lx.DEGREE:
        return headless(view, index)
    at = index - 1
    while at >= 0:
        if view.text(at) == "过" and view.verb_at(at - 1):
            at -= 1
        if view.verb_at(at):
            return relative_start(view, at, index)
        if view.text(at) in lx.DISPOSAL | lx.INSTRUMENT | lx.AND or view.kind(at) in (BLANK, JOIN):
            break
        at -= 1
    return noun_modifier(view, index)


def noun_modifier(view: View, index: int) -> int:
    """The start of a modifier that is only a noun, unless a place outside the glossary follows (口蘑的肚子里)."""
    at = index - 1
    if view.text(at) in lx.LOCATION:
        at -= 1
    place = not view.noun_at(index + 1) and view.text(index + 2) in lx.LOCATION
    return at if view.noun_at(at) and not place else index


def headless(view: View, index: int) -> int:
    """The start of what 的 modifies if no noun follows: a remark (我买的), a misspelt 得 (收的差不多), or 的时候."""
    if index + 1 == len(view):
        if view.text(0) in lx.CONDITION:
            return index  # 喜欢甜的，放糖: a condition of the next clause
        remark = any(view.text(at) in lx.COPULA | lx.PEOPLE | lx.CONDITION for at in range(index))
        return 0 if remark else index
    if view.verb_at(index - 1) or view.text(index + 1) in lx.DURING:
        return index
    return noun_modifier(view, index)


def relative_start(view: View, at: int, index: int) -> int:
    """The start of the relative clause of the verb at `at`, the last before 的; of its nouns if it is a main verb."""
    text, gap = view.text(at), range(at + 1, index)
    if (
        (text in lx.ADDING or text[-1] in "到在入进")
        and gap
        and all(_in(view, step, QUANTITY) for step in gap)
    ):
        return index
    before = at - 1
    while before >= 0 and view.text(before) in lx.MANNER | lx.AMOUNTS:
        before -= 1
    ahead = any(view.kind(step) == VERB for step in range(index + 1, len(view)))
    if text in lx.REMOVING | {"挑出"} and gap and before < 0 and not ahead:  # 去掉口蘑的根, 切掉黄色的边边
        return noun_modifier(view, index)
    relative = (
        all(_in(view, step, AFTER_VERB) for step in gap)
        or view.text(index + 1) in lx.ORDINARY_NOUNS
        or (view.text(at + 1) in ("了", "过") and view.noun_at(index + 1))  # 加了冰块的水
        or view.verb_at(before)
        or (view.kind(before) == JOIN and any(view.kind(step) == VERB for step in range(before)))
        or view.text(before) in lx.DISPOSAL | lx.INSTRUMENT
    )
    if not relative:
        ahead = any(view.kind(step) == VERB for step in range(index + 1, len(view)))
        amount = all(_in(view, step, lx.AMOUNTS | lx.TASTES) for step in gap)
        if amount or text in lx.ADDING or not (ahead and any(view.noun_at(step) for step in gap)):
            return noun_modifier(view, index)
    if view.text(index + 1) in lx.DISH_VERBS and view.noun_at(index + 2):
        view.suppressed[index + 1] = True  # 炖出来的炖蛋
    return clause_start(view, at)


def _in(view: View, index: int, words: frozenset[str]) -> bool:
    return view.kind(index) == NUMBER or view.text(index) in words


def clause_start(view: View, at: int) -> int:
    """The start of the relative clause with its verb at `at`, including adverbs, instrument or repeated verb."""
    first = view.text(at)[:1]
    while at > 0:
        before, further = view.text(at - 1), view.text(at - 2)
        left = view.text(at)[0] in "剩留有" and view.kind(at - 1) == VERB  # 腌制剩下的
        if left or before in lx.MANNER | lx.PEOPLE | lx.RELATIVE_ADVERBS:
            at -= 1
        elif before in lx.LOCATION and view.noun_at(at - 2) and view.text(at - 3) in lx.DISPOSAL:
            at -= 2  # 把锅里剩下的汁
        elif (
            view.kind(at - 1) == VERB
            and before[-1] in lx.COMPLETED
            and (view.kind(at - 2) == VERB or at == 1)
        ):
            at -= 1  # 倒入洗净切好的鸡爪
        elif at > 1 and view.noun_at(at - 1) and (further in lx.INSTRUMENT or further[:1] == first):
            at -= 2
        else:
            break
    return past_start(view, at)


def past_start(view: View, at: int) -> int:
    """Where the relative clause begins that an adverb of the past opens, as 刚 in 刚盛起备用的; `at` without one."""
    first = at
    while first > 0 and (view.verb_at(first - 1) or view.text(first - 1) in lx.MANNER):
        first -= 1
    return next((start for start in range(first, at) if view.text(start) in lx.PAST), at)


def suppress_background(view: View) -> None:
    """Suppress time clauses (油热时, 出锅前), conditions with 的话, 除了 .. 以外, and 跟 .. 一样."""
    for index in range(len(view)):
        text = view.text(index)
        if text == "的话":
            view.suppress(0, index)
        elif text in lx.EXCEPT and not (
            view.kind(index) == VERB
            and all(view.text(at) not in lx.BESIDES for at in range(index, len(view)))
        ):  # 虾除去沙线
            rest = range(index, len(view))
            view.suppress(index, next((at for at in rest if view.text(at) in lx.BESIDES), len(view)))
        elif text in lx.ALIKE:
            starts = [at for at in range(index) if view.text(at) in ("跟", "像", "和", "好像")]
            view.suppress(starts[-1] if starts else index, index)
        elif text in lx.DURING and is_time(view, index):
            suppress_time_clause(view, index)


def suppress_time_clause(view: View, index: int) -> None:
    """Suppress the verbs of a time clause, back to the result of a main verb (炒至变色时: 炒 counts)."""
    start = 0
    for at in range(index - 1, 0, -1):
        if view.text(at) in lx.UNTIL - {"的", "地", "得"} and view.kind(at - 1) == VERB:
            start = at
            break
    for at in range(start, index):
        if view.verb_at(at) or (start == 0 and view.noun_at(at)):
            view.suppressed[at] = True


def is_time(view: View, index: int) -> bool:
    """Whether a word such as 时 or 前 ends a time clause: behind a verb or state, not behind a number (3小时前)."""
    text = view.text(index)
    if text in ("同时", "时间", "时长") and view.text(index - 1) != "的":
        return False
    if view.text(index - 1) in lx.THIS:  # 盐也这个时候放
        return False
    before = index - 1
    while before >= 0 and (
        view.text(before) in lx.ASPECT | lx.STATES | lx.LONG_RESULTS | lx.SWITCHED | {"的"}
        or view.noun_at(before)
    ):
        before -= 1
    adding = view.text(before)[:1] in lx.ADDING and before == index - 1
    if adding and any(view.text(at) == "的" for at in range(index, len(view))):
        return False  # 加入之前炒好的肉
    if text in ("前", "以前", "之前"):
        return view.verb_at(index - 1) or view.verb_at(before)
    return view.kind(index - 1) != NUMBER


def is_due(view: View, index: int) -> bool:
    """Whether 可以 says that it is time, not that one may: 水开可以下面条了, 煮熟后可出锅."""
    if view.text(index - 1) in ("也", "还", "都", "的"):
        return False
    after = view.skip(index + 1, lx.MANNER | {"准备", "开始"})
    ends = view.kind(after) == VERB and view.text(after)[:2] in ENDING
    return ends or view.text(len(view) - 1) in ("了", "啦")


def is_while(view: View, index: int) -> bool:
    """Whether 会 is a while, as in 煎一小会, and not what happens."""
    return index + 1 == len(view) or view.text(index - 1)[-1:] in ("小", "一")


def is_purpose(view: View, index: int, *, begun: bool) -> bool:
    """Whether a word says what something is for; `begun`: an action or a noun came before it."""
    if view.text(index) == "来":
        return begun and view.kind(index + 1) == VERB
    begins = view.text(index) == "以" and not begun  # 以1比2的比例调汁
    return view.text(index) in lx.PURPOSE and not begins
