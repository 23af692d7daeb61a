"""Programs with an environment of their own: files in, files out, and errors that say what to do."""

import os
import sys
import time
from pathlib import Path

import pytest
from wokflow.evaluate.command import run_command
from wokflow.frame.job import UserError


def python(code: str) -> list[str]:
    head = "import sys, pathlib, time; i, o = map(pathlib.Path, sys.argv[1:3]); "
    return [sys.executable, "-c", head + code, "{input}", "{output}"]


def run(command: list[str], text: str = "洗\n", seconds: float | None = None, **names: str) -> str:
    return run_command(command, text, key="evaluate.x.command", seconds=seconds, **names)


def test_the_program_reads_one_file_and_writes_the_other() -> None:
    assert run(python("o.write_bytes(i.read_bytes() * 2)")) == "洗\n洗\n"


def test_words_in_braces_are_replaced_and_no_shell_sees_them() -> None:
    command = [*python("o.write_text(sys.argv[3])"), "{worker}; echo $HOME"]
    assert run(command, worker="a b") == "a b; echo $HOME"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["parser", "{output}"], r"evaluate\.x\.command: the command has no \{input\}"),
        (["parser"], r"has no \{input\} and no \{output\}"),
        (["/no/such/parser", "{input}", "{output}"], "/no/such/parser cannot be started"),
        (python("print('no model'); sys.exit(3)"), r"ended with status 3\. Its last words:\nno model"),
        (python("pass"), r"wrote no text in UTF-8"),
        (python("o.write_bytes(b'\\xff')"), r"wrote no text in UTF-8"),
    ],
)
def test_what_goes_wrong_is_said(command: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(command)


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    started = tmp_path / "pid"
    code = (
        "import subprocess; p = subprocess.Popen(['sleep', '600']); "
        f"pathlib.Path({str(started)!r}).write_text(str(p.pid)); p.wait()"
    )
    with pytest.raises(UserError, match=r"took longer than 3 s and was ended"):
        run(python(code), seconds=3)
    pid = int(started.read_text())
    for _ in range(200):  # until whoever inherits it has seen its end
        if not alive(pid):
            return
        time.sleep(0.05)
    raise AssertionError("what the program started lives on")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
