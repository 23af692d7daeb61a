"""The error of a command that is called wrongly."""

from pathlib import Path

from wokflow.frame.job import UserError


class UsageError(UserError):
    """Arguments of a command that it cannot work with, as opposed to something that it has found."""


def refuse_absent(*paths: str) -> None:
    """Raises UsageError for the first path that names no file and no folder."""
    for path in paths:
        if not Path(path).exists():
            raise UsageError(f"There is no file {path}.")
