"""Cooking actions of a recipe: verbs of the glossary with the ingredients and tools they act on."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from wokflow.parse import lexemes as lx
from wokflow.parse.clause_rules import Reader
from wokflow.parse.doings import Held, KitchenAction
from wokflow.parse.glossary import Glossary
from wokflow.parse.kinds import Kind, kind
from wokflow.parse.lattice import FOOD, Lexicon
from wokflow.parse.meat import with_meats
from wokflow.parse.paper import extract_paper
from wokflow.parse.parsed import parse_of, read_parsed
from wokflow.parse.pot import held
from wokflow.parse.simplified import simplified
from wokflow.parse.step_actions import ENDS, actions
from wokflow.parse.types import Act, Action, Clause, Mention, Noun, Parse

__all__ = ["Action", "Mention", "Method", "Parse", "Style", "extract"]

Method = Literal["rules", "parser"]
Style = Literal["house", "paper"]
HELD_OBJECTS = frozenset("水油面")  # last characters of verbs that hold their object: 加水, 放油, 和面
CUTS = frozenset(("切", "切好", "切出"))  # verbs that leave open how finely
FINE = frozenset("末沫蓉茸泥")  # last characters of what is cut finely
FRIED = "炸"  # the verb whose class has food that is soaked in hot oil
# behind a food: something goes there, as in 鱼上, but not 中火, 上锅
PLACE = re.compile("[里内]|中(?![火小大和])|上(?![火桌锅笼色蒸浆面])|上面|表面")
TOGETHER, ALL = re.compile("在?(?:一起|一块|一处)"), ("一起", "一块", "全部", "都", "统统")
CACHED = 200_000  # largest number of clauses in the cache


def extract(
    steps: Sequence[str],
    glossary: Glossary,
    parses: Mapping[str, Parse] | None = None,
    *,
    method: Method | str,
    style: Style | str,
) -> list[list[Action]]:
    """The actions of each step, in order of their verbs.

    In style "house" a verb is an action if it tells the cook to do something, or names a stage to wait for;
    modifiers, negated verbs, results, purposes, remarks and background events are not. Its nouns are its objects,
    topics, instruments and places. A verb without ingredient inherits what is in the pot or on the bench at that
    moment, across steps, unless it is about a tool; see `pot`. Style "paper" follows appendix A.2 of Liu et al.
    (2022); see `paper`.

    `method` chooses the analysis of a clause. "rules": the rules alone. "parser": its entry in `parses`, or the rules
    if it has none, or one without a root, since the parser failed. Offsets count in the step:
    step[action.start:action.end] == action.verb.
    """
    if style == "paper":
        return extract_paper(steps, glossary, parses)
    read = reader(glossary, parses or {}, method)
    lexicon = _rules(glossary).lexicon
    plain = [simplified(text) for text in steps]
    acts = [actions(text, other, read) for text, other in zip(steps, plain, strict=True)]
    _start_anew(acts, plain, lexicon)
    for some, text in zip(acts, plain, strict=True):
        for act in some:
            _cut_fine(act, text, lexicon)
    by_step = [[_action(text, act) for act in some] for text, some in zip(plain, acts, strict=True)]
    by_step = with_meats(by_step, lexicon.foods)
    doings = [
        [
            _doing(action, act, other, lexicon)._replace(together=_together(action, step, other))
            for action, act in zip(step, some, strict=True)
        ]
        for step, some, other in zip(by_step, acts, plain, strict=True)
    ]
    inherited = iter(held([doing for some in doings for doing in some]))
    fried = lexicon.verbs.get(FRIED)
    by_step = [[_inherits(action, next(inherited), fried) for action in step] for step in by_step]
    return by_step if plain == list(steps) else _as_written(by_step, doings, steps)


def reader(glossary: Glossary, parses: Mapping[str, Parse], method: str) -> Callable[[str, str], Clause]:
    """The function that reads a clause, given as written and in simplified characters."""
    rules = _rules(glossary)
    if method == "rules":
        return lambda written, clause: rules.read(clause)
    if method != "parser":
        raise ValueError(f"method is {method!r}, not rules or parser")

    def read(written: str, clause: str) -> Clause:
        parse = parse_of(written, parses)
        return read_parsed(clause, parse, rules.lexicon) if parse else rules.read(clause)

    return read


class Rules:
    """Reads clauses with one glossary, and caches the result by clause, since recipes repeat many clauses."""

    def __init__(self, glossary: Glossary) -> None:
        self.lexicon = Lexicon(glossary)
        self.read = lru_cache(CACHED)(self._read)

    def _read(self, clause: str) -> Clause:
        return Reader(self.lexicon.tokens(clause), self.lexicon).read()


@lru_cache(maxsize=4)
def _rules(glossary: Glossary) -> Rules:
    return Rules(glossary)


def _start_anew(acts: Sequence[Sequence[Act]], plain: Sequence[str], lexicon: Lexicon) -> None:
    """Read 起锅 as heating a pot instead of emptying it, if oil or water goes in next or just went in."""
    verbs = [(act, text[act.start : act.end]) for some, text in zip(acts, plain, strict=True) for act in some]
    heated = -1  # where 热油 ended: 热油起锅
    for (act, verb), (later, adds) in pairwise(verbs):
        liquid = any(noun.cls in (lexicon.foods.get("油"), lexicon.foods.get("水")) for noun in later.nouns)
        again = liquid and kind(adds) is Kind.ADD and adds[0] not in lx.COATING
        again = again or adds[0] in "水油"  # 起锅，水烧开
        if verb == "起锅" and (again or act.start == heated):
            act.sense, act.cls = "热锅", lexicon.verbs.get("热锅", act.cls)
        heated = act.end if verb == "热油" else -1


def _cut_fine(act: Act, plain: str, lexicon: Lexicon) -> None:
    """Read 切 with a finely cut product, as in 切点蒜末, as 切末."""
    verb = plain[act.start : act.end]
    products = [plain[noun.end - 1] for noun in act.nouns if noun.start >= act.end and noun.kind == FOOD]
    if verb in CUTS and products and FINE.issuperset(products):
        act.cls = lexicon.verbs.get("切末", act.cls)


def _action(text: str, act: Act) -> Action:
    foods, tools = _mentions(text, act.nouns, True), _mentions(text, act.nouns, False)
    if _cold_oil(text, act.start, act.end):
        foods = tuple(food for food in foods if food.start != act.end)
    return Action(act.start, act.end, text[act.start : act.end], act.cls, foods, tools, (), act.optional)


def _cold_oil(text: str, start: int, end: int) -> bool:
    """Whether 热锅 stands in 热锅冷油: the pot is heated, and not the oil that then goes in."""
    return text[start:end] == "热锅" and text[end : end + 2] in lx.COLD_OILS


def _doing(action: Action, act: Act, plain: str, lexicon: Lexicon) -> KitchenAction:
    """The action for `held`, as it was read; `plain` is its step in simplified characters."""
    verb, holds, at = plain[action.start : action.end], "", action.end - 1
    if len(verb) > 1 and verb[-1] in HELD_OBJECTS:
        holds = verb[-1]
    elif len(verb) > 1 and verb[0] in "水油":  # 水开, 油热
        holds, at = verb[0], action.start
    elif _cold_oil(plain, action.start, action.end):
        holds, at = "油", action.end + 1
    elif "油锅" in verb or any(tool.surface.startswith("油锅") for tool in action.tools):  # 再起油锅
        holds = "油"
    elif any(plain[tool.start - 1 : tool.start + 1] in ("水锅", "油锅") for tool in action.tools):  # 下开水锅
        holds = plain[next(tool.start for tool in action.tools) - 1]
    cls = lexicon.foods.get(holds)
    inside = (Mention(holds, cls, at, at + 1),) if cls else ()
    onto = bool(action.ingredients) and all(
        food.start >= action.end and (PLACE.match(plain, food.end) or plain[food.start - 1] in "在到")
        for food in action.ingredients
    )
    made = _mentions(plain, [act.product] if act.product else (), True)
    product = made[0] if made else None
    return KitchenAction(
        act.sense or verb, action.ingredients, action.tools, inside, action.start, onto, product
    )


def _together(action: Action, step: Sequence[Action], plain: str) -> tuple[Mention, ...]:
    """The foods that the sentence names before an action that puts them together: 放一起, 全部倒入碗中."""
    if action.ingredients or not (TOGETHER.match(plain, action.end) or plain.endswith(ALL, 0, action.start)):
        return ()
    begin = max((at + 1 for at in range(action.start) if plain[at] in ENDS), default=0)
    return tuple(food for other in step for food in other.ingredients if begin <= food.start < action.start)


def _inherits(action: Action, held_food: Held, fried: str | None) -> Action:
    name = fried if held_food.in_oil and fried else action.verb_class
    return replace(action, inherited=held_food.foods, verb_class=name)


def _as_written(
    by_step: Sequence[Sequence[Action]], doings: Sequence[Sequence[KitchenAction]], steps: Sequence[str]
) -> list[list[Action]]:
    """The actions with their words as in the steps; the kitchen reads them in simplified characters."""
    written = {
        noun: _written(noun, text)
        for text, some in zip(steps, doings, strict=True)
        for doing in some
        for noun in (*doing.foods, *doing.tools, *doing.inside, *filter(None, [doing.product]))
    }

    def words(nouns: Sequence[Mention]) -> tuple[Mention, ...]:
        return tuple(written[noun] for noun in nouns)

    return [
        [
            replace(
                action,
                verb=text[action.start : action.end],
                ingredients=words(action.ingredients),
                tools=words(action.tools),
                inherited=words(action.inherited),
            )
            for action in some
        ]
        for text, some in zip(steps, by_step, strict=True)
    ]


def _written(noun: Mention, text: str) -> Mention:
    """The noun as the text has it; 油 of 油锅 may stand beside its place."""
    surface = text[noun.start : noun.end]
    return replace(noun, surface=surface) if simplified(surface) == noun.surface else noun


def _mentions(text: str, nouns: Sequence[Noun], food: bool) -> tuple[Mention, ...]:
    chosen = {(noun.start, noun.end): noun.cls for noun in nouns if (noun.kind == FOOD) == food}
    return tuple(Mention(text[start:end], name, start, end) for (start, end), name in sorted(chosen.items()))
