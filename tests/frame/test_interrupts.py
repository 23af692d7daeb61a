"""Ctrl-C leaves no traceback, also of a job that is only starting."""

import io
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from snakemake.script import PythonScript
from wokflow.frame.interrupts import hide_tracebacks


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PythonScript, "write_script", PythonScript.write_script)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    hide_tracebacks()


def script(name: str) -> bytes:
    """A script as Snakemake writes it, which is interrupted in Snakemake's own lines."""
    written, found = io.BytesIO(), PythonScript.__new__(PythonScript)
    found.path, found.source = SimpleNamespace(get_filename=lambda: name), ""
    found.write_script("import os, signal; os.kill(os.getpid(), signal.SIGINT)\n", written)
    return written.getvalue()


@pytest.mark.usefixtures("hidden")
def test_a_job_that_is_only_starting_ends_without_a_word() -> None:
    done = subprocess.run([sys.executable, "-c", script("step.py")], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")
    other = subprocess.run([sys.executable, "-c", script("other.py")], capture_output=True, check=False)
    assert b"KeyboardInterrupt" in other.stderr, (
        "scripts of a workflow that imports this one are left as they are"
    )


@pytest.mark.usefixtures("hidden")
def test_a_run_without_jobs_yet_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    shown = capsys.readouterr().err
    assert shown.startswith("Stopped by Ctrl-C. Give the same command again") and "Traceback" not in shown
    sys.excepthook(ValueError, ValueError("other"), None)
    assert "ValueError: other" in capsys.readouterr().err
