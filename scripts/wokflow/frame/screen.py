"""What a run shows on the screen: a line for each job that ended, warnings and errors.

Snakemake's own lines, some twenty for each job, stay in its log below .snakemake/log; with WOKFLOW_SCREEN=full they
are on the screen as well.
"""

import logging
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

HANDLER = "DefaultStreamHandler"  # Snakemake's name of the handler that writes on the screen
HIDDEN = (
    LogEvent.WORKFLOW_STARTED,
    LogEvent.RESOURCES_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_INFO,
    LogEvent.GROUP_INFO,
    LogEvent.SHELLCMD,
)
CHATTER = (
    "Assuming unrestricted shared filesystem usage",
    "Building DAG of jobs",
    "Conda environments: ignored",
    "Config file ",
    "DAG of jobs will be updated",
    "Rules claiming more threads",
    "Select jobs to execute",
    "Updating checkpoint dependencies",
    "Using shell",
)
# That a job's script ended with an error, which it has said itself.
OWN_ERROR = re.compile(r"CalledProcessError.*step\.py' returned non-zero exit status 1\.\s*$", re.S)


def shorten_screen(logger: logging.Logger, checkpoints: Callable[[], Collection[str]]) -> None:
    """Have Snakemake's handler that writes on the screen show little, unless WOKFLOW_SCREEN is full.

    `checkpoints` gives the names of rules behind which there may be more jobs, once the rules are known.
    """
    if os.environ.get("WOKFLOW_SCREEN") == "full":
        return
    for handler in logger.handlers:
        if handler.name == HANDLER and not isinstance(handler.formatter, ShortLines):
            short = ShortLines(handler.formatter or logging.Formatter(), checkpoints)
            handler.setFormatter(short)
            handler.filters.insert(0, short.shows)  # before Snakemake's own, so that it sees every job


class ShortLines(logging.Formatter):
    """Formats the end of a job as one line; all else that is shown, as Snakemake does."""

    def __init__(self, own: logging.Formatter, checkpoints: Callable[[], Collection[str]]) -> None:
        super().__init__()
        self._own = own
        self._names: dict[int, str] = {}  # of jobs that began, by their ids: rule and wildcards
        self._ended: list[str] = []
        self._checkpoints = checkpoints
        self._left: Counter[str] = Counter()  # of them, those that have not ended
        self._total = self._targets = 0

    def shows(self, record: logging.LogRecord) -> bool:
        """Whether a record is shown. Remembers which jobs begin and end."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO and "_" in record.rule_name:  # type: ignore[attr-defined]
            wildcards = record.wildcards or {}  # type: ignore[attr-defined]
            name = " ".join([record.rule_name, *map(str, wildcards.values())])  # type: ignore[attr-defined]
            self._names[record.jobid] = name  # type: ignore[attr-defined]
        if event == LogEvent.JOB_FINISHED:
            ended = self._names.pop(record.job_id, None)  # type: ignore[attr-defined]
            if ended:
                self._ended.append(ended)
                self._left.subtract([ended.split()[0]])
            return False
        if record.levelno >= logging.WARNING:
            return not OWN_ERROR.search(str(record.msg))
        return event not in HIDDEN and not str(record.msg).startswith(CHATTER)

    def format(self, record: logging.LogRecord) -> str:
        event = getattr(record, "event", None)
        if event == LogEvent.PROGRESS:
            return self._progress(record.done, record.total)  # type: ignore[attr-defined]
        if event == LogEvent.RUN_INFO:
            return self._begin(record.stats)  # type: ignore[attr-defined]
        if event == LogEvent.JOB_ERROR:
            return self._failure(record)
        return self._own.format(record)

    def _begin(self, stats: Mapping[str, int]) -> str:
        """How many jobs there are; targets are not counted, which are jobs without a step."""
        steps = {rule: count for rule, count in stats.items() if "_" in rule}
        self._targets = stats["total"] - sum(steps.values())
        known = self._checkpoints()
        self._left = Counter({rule: count for rule, count in steps.items() if rule in known})
        return f"{self._about}{sum(steps.values())} jobs; .snakemake/log has all that Snakemake says"

    @property
    def _about(self) -> str:
        return "about " if any(count > 0 for count in self._left.values()) else ""

    def _failure(self, record: logging.LogRecord) -> str:
        """Which job failed, what the executor says of it, and its logs."""
        job: dict[str, Any] = vars(record)
        name = self._names.get(job["jobid"], job["rule_name"])
        lines = [
            f"{time.strftime('%H:%M:%S')}  {name} failed"
            + (f": {job['rule_msg']}" if job["rule_msg"] else "")
        ]
        lines += [f"    {key}: {value}" for key, value in job["aux"].items()]
        return "\n".join([*lines, *(f"    log: {log}" for log in job["log"])])

    def _progress(self, done: int, total: int) -> str:
        """Which jobs ended, and how many of all; nothing for targets."""
        total -= self._targets
        if done < total:  # behind a checkpoint, Snakemake counts what it knows of, which is nothing more
            self._total = total
        names, self._ended = ", ".join(self._ended), []
        return (
            f"{time.strftime('%H:%M:%S')}  {names}  ({done} of {self._about}{max(done, self._total)})"
            if names
            else ""
        )
