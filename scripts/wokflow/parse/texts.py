"""Actions of texts outside of any corpus, such as generated recipes, found as parse.actions finds them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wokflow.parse.clauses import clauses
from wokflow.parse.extract import extract
from wokflow.parse.glossary import Glossary
from wokflow.parse.types import Action, Parse

Extractor = Callable[[Sequence[str]], list[list[Action]]]


def extractor(
    glossary: Glossary, actions: Mapping[str, Any], dependencies: Mapping[str, Any], model: str | None = None
) -> Extractor:
    """A function from texts, of one step each, to the actions of each text.

    `actions` and `dependencies` are the settings of parse.actions and parse.dependencies; method "rules" does not
    read the latter. `model` overrides the model in `dependencies`.
    """
    method, style = actions["method"], actions["style"]
    if method == "rules":
        return lambda texts: [
            extract([text], glossary, None, method=method, style=style)[0] for text in texts
        ]
    parse = _parser(glossary, dependencies, model or dependencies["model"])

    def by_parser(texts: Sequence[str]) -> list[list[Action]]:
        parses = parse(sorted({text[start:end] for text in texts for start, end in clauses(text)}))
        return [extract([text], glossary, parses, method=method, style=style)[0] for text in texts]

    return by_parser


def _parser(
    glossary: Glossary, settings: Mapping[str, Any], model: str
) -> Callable[[Sequence[str]], dict[str, Parse]]:
    from wokflow.parse.dependencies import load_backend, parse_block
    from wokflow.parse.roles import roles_of
    from wokflow.parse.segment import Segmenter

    segment = Segmenter(glossary)
    parser = load_backend(
        settings["backend"], model, segment, batch=settings["batch"], device=settings["device"]
    )

    def parse(some: Sequence[str]) -> dict[str, Parse]:
        found, _ = parse_block(some, parser, segment)
        return {
            clause: Parse(one.words, one.heads, roles_of(parser.scheme, one.relations))
            for clause, one in zip(some, found, strict=True)
        }

    return parse
