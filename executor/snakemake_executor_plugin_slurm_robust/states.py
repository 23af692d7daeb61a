"""The states of a run's jobs.

squeue is asked for all jobs of a run at once. Cases that it leaves open are decided here:

- a job that squeue does not list is looked up again, and in the accounting database; if neither knows it, its outputs
  decide. They can only be new ones, since old ones are removed before a job is submitted;
- a job that is given up while Slurm still has it is cancelled, and has ended before it is retried;
- while Slurm does not answer, all jobs count as running.
"""

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol

from snakemake_executor_plugin_slurm_robust import slurm_questions
from snakemake_executor_plugin_slurm_robust.causes import FAILURES, LOST, failure, may_pass, stuck
from snakemake_executor_plugin_slurm_robust.job_outputs import are_complete

RUNNING, COMPLETED, FAILED = "RUNNING", "COMPLETED", "FAILED"
ENDED = {COMPLETED, FAILED, *FAILURES} - {"SPECIAL_EXIT"}
# Slurm holds a job in one of these states, or never starts it again.
GIVEN_UP = {"PREEMPTED", "SPECIAL_EXIT"}
QUESTIONS = 2  # answers that must leave a job out before its outputs decide
# The same, where accounting says that it waits or runs: accounting can lag, or be wrong for ever.
QUESTIONS_AGAINST = 5
AT_ONCE = 4  # questions to the controller about jobs that failed
END = 10.0  # seconds to wait for the end of cancelled jobs; then they are asked for with all others


class Logger(Protocol):
    def warning(self, text: str) -> None: ...


@dataclass
class Absence:
    """How often, and since when, squeue has left a job out."""

    since: float  # by the monotonic clock
    questions: int = 0


class States:
    """Answers the question for the states of a run's jobs; `run` is the name that all of them have.

    `site` is the name of the site file, for messages.
    """

    def __init__(self, site: str) -> None:
        self.site = site
        self.run = ""
        self.jobs: dict[str, Any] = {}  # those that are asked for now: Snakemake's job by Slurm's id
        self.latency = 0.0  # seconds until a file that was written is seen here
        self._absences: dict[str, Absence] = {}
        self._said: set[tuple[str, str]] = set()
        self._silent = False

    @property
    def in_doubt(self) -> bool:
        """Whether squeue's last answer left out a job whose end is not known."""
        return bool(self._absences.keys() & self.jobs.keys())

    async def ask(self, logger: Logger) -> dict[str, str]:
        """The state of each job asked for: squeue's, and that of accounting for jobs that squeue leaves out."""
        listed = await slurm_questions.queue(self.run)
        self._note_silence(listed is None, logger)
        if listed is None:
            return dict.fromkeys(self.jobs, RUNNING)
        states = {job: listed[job][0] for job in self.jobs if job in listed}
        for job in states:
            self._absences.pop(job, None)
        lost = await self._decide(self.jobs.keys() - states.keys(), states)
        given_up = {job for job, state in states.items() if state in GIVEN_UP}
        await self._explain(states, listed, lost, logger)
        if doubtful := lost | given_up:
            alive = await self._end(doubtful)
            states |= dict.fromkeys(doubtful, FAILED) | dict.fromkeys(alive, RUNNING)
        return states

    async def _decide(self, missing: Collection[str], states: dict[str, str]) -> set[str]:
        """Add the states of jobs that squeue leaves out to `states`; return the jobs that are lost."""
        if not missing:
            return set()
        recorded = await slurm_questions.accounting(self.run, missing)
        lost = set()
        for job in missing:
            absence = self._absences.setdefault(job, Absence(time.monotonic()))
            absence.questions += 1
            state = recorded.get(job)
            if state in ENDED:
                del self._absences[job]
                # If Slurm were to start a job of NODE_FAIL again, squeue would list it.
                states[job] = FAILED if state == "NODE_FAIL" else state
            elif absence.questions < (QUESTIONS_AGAINST if state else QUESTIONS):
                states[job] = RUNNING
            elif await are_complete(self.jobs[job]):
                del self._absences[job]
                states[job] = COMPLETED
            elif time.monotonic() - absence.since < self.latency:
                states[job] = RUNNING
            else:
                lost.add(job)
        return lost

    async def _end(self, jobs: set[str]) -> set[str]:
        """Cancel jobs and wait for their end; return those that have not ended in time."""
        await slurm_questions.cancel(jobs)
        latest = time.monotonic() + END
        while True:
            listed = await slurm_questions.queue(self.run)
            alive = {job for job in jobs if listed and listed.get(job, (COMPLETED,))[0] not in ENDED}
            if listed is None:
                alive = jobs
            if not alive or time.monotonic() > latest:
                return alive
            await asyncio.sleep(0.5)

    async def _explain(
        self, states: dict[str, str], listed: dict[str, tuple[str, str]], lost: set[str], logger: Logger
    ) -> None:
        """Log once why a job failed, or that it waits for ever; once for all jobs if that reason may pass."""
        failed, free = [], asyncio.Semaphore(AT_ONCE)

        async def explained(job: str, state: str) -> str:
            async with free:
                return await failure(job, state)

        for job, state in states.items():
            reason = listed.get(job, ("", ""))[1]
            if (state == FAILED or state in FAILURES) and self._is_new(job, state):
                failed.append(explained(job, state))
            elif (text := stuck(reason, self.site)) and self._is_new("" if may_pass(reason) else job, reason):
                logger.warning(f"Slurm job {job} may not start by itself ({reason}): {text}")
        for text in await asyncio.gather(*failed):
            logger.warning(text)
        for job in lost:
            if self._is_new(job, LOST):
                logger.warning(f"Slurm job {job} ({self.jobs[job].name}): {LOST}")

    def _note_silence(self, silent: bool, logger: Logger) -> None:
        if silent and not self._silent:
            logger.warning(
                "Slurm does not answer. The jobs go on by themselves; it is asked again and again."
            )
        elif self._silent and not silent:
            logger.warning("Slurm answers again.")
        self._silent = silent

    def _is_new(self, job: str, about: str) -> bool:
        """Whether this has not been said of the job yet (empty: of any job); from now on it has."""
        new = (job, about) not in self._said
        self._said.add((job, about))
        return new
