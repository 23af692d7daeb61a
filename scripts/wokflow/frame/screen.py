"""The screen of a run: a line for each job that ended, from time to time one for each running job, and errors.

Snakemake's own lines, some twenty for each job, stay in its log below .snakemake/log; with WOKFLOW_SCREEN=full they
are on the screen as well.

This is no logger plugin. A plugin is chosen by `--logger`, on the command line or in a profile, and the last of these
counts alone: named in profiles/default, it would replace the plugins of a user's own profile (which watch runs, say)
without a word. Where it is not installed, as in a container that holds the packages but not the project, Snakemake
would stop with `invalid choice`. A plugin's handler runs in a thread of its own, where Ctrl-C cannot be ignored. So
the screen's handler gets another formatter and a filter, by the logging package of Python; proposal 13 in
executor/PRIVATE_NAMES.md would do away with that.
"""

import logging
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from wokflow.frame.interrupts import GO_ON
from wokflow.frame.job import START
from wokflow.frame.secrets import shown

NAMED = 5  # jobs at most that a line names
# Seconds without a line after which running jobs are shown: a share of the run's time so far, within bounds.
SILENCE, SHARE, LONGEST = 30.0, 0.05, 600.0
WIDTH = 120  # characters of what a log says
TAIL = 4096  # bytes at the end of a log that are read
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
# Snakemake's message that a job's script failed, which the job has explained itself: a part of it, and its end.
OWN_ERROR = ("CalledProcessError", "step.py' returned non-zero exit status 1.")
TIME = re.compile(r"^\d\d:\d\d:\d\d ")  # with which a line of a job's log begins
STOPPING = "Terminating processes on user request"  # how Snakemake begins what it says after Ctrl-C
STOPPED = "At least one job did not complete successfully"  # and its last words


def shorten_screen(logger: logging.Logger, checkpoints: Callable[[], Collection[str]]) -> None:
    """Have the logger's handler that writes on the screen show little, unless WOKFLOW_SCREEN is full.

    The handler is known by its stream. One of a logger plugin is left as it is: the logger only has its queue.
    `checkpoints` gives, once the rules are known, the names of those after which there may be more jobs.
    """
    if os.environ.get("WOKFLOW_SCREEN") == "full":
        return
    for handler in logger.handlers:
        screen = isinstance(handler, logging.StreamHandler) and handler.stream in (sys.stdout, sys.stderr)
        if screen and not isinstance(handler.formatter, ShortLines):
            short = ShortLines(handler.formatter or logging.Formatter(), checkpoints)
            handler.setFormatter(short)
            handler.filters.insert(0, short.shows)  # before Snakemake's own, so that it sees every job
            threading.Thread(target=_watch, args=(handler, short), daemon=True).start()


def _watch(handler: logging.Handler, short: "ShortLines") -> None:
    """Show running jobs whenever the screen has been silent for long, until the process ends."""
    while True:
        time.sleep(1)
        if text := short.still_running(time.time()):
            record = logging.makeLogRecord({"msg": text, "levelno": logging.INFO, "levelname": "INFO"})
            record.quietness = Quietness.PROGRESS  # what --quiet progress hides
            handler.handle(record)


class ShortLines(logging.Formatter):
    """Formats the end of a job as one line; all else that is shown, as Snakemake does."""

    def __init__(self, own: logging.Formatter, checkpoints: Callable[[], Collection[str]]) -> None:
        super().__init__()
        self._own = own
        self._names: dict[int, str] = {}  # of all jobs that began, by their ids: rule and wildcards
        self._ended: list[str] = []
        self._checkpoints = checkpoints
        self._left: Counter[str] = Counter()  # jobs of checkpoints that have not ended
        self._total = self._targets = self._done = 0
        self._began: dict[int, tuple[float, str]] = {}  # of running jobs: when, and their logs
        self._start = self._shown = time.time()
        self._interrupted = False

    def shows(self, record: logging.LogRecord) -> bool:
        """Whether a record is shown. Remembers which jobs begin and end."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO and "_" in record.rule_name:  # type: ignore[attr-defined]
            wildcards = record.wildcards or {}  # type: ignore[attr-defined]
            name = " ".join([record.rule_name, *map(str, wildcards.values())])  # type: ignore[attr-defined]
            self._names[record.jobid] = name  # type: ignore[attr-defined]
            log = next(iter(record.log), "")  # type: ignore[attr-defined]
            self._began[record.jobid] = (time.time(), log)  # type: ignore[attr-defined]
        if event == LogEvent.JOB_FINISHED:
            if ended := self._names.get(record.job_id):  # type: ignore[attr-defined]
                self._ended.append(ended)
                self._left.subtract([ended.split()[0]])
            self._began.pop(record.job_id, None)  # type: ignore[attr-defined]
            return False
        if event == LogEvent.JOB_ERROR:
            self._began.pop(record.jobid, None)  # type: ignore[attr-defined]
        if event == LogEvent.GROUP_ERROR:
            for job in record.job_error_info:  # type: ignore[attr-defined]
                self._began.pop(job["jobid"], None)
        if str(record.msg).startswith(STOPPING):
            self._interrupted = True
            with suppress(
                ValueError
            ):  # of a thread; a second Ctrl-C is for the jobs alone, on which the run waits
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self._interrupted and record.levelno >= logging.ERROR:  # of jobs that were interrupted as well
            return STOPPED in str(record.msg)
        if record.levelno >= logging.WARNING:
            raised, ended = OWN_ERROR
            _, error, text = str(record.msg).rstrip().partition(raised)
            return not (error and text.endswith(ended))
        return event not in HIDDEN and not str(record.msg).startswith(CHATTER)

    def format(self, record: logging.LogRecord) -> str:
        text = self._text(record)
        if text:
            self._shown = time.time()
        return text

    def still_running(self, now: float) -> str:
        """The last lines of running jobs' logs; empty while the screen has not been silent for long."""
        pause = min(max(SILENCE, SHARE * (now - self._start)), LONGEST)
        running = list(self._began.items())
        if self._interrupted or not running or now - self._shown < pause:
            return ""
        clock = time.strftime("%H:%M:%S", time.localtime(now))
        lines = [f"{clock}  {self._names[job]}: {progress_of(*about)}" for job, about in running[:NAMED]]
        more = [f"{clock}  and {len(running) - NAMED} more"] if len(running) > NAMED else []
        return "\n".join(lines + more)

    def _text(self, record: logging.LogRecord) -> str:
        event = getattr(record, "event", None)
        if event == LogEvent.PROGRESS:
            return self._progress(record.done, record.total)  # type: ignore[attr-defined]
        if event == LogEvent.RUN_INFO:
            return self._begin(record.stats)  # type: ignore[attr-defined]
        if event == LogEvent.JOB_ERROR:
            return self._failure(record)
        if str(record.msg).startswith(STOPPING):
            return self._stopping()
        if self._interrupted and STOPPED in str(record.msg):
            return f"Stopped by Ctrl-C. {GO_ON}"
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
        return shown("\n".join([*lines, *(f"    log: {log}" for log in job["log"])]))

    def _stopping(self) -> str:
        """Which jobs Ctrl-C ends, and how many were done before."""
        running = [self._names[job] for job in list(self._began)]
        more = f" and {len(running) - NAMED} more" if len(running) > NAMED else ""
        names = ", ".join(running[:NAMED]) + more or "no job"
        return f"{time.strftime('%H:%M:%S')}  stopping {names}; {self._done} done before"

    def _progress(self, done: int, total: int) -> str:
        """Which jobs ended, and how many of all; nothing for targets."""
        total -= self._targets
        self._done = done
        if done < total:  # right after a checkpoint, Snakemake knows of no more jobs than are done
            self._total = total
        names, self._ended = ", ".join(self._ended), []
        return (
            f"{time.strftime('%H:%M:%S')}  {names}  ({done} of {self._about}{max(done, self._total)})"
            if names
            else ""
        )


def progress_of(began: float, log: str) -> str:
    """The last line of a job's log, or the time of its start if it has logged nothing yet."""
    line = last_line(Path(log)) if log and _changed(Path(log)) >= began else ""
    if not line or line.startswith(START):
        return f"since {time.strftime('%H:%M:%S', time.localtime(began))}"
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."


def last_line(log: Path) -> str:
    """The last line of a job's log, without its time; of the last three, the one that tells the time left."""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
        lines = [line for line in file.read().decode("utf-8", "replace").split("\n") if line.strip()][-3:]
        timed = [line for line in lines if line.endswith(" left)") and not line.endswith(" 0 s left)")]
        return TIME.sub("", (timed or lines or [""])[-1])
    return ""


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
