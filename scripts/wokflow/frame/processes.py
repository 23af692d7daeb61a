"""Runs programs, either to their end or for the time of a block.

Output is read as text: a byte that is not UTF-8 becomes U+FFFD.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from wokflow.frame.job import UserError

TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}  # of every pipe that carries text


def ask_program(
    command: Sequence[str],
    *,
    text: str = "",
    environment: Mapping[str, str] | None = None,
    patience: float | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run a program on a text to its end, and return its exit status and output.

    Raises OSError if it cannot be started, and subprocess.TimeoutExpired, having killed it, after `patience` seconds.
    """
    return subprocess.run(
        command, input=text, env=environment, capture_output=True, timeout=patience, check=False, **TEXT
    )


@contextmanager
def program(
    arguments: Sequence[str], *, patience: float, key: str = "", **options: Any
) -> "Iterator[subprocess.Popen[Any]]":
    """A process in a session of its own; `options` are those of subprocess.Popen.

    At the end of the block its stdin is closed if that is a pipe, else its group gets SIGTERM; after `patience`
    seconds what is left of the group is killed. Raises UserError, which names the config `key`, if it cannot be run.
    """
    try:
        process = subprocess.Popen(arguments, start_new_session=True, **options)
    except OSError as error:
        where = f"{key}: " if key else ""
        raise UserError(
            f"{where}{arguments[0]} cannot be run here: {error.strerror}. Is it installed?"
        ) from None
    try:
        yield process
    finally:
        with suppress(ProcessLookupError, BrokenPipeError):
            process.stdin.close() if process.stdin else os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
