"""Paths as people write them in the config and in the table of runs: with ~, $NAME and ${NAME}."""

import os
import re
from pathlib import Path

from wokflow.frame.job import UserError

VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([^{}]*)\})")


def expanded(path: str) -> str:
    """The path with ~ and variables of the environment filled in.

    Raises UserError for a variable that is not set or empty, and for a home folder that is not known.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not os.environ.get(name):
            raise UserError(
                f"{path}: the environment variable {name} is not set. Set it, or write the path out."
            )
        return os.environ[name]

    filled = VARIABLE.sub(value, path)
    if not filled.startswith("~"):
        return filled
    home, slash, rest = filled.partition("/")
    try:
        return f"{Path(home).expanduser()}{slash}{rest}"
    except RuntimeError as error:
        raise UserError(f"{path}: the home folder {home} is not known. Write the path out.") from error
