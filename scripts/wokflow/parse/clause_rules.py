"""The clause rules: which verbs of a clause are cooking actions, and which nouns belong to each.

A clause is read from left to right. Nouns before a verb (topic, object of 把, place, instrument) are pending until it
comes; nouns behind it are its objects, until another phrase begins. The rules see one clause only: what they leave
undecided is resolved in `step_actions`.
"""

from wokflow.parse import lexemes as lx
from wokflow.parse.joining import merged
from wokflow.parse.kinds import Kind, changes_food, kind
from wokflow.parse.lattice import BLANK, FOOD, JOIN, NUMBER, OTHER, TOOL, VERB, Lexicon, Token
from wokflow.parse.mentions import begins, describes, nouns, part
from wokflow.parse.modifiers import (
    is_due,
    is_purpose,
    is_while,
    suppress_background,
    suppress_modifiers,
)
from wokflow.parse.types import Act, Clause, Noun
from wokflow.parse.verbs import BEFORE_OBJECT, counts, sense
from wokflow.parse.view import View

SILENCING = (lx.CAUSE | lx.REMARK | lx.PEOPLE | lx.COPULA) - {"就"}
BETWEEN = lx.LOCATION | lx.MANNER | lx.AMOUNTS | lx.MEASURES  # between a noun and its verb
UNTIL = ("至", "到")
BEFORE_RESULT = lx.ASPECT | lx.MEASURES | lx.LONG_RESULTS | lx.AMOUNTS


class Reader:
    """Reads one clause, once, by `read`."""

    def __init__(self, tokens: list[Token], lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.view = View(merged(tokens, lexicon))
        self.acts: list[Act] = []
        self.verb_texts: list[str] = []
        self.pending: list[Noun] = []  # nouns before the next verb
        self.fronted: list[Noun] = []  # nouns before the first action
        self.unattached_before: list[Noun] = []  # nouns of other verbs, before the first action
        self.unattached: list[Noun] = []  # the same, behind it
        self.disposal = self.forward = self.fronted_forward = False  # 把 came; 用 or 等 came
        self.predicate = self.condition = self.optional = False
        self.negated = self.refused = False  # 不 came; and a verb behind it
        self.silent = False  # in a remark or cause: nothing is an action
        self.before_blank = 0  # number of actions before the last blank
        self.result = self.result_named = False  # 至 came; and the result behind it
        self.product = False  # 成 came

    def read(self) -> Clause:
        suppress_modifiers(self.view)
        suppress_background(self.view)
        index = 0
        while index < len(self.view):
            index = self.step(index)
        if self.closes():
            self.acts, self.predicate = [], True
        listing = not self.acts and not self.predicate and bool(self.pending)
        if not (listing or self.negated or self.silent):
            self.unattached += self.pending
        if self.optional:
            self.unattached = []
        if self.negated and self.refused and not (listing or self.silent or self.acts):
            self.unattached += self.pending
        if self.acts and self.unattached_before and not (self.acts[0].objects or self.fronted):
            self.acts[0].nouns = self.unattached_before + self.acts[0].nouns
        last = self.acts[-1] if self.acts else None
        first = self.verb_texts[0] if self.acts else "-"
        adds = bool(last) and self.verb_texts[-1] in lx.ADDING
        return Clause(
            self.acts,
            self.pending if listing else self.fronted,
            self.unattached,
            listing=listing,
            forward=self.disposal or self.forward if listing else self.fronted_forward,
            open_end=bool(last and not last.closed and (last.objects or adds)),
            adds=bool(last)
            and (kind(self.verb_texts[-1]) is Kind.ADD or self.verb_texts[-1][0] in lx.BLENDING),
            measured=listing and any(map(self.view.amount, range(len(self.view)))),
            medium_end=bool(last) and self.is_only_medium(last),
            mixes=first[0] in lx.MIXING or first in lx.TASTING,
            stirs=first[0] in "炒煸爆炝",
            waits=kind(first) is Kind.ASIDE and first[0] not in lx.FETCHING,
            switches=first[0] in lx.SWITCHES | {"出", "装"},
            names_sauce=first == "调" and len(self.view) == 2,
            condition=self.condition,
        )

    def is_only_medium(self, act: Act | None) -> bool:
        texts = {token.start: token.text for token in self.view.tokens}
        foods = [texts.get(noun.start) for noun in act.nouns if noun.kind == FOOD] if act else []
        return bool(foods) and lx.MEDIA.issuperset(foods)

    def closes(self) -> bool:
        """Whether the clause only says that the dish is ready: 青椒炒肉就做好了, but not 撒上葱花就完成了."""
        for index in range(len(self.view)):
            text = self.view.text(index)
            if text in lx.CLOSING and not self.view.suppressed[index]:
                return True
            if text in lx.DONE:
                self.predicate = True
                if self.view.text(index - 1) not in lx.RESTART:
                    return self.view.kind(index - 1) in (FOOD, OTHER)
        return False

    def step(self, index: int) -> int:
        """Read the token at `index`; returns the index of the next token to read."""
        kind = self.view.kind(index)
        if kind in (FOOD, TOOL):
            return self.noun(index)
        if self.view.suppressed[index]:
            return index + 1
        if kind == VERB:
            return self.verb(index)
        if kind == OTHER:
            return self.other_verb(index)
        if kind in (BLANK, JOIN):
            self.separator(index)
        elif not (self.mood(index) or self.frame(index)):
            self.complement(index)
        return index + 1

    # -- words that are neither verb nor noun

    def separator(self, index: int) -> None:
        """Read a blank or 、; before nouns with a verb of their own it ends the object of the last action."""
        last = self.acts[-1] if self.acts else None
        if self.view.kind(index) == BLANK:
            self.silent = self.negated = False
            near = self.view.text(index - 1)[-1:] + self.view.text(index + 1)[:1]
            if near and not any(map(str.isascii, near)):  # between Chinese, it ends a sentence
                self.before_blank = len(self.acts)
                if last and last.optional and not self.condition:
                    self.optional = False  # 水可以多加点 最后放红枣
            ahead = self.view.skip(index, lx.AMOUNTS | lx.MEASURES | lx.TASTES)
        else:
            ahead = index + 1
            last = last if last and last.nouns and not last.objects else None
        if last and self.view.noun_at(ahead) and begins(self.view, ahead):
            last.closed = True

    def mood(self, index: int) -> bool:
        """Read a word of negation, option, condition or remark, which applies to later verbs."""
        text = self.view.text(index)
        if text in lx.SURELY:
            self.negated = self.optional = self.silent = False
        elif text in lx.NEGATION and self.view.text(index + 1) in lx.LIMITS:  # 不超过40度
            return False
        elif text in lx.NEGATION:
            self.negated, self.predicate, self.refused = True, True, False
        elif text in lx.CONDITION:
            self.optional = True
            self.condition = self.condition or text != "的话" or index + 1 == len(self.view)
            self.silent = self.silent or text in lx.SUPPOSING
        elif text in ("可以", "可") and not (self.condition or self.optional) and is_due(self.view, index):
            self.negated = self.silent = False
        elif text in lx.MAYBE:
            self.optional, self.predicate = True, True
            self.silent = self.negated = False
        elif text == "再" and self.refused and self.view.text(index + 1) in lx.ADDING:
            self.negated = False
        elif text in lx.RESTART and self.view.text(index - 1) not in lx.NEGATION:
            self.negated = False
            if self.condition and text in ("就", "便"):
                self.silent = False
        elif text == "是" or (text == "会" and not is_while(self.view, index)):
            del self.acts[self.before_blank :], self.verb_texts[self.before_blank :]
            self.silent = self.predicate = True
        elif text in SILENCING or is_purpose(self.view, index, begun=bool(self.acts or self.pending)):
            self.silent = self.predicate = True
        else:
            return False
        return True

    def frame(self, index: int) -> bool:
        """Read a word that gives the nouns after it their role: 把, 用, 待, 成, 或."""
        text, last = self.view.text(index), self.acts[-1] if self.acts else None
        if text in lx.DISPOSAL and self.view.kind(index + 1) not in (NUMBER, ""):
            self.disposal, self.result, self.product = True, False, False
            if last:
                last.closed = True
        elif text in lx.INSTRUMENT or text in lx.SUBORDINATOR:
            self.forward = True
            if last and text in lx.INSTRUMENT:
                last.closed = True
        elif text in lx.PRODUCT or (
            text == "出" and last and self.view.kind(index - 1) == VERB
        ):  # 腌制出汁水
            self.product = self.predicate = True
        elif text in lx.OR and self.view.kind(index + 1) == VERB and last:
            self.optional = True
        else:
            return False
        return True

    def complement(self, index: int) -> None:
        """Read 至, a result, state or time behind a verb or noun, or an object that the glossary lacks."""
        text, last = self.view.text(index), self.acts[-1] if self.acts else None
        if text in lx.UNTIL and last and (self.follows_verb(index) or self.follows_object(index)):
            self.until(index)
        elif self.result and text in lx.STATES | lx.LONG_RESULTS | lx.SHAPES:
            self.result_named = True
        elif text in lx.ENTERING and self.pending and not self.acts:
            self.predicate = True  # 羊排下去小火煮
        elif self.is_state(index):
            self.pending, self.predicate = [], True
        elif text in lx.LONG_RESULTS and last and self.follows_verb(index):
            last.closed = last.closed or bool(last.nouns)
        elif text in lx.AFTER:
            self.negated = self.negated and self.refused  # 不粘手后
            if last:
                last.closed = True
        elif last and self.view.unknown(index) and self.verb_texts[-1] in lx.ADDING:
            last.objects = last.objects or not last.closed

    def follows_verb(self, index: int) -> bool:
        """Whether a verb stands before `index` with only particles and amounts between."""
        if self.view.text(index) in ("直到", "直至"):
            return True
        index -= 1
        while index >= 0 and (self.view.kind(index) == NUMBER or self.view.text(index) in BEFORE_RESULT):
            index -= 1
        return self.view.kind(index) == VERB and not self.view.suppressed[index]

    def follows_object(self, index: int) -> bool:
        """Whether 至 or 到 stands behind the object of a verb that changes food: 炸皮蛋到表皮起泡."""
        at = index - 1
        while self.view.noun_at(at):
            at -= 1
        behind = at < index - 1 and self.view.kind(at) == VERB and not self.view.suppressed[at]
        return behind and self.view.text(index) in UNTIL and changes_food(self.view.text(at))

    def until(self, index: int) -> None:
        """Read 至, 到 or 得 behind a verb: a place follows, or a result, whose nouns and verbs do not count."""
        view = self.view
        after = view.skip(index + 1, lx.AMOUNTS | lx.MEASURES | lx.MANNER)
        stateless = view.text(after + 2) not in lx.STATES and view.kind(after + 2) != OTHER
        inside = not view.text(after + 1) or (view.text(after + 1) in lx.LOCATION and stateless)
        place = view.kind(after) == TOOL and view.text(after)[-2:] not in lx.TESTERS
        if place or (view.text(index)[-1] == "到" and view.kind(after) == FOOD and inside):
            return
        self.result, self.result_named = True, view.kind(index + 1) == NUMBER
        self.acts[-1].closed = True

    def is_state(self, index: int) -> bool:
        """Whether the word is the state of a pending noun (油热后, 年糕熟了), which no verb then takes."""
        text = self.view.text(index)
        if not self.pending or self.disposal:
            return False
        if text in lx.LONG_RESULTS - lx.MANNER:
            return not self.acts
        if text not in lx.STATES or not self.view.noun_at(index + 1):
            return text in lx.STATES
        behind = self.view.skip(index + 1, frozenset())
        return self.view.text(index - 1) in lx.HEATABLE and self.view.kind(behind) != VERB

    # -- nouns

    def noun(self, index: int) -> int:
        """Read a list of nouns: objects of the last action, or pending for the next."""
        listed, end = nouns(self.view, index)
        last = self.acts[-1] if self.acts else None
        if self.result or self.product or self.silent:
            if last and listed and self.product and not (self.result or self.silent):
                last.product = listed[-1]
            return end
        if not last:
            self.pending += listed
        elif not last.objects and self.is_medium(index, end):
            last.nouns += listed[:1]
            last.objects = last.closed = True
            return index + 1
        elif self.joins(index):
            last.nouns += listed
        elif last.closed or self.disposal or self.is_next(last, index, end):
            self.pending += listed
        else:
            last.nouns += listed
            last.objects = last.objects or bool(listed)
            lid = self.verb_texts[-1][0] in lx.LIDDED and listed[-1:] and listed[-1].kind == TOOL
            last.closed = last.closed or bool(lid)  # 盖上锅盖等蛤蜊开口
        return end

    def joins(self, index: int) -> bool:
        """Whether 和 joins nouns to an object that is part of the verb: 加水和糖."""
        before = index - 2
        while self.view.kind(before) == BLANK:
            before -= 1
        unlisted = self.view.unknown(before) and kind(self.verb_texts[-1]) is Kind.ADD  # 倒入油膏和糖
        behind = self.view.kind(before) == VERB or unlisted
        return self.view.text(index - 1) in lx.AND and behind and not self.disposal

    def is_medium(self, index: int, end: int) -> bool:
        """Whether the first of two joined nouns is the medium in which the next is cooked: 倒油洋葱炒香."""
        return (
            self.view.text(index) in lx.MEDIA
            and self.verb_texts[-1] in lx.ADDING | lx.FRESH
            and self.view.noun_at(index + 1)
            and not describes(self.view, index)
            and self.view.kind(self.view.skip(end, lx.MANNER)) == VERB
        )

    def is_next(self, last: Act, index: int, end: int) -> bool:
        """Whether nouns between two verbs belong to the second, because the first has its object already."""
        view, text = self.view, self.verb_texts[-1]
        after = view.skip(end, BETWEEN)
        if view.text(after)[:1] == "变" and view.kind(index - 1) == NUMBER:
            return True
        if view.kind(after) != VERB or view.suppressed[after]:
            return False
        before = index - 1
        while before > 0 and view.text(before) in lx.AMOUNTS | lx.TASTES | {"的"}:
            before -= 1
        if view.text(before) in lx.INSTRUMENT | lx.PLACE | lx.WITH and view.kind(before - 1) != VERB:
            return True
        water = view.text(index)[-1] == "水" and view.text(after)[0] in lx.WATER_VERBS
        if water and end == index + 1 and text[0] not in lx.ADDING:
            return True
        if text[0] in lx.DRAINING and view.text(index) in lx.DRAINED:  # 滤干水备用
            return False
        acts_on_food = any(noun.kind == FOOD for noun in last.nouns)
        return acts_on_food and not last.objects and text[-1] in lx.COMPLETED

    # -- verbs

    def other_verb(self, index: int) -> int:
        """Read a verb outside the glossary. The nouns beside it become unattached: a later action may take them."""
        text, view = self.view.text(index), self.view
        measure = text in lx.MEASURES and view.kind(index - 1) == NUMBER
        if measure or (text in lx.TASTING - lx.STATES and (self.acts or self.pending)):
            return index + 1
        self.predicate = True
        if text in lx.HEATED and (name := self.lexicon.foods.get(text[-1])):
            end = view.tokens[index].end
            self.unattached.append(Noun(end - 1, end, name, FOOD))
        if not (text in lx.STATES or self.negated or self.silent):
            self.unattached += self.pending
        self.pending, self.disposal = [], False
        if self.acts:
            self.acts[-1].closed = True
        after = view.skip(index + 1, BEFORE_OBJECT | lx.PLACE | lx.MANNER)
        if not view.noun_at(after) or text in lx.GUIDES:
            return index + 1
        more, end = nouns(view, after)
        if text in lx.EXISTENCE or text[-1] in "进入到":
            self.unattached += more
        return end

    def verb(self, index: int) -> int:
        text = self.view.text(index)
        if not counts(self.view, index, self.disposal):
            if self.view.kind(index - 1) != NUMBER and text not in lx.SUFFIXES:
                self.predicate = True
            if text == "出" and not self.disposal:
                self.pending = []
            return self.passed(index)
        if self.result and not self.is_fresh(text):
            self.result_named = True
            return index + 1
        self.result = self.product = False
        if self.silent or self.negated:
            self.predicate = self.refused = True
            alone = self.negated and not (self.silent or self.acts or self.disposal)
            shared = alone and kind(text) is not Kind.ADD  # 黄瓜不去皮，切片
            self.pending, self.disposal = self.pending if shared else [], False
            return self.passed(index)
        return self.act(index)

    def passed(self, index: int) -> int:
        """The index behind a verb that is not an action, and behind its object."""
        view = self.view
        after = view.skip(index + 1, BEFORE_OBJECT)
        if (self.silent or self.negated) and view.noun_at(after):
            return nouns(view, after)[1]
        single = view.text(index) in lx.AMBIGUOUS_VERBS and view.kind(index - 1) not in (VERB, NUMBER)
        return nouns(view, index + 1)[1] if single and view.noun_at(index + 1) else index + 1

    def is_fresh(self, text: str) -> bool:
        """Whether a verb behind 至 is a new action, not the result: it adds or takes out, or the result is over."""
        if text in lx.CHANGES:
            return False
        return self.result_named or text in lx.ADDING or text[0] in lx.FRESH_STARTS or text == "出锅"

    def act(self, index: int) -> int:
        token, text = self.view.tokens[index], self.view.text(index)
        if self.acts:
            self.acts[-1].closed = True
        else:
            self.fronted, self.fronted_forward = self.pending, self.disposal or self.forward
            self.unattached_before, self.unattached = self.unattached, []
        means = sense(self.view, index)
        cls = self.lexicon.verbs.get(means, token.cls)
        act = Act(token.start, token.end, cls, list(self.pending), self.optional, sense=means)
        act.closed = text in lx.INTRANSITIVE and not (text in lx.EITHER_SIDE and self.lacks(act, index))
        removes = text in lx.REMOVING and not self.view.noun_at(index + 1)
        if removes and (removed := part(self.view, index + 1, self.lexicon)):
            act.nouns.append(removed)
        self.acts.append(act)
        self.verb_texts.append(text)
        self.pending, self.disposal, self.predicate = [], False, True
        if text == "出":  # 出锅, 出水
            act.end = self.view.tokens[index + 1].end
            return index + 2
        self.product = text[-1] in lx.PRODUCT or (text[0] in lx.DRAWING and text[-1] == "出")
        if len(text) > 1 and text[-1] in UNTIL and changes_food(text):
            self.until(index)
        return index + 1

    def lacks(self, act: Act, index: int) -> bool:
        """Whether a verb that mostly stands behind its object has it right behind itself: 预热烤箱, 预热好烤箱."""
        behind = index + 1 + (self.view.text(index + 1) in lx.RESULTS)
        return not act.nouns and self.view.noun_at(behind)
