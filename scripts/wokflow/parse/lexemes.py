"""Word lists of the clause rules and of the kitchen, from resources/grammar.

Each list is an attribute: lexemes.NEGATION holds the words of the list NEGATION. Cooking verbs, ingredients and tools
come from the glossary alone.
"""

from typing import TYPE_CHECKING

from wokflow.frame.wordlists import word_lists

globals().update(
    word_lists("grammar/function.tsv")
    | word_lists("grammar/verbs.tsv")
    | word_lists("grammar/nouns.tsv")
    | word_lists("grammar/kitchen.tsv")
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> frozenset[str]: ...
