"""The tokens of a clause by index, and which of them are suppressed: no part of any action."""

from wokflow.parse import lexemes as lx
from wokflow.parse.lattice import BLANK, FOOD, JOIN, NUMBER, OTHER, TOOL, VERB, WORD, WORDS, Token

NOUNS = (FOOD, TOOL)
VERBS = (VERB, OTHER)


class View:
    """Text and kind of an index beyond either end are ""."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.suppressed = [False] * len(tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def kind(self, index: int) -> str:
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def noun_at(self, index: int) -> bool:
        return self.kind(index) in NOUNS

    def verb_at(self, index: int) -> bool:
        """Whether the token is a verb, in the glossary or not."""
        return self.kind(index) in VERBS

    def touches(self, index: int) -> bool:
        """Whether no blank separates a token from the one before it."""
        return index > 0 and self.tokens[index - 1].end == self.tokens[index].start

    def acting(self, index: int) -> bool:
        """Whether a verb is not a measure here: 下 and 包 behind a number are."""
        return self.verb_at(index) and self.kind(index - 1) != NUMBER

    def amount(self, index: int) -> bool:
        return self.kind(index) == NUMBER or self.text(index) in lx.AMOUNTS

    def unknown(self, index: int) -> bool:
        """Whether a word is in no list. After a verb it may be an object that the glossary lacks."""
        text = self.text(index)
        return self.kind(index) == WORD and text not in WORDS and text.isalpha()

    def skip(self, index: int, words: frozenset[str]) -> int:
        """The first index from `index` on that is not a number, blank, enumeration comma or one of `words`."""
        while index < len(self.tokens) and (
            self.kind(index) in (NUMBER, BLANK, JOIN)
            or (self.text(index) in words and not self.acting(index))
        ):
            index += 1
        return index

    def suppress(self, start: int, end: int) -> None:
        self.suppressed[start:end] = [True] * (end - start)
