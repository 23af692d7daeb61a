"""The actions of a step from its clauses: what one clause leaves undecided, its neighbours in the sentence decide."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from wokflow.parse import lexemes as lx
from wokflow.parse.clauses import clauses
from wokflow.parse.kinds import Kind, flavours, kind
from wokflow.parse.lattice import FOOD
from wokflow.parse.types import Act, Clause, Noun

ENDS = frozenset("。！？!?;；\n\r.…～~")
COLONS = frozenset(":：")
HEADING = 4  # largest number of characters of a clause that says what the sentence behind the colon is about
SHORT = 3  # largest number of characters of what a dot separates from a list, and not from a sentence
OPEN, CLOSE = "([{（【「『《〈〔", ")]}）】」』》〉〕"
Read = Callable[[str, str], Clause]


@dataclass(slots=True)
class OpenSentence:
    """What is still undecided in a sentence while it is read."""

    last: Act | None = None  # the last action of the clause before, if its object ended that clause
    listed: list[Noun] = field(default_factory=list)  # nouns of earlier clauses without a verb
    measured: bool = False  # some of them have amounts
    adds: bool = False  # the last action puts something in
    forward: bool = False  # 把, 用 or 等 before them
    medium: bool = False  # the only foods of the last action are cooking media, such as oil
    unattached: list[Noun] = field(default_factory=list)  # nouns of verbs outside the glossary
    condition: bool = False  # an open condition makes the next action optional
    unclosed: bool = False  # in a bracket that nothing closes: it ends with the sentence


def actions(written: str, text: str, read: Read) -> list[Act]:
    """The actions of a step, as `written`, in text order; `text` is the step in simplified characters."""
    acts: list[Act] = []
    stack, closed = [OpenSentence()], _closed_brackets(written)
    begun = False  # whether the sentence has an action
    heading = 0  # number of actions of what may be its heading
    for mark, (start, end) in pieces(written):
        remarked = None  # the noun before a bracket
        for at, character in enumerate(mark, start - len(mark)):
            if character in OPEN and len(stack) < 10:
                nouns = stack[-1].listed + [noun for act in acts[-1:] for noun in act.nouns]
                remarked = next((noun for noun in nouns if noun.end == at and noun.kind == FOOD), None)
                stack.append(OpenSentence(unclosed=at not in closed))
            elif character in CLOSE and len(stack) > 1:
                finish(stack.pop())
            elif mark == "." and end - start <= SHORT:  # 加盐.糖.醋
                continue
            elif character in ENDS or (unicodedata.category(character) == "So" and not stack[-1].listed):
                _end_sentence(stack)
                begun, heading, remarked = False, 0, None
            elif character in COLONS:
                stack[-1].listed = []
                if heading and text[acts[-1].start] in lx.BLENDING:  # 调汁：醋、糖
                    stack[-1].last, stack[-1].adds = acts[-1], True
        clause = shifted(read(written[start:end], text[start:end]), start)
        blends = heading and text[acts[-1].start] in lx.BLENDING
        if heading and not blends and clause.acts and not COLONS.isdisjoint(mark):  # 腌制：肉切片，加盐
            del acts[-heading:]
            stack[-1] = OpenSentence()
        named = any(act.nouns for act in clause.acts)
        first = clause.acts[0] if clause.acts else None
        if first and remarked and not (clause.switches or _main(first, remarked, text)):
            first.nouns.append(remarked)  # 红椒（切段）, 鸡（用盐腌制）
        stage = any(text[act.start : act.end] in lx.STAGES for act in clause.acts)  # 水开：下面条
        heading = 0 if begun or named or stage or end - start > HEADING else len(clause.acts)
        begun = begun or bool(clause.acts)
        acts += join(stack[-1], clause)
    for sentence in stack:
        finish(sentence)
    return sorted(acts, key=lambda act: act.start)


def _closed_brackets(text: str) -> set[int]:
    """Where the brackets begin that end somewhere."""
    opened: list[int] = []
    closed = set[int]()
    for at, character in enumerate(text):
        if character in OPEN:
            opened.append(at)
        elif character in CLOSE and opened:
            closed.add(opened.pop())
    return closed


def _end_sentence(stack: list[OpenSentence]) -> None:
    """End the innermost sentence, with those around it whose brackets are not closed, and begin another."""
    while stack[-1].unclosed:
        finish(stack.pop())
    finish(stack[-1])
    stack[-1] = OpenSentence()


def _main(act: Act, remarked: Noun, text: str) -> bool:
    """Whether an action in a bracket names its food, and not only a seasoning with which that before is prepared."""
    prepares = kind(text[act.start : act.end]) is Kind.PREPARE
    foods = [noun for noun in act.nouns if noun.kind == FOOD]
    return any(
        noun.cls == remarked.cls or not (prepares and flavours(text[noun.start : noun.end])) for noun in foods
    )


def pieces(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The clauses' offsets, each with the characters between the clause and the one before."""
    position = 0
    for start, end in clauses(text):
        yield text[position:start], (start, end)
        position = end


def shifted(clause: Clause, by: int) -> Clause:
    """A copy with offsets in the step. `clause` itself is cached and shared by all its occurrences."""
    moved: dict[int, Noun] = {}

    def move(noun: Noun) -> Noun:
        if id(noun) not in moved:
            moved[id(noun)] = Noun(noun.start + by, noun.end + by, noun.cls, noun.kind)
        return moved[id(noun)]

    acts = [
        Act(
            act.start + by, act.end + by, act.cls, [move(noun) for noun in act.nouns],
            act.optional, act.closed, act.objects, act.sense, move(act.product) if act.product else None,
        )
        for act in clause.acts
    ]  # fmt: skip
    return replace(
        clause,
        acts=acts,
        fronted=list(map(move, clause.fronted)),
        unattached=list(map(move, clause.unattached)),
    )


def join(sentence: OpenSentence, clause: Clause) -> list[Act]:
    """Add a clause to its sentence; returns its actions, to which later clauses may still add objects."""
    if clause.listing or (sentence.listed and clause.names_sauce):  # 粉丝，苦瓜，调料汁，倒在一起
        sentence.listed += clause.fronted or clause.acts[0].nouns
        sentence.measured = sentence.measured or clause.measured
        sentence.forward = sentence.forward or clause.forward
        return []
    if clause.forward and sentence.last and not sentence.forward:  # 加水，年糕，把虾切片
        sentence.last.nouns += sentence.listed
        sentence.listed = []
    first = clause.acts[0] if clause.acts else None
    again = {(noun.cls, noun.end - noun.start) for noun in clause.fronted}
    if any(
        (noun.cls, noun.end - noun.start) in again for noun in sentence.listed
    ):  # 土豆1个、葱2根，土豆切丝
        sentence.listed = []
    adds = sentence.adds and sentence.measured and not (sentence.forward or sentence.medium)
    if sentence.last and adds and clause.fronted:
        sentence.last.nouns += sentence.listed  # 放生抽，糖一勺，蒜拍碎
        sentence.listed = []
    carried = sentence.listed + clause.fronted
    if continues(sentence, clause):
        assert sentence.last
        sentence.last.nouns += carried
        sentence.listed = []
        if first:
            first.nouns = [noun for noun in first.nouns if noun not in clause.fronted]
    elif first and not (clause.condition and sentence.listed):
        first.nouns = sentence.listed + first.nouns
    if first and not clause.condition:
        sentence.listed, sentence.forward, sentence.measured = [], False, False
    if first:
        if not any(noun.kind == FOOD for noun in first.nouns) and not (
            clause.fronted or first.objects or clause.switches
        ):
            first.nouns = sentence.unattached + first.nouns
        sentence.unattached = clause.unattached
        for act in clause.acts:
            act.optional = act.optional or sentence.condition
        sentence.last = clause.acts[-1] if clause.open_end else None
        sentence.medium, sentence.adds = clause.medium_end, clause.adds
    else:
        sentence.unattached += clause.unattached
        sentence.last = None
    sentence.condition = clause.condition or (sentence.condition and not first)
    return clause.acts


def continues(sentence: OpenSentence, clause: Clause) -> bool:
    """Whether the listed nouns, and those before the clause's first verb, are more objects of the last action."""
    if not sentence.last or sentence.forward or clause.forward:
        return False
    if clause.fronted:
        together = ((clause.mixes or clause.waits) and sentence.adds) or (
            clause.stirs and bool(sentence.listed) and not sentence.medium
        )
        return together and all(noun.kind == FOOD for noun in clause.fronted)
    return bool(sentence.listed)


def finish(sentence: OpenSentence) -> None:
    """End a sentence: nouns listed behind its last action become that action's objects."""
    if sentence.last and not sentence.forward:
        sentence.last.nouns += sentence.listed
