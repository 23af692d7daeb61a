"""From clauses to a step's actions: what a clause leaves open is settled by its neighbours in the sentence."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from wokflow.parse.clauses import clauses
from wokflow.parse.lattice import FOOD
from wokflow.parse.types import Act, Clause, Noun

ENDS = frozenset("。！？!?;；\n\r.…～~")
OPEN, CLOSE = "([{（【「『《〈〔", ")]}）】」』》〉〕"
Read = Callable[[str, str], Clause]


@dataclass(slots=True)
class Sentence:
    """What is still open in a sentence that is being read."""

    last: Act | None = None  # of the clause before, where its object reached the end
    listed: list[Noun] = field(default_factory=list)  # nouns of clauses without a verb
    forward: bool = False  # 把, 用 or 等 before them
    medium: bool = False  # the last action's object is only oil or water
    loose: list[Noun] = field(default_factory=list)  # nouns of verbs outside the glossary
    condition: bool = False


def actions(written: str, text: str, read: Read) -> list[Act]:
    """The actions of a step in text order; `text` is the step in simplified characters, of the same length."""
    found: list[Act] = []
    stack = [Sentence()]
    for mark, (start, end) in pieces(written):
        for sign in mark:
            if sign in OPEN and len(stack) < 10:
                stack.append(Sentence())
            elif sign in CLOSE and len(stack) > 1:
                finish(stack.pop())
            elif sign in ENDS or unicodedata.category(sign) == "So":
                finish(stack[-1])
                stack[-1] = Sentence()
            elif sign in ":：":
                stack[-1].listed = []
        found += join(stack[-1], shifted(read(written[start:end], text[start:end]), start))
    for sentence in stack:
        finish(sentence)
    return sorted(found, key=lambda act: act.start)


def pieces(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Clauses, each with the signs between it and the one before."""
    position = 0
    for start, end in clauses(text):
        yield text[position:start], (start, end)
        position = end


def shifted(clause: Clause, by: int) -> Clause:
    """A copy with offsets in the step; `clause` itself is shared among all its occurrences."""
    moved: dict[int, Noun] = {}

    def move(noun: Noun) -> Noun:
        if id(noun) not in moved:
            moved[id(noun)] = Noun(noun.start + by, noun.end + by, noun.cls, noun.kind)
        return moved[id(noun)]

    acts = [
        Act(
            act.start + by, act.end + by, act.cls, [move(noun) for noun in act.nouns],
            act.optional, act.closed, act.objects,
        )
        for act in clause.acts
    ]  # fmt: skip
    return replace(clause, acts=acts, lead=list(map(move, clause.lead)), loose=list(map(move, clause.loose)))


def join(sentence: Sentence, clause: Clause) -> list[Act]:
    """Take a clause into its sentence; gives its actions, which later clauses may still add objects to."""
    if clause.listing:
        sentence.listed += clause.lead
        sentence.forward = sentence.forward or clause.forward
        return []
    if clause.forward and sentence.last and not sentence.forward:  # 加水，年糕，把虾切片
        sentence.last.nouns += sentence.listed
        sentence.listed = []
    first = clause.acts[0] if clause.acts else None
    carried = sentence.listed + clause.lead
    if continues(sentence, clause):
        assert sentence.last
        sentence.last.nouns += carried
        sentence.listed = []
        if first:
            first.nouns = [noun for noun in first.nouns if noun not in clause.lead]
    elif first and not (clause.condition and sentence.listed):
        first.nouns = sentence.listed + first.nouns
    if first and not clause.condition:
        sentence.listed, sentence.forward = [], False
    if first:
        if not any(noun.kind == FOOD for noun in first.nouns) and not (
            clause.lead or first.objects or clause.switches
        ):
            first.nouns = sentence.loose + first.nouns
        sentence.loose = clause.loose
        for act in clause.acts:
            act.optional = act.optional or sentence.condition
        sentence.last = clause.acts[-1] if clause.open_end else None
        sentence.medium = clause.medium_end
    else:
        sentence.loose += clause.loose
        sentence.last = None
    sentence.condition = clause.condition or (sentence.condition and not first)
    return clause.acts


def continues(sentence: Sentence, clause: Clause) -> bool:
    """Whether listed nouns, with those before the clause's first verb, go on with the last action's objects."""
    if not sentence.last or sentence.forward or clause.forward:
        return False
    if clause.lead:
        together = clause.mixes or (clause.stirs and bool(sentence.listed) and not sentence.medium)
        return together and all(noun.kind == FOOD for noun in clause.lead)
    return bool(sentence.listed)


def finish(sentence: Sentence) -> None:
    """Nouns listed behind the last action of a sentence are its objects."""
    if sentence.last and not sentence.forward:
        sentence.last.nouns += sentence.listed
