"""Decides whether training must stop before its end: on SIGTERM, by the launcher, or at the time limit."""

import os
import signal
import time
from pathlib import Path
from types import FrameType
from typing import Any

from wokflow.frame.job import UserError

SPARE = 10.0  # seconds that a job needs to end, besides its last step and save


class StoppedError(UserError):
    """Training was told to stop, and has saved a checkpoint."""


class TimeOverError(StoppedError):
    """Time ran out after progress: the newest checkpoint is later than the one that training continued from."""


class Stop:
    """Whether to save a checkpoint and end. A context manager, which handles SIGTERM while it is open.

    `minutes` is the time limit of the job from `began` (time.monotonic). A process that was launched stops as soon as
    `file` exists, or the process `launcher` has ended.
    """

    def __init__(
        self,
        minutes: float | None = None,
        *,
        began: float | None = None,
        file: Path | None = None,
        launcher: int | None = None,
    ) -> None:
        self.asked = False  # whether a signal or the launcher has asked to stop
        start = time.monotonic() if began is None else began
        self._end = None if minutes is None else start + 60 * minutes
        self._file = file
        self._launcher = launcher
        self.longest = {"step": 0.0, "save": 0.0}  # seconds

    def __enter__(self) -> "Stop":
        self._before = signal.signal(signal.SIGTERM, self._tell)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def took(self, what: str, seconds: float) -> None:
        """Note the duration of a step or a save: the time reserved for the last ones is based on the longest."""
        self.longest[what] = max(self.longest[what], seconds)

    @property
    def now(self) -> bool:
        """Whether to stop now."""
        self.asked = self.asked or self._left()
        return self.asked or self._late()

    def _tell(self, number: int, frame: FrameType | None) -> Any:
        self.asked = True

    def _late(self) -> bool:
        return self._end is not None and time.monotonic() + SPARE + 2 * sum(self.longest.values()) > self._end

    def _left(self) -> bool:
        if self._file is not None and self._file.exists():
            return True
        if self._launcher is None:
            return False
        try:
            os.kill(self._launcher, 0)
        except ProcessLookupError:
            return True
        return False
