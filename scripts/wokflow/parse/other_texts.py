"""Actions of texts outside of any corpus, such as generated recipes, extracted in the way of parse.actions."""

from collections.abc import Callable, Sequence

from wokflow.parse.clauses import clauses
from wokflow.parse.dependencies import Backend, parse_block
from wokflow.parse.extract import Method, Style, extract
from wokflow.parse.glossary import Glossary
from wokflow.parse.roles import roles_of
from wokflow.parse.segment import Segmenter
from wokflow.parse.types import Action, Parse

Extractor = Callable[[Sequence[str]], list[list[Action]]]
Load = Callable[[Segmenter], Backend]  # parse.dependencies.load_backend with all arguments but the segmenter


def extractor(glossary: Glossary, method: Method, style: Style, load: Load | None) -> Extractor:
    """A function from texts, of one step each, to the actions of each text.

    `method` and `style` are as in parse.actions. Method "parser" needs `load`, a function that loads the parser.
    """
    parse = _parser(glossary, load) if load else None

    def read(texts: Sequence[str]) -> list[list[Action]]:
        parses = parse(texts) if parse else None
        return [extract([text], glossary, parses, method=method, style=style)[0] for text in texts]

    return read


def _parser(glossary: Glossary, load: Load) -> Callable[[Sequence[str]], dict[str, Parse]]:
    """A function from texts to the parse of each of their clauses."""
    segment = Segmenter(glossary)
    parser = load(segment)

    def parse(texts: Sequence[str]) -> dict[str, Parse]:
        some = sorted({text[start:end] for text in texts for start, end in clauses(text)})
        parsed, _ = parse_block(some, parser, segment)
        return {
            clause: Parse(one.words, one.heads, roles_of(parser.scheme, one.relations))
            for clause, one in zip(some, parsed, strict=True)
        }

    return parse
