"""Paths as people write them in the config and in the table of runs: with ~, $NAME and ${NAME}."""

import os
import re
from pathlib import Path

from wokflow.frame.job import UserError

SHELL = re.compile(r"[$`\\\x00-\x1f\x7f]")
VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([^{}]*)\})")


def expanded(path: str) -> str:
    """The path with ~ and variables of the environment filled in, in one spelling: no x/, ./x, a//x or a/../x.

    Raises UserError for a variable that is not set or empty, for a home folder that is not known, for braces, which
    Snakemake takes for the names of wildcards, and for what a shell would not take as it stands.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not os.environ.get(name):
            raise UserError(
                f"{path}: the environment variable {name} is not set. Set it, or write the path out."
            )
        return os.environ[name]

    filled = VARIABLE.sub(value, path)
    if filled.startswith("~"):
        home, slash, rest = filled.partition("/")
        try:
            filled = f"{Path(home).expanduser()}{slash}{rest}"
        except RuntimeError as error:
            raise UserError(f"{path}: the home folder {home} is not known. Write the path out.") from error
    if "{" in filled or "}" in filled:
        raise UserError(f"{path}: Snakemake takes {{ and }} for wildcards. Give it a name without them.")
    if found := SHELL.search(filled):
        raise UserError(
            f"{path}: a shell does not take {found[0]!r} as it stands. Give it a name without it."
        )
    return _in_one_spelling(filled)


def _in_one_spelling(path: str) -> str:
    """The shortest spelling; where .. leads out of a linked folder, that is not the text without both."""
    if not path or "://" in path:
        return path
    short = re.sub("^//", "/", os.path.normpath(path))  # which normpath leaves
    return short if os.path.realpath(path) == os.path.realpath(short) else os.path.realpath(path)


def expanded_model(name: str) -> str:
    """The name of a model, expanded as a path is; ./x stays a folder, and does not become a name of the hub."""
    found = expanded(name)
    return f"./{found}" if name.startswith(".") and "/" not in found else found


def holds_file(folder: Path) -> bool:
    """Whether there is a file in a folder, or below it."""
    return any(path.is_file() for path in folder.rglob("*"))


def no_model(name: str) -> str | None:
    """What is wrong with the name of a model, if it means a folder and there is none; names on the hub are none.

    owner/name means a folder where there is a folder of that owner here.
    """
    path = Path(name)
    meant = (
        name.startswith((".", "/")) or len(path.parts) > 2 or (len(path.parts) == 2 and path.parent.is_dir())
    )
    if path.is_dir():
        return None if holds_file(path) else f"the folder {name} holds no file."
    if not (meant or path.exists()):
        return None
    if path.exists():
        return f"{name} is a file, and not the folder of a model."
    return f"there is no folder {name}. A model of the Hugging Face hub is named as owner/name."
