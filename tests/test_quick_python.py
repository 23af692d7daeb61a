"""A job that is forked is as one that Python itself runs."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.quick_python import is_idle, quick_python

SCRIPT = """\
import os, sys, time
print(__name__, sys.argv[1:], os.getcwd(), os.environ["COLOUR"], sys.path, flush=True)
print("a line", file=sys.stderr)
if sys.argv[1] == "wait":
    open("began", "w").close()
    time.sleep(60)
if sys.argv[1] == "raise":
    raise ValueError("no")
sys.exit({"3": 3, "text": "why"}.get(sys.argv[1]))
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["none", "3", "text", "raise"])
def test_output_environment_paths_and_status_are_those_of_python(ending: str, script: Path) -> None:
    environment = os.environ | {"COLOUR": "red", "PYTHONPATH": f"{script.parent / 'a'}{os.pathsep}b"}
    (ours, theirs) = (
        subprocess.run(
            [python, str(script), ending], cwd=script.parent, env=environment, capture_output=True, text=True
        )
        for python in (quick_python(), sys.executable)
    )
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
    assert ours.stderr.splitlines()[-1] == theirs.stderr.splitlines()[-1]


def test_who_kills_the_program_kills_the_job(script: Path) -> None:
    program = subprocess.Popen(
        [quick_python(), str(script), "wait"], cwd=script.parent, env=os.environ | {"COLOUR": "red"}
    )
    while not (script.parent / "began").exists():
        time.sleep(0.05)
    assert not is_idle(script.parent)
    program.kill()
    program.wait()
    end = time.monotonic() + 10
    while not is_idle(script.parent) and time.monotonic() < end:
        time.sleep(0.05)
    assert is_idle(script.parent)
