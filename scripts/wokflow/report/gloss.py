"""Chinese cooking words with their English names, which the glossary has by class."""

from collections.abc import Iterable, Sequence

from wokflow.parse.glossary import Glossary
from wokflow.report.render import Cell


def english(glossary: Glossary, kind: str, classes: Iterable[str]) -> str:
    """English names of classes of a kind (verb, ingredient or tool); a class without one keeps its Chinese name.

    Empty if the glossary has no English names.
    """
    if not glossary.english:
        return ""
    return ", ".join(glossary.english.get(kind, {}).get(name, name) for name in classes)


def with_english(chinese: str, *below: str) -> Cell:
    """Chinese words, with English notes below them."""
    return Cell(chinese, " · ".join(filter(None, below)), lang="zh")


def action(
    glossary: Glossary, verb: str, ingredients: Sequence[str], tools: Sequence[str], *notes: str
) -> Cell:
    """A proto-action by its classes, such as 炒 鸡肉（锅）, with English and notes below it."""
    chinese = f"{verb} {'、'.join(ingredients)}".strip() + (f"（{'、'.join(tools)}）" if tools else "")
    words = f"{english(glossary, 'verb', [verb])} {english(glossary, 'ingredient', ingredients)}".strip()
    words += f" ({english(glossary, 'tool', tools)})" if tools else ""
    return with_english(chinese, words if glossary.english else "", *notes)


def written(glossary: Glossary, name: str, *notes: str) -> Cell:
    """A proto-action as tables name it: verb/ingredient,ingredient/tool,tool."""
    verb, *classes = name.split("/", 2)
    ingredients, tools = (list(filter(None, some.split(","))) for some in classes)
    return action(glossary, verb, ingredients, tools, *notes)
