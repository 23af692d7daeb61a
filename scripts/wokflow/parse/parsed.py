"""Actions of a clause by its dependency parse: verbs of the glossary with the glossary nouns below them.

Liu et al. (2022), appendix A.2: "we perform dependency parsing on recipes, and build actions from verbs in the
dependency parsing tree. If a verb has noun children that are ingredients or cooking tools, they are also included".
"""

from wokflow.parse import lexemes as lx
from wokflow.parse.joining import merged
from wokflow.parse.lattice import FOOD, TOOL, VERB, Lexicon, Token
from wokflow.parse.roles import DESCRIBES, NEGATION
from wokflow.parse.types import Act, Clause, Noun, Parse


class Tree:
    """A parse of a clause, aligned with the tokens of the rules."""

    def __init__(self, clause: str, parse: Parse, lexicon: Lexicon) -> None:
        self.parse = parse
        self.tokens = merged(lexicon.tokens(clause), lexicon)
        self.word_at: list[int] = []
        word = left = 0
        for character in clause:
            if not character.isspace() and not left and word < len(parse.words):
                left, word = len(parse.words[word]), word + 1
            self.word_at.append(word - 1)
            left -= not character.isspace()

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

    def is_main(self, token: Token) -> bool:
        """Whether a verb neither describes a noun nor is negated."""
        word = self.word(token)
        negated = any(
            head == word and (self.parse.words[child] in lx.NEGATION or self.parse.roles[child] == NEGATION)
            for child, head in enumerate(self.parse.heads)
        )
        return not negated and not self.describes(word)


def read_parsed(clause: str, parse: Parse, lexicon: Lexicon) -> Clause:
    """The actions of a clause. Nouns below no verb are left for `step_actions` to attach."""
    tree = Tree(clause, parse, lexicon)
    verbs = {
        tree.word(token): Act(token.start, token.end, token.cls)
        for token in reversed(tree.tokens)
        if token.kind == VERB and tree.is_main(token)
    }
    acts = sorted(verbs.values(), key=lambda act: act.start)
    free: list[Noun] = []
    for token in tree.tokens:
        if token.kind in (FOOD, TOOL):
            noun = Noun(*token.core, token.cls, token.kind)
            word = tree.word(token)
            above = [word, *tree.above(word)]
            governor = next((at for at in above if at in verbs), -1)
            if governor >= 0 and not described(tree, above[: above.index(governor)]):
                verbs[governor].nouns.append(noun)
                verbs[governor].objects |= noun.start > verbs[governor].start
            elif governor < 0:
                free.append(noun)
    fronted = [noun for noun in acts[0].nouns if noun.start < acts[0].start] if acts else free
    return Clause(
        acts, fronted, free if acts else [], not acts and bool(free), open_end=bool(acts) and acts[-1].objects
    )


def described(tree: Tree, path: list[int]) -> bool:
    """Whether a noun only describes another one, by the words on the path from it up to below its verb."""
    return any(map(tree.describes, path))
