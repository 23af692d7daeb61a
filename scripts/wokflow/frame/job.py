"""The frame of every job: its log, its progress, and errors that a person can read."""

import fcntl
import os
import socket
import stat
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from wokflow.frame.secrets import shown

START = "start "  # how the first line of a job's log begins
OTHERS = stat.S_IWGRP | stat.S_IWOTH  # others' right to write
HELD = "(process {process} on {host})"  # in the first line of a job's log: who holds it


class UserError(Exception):
    """Something that the user can fix; the message says what happened, where, and what to do."""


class Progress:
    """Writes lines of progress, at most one every `seconds`, so that the log of a long job stays short.

    Without `out`, it writes nothing.
    """

    def __init__(self, out: TextIO | None = None, *, seconds: float = 10.0) -> None:
        self._out = out
        self._seconds = seconds
        self._last = time.monotonic()
        self._first: tuple[float, int, int | None] | None = (
            None  # time, done and `of` at the first call: time before it went into other work
        )

    def __call__(self, done: int, text: str, *, of: int | None = None) -> None:
        """Say `text`; with `of`, add the share done and the time left, by the mean rate since the first call."""
        now = time.monotonic()
        if self._first is None or self._first[2] != of or done < self._first[1]:
            self._first = (now, done, of)
        if now - self._last < self._seconds and done != of:
            return
        self._last = now
        shares = []
        if of and done:
            shares.append(f"{100 * done // of} %")
            begin, before, _ = self._first
            if done > before:
                shares.append(f"{(now - begin) * (of - done) / (done - before):.0f} s left")
        self.say(text + (f" ({', '.join(shares)})" if shares else ""))

    def say(self, text: str) -> None:
        if self._out:
            print(time.strftime("%H:%M:%S"), shown(text), file=self._out, flush=True)

    def warn(self, text: str) -> None:
        """Say `text` in the log, and on stderr, which Snakemake shows on the screen."""
        self.say(f"warning: {text}")
        if self._out:
            print(shown(text), file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Job:
    """A step's function gets this about its job; the default, for calls outside of a job, logs nothing.

    `metadata` is written to the footers of the job's tables.
    """

    metadata: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    threads: int = 1


_current = Progress()  # of the job that this process runs


def log_warning(text: str) -> None:
    """Write a warning to the log of the job that this process runs; outside of a job, nothing."""
    _current.say(f"warning: {text}")


def keep_others_from_writing() -> None:
    """Make new files of this process and its children writable for the user only, whatever the umask."""
    os.umask(os.umask(0o077) | OTHERS)


def hold(descriptor: int) -> None:
    """Lock an open file until this process, and all that have inherited it, end; where the file system has locks."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def job(log: str) -> Iterator[Progress]:
    """Run a job with its log file open. Errors go to the log in full, and to stderr on one line, without secrets.

    The job then ends with SystemExit, so that Python prints no traceback. Ctrl-C reaches every job of a run: each
    logs it, and only the run reports it on the screen.
    """
    global _current
    warnings.filterwarnings(
        "ignore", message="pkg_resources is deprecated"
    )  # of jieba, on the screen in every job
    keep_others_from_writing()
    path = Path(log)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # a link that somebody else has put there is not followed
    with path.open("x", encoding="utf-8") as file:
        hold(file.fileno())  # as long as the job lives, whatever becomes of its run
        progress = _current = Progress(file)
        progress.say(f"{START}{HELD.format(process=os.getpid(), host=socket.gethostname())}")
        start = time.monotonic()
        try:
            yield progress
        except UserError as error:
            progress.say(f"stopped: {error}")
            raise SystemExit(f"{shown(str(error))}\n(log: {log})") from error
        except KeyboardInterrupt:
            progress.say("interrupted")
            raise SystemExit(1) from None
        except Exception as error:
            progress.say(traceback.format_exc())
            raise SystemExit(f"{type(error).__name__}: {shown(str(error))}\n(log: {log})") from error
        finally:
            _current = Progress()
        progress.say(f"done in {time.monotonic() - start:.1f} s")
