"""Quote from the output of programs: only lines that name errors, since others may hold prompts or recipes."""

import os
import re
from collections.abc import Collection
from typing import IO

from wokflow.frame.secrets import masked, printable

TAIL = 65_536  # bytes at the end of a program's output in which errors are looked for
ERRORS = 3  # lines of errors that a message quotes
# At a line's start, or behind a log's head.
ERROR = re.compile(r"(?:^|[\])] )[\w.]{0,80}(?:Error|Exception|error|fatal):")


def end_of(file: IO[bytes], most: int = TAIL) -> str:
    """The last `most` bytes of a file as text, however large it is and whatever bytes it holds."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - most))
    return file.read(most).decode("utf-8", "replace")


def errors_in(file: IO[bytes], secrets: Collection[str] = ()) -> list[str]:
    """The last lines of a program's output that name an error, without secrets."""
    lines = end_of(file).splitlines()
    return [printable(masked(line, secrets)) for line in lines if ERROR.search(line)][-ERRORS:]
