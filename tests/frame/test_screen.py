"""What a run shows of its jobs, from the records that Snakemake logs."""

import logging
import logging.handlers
import os
import queue
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from wokflow.frame.interrupts import GO_ON
from wokflow.frame.screen import ShortLines, shorten_screen


@pytest.fixture(autouse=True)
def same_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


class Screen:
    """The lines of a screen, and what Snakemake logs of its jobs."""

    def __init__(self) -> None:
        self.short = ShortLines(logging.Formatter(), list)
        self.lines: list[str] = []
        self.log(LogEvent.RUN_INFO, stats={"match_embed": 1, "train_model": 2, "all": 1, "total": 4})

    @staticmethod
    def record(
        event: LogEvent | None, message: str = "", level: int = logging.INFO, **found: Any
    ) -> logging.LogRecord:
        return logging.makeLogRecord(
            {"msg": message, "levelno": level, "event": event, "aux": {}, "log": [], "rule_msg": ""} | found
        )

    def log(self, *about: Any, **found: Any) -> None:
        record = self.record(*about, **found)
        if self.short.shows(record) and (line := self.short.format(record)):
            self.lines.append(line)

    def begin(self, job: int, rule: str, *wildcards: str, log: str = "") -> None:
        named = {str(number): value for number, value in enumerate(wildcards)}
        self.log(LogEvent.JOB_INFO, jobid=job, rule_name=rule, wildcards=named, log=[log])

    def end(self, job: int, done: int) -> None:
        self.log(LogEvent.JOB_FINISHED, job_id=job)
        self.log(LogEvent.PROGRESS, done=done, total=4)

    def fail(self, job: int, rule: str) -> None:
        self.log(LogEvent.JOB_ERROR, level=logging.ERROR, jobid=job, rule_name=rule)


def test_only_the_screen_is_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WOKFLOW_SCREEN")
    monkeypatch.setattr(
        "wokflow.frame.screen._watch", lambda *_: None
    )  # it would go on until the process ends
    screen, plugins = logging.StreamHandler(sys.stderr), logging.handlers.QueueHandler(queue.Queue())
    log = logging.FileHandler(tmp_path / "log", delay=True)
    logger = logging.Logger("of a run")
    logger.handlers = [screen, plugins, log]
    for _ in range(2):  # a second time changes nothing
        shorten_screen(logger, list)
    assert isinstance(screen.formatter, ShortLines) and len(screen.filters) == 1
    assert not any(handler.formatter or handler.filters for handler in (plugins, log))


def test_ctrl_c_names_what_it_stops_and_how_to_go_on() -> None:
    screen = Screen()
    screen.begin(1, "match_embed", "xiachufang")
    screen.end(1, done=1)
    screen.begin(2, "train_model", "a")
    screen.begin(3, "train_model", "b")
    screen.lines.clear()
    screen.log(None, "Terminating processes on user request, this might take some time.")
    screen.log(None, "CalledProcessError: Command 'x' died with <Signals.SIGINT: 2>.", logging.ERROR)
    screen.fail(2, "train_model")
    screen.log(None, "WorkflowError:\nAt least one job did not complete successfully.", logging.ERROR)
    assert [line.split("  ")[-1] for line in screen.lines] == [
        "stopping train_model a, train_model b; 1 done before",
        f"Stopped by Ctrl-C. {GO_ON}",
    ]
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN, (
        "a second Ctrl-C does not keep the run from ending"
    )


def test_a_job_that_failed_before_is_not_among_those_that_ctrl_c_stops() -> None:
    screen = Screen()
    screen.begin(2, "train_model", "a")
    screen.begin(3, "train_model", "b")
    screen.fail(2, "train_model")
    assert screen.lines[-1].endswith("train_model a failed")
    screen.log(None, "Terminating processes on user request, this might take some time.")
    assert screen.lines[-1].endswith("stopping train_model b; 0 done before")


@pytest.mark.parametrize("quiet", [True, False])
def test_a_group_that_failed_runs_no_more(quiet: bool) -> None:
    """Also where `--quiet rules` hides errors of jobs."""
    screen = Screen()
    for job, rule in ((2, "train_model"), (3, "match_embed"), (4, "train_model")):
        screen.begin(job, rule, "a")
    errors = [{"jobid": 2, "rule_name": "train_model"}, {"jobid": 3, "rule_name": "match_embed"}]
    screen.short.shows(screen.record(LogEvent.GROUP_ERROR, level=logging.ERROR, job_error_info=errors))
    if not quiet:
        screen.fail(2, "train_model")
        assert screen.lines[-1].endswith("train_model a failed")
    [line] = screen.short.still_running(time.time() + 1000).splitlines()
    assert "train_model a: since " in line


def test_a_silent_screen_shows_what_the_logs_of_running_jobs_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    fixed = SimpleNamespace(time=lambda: now, strftime=time.strftime, localtime=time.localtime)
    monkeypatch.setattr("wokflow.frame.screen.time", fixed)
    screen = Screen()
    old, log = tmp_path / "old.log", tmp_path / "a.log"
    old.write_text("12:00:00 done in 3.0 s\n", encoding="utf-8")
    os.utime(old, (now - 100, now - 100))
    screen.begin(1, "match_embed", "x", log=str(old))
    screen.begin(2, "train_model", "a", log=str(log))
    log.write_text("12:00:01 start (process 1 on vm)\n", encoding="utf-8")
    since = f"since {time.strftime('%H:%M:%S', time.localtime(now))}"
    assert screen.short.still_running(now + 20) == ""
    shown = screen.short.still_running(now + 40).splitlines()
    assert shown == [
        f"{time.strftime('%H:%M:%S', time.localtime(now + 40))}  {job}: {since}"
        for job in ("match_embed x", "train_model a")
    ], "of a job that waits, the log is an earlier one"
    with log.open("a", encoding="utf-8") as file:
        file.write("12:00:09 step 8 of 20 (40 %, 12 s left)\n12:00:10 epoch 1: loss 2.5\n")
    assert screen.short.still_running(now + 40).endswith("train_model a: step 8 of 20 (40 %, 12 s left)")
    screen.end(2, done=1)
    screen.end(1, done=2)
    assert screen.short.still_running(now + 1000) == ""


def test_long_runs_show_running_jobs_less_often() -> None:
    screen, now = Screen(), time.time()
    screen.begin(1, "match_embed", "x")
    screen.short._shown = now + 3600
    assert not screen.short.still_running(now + 3600 + 150)
    assert screen.short.still_running(now + 3600 + 250)
