"""A clause's tokens with a look around each, and which of them were found not to act."""

from wokflow.parse.lattice import BLANK, FOOD, JOIN, NUMBER, OTHER, TOOL, VERB, WORD, WORDS, Token

NOUNS = (FOOD, TOOL)
VERBS = (VERB, OTHER)


class View:
    """Indices beyond either end give "" for text and kind."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.dead = [False] * len(tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def kind(self, index: int) -> str:
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def noun_at(self, index: int) -> bool:
        return self.kind(index) in NOUNS

    def verb_at(self, index: int) -> bool:
        """Whether there is a verb, of the glossary or not."""
        return self.kind(index) in VERBS

    def touches(self, index: int) -> bool:
        """Whether a token follows the one before it without a blank."""
        return index > 0 and self.tokens[index - 1].end == self.tokens[index].start

    def acting(self, index: int) -> bool:
        """Whether a word may be a verb here: 下 and 包 are measures behind a number."""
        return self.verb_at(index) and self.kind(index - 1) != NUMBER

    def unknown(self, index: int) -> bool:
        """Whether a word is in no list: behind a verb it may be an object that the glossary lacks."""
        text = self.text(index)
        return self.kind(index) == WORD and text not in WORDS and text.isalpha()

    def skip(self, index: int, words: frozenset[str]) -> int:
        """The next index from `index` on that is no number, blank or comma and none of `words`."""
        while index < len(self.tokens) and (
            self.kind(index) in (NUMBER, BLANK, JOIN)
            or (self.text(index) in words and not self.acting(index))
        ):
            index += 1
        return index

    def kill(self, start: int, end: int) -> None:
        self.dead[start:end] = [True] * (end - start)
