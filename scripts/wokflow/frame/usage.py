"""The error of a command that is called wrongly."""

from wokflow.frame.job import UserError


class UsageError(UserError):
    """Arguments of a command that it cannot work with, as opposed to something that it has found."""
