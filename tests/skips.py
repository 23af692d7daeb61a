"""A pytest plugin: no test is skipped in CI unless tests/skips.txt names it.

Each line of the list is the id of a test, in which * stands for anything, and a reason behind #. Where WOKFLOW_CI is
set, a skipped test that no line matches fails the session; elsewhere it is only reported.
"""

import os
import re
from pathlib import Path

import pytest


def read_list(path: Path) -> dict[str, str]:
    """Pattern -> reason, from the lines of a list."""
    listed = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        pattern, _, reason = (part.strip() for part in line.partition("#"))
        if not pattern:
            continue
        if not reason:
            raise pytest.UsageError(f"{path}: {pattern} has no reason behind #")
        listed[pattern] = reason
    return listed


def matches(pattern: str, test: str) -> bool:
    """Whether a test's id is that of the pattern, in which * stands for anything; brackets stand for themselves."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), test) is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("skips", "list of the tests that may be skipped in CI", default="tests/skips.txt")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(
        config, "workerinput"
    ):  # with pytest-xdist, the controller sees the reports of all workers
        config.pluginmanager.register(Skips(config.rootpath / config.getini("skips")))


class Skips:
    """Collects the ids of skipped tests and fails the session if one of them is not listed."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.listed = read_list(path)
        self.unlisted: dict[str, str] = {}  # id -> why it was skipped

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not hasattr(report, "wasxfail"):
            self._add(report)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._add(report)

    def _add(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not any(matches(pattern, report.nodeid) for pattern in self.listed):
            self.unlisted[report.nodeid] = str(
                report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            )

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self.unlisted and os.environ.get("WOKFLOW_CI") and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.unlisted:
            terminalreporter.section(f"skipped, and not in {self.name}", red=True)
            for test, reason in self.unlisted.items():
                terminalreporter.line(f"{test}: {reason}")
