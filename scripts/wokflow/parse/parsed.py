"""Actions of a clause by its dependency parse: verbs of the glossary with the glossary nouns below them.

Liu et al. (2022), appendix A.2: "we perform dependency parsing on recipes, and build actions from verbs in the
dependency parsing tree. If a verb has noun children that are ingredients or cooking tools, they are also included".

The tree says which nouns belong to a verb, and which verbs are negated or describe a noun. What else is no action,
as results, remarks and time clauses, and what is left to the cook, the clause rules say: see `Marked`.
"""

from collections.abc import Mapping
from dataclasses import replace

from wokflow.parse import lexemes as lx
from wokflow.parse.clause_rules import Reader
from wokflow.parse.lattice import FOOD, TOOL, VERB, Lexicon, Token
from wokflow.parse.modifiers import suppress_background
from wokflow.parse.roles import DESCRIBES, NEGATION, ROOT
from wokflow.parse.types import Act, Clause, Noun, Parse
from wokflow.parse.view import View


def parse_of(clause: str, parses: Mapping[str, Parse]) -> Parse | None:
    """The parse of a clause; None if there is none, if it is of other words, or if the parser failed on it."""
    parse = parses.get(clause)
    if parse is None or ROOT not in parse.roles or "".join(parse.words) != "".join(clause.split()):
        return None
    return parse


class Marked(Reader):
    """Reads a clause by the rules, and keeps the places of the tokens that are no part of an action to them.

    `left_out` has results, products, remarks, time clauses, and verbs that mean something else here; `denied` has the
    verbs that are negated. Modifiers are in neither.
    """

    def __init__(self, tokens: list[Token], lexicon: Lexicon) -> None:
        super().__init__(tokens, lexicon)
        self.denied = set[int]()
        background = View(self.view.tokens)
        suppress_background(background)
        self.left_out = {at for at, suppressed in enumerate(background.suppressed) if suppressed}
        self._passed = set[int]()  # verbs that were read, but not as negated

    def read(self) -> Clause:
        clause = super().read()
        acting = {act.start for act in clause.acts}
        self.left_out |= {at for at in self._passed if self.view.tokens[at].start not in acting}
        return clause

    def noun(self, index: int) -> int:
        return self._to(super().noun(index), index, self.result or self.product or self.silent)

    def verb(self, index: int) -> int:
        (self.denied if self.negated and not self.silent else self._passed).add(index)
        return self._to(super().verb(index), index, self.silent)

    def _to(self, end: int, index: int, left_out: bool) -> int:
        if left_out:
            self.left_out.update(range(index, end))
        return end


class Tree:
    """A parse of a clause, aligned with the tokens of the rules."""

    def __init__(self, clause: str, parse: Parse) -> None:
        self.parse = parse
        self.word_at: list[int] = []
        word = left = 0
        for character in clause:
            if not character.isspace() and not left and word < len(parse.words):
                left, word = len(parse.words[word]), word + 1
            self.word_at.append(word - 1)
            left -= not character.isspace()
        self.negations = [at for at in range(len(parse.words)) if self.negates(at)]

    def word(self, token: Token) -> int:
        """The parse's word for a token: the one in which a verb begins or a noun ends, where its head is."""
        return self.word_at[token.start if token.kind == VERB else token.end - 1]

    def describes(self, word: int) -> bool:
        """Whether a word is part of a noun's description. A noun before a localizer is not: 锅 in 锅里."""
        head = self.up(word)
        return self.parse.roles[word] in DESCRIBES and not (
            head >= 0 and self.parse.words[head] in lx.LOCATION
        )

    def up(self, word: int) -> int:
        head = self.parse.heads[word]
        return head if head != word else -1

    def above(self, word: int) -> list[int]:
        """The words above a word, nearest first. Stops at a cycle, which a damaged parse may have."""
        ancestors: list[int] = []
        while (word := self.up(word)) >= 0 and word not in ancestors:
            ancestors.append(word)
        return ancestors

    def negates(self, word: int) -> bool:
        return self.parse.words[word] in lx.NEGATION or self.parse.roles[word] == NEGATION

    def negated(self, word: int, denied: bool) -> bool:
        """Whether a negation to the left of a verb is below it or, if the rules find the verb `denied`, governs it.

        It governs what comes after it, below it or below its head: 防止 in 加盐防止变黑, but not 加.
        """
        above = self.above(word) if denied else []
        for at in self.negations:
            head = self.up(at)
            if at < word and (head == word or at in above or (head in above and head < at)):
                return True
        return False


def read_parsed(clause: str, parse: Parse, lexicon: Lexicon) -> Clause:
    """The actions of a clause. Nouns below no verb are left for `step_actions` to attach."""
    rules, tree = Marked(lexicon.tokens(clause), lexicon), Tree(clause, parse)
    by_rules = rules.read()
    known = {act.start: act for act in by_rules.acts}
    tokens = [(at, token) for at, token in enumerate(rules.view.tokens) if at not in rules.left_out]
    verbs: dict[int, Act | None] = {}  # by word; None for a negated verb
    for at, token in reversed(tokens):
        if token.kind == VERB:
            word = tree.word(token)
            if tree.negated(word, at in rules.denied):
                verbs[word] = None
            elif not tree.describes(word):
                verbs[word] = _act(token, known.get(token.start))
    acts = sorted(filter(None, verbs.values()), key=lambda act: act.start)
    if not (acts or known):
        return by_rules
    free: list[Noun] = []
    for _, token in tokens:
        if token.kind in (FOOD, TOOL):
            noun = Noun(*token.core, token.cls, token.kind)
            path, governor = _below(tree, tree.word(token), verbs)
            if described(tree, path):
                continue
            if governor < 0:
                free.append(noun)
            elif act := verbs.get(governor):
                act.nouns.append(noun)
                act.objects |= noun.start > act.start
    fronted = [noun for noun in acts[0].nouns if noun.start < acts[0].start] if acts else free
    return replace(
        by_rules,
        acts=acts,
        fronted=fronted,
        unattached=free if acts else [],
        listing=not acts and bool(free),
        open_end=bool(acts) and acts[-1].objects,
    )


def _act(token: Token, known: Act | None) -> Act:
    """The action of a verb, without nouns; `known` is what the rules know of it."""
    if known is None:
        return Act(token.start, token.end, token.cls)
    return replace(known, nouns=[], closed=False, objects=False)


def _below(tree: Tree, word: int, verbs: Mapping[int, Act | None]) -> tuple[list[int], int]:
    """The words from one up to below the nearest of `verbs` or negation, and the index of that; -1 without one."""
    path: list[int] = []
    for at in (word, *tree.above(word)):
        if at in verbs or tree.negates(at):
            return path, at
        path.append(at)
    return path, -1


def described(tree: Tree, path: list[int]) -> bool:
    """Whether a noun only describes another one, by the words on the path from it up to below its verb."""
    return any(map(tree.describes, path))
