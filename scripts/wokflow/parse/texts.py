"""Actions of texts that belong to no corpus, such as generated recipes: as parse.actions finds them in recipes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wokflow.parse.clauses import clauses
from wokflow.parse.extract import Action, Parse, extract
from wokflow.parse.glossary import Glossary

Extractor = Callable[[Sequence[str]], list[list[Action]]]


def extractor(
    glossary: Glossary, actions: Mapping[str, Any], dependencies: Mapping[str, Any], model: str | None = None
) -> Extractor:
    """What turns texts, of one step each, into their actions.

    `actions` and `dependencies` hold the settings parse.actions and parse.dependencies; method "rules" needs none of
    the latter. A `model` takes the place of that in `dependencies`.
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
    from wokflow.parse.segment import Segmenter

    segment = Segmenter(glossary)
    parser = load_backend(
        settings["backend"], model, segment, batch=settings["batch"], device=settings["device"]
    )

    def parse(some: Sequence[str]) -> dict[str, Parse]:
        found, _ = parse_block(some, parser, segment)
        return {
            clause: Parse(one.words, one.tags, one.heads, one.relations)
            for clause, one in zip(some, found, strict=True)
        }

    return parse
