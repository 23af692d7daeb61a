"""Checks config files for faults that YAML accepts silently, or that Snakemake reports without the file's name."""

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_text

_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_QUOTED = re.compile("“[^“”‘’]*”|‘[^“”‘’]*’")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml takes a tenth of the time


def behind_configfile(arguments: Sequence[str]) -> list[str]:
    """The files after --configfile in the arguments of snakemake, parsed as snakemake does."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--configfile", "--configfiles", dest="files", nargs="+", default=[])
    try:
        files: list[str] = parser.parse_known_args(arguments)[0].files
    except argparse.ArgumentError:  # no file follows, which snakemake reports itself
        return []
    return files


def check_configs(paths: Iterable[str | Path]) -> None:
    """Raise UserError for the first of the files after --configfile that cannot be used."""
    paths = list(paths)
    check_readable(paths)
    for path in paths:
        read_yaml(path)


def check_readable(paths: Iterable[str | Path]) -> None:
    """Raise UserError for the first of the files after --configfile that does not exist, or is not YAML or JSON."""
    for number, path in enumerate(paths):
        if number and not Path(path).exists():
            raise UserError(
                f"There is no config file {path}. All that follows --configfile is read as config files. If it "
                f"is a stage or another target, put it before: snakemake --cores 8 {path} --configfile ..."
            )
        _composed(path)


def read_yaml(path: str | Path, *, empty: bool = False) -> dict[str, Any]:
    """The keys of a YAML or JSON file; none for an empty file, if `empty` allows that.

    Raises UserError if it is not UTF-8, not YAML or JSON, has no keys, has a key twice in one block, or a value that
    YAML reads as another than it looks.
    """
    text, document = _composed(path)
    if isinstance(document, dict):
        return document
    if document is None and empty:
        return {}
    if not isinstance(document, yaml.MappingNode):
        raise UserError(f"{path} holds no keys. Write one a line, as `results: DIR`, or leave the file out.")
    if problems := "\n".join(f"  - {problem}" for problem in _twice(document, "", set())):
        raise UserError(f"{path} has the same key twice, and only one of them would count:\n{problems}")
    if problems := "\n".join(f"  - {problem}" for problem in _otherwise(document, "", [], set())):
        raise UserError(f"{path} has values that are not read as they look:\n{problems}")
    try:
        held: dict[str, Any] = yaml.load(text, LOADER)
    except (yaml.YAMLError, ValueError) as error:  # a tag, a list as a key, a date that there is not
        raise UserError(_message(path, text, error)) from error
    return held


def _composed(path: str | Path) -> tuple[str, yaml.Node | dict[str, Any] | None]:
    """A file's text, and its content as YAML, or as JSON that is not valid YAML; None for an empty file.

    Raises UserError if it is a folder, not UTF-8, or neither YAML nor JSON.
    """
    if Path(path).is_dir():
        raise UserError(f"{path} is a folder, not a config file.")
    text = read_text(path, "config")
    try:
        return text, yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        if (value := _json(text)) is not None:
            return text, value
        raise UserError(_message(path, text, error)) from error


def _json(text: str) -> dict[str, Any] | None:
    """The keys of a JSON text, which may have tabs where YAML may not; None if it is not JSON."""
    try:
        keys = json.loads(text)
    except ValueError:
        return None
    return keys if isinstance(keys, dict) else None


def _message(path: str | Path, text: str, error: yaml.YAMLError | ValueError) -> str:
    """A message about text that is not YAML, with its place and what to do."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"{path} is not YAML: {error}"
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        advice = "Indent with blanks: YAML takes no tabs."
    elif "：" in "".join(lines[max(0, mark.line - 1) : mark.line + 1]):
        advice = "Behind a key, write the colon of Latin text (:) and a blank."
    else:
        advice = f"{getattr(error, 'problem', None) or error}."
    return f"{path}, line {mark.line + 1}, column {mark.column + 1}: this is not YAML: {line.strip()!r}. {advice}"


def _twice(node: yaml.Node, prefix: str, seen: set[int]) -> Iterator[str]:
    """A message for each key that a block has twice; a block that an alias repeats is checked once."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _twice(item, prefix, seen)
    if not isinstance(node, yaml.MappingNode):
        return
    lines: dict[Any, int] = {}
    merged: list[yaml.Node] = []
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if key.tag == "tag:yaml.org,2002:merge":
            merged.append(value)
            if value is not merged[0]:
                both = f"line {lines[key.tag, name]} and line {line}"
                yield f"{prefix}<<: {both}. Write <<: [*one, *other]; the first goes before."
        elif (key.tag, name) in lines:
            yield f"{prefix}{name}: line {lines[key.tag, name]} and line {line}. Put both into one."
        lines.setdefault((key.tag, name), line)
        yield from _twice(value, f"{prefix}{name}.", seen)


def _otherwise(node: yaml.Node, prefix: str, above: Sequence[yaml.Node], seen: set[int]) -> Iterator[str]:
    """A message for each value that YAML reads as another than it looks: 010 is 8, 1:30 is 90.

    `above` are the blocks around it. An alias of one of them holds itself; what other aliases repeat is checked once.
    """
    if node in above:
        yield f"{prefix}: line {node.start_mark.line + 1}: this block holds itself."
        return
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        if reason := _misleading(node):
            yield f"{prefix}: line {node.start_mark.line + 1}: {node.value} {reason}"
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _otherwise(value, f"{prefix}.{key.value}".lstrip("."), [*above, node], seen)
    else:
        for item in node.value:
            yield from _otherwise(item, prefix, [*above, node], seen)


def _misleading(node: yaml.ScalarNode) -> str | None:
    """What YAML reads a value as, and what to write instead; None for one that is as it looks."""
    if not node.style and _QUOTED.fullmatch(node.value):
        return (
            "has typographic quotation marks, which become part of the value. Write straight ones, or none; if they "
            "are part of it, write straight ones around the whole."
        )
    if node.tag not in _NUMBERS:
        return None
    number = yaml.load(node.value, LOADER)
    if number != number:
        return "is no number."
    if ":" in node.value:
        return f"is {number} to YAML, which takes colons for minutes and hours. Write the number, or quotes."
    if re.fullmatch("[-+]?0[0-7_]+", node.value):
        return (
            f"is {number} to YAML, which takes it for octal. Leave the zeros out, or write quotes for a text."
        )
    return None
