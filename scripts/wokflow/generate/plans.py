"""A base recipe in clauses, and the edits that turn it into a recipe of the target dish, as far as rules go."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wokflow.frame import tables
from wokflow.generate.baselines import renaming
from wokflow.parse.clauses import clauses
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.kinds import Kind, flavours, kind
from wokflow.parse.other_texts import Extractor, extractor
from wokflow.parse.types import Action
from wokflow.pivot.aliases import aliases
from wokflow.pivot.dishes import read_pairs
from wokflow.pivot.occurrences import CLASSES, Proto, parsed, proto

AROUND = 3  # clauses on either side of where something may be inserted that a model reads
PLACES = 12  # places at which an insertion is tried
STOP = re.compile(r"[。！？!?；;\n]")
LIGHT = "，"  # stands between an inserted clause and the next
PLAIN = "加入{}", "放入{}"  # wordings where no recipe has one
# Behind a name of one character, each makes another name.
PARTS = "须线头尾壳皮花液羹汤汁骨脚爪鳞刺籽油粉酱精清黄"


@dataclass(frozen=True)
class Clause:
    """A clause, what stands between it and the next, and its actions; the number of a step has none."""

    text: str
    end: str
    actions: tuple[Proto, ...] = ()

    @property
    def number(self) -> bool:
        return self.text.isdigit()


@dataclass(frozen=True)
class Insertion:
    """An action to insert, its wordings, and the actions that it comes behind (`earlier`) and before (`later`)."""

    action: Proto
    phrases: tuple[str, ...]
    earlier: frozenset[Proto]
    later: frozenset[Proto]


@dataclass(frozen=True)
class Plan:
    """The edits of a pair: one ingredient in place of another, actions to remove, and to insert in this order.

    In actions, both ingredients are of one class, which has the name of the added one.
    """

    removed: str | None
    added: str
    remove: frozenset[Proto] = frozenset()
    insert: tuple[Insertion, ...] = ()


class Draft:
    """A recipe on its way. `before` is what stands in front of the first clause."""

    def __init__(self, text: str, plan: Plan, glossary: Glossary, extract: Extractor) -> None:
        self.plan, self._glossary, self._extract = plan, glossary, extract
        self._own = aliases(plan.added, glossary)
        self._old = aliases(plan.removed, glossary) - self._own if plan.removed else frozenset()
        self.before, self.clauses = self._read(text)
        self._remove()
        rename = renaming(self._old, plan.added, glossary, PARTS)
        self.clauses = [replace(one, text=rename(one.text)) for one in self.clauses]

    @property
    def text(self) -> str:
        return self.before + "".join(one.text + one.end for one in self.clauses)

    @property
    def actions(self) -> set[Proto]:
        return {action for one in self.clauses for action in one.actions}

    def wanted(self) -> list[Insertion]:
        """What is to be inserted: what the recipe does not do with the ingredient, each verb once.

        Wordings that name other food that the recipe lacks, flavourings apart, or a tool, are left out.
        """
        verbs, insertions = (
            {action.verb for action in self.actions if self.plan.added in action.ingredients},
            [],
        )
        for one in self.plan.insert:
            fit = tuple(filter(self._fits, one.phrases))
            if self.clauses and fit and one.action.verb not in verbs:
                insertions.append(replace(one, phrases=fit))
                verbs.add(one.action.verb)
        return insertions

    def naming(self) -> Insertion | None:
        """An insertion that names the added ingredient; None if the recipe does."""
        if self.plan.added in self.text or not self.clauses:
            return None
        phrases = [text for one in self.plan.insert for text in one.phrases if self.plan.added in text]
        plain = [text.format(self.plan.added) for text in PLAIN]
        first = next(filter(None, (one.actions for one in self.clauses)), ())
        return Insertion(Proto("", (), ()), tuple(phrases or plain), frozenset(first), frozenset())

    def options(self, one: Insertion) -> list[tuple[int, str]]:
        """(place, wording) of each way to insert it: the number of the clause that it comes before.

        The ingredient is prepared before anything else is done with it. If an action that must come earlier stands
        behind one that must come later, the insertion follows both.
        """
        first, last = 0, len(self.clauses)
        prepares = kind(one.action.verb) is Kind.PREPARE
        for number, clause in enumerate(self.clauses):
            before_it = not prepares and self._kinds(clause) == {Kind.PREPARE}
            if before_it or one.earlier.intersection(clause.actions):
                first = number + 1
        for number in range(len(self.clauses) - 1, first - 1, -1):
            clause = self.clauses[number]
            after_it = prepares and self._kinds(clause) - {Kind.PREPARE}
            if after_it or one.later.intersection(clause.actions):
                last = number
        places = [place for place in range(first, last + 1) if self._open(place)] or [last]
        every = max(len(places) / PLACES, 1)
        chosen = [places[int(number * every)] for number in range(min(len(places), PLACES))]
        return [(place, phrase) for place in chosen for phrase in one.phrases]

    def _kinds(self, clause: Clause) -> set[Kind]:
        """What a clause does with the ingredient."""
        return {kind(action.verb) for action in clause.actions if self.plan.added in action.ingredients}

    def _open(self, place: int) -> bool:
        """Whether something may stand there: beside a clause with actions, and not behind the number of a step."""
        beside = self.clauses[max(place - 1, 0) : place + 1]
        return any(one.actions for one in beside) and not (place and self.clauses[place - 1].number)

    def shown(self, one: Insertion, options: Sequence[tuple[int, str]]) -> list[str]:
        """What a model reads of each option: the clauses around all of its places."""
        places = [place for place, _ in options]
        start, stop = max(min(places) - AROUND, 0), max(places) + AROUND + 1
        return [
            "".join(clause.text + clause.end for clause in self._with(one, *option)[start:stop])
            for option in options
        ]

    def insert(self, one: Insertion, place: int, phrase: str) -> None:
        self.clauses = self._with(one, place, phrase)

    def _with(self, one: Insertion, place: int, phrase: str) -> list[Clause]:
        """The clauses with one more; behind the last one it takes over the end of the sentence."""
        made = Clause(phrase, LIGHT, (one.action,))
        some = list(self.clauses)
        if place == len(some) and some:
            made = replace(made, end=some[-1].end or "。")
            some[-1] = replace(some[-1], end=LIGHT)
        some.insert(place, made)
        return some

    def _read(self, text: str) -> tuple[str, list[Clause]]:
        spans = clauses(text)
        if not spans:
            return text, []
        by_sentence: list[list[Proto]] = [[] for _ in spans]
        [actions] = self._extract([text])
        for action in actions:
            number = next(n for n, (_, end) in enumerate(spans) if action.start < end or n + 1 == len(spans))
            by_sentence[number].append(self._common(action))
        ends = [start for start, _ in spans[1:]] + [len(text)]
        return text[: spans[0][0]], [
            Clause(text[start:end], text[end:until], tuple(own))
            for (start, end), until, own in zip(spans, ends, by_sentence, strict=True)
        ]

    def _common(self, action: Action) -> Proto:
        """The action with both ingredients as one."""
        names = self._own | self._old
        kinds = {food.cls: self.plan.added for food in action.foods if food.surface in names}
        common = proto(action)
        return common._replace(ingredients=tuple(sorted({kinds.get(one, one) for one in common.ingredients})))

    def _remove(self) -> None:
        """Take out the clauses that only say what is to be removed, and numbers with nothing behind them."""
        kept: list[Clause] = []
        for one in self.clauses:
            if one.actions and self.plan.remove.issuperset(one.actions):
                if kept and STOP.search(one.end) and not STOP.search(kept[-1].end):
                    kept[-1] = replace(kept[-1], end=one.end)
                while kept and kept[-1].number and STOP.search(one.end):
                    kept.pop()
            else:
                kept.append(one)
        if any(one.actions for one in kept):
            self.clauses = kept

    def _fits(self, phrase: str) -> bool:
        """Whether all foods and tools of a wording are the ingredient, flavourings, or in the recipe."""
        [actions] = self._extract([phrase])
        foods = {food.surface for action in actions for food in action.ingredients} - self._own
        tools = {tool.surface for action in actions for tool in action.tools}
        return all(name in self.text for name in tools | {food for food in foods if not flavours(food)})


def read_plans(mined: str, pairs: str) -> dict[tuple[str, str], Plan]:
    """The plan of each dish pair by pivot/mined; a pair without edits has its ingredients alone."""
    remove: dict[tuple[str, str], set[Proto]] = defaultdict(set)
    insert: dict[tuple[str, str], list[Insertion]] = defaultdict(list)
    for row in tables.read(mined).iter_rows(named=True):
        pair = row["base_dish"], row["target_dish"]
        foods, tools = (tuple(sorted(row[name])) for name in CLASSES)
        action = Proto(row["verb_class"], foods, tools)
        if row["kind"] == "remove":
            remove[pair].add(action)
        else:
            earlier, later = (frozenset(map(parsed, row[name])) for name in ("earlier", "later"))
            insert[pair].append(Insertion(action, tuple(row["phrases"]), earlier, later))
    return {
        (base, target): Plan(removed, added, frozenset(remove[base, target]), tuple(insert[base, target]))
        for base, target, removed, added in read_pairs(pairs).iter_rows()
    }


@dataclass(frozen=True)
class Edits:
    """The plans of all dish pairs, and what texts are read with."""

    plans: Mapping[tuple[str, str], Plan]
    glossary: Glossary
    extract: Extractor

    @classmethod
    def read(cls, mined: str, pairs: str, glossary: str) -> "Edits":
        words = read_glossary(glossary)
        return cls(read_plans(mined, pairs), words, extractor(words, "rules", "house", None))

    def draft(self, text: str, base: str, target: str) -> Draft:
        return Draft(text, self.plans[base, target], self.glossary, self.extract)
