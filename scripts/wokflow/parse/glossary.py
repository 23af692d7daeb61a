"""The glossary: cooking verbs, ingredients and tools, each with its class."""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread_json
from wokflow.frame.pickles import read_pickle
from wokflow.frame.text_files import read_table, read_text, tables_in
from wokflow.frame.writing import name_of

KINDS = ("verbs", "ingredients", "tools")
PICKLED = ("ingredients", "verbs", "tools")  # in glossary_dict.pkl
HEADER = ("surface", "class")
ENGLISH_HEADER = ("kind", "class", "english")
ENGLISH_KINDS = {"verb": "verbs", "ingredient": "ingredients", "tool": "tools"}


@dataclass(frozen=True, eq=False)  # hashed by identity, so that it can be the key of a cache
class Glossary:
    """Surface words and their classes. A class has the name of one of its words (Liu et al. 2022, section 4.1).

    `english` gives a class's English name by kind ("verb", "ingredient", "tool"); it may be incomplete. `noisy`: the
    glossary also lists words that are no food and no tool, as the one that the paper's authors published does; the
    rules then ignore those that they know. In other glossaries every word counts.
    """

    verbs: Mapping[str, str]
    ingredients: Mapping[str, str]
    tools: Mapping[str, str]
    english: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    noisy: bool = False


def read_glossary(path: str | Path) -> Glossary:
    """Read a folder of verbs.tsv, ingredients.tsv, tools.tsv and english.tsv (optional), or a .pkl or .json file.

    The TSV files have the columns `surface` and `class`; english.tsv has `kind`, `class`, `english`. The pickle is
    that of the paper's authors: dictionaries of ingredients, verbs and tools, surface to class; the JSON file is an
    object of the three by their names. Both are noisy. Surfaces are stripped; one with blanks or punctuation inside
    is dropped, since no text matches it. Raises UserError if a file is missing or malformed, if a TSV file gives a
    surface two classes, or if a class has a comma or a slash.
    """
    path = Path(path)
    glossary = _published(path) if path.suffix in (".json", ".pkl") else _from_folder(path)
    for words in (glossary.verbs, glossary.ingredients, glossary.tools):
        for surface, name in words.items():
            if is_divided(name):
                raise UserError(
                    f"{path}: the class {name!r} of {surface} has a comma or a slash, which stand between classes "
                    "where actions are written. Give it another name."
                )
    return glossary


def is_divided(name: str) -> bool:
    """Whether a name has a character that stands between names where an action is written: verb/food,food/tool."""
    return not {",", "/"}.isdisjoint(name)


def _from_folder(path: Path) -> Glossary:
    words = {kind: dict(_pairs(path / f"{kind}.tsv")) for kind in KINDS}
    names = path / "english.tsv"
    english = _english(names) if names in tables_in(path) else {}
    return Glossary(words["verbs"], words["ingredients"], words["tools"], english)


def _published(path: Path) -> Glossary:
    try:
        if path.suffix == ".pkl":
            content = dict(zip(PICKLED, read_pickle(path), strict=True))
        else:
            content = json.loads(read_text(path))
        words = {kind: _cleaned(content[kind].items()) for kind in KINDS}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path} is not a glossary ({type(error).__name__}: {error}): it should be a JSON object of "
            f"{', '.join(KINDS)}, or a pickle of {', '.join(PICKLED)}, each of which gives surface words their class"
        ) from error
    refuse_misread_json(path, content)
    return Glossary(words["verbs"], words["ingredients"], words["tools"], noisy=True)


def _cleaned(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Strip surfaces and drop unusable ones. If two become equal, the one written without blanks counts."""
    words: dict[str, str] = {}
    for surface, name in sorted(pairs, key=lambda pair: pair[0] != name_of(pair[0])):
        if _usable(surface := name_of(surface)):
            words.setdefault(surface, name_of(name))
    return words


def _usable(surface: str) -> bool:
    return bool(surface) and all(unicodedata.category(character)[0] in "LNM" for character in surface)


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for number, (surface, name) in _rows(path, HEADER):
        if seen.setdefault(surface, name) != name:
            raise UserError(
                f"{path}, line {number}: {surface} is in class {name} and in class {seen[surface]}"
            )
        if _usable(surface):
            yield surface, name


def _english(path: Path) -> dict[str, dict[str, str]]:
    names: dict[str, dict[str, str]] = {kind: {} for kind in ENGLISH_KINDS}
    for number, (kind, name, english) in _rows(path, ENGLISH_HEADER):
        if kind not in names:
            raise UserError(f"{path}, line {number}: kind {kind} is not one of {', '.join(ENGLISH_KINDS)}")
        if names[kind].setdefault(name, english) != english:
            raise UserError(f"{path}, line {number}: {name} is {english} and {names[kind][name]}")
    return names


def _rows(path: Path, header: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """(line number, stripped cells) of each row of a TSV file below its header; blank lines are skipped."""
    if not path.exists():
        raise _missing(path)
    for number, row in read_table(path, header):
        cells = [name_of(row[name]) for name in header]
        if not all(cells):
            raise UserError(f"{path}, line {number}: {' and '.join(header)} must be filled, found {cells}")
        yield number, cells


def _missing(path: Path) -> UserError:
    return UserError(
        f"{path} is missing: parse.glossary.path should name a folder with it, or a .pkl or .json file"
    )
