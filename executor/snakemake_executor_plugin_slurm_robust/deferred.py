"""Resubmit jobs that Slurm temporarily refused, with growing pauses; this uses up no retry."""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from snakemake_executor_plugin_slurm_robust.commands import SlurmError
from snakemake_executor_plugin_slurm_robust.slurm_refusals import Refusal, temporary

# Seconds before the oldest waiting job is submitted again; doubled after each refusal.
FIRST, LONGEST = 15.0, 300.0
PATIENCE = 24 * 3600.0  # seconds without a job taken after which all waiting jobs fail
END = 90.0  # seconds that a submission under way may take to end


class Waiting(NamedTuple):
    """A job that Slurm refused with a message, or that came while others waited."""

    job: Any
    message: str
    refusal: Refusal | None


class Deferred:
    """Submits jobs, and holds those that Slurm refuses for now.

    `submit` submits a job and returns the message of a failure, or an empty one. `fail` reports a job
    as failed. `withdraw` cancels a job that Slurm took without confirming it; it raises SlurmError if Slurm is
    silent.

    While one job waits, all later ones wait behind it, so that only one submission at a time tests whether Slurm
    takes jobs again.
    """

    def __init__(
        self,
        submit: Callable[[Any], str],
        fail: Callable[[Any, str], None],
        withdraw: Callable[[Any], None],
        logger: Any,
    ) -> None:
        self._submit, self._fail, self._withdraw, self._logger = submit, fail, withdraw, logger
        self._lock = threading.Lock()
        self._jobs: deque[Waiting] = deque()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def __call__(self, job: Any) -> None:
        """Submit a job now, or later if Slurm takes none now."""
        with self._lock:
            if self._jobs:
                self._jobs.append(Waiting(job, "", None))
                return
        if message := self._submit(job):
            if refusal := temporary(message):
                self._add(Waiting(job, message, refusal))
            else:
                self._fail(job, message)

    def close(self) -> None:
        """Stop submitting, and wait for the end of a submission that is under way."""
        self._closed.set()
        thread = self._thread
        if thread and thread is not threading.current_thread():
            thread.join(END)

    def _add(self, waiting: Waiting) -> None:
        with self._lock:
            self._jobs.append(waiting)
            if self._thread is None:
                assert waiting.refusal is not None
                self._logger.warning(
                    f"Slurm takes no more jobs now: {waiting.refusal.reason}. They wait here and are submitted again "
                    f"later, which uses up no retry. Slurm's words: {quoted(waiting.message)}"
                )
                self._thread = threading.Thread(target=self._work_off, daemon=True, name="deferred_jobs")
                self._thread.start()

    def _work_off(self) -> None:
        """Submit the jobs that wait, oldest first, until none is left."""
        pause, taken = FIRST, time.monotonic()
        while not self._closed.wait(pause):
            if self._submit_some():
                pause, taken = FIRST, time.monotonic()
            else:
                pause = min(2 * pause, LONGEST)
            with self._lock:
                late = time.monotonic() - taken > PATIENCE
                left = [self._jobs.popleft() for _ in range(len(self._jobs) if late else 0)]
                if not self._jobs:
                    self._thread = None
            for waiting in left:
                hours = f"Slurm has taken no job for {PATIENCE / 3600:g} hours."
                self._fail(waiting.job, f"{hours} {waiting.message}")
            if self._thread is None:
                return

    def _submit_some(self) -> bool:
        """Submit jobs until Slurm refuses one for now; True if it took one, or refused one for good, before."""
        answered = False
        while self._jobs and not self._closed.is_set():
            job, _, refusal = first = self._jobs[0]
            try:
                if refusal is not None and refusal.may_be_taken:
                    self._withdraw(job)
            except SlurmError:
                return answered
            message = self._submit(job)
            refusal = temporary(message)
            with self._lock:
                assert self._jobs[0] is first
                if refusal is not None:
                    self._jobs[0] = Waiting(job, message, refusal)
                    return answered
                self._jobs.popleft()
            answered = True
            if message:
                self._fail(job, message)
        if not self._jobs:
            self._logger.warning("Slurm takes jobs again.")
        return answered


def quoted(message: str) -> str:
    """Slurm's own words in the message of a failed submission, on one line."""
    return " ".join(message.partition("sbatch call:")[0].partition("error message was")[2].split()) or message
