"""Counts the steps that Python's regular expressions take: a backtracking matcher over their parse trees.

`re` does not tell how many steps it takes. This matcher tries what `re` tries, in the same order and without its
shortcuts, so that its steps grow as those of `re` do. `attacks` gives the texts on which an expression may take long:
repetitions of what its parts match, behind what leads to them, before what makes them fail.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice, permutations, product
from math import inf
from random import Random
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

AnyPattern = re.Pattern[str] | re.Pattern[bytes]
Test = Callable[[str], bool]  # of one character
Rest = Callable[[int], bool]  # whether what comes behind a part matches at a place
Part = Callable[[int, Rest], bool]  # whether a part matches at a place, and then what comes behind it
Node = tuple[Any, Any]
ONE = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}  # nodes that match one character
REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
PROBES = "a1_ \n\t.,:;-=+*/'\"()[]{}<>!?#&%|\\é豆。，\r\u3000\u0301\0"
DEEP = 1_000_000  # calls within calls, one for each character that is matched
LONGEST = 24  # characters of what is repeated
SAMPLES, PAIRED = 3, 5  # texts of one stretch, kinds of characters that are repeated in pairs
LENGTHS = ((5, 10, 15), (30, 60, 90), (250, 500, 750))  # how often it is repeated
MOST = 1000  # texts that are tried with an expression
BENT = 0.1  # share by which the third length may take more steps for a repetition than the second


class TooManySteps(Exception):  # noqa: N818
    """More steps than a matcher may take."""


class Steps:
    """A matcher of an expression. `count` is the number of steps since the object was made."""

    def __init__(self, pattern: AnyPattern, most: int = 1_000_000) -> None:
        self.count, self._most, self._bytes = 0, most, isinstance(pattern.pattern, bytes)
        self.tree: Sequence[Node] = _parser.parse(pattern.pattern, pattern.flags)
        self.tests: dict[int, Test] = {}  # of each node that matches one character, by the node's id
        self._alike: dict[tuple[str, int], Test] = {}  # one of all nodes that say the same
        self._text, self._end = "", -1
        self._groups: dict[int, str] = {}
        self._run = self._sequence(self.tree, pattern.flags)

    def search(self, text: str) -> list[tuple[int, int]]:
        """All places where the expression is found, one after the other, as by finditer, split and sub."""
        found: list[tuple[int, int]] = []
        at, empty = 0, True  # whether an empty match may begin here
        while at <= len(text):
            if self._from(text, at, None if empty else at):
                found.append((at, self._end))
                at, empty = self._end, self._end != at
            else:
                at, empty = at + 1, True
        return found

    def match(self, text: str, *, whole: bool) -> int | None:
        """Where the match at the beginning ends; None without one. With `whole` it is to be all of the text."""
        return self._end if self._from(text, 0, None, whole=whole) else None

    def _from(self, text: str, at: int, unlike: int | None, *, whole: bool = False) -> bool:
        self._text = text
        self._groups.clear()

        def ends(end: int) -> bool:
            self._end = end
            return end != unlike and (end == len(text) or not whole)

        before = sys.getrecursionlimit()
        sys.setrecursionlimit(DEEP)  # of Python's own calls; libraries in C would run out of stack
        try:
            return self._run(at, ends)
        finally:
            sys.setrecursionlimit(before)

    def _sequence(self, nodes: Sequence[Node], flags: int) -> Part:
        parts = [self._part(node, flags) for node in nodes]

        def run(at: int, rest: Rest, number: int = 0) -> bool:
            if self.count > self._most:
                raise TooManySteps
            if number == len(parts):
                return rest(at)
            return parts[number](at, lambda end: run(end, rest, number + 1))

        return run

    def _part(self, node: Node, flags: int) -> Part:
        kind, value = str(node[0]), node[1]
        if kind in ONE:
            return self._ones(self._test(node, flags), 1, 1, "MAX_REPEAT")
        if kind in REPEATS:
            least, most, body = value
            most = sys.maxsize if most is _constants.MAXREPEAT else most
            if len(body) == 1 and str(body[0][0]) in ONE:
                return self._ones(self._test(body[0], flags), least, most, kind)
            return self._many(self._sequence(body, flags), least, most, kind)
        make: Callable[[Any, int], Part] = getattr(self, f"_{kind.lower()}")
        return make(value, flags)

    def _test(self, node: Node, flags: int) -> Test:
        said = repr(node), flags
        if said not in self._alike:
            self._alike[said] = self._made_test(node, flags)
        self.tests[id(node)] = self._alike[said]
        return self._alike[said]

    def _made_test(self, node: Node, flags: int) -> Test:
        state = _parser.State()
        state.flags, state.str = flags, b"" if self._bytes else ""
        compiled = _compiler.compile(_parser.SubPattern(state, [node]), flags)
        known: dict[str, bool] = {}

        def test(character: str) -> bool:
            if character not in known:
                one: Any = character.encode("latin-1", "replace") if self._bytes else character
                known[character] = compiled.match(one) is not None
            return known[character]

        return test

    def _ones(self, test: Test, least: int, most: int, kind: str) -> Part:
        """One character, so many times."""

        def run(at: int, rest: Rest) -> bool:
            text, end = self._text, at
            last = min(len(text), at + (least if kind == "MIN_REPEAT" else most))
            while end < last and test(text[end]):
                end += 1
            self.count += end - at + 1
            if end < at + least:
                return False
            if kind == "POSSESSIVE_REPEAT":
                return rest(end)
            if kind == "MAX_REPEAT":
                while not rest(end):
                    self.count += 1
                    end -= 1
                    if end < at + least:
                        return False
                return True
            last = min(len(text), at + most)
            while not rest(end):
                self.count += 1
                if end >= last or not test(text[end]):
                    return False
                end += 1
            return True

        return run

    def _many(self, body: Part, least: int, most: int, kind: str) -> Part:
        """A longer part, so many times; one that matches nothing is not repeated."""

        def run(at: int, rest: Rest, number: int = 0, before: int = -1) -> bool:
            self.count += 1
            if number < least:
                return body(at, lambda end: run(end, rest, number + 1, at))
            if kind == "MIN_REPEAT" and rest(at):
                return True
            if number < most and at != before and body(at, lambda end: run(end, rest, number + 1, at)):
                return True
            return kind == "MAX_REPEAT" and rest(at)

        def once(at: int, rest: Rest) -> bool:
            number, before = 0, -1
            while number < most and at != before:
                self.count += 1
                if (end := self._first(body, at)) is None:
                    break
                number, before, at = number + 1, at, end
            return number >= least and rest(at)

        return once if kind == "POSSESSIVE_REPEAT" else run

    def _first(self, body: Part, at: int) -> int | None:
        """Where the first match of a part ends that matches alone, whatever comes behind it."""
        ends: list[int] = []

        def end(place: int) -> bool:
            ends.append(place)
            return True

        return ends[0] if body(at, end) else None

    def _atomic_group(self, value: Any, flags: int) -> Part:
        body = self._sequence(value, flags)
        return lambda at, rest: (end := self._first(body, at)) is not None and rest(end)

    def _subpattern(self, value: Any, flags: int) -> Part:
        number, more, less, nodes = value
        body = self._sequence(nodes, flags & ~less | more)

        def run(at: int, rest: Rest) -> bool:
            def behind(end: int) -> bool:
                before = self._groups.get(number)
                self._groups[number] = self._text[at:end]
                if rest(end):
                    return True
                self._groups.pop(number)
                if before is not None:
                    self._groups[number] = before
                return False

            return body(at, behind if number is not None else rest)

        return run

    def _branch(self, value: Any, flags: int) -> Part:
        parts = [self._sequence(nodes, flags) for nodes in value[1]]

        def run(at: int, rest: Rest) -> bool:
            for part in parts:  # not by any(), whose recursion C's stack would have to hold
                self.count += 1
                if part(at, rest):
                    return True
            return False

        return run

    def _groupref(self, number: int, flags: int) -> Part:
        def run(at: int, rest: Rest) -> bool:
            text = self._groups.get(number)
            self.count += len(text or "") + 1
            return text is not None and self._text.startswith(text, at) and rest(at + len(text))

        return run

    def _assert(self, value: Any, flags: int, *, positive: bool = True) -> Part:
        direction, nodes = value
        body, width = self._sequence(nodes, flags), nodes.getwidth()[0] if direction < 0 else 0

        def run(at: int, rest: Rest) -> bool:
            self.count += 1
            there = at >= width and self._first(body, at - width) is not None
            return there is positive and rest(at)

        return run

    def _assert_not(self, value: Any, flags: int) -> Part:
        return self._assert(value, flags, positive=False)

    def _at(self, value: Any, flags: int) -> Part:
        where = str(value)

        def word(at: int) -> bool:
            one = self._text[at : at + 1] if at >= 0 else ""
            return one == "_" or (one.isalnum() and (one.isascii() or not self._bytes))

        def holds(at: int) -> bool:
            text, last = self._text, len(self._text)
            if where in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
                lines = where == "AT_BEGINNING" and flags & re.MULTILINE
                return at == 0 or bool(lines and text[at - 1] == "\n")
            if where == "AT_END":
                ends = at == last or (at == last - 1 and text[at] == "\n")
                return ends or bool(flags & re.MULTILINE and text[at] == "\n")
            if where == "AT_END_STRING":
                return at == last
            return (word(at - 1) != word(at)) is (where == "AT_BOUNDARY")

        def run(at: int, rest: Rest) -> bool:
            self.count += 1
            return holds(at) and rest(at)

        return run


def slow_on(pattern: AnyPattern, how: str = "search", *, every: int = 1, most: int = MOST) -> str | None:
    """A text on which an expression takes more steps than in proportion to its length; None if none is found.

    `how` it is used: search (also for split, sub and the like), match or fullmatch. Of the texts to try, one of
    `every` so many is taken, and of these `most` at most, drawn with a fixed seed. Steps in proportion lie on a
    line; where those for three lengths do not, longer texts decide: repeats up to a number are linear beyond it.
    """
    steps = Steps(pattern)
    texts = list(islice(attacks(steps), 0, None, every))
    for first, repeated, last in texts if len(texts) <= most else Random(0).sample(texts, most):
        for lengths in LENGTHS:
            one, two, three = (_taken(steps, first + repeated * times + last, how) for times in lengths)
            if abs((three - two) - (two - one)) <= BENT * (two - one):
                break
            if three == inf or lengths is LENGTHS[-1]:
                return (
                    f"{first!r} + {repeated!r} * n + {last!r}: {one}, {two}, {three} steps for n = {lengths}"
                )
    return None


def _taken(steps: Steps, text: str, how: str) -> float:
    """The steps for a text; without end where a matcher may take no more."""
    steps.count = 0
    try:
        _ = steps.search(text) if how == "search" else steps.match(text, whole=how == "fullmatch")
    except TooManySteps:
        return inf
    return steps.count


def attacks(steps: Steps) -> Iterator[tuple[str, str, str]]:
    """What comes first, what is repeated, and what comes last, of texts that an expression may take long for.

    None for an expression that repeats nothing without bound: its steps at a place have a bound.
    """
    loops = list(_loops(steps.tree))
    if not loops:
        return
    kinds = _kinds(steps, list(steps.tests.values()))
    repeats = [steps.tests[id(node)] for node in _nodes(loops) if str(node[0]) in ONE]
    again = [one for one in _kinds(steps, repeats) if any(test(one) for test in repeats)]
    firsts, parts, within = {""}, set[str](), {*again, *map("".join, permutations(again[:PAIRED], 2))}
    for before, nodes in _stretches(steps, steps.tree, "", kinds):
        parts.update(_samples(steps, nodes, kinds))
        if nodes[0] in loops:
            firsts.add(before)
            within.update(_samples(steps, nodes[:1], kinds))
    rare = min(kinds, key=lambda one: sum(test(one) for test in steps.tests.values()))
    lasts = sorted({"", rare, f"\n{rare}", *again[:2]})
    for leading, repeated in (({""}, parts - within), (firsts, within)):
        short = sorted(text for text in repeated if 0 < len(text) <= LONGEST)
        yield from product(sorted(leading), short, lasts)


def _kinds(steps: Steps, tests: Sequence[Test]) -> list[str]:
    """One character of each kind that some nodes tell apart."""
    found: dict[tuple[bool, ...], str] = {}
    different = list(dict.fromkeys(tests))
    named = (chr(code) for node in _nodes(steps.tree) for code in _codes(node))
    for one in (*PROBES, *named):
        alike = (one == "\n", one.isalnum() or one == "_", *(test(one) for test in different))
        found.setdefault(alike, one)
    return list(found.values())


def _codes(node: Node) -> Iterator[int]:
    """The characters that a node names, and what comes next to its ranges."""
    kind, value = str(node[0]), node[1]
    if kind in ("LITERAL", "NOT_LITERAL"):
        yield value
    elif kind == "RANGE":
        yield from (value[0], value[1], value[1] + 1)
    elif kind == "IN":
        for each in value:
            yield from _codes(each)


def _bodies(node: Node) -> list[Sequence[Node]]:
    """The nodes within a node."""
    kind, value = str(node[0]), node[1]
    if kind in REPEATS:
        return [value[2]]
    if kind == "BRANCH":
        return list(value[1])
    if kind == "SUBPATTERN":
        return [value[-1]]
    return [value[1]] if kind.startswith("ASSERT") else [value] if kind == "ATOMIC_GROUP" else []


def _nodes(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for body in _bodies(node):
            yield from _nodes(body)


def _loops(nodes: Sequence[Node]) -> Iterator[Node]:
    """The repeats that have no bound."""
    return (node for node in _nodes(nodes) if str(node[0]) in REPEATS and node[1][1] is _constants.MAXREPEAT)


def _stretches(
    steps: Steps, nodes: Sequence[Node], before: str, kinds: Sequence[str]
) -> Iterator[tuple[str, Sequence[Node]]]:
    """Each stretch of nodes, also within others, with a text that leads to it; what is one literal stays whole."""
    units = [list(unit) for _, unit in groupby(nodes, lambda node: str(node[0]) in ONE or id(node))]
    for start in range(len(units)):
        leads = before + _samples(steps, list(chain(*units[:start])), kinds)[0]
        for end in range(start + 1, len(units) + 1):
            yield leads, list(chain(*units[start:end]))
        for body in _bodies(units[start][0]):
            yield from _stretches(steps, body, leads, kinds)


def _samples(steps: Steps, nodes: Sequence[Node], kinds: Sequence[str]) -> list[str]:
    """A few texts that nodes match, what they only look at aside."""
    found = [""]
    for node in nodes:
        kind, value = str(node[0]), node[1]
        if kind in ONE:
            some = list(islice(filter(steps.tests[id(node)], kinds), 2))
        elif kind in REPEATS:
            some = [text * max(value[0], 1) for text in _samples(steps, value[2], kinds)]
        else:
            some = [text for body in _bodies(node) for text in _samples(steps, body, kinds)]
        found = [text + more for text in found for more in some or [""]][:SAMPLES]
    return found
