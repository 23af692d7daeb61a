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
    Snakemake takes for wildcards, and for characters that a shell would interpret.
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
    if special := SHELL.search(filled):
        raise UserError(
            f"{path}: a shell does not take {special[0]!r} as it stands. Give it a name without it."
        )
    return _in_one_spelling(filled)


def _in_one_spelling(path: str) -> str:
    """The shortest spelling; the real path where a folder before .. is a link, so that both cannot be left out."""
    if not path or "://" in path:
        return path
    short = re.sub("^//", "/", os.path.normpath(path))  # which normpath leaves
    return short if os.path.realpath(path) == os.path.realpath(short) else os.path.realpath(path)


def expanded_model(name: str) -> str:
    """The name of a model, expanded as a path is; ./x stays a folder, and does not become a name of the hub."""
    path = expanded(name)
    return f"./{path}" if name.startswith(".") and "/" not in path else path


def holds_file(folder: Path) -> bool:
    """Whether there is a file in a folder, or below it."""
    return any(path.is_file() for path in folder.rglob("*"))


def no_model(name: str) -> str | None:
    """A message if the name of a model means a folder that does not exist; None for others, as names on the hub.

    owner/name means a folder if there is a folder `owner` here.
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
