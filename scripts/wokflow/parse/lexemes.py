"""Word lists of the clause rules, from resources/grammar: function words, verbs that are not actions, shapes.

Each list is an attribute: lexemes.NEGATION holds the words of the list NEGATION. Cooking verbs, ingredients and tools
come from the glossary alone.
"""

from typing import TYPE_CHECKING

from wokflow.frame.wordlists import word_lists

globals().update(
    word_lists("grammar/function.tsv") | word_lists("grammar/verbs.tsv") | word_lists("grammar/nouns.tsv")
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> frozenset[str]: ...
