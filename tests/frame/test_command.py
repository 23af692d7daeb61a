"""Programs with an environment of their own: texts in, texts out, and errors that say what to do."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import command
from wokflow.frame.command import run_command
from wokflow.frame.job import UserError


def python(code: str) -> list[str]:
    head = "import sys, pathlib, time; i, o = map(pathlib.Path, sys.argv[1:3]); "
    return [sys.executable, "-c", head + code, "{input}", "{output}"]


def run(words: list[str], text: str = "洗\n", seconds: float | None = None, **names: str) -> str:
    return run_command(words, text, key="evaluate.x.command", seconds=seconds, **names)


def test_the_program_reads_one_file_and_writes_the_other() -> None:
    assert run(python("o.write_bytes(i.read_bytes() * 2)")) == "洗\n洗\n"


def test_a_program_that_names_no_files_reads_and_writes_as_others_in_a_pipe() -> None:
    code = "import sys; print('a warning', file=sys.stderr); sys.stdout.write(sys.stdin.read() * 2)"
    assert run([sys.executable, "-c", code]) == "洗\n洗\n"
    code = "import sys; sys.stdout.write(open(sys.argv[1]).read() + repr(sys.stdin.read()))"
    assert run([sys.executable, "-c", code, "{input}"]) == "洗\n''"
    with pytest.raises(UserError, match=r"status 3\. The end of its output:\nno model"):
        run([sys.executable, "-c", "import sys; sys.exit(print('no model', file=sys.stderr) or 3)"])
    with pytest.raises(UserError, match="wrote to its standard output what is not text in UTF-8"):
        run([sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff')"])


def environment(**options: Any) -> dict[str, str]:
    """What a program finds in its environment."""
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    said = run_command([sys.executable, "-c", code], "", key="evaluate.x.command", seconds=None, **options)
    found: dict[str, str] = json.loads(said)
    return found


def test_a_program_gets_no_keys_but_those_that_fetch_models_and_those_that_users_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-0123456789abcdef0",
        "HF_TOKEN": "hf_abcdefghijklmnopqrst",
        "SLURM_JWT": "x",
        "PIP_INDEX_URL": "https://me:word@mirror.example/simple",
        "https_proxy": "http://me:word@proxy:3128",
        "LINKER_KEY": "of-the-linker",
    }
    for name, value in (secrets | {"HF_HOME": "/models"}).items():
        monkeypatch.setenv(name, value)
    found = environment()
    assert found["HF_HOME"] == "/models" and found["PATH"] == os.environ["PATH"]
    assert not found.keys() & secrets.keys() and not set(found.values()) & set(secrets.values())
    assert environment(hub=True).keys() & secrets.keys() == {"HF_TOKEN", "https_proxy"}
    monkeypatch.setenv("WOKFLOW_EXPORT", "LINKER_KEY,ABSENT")
    assert environment().keys() & secrets.keys() == {"LINKER_KEY"}


def test_of_a_program_that_prints_much_the_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; sys.stderr.write('a' * 100_000 + 'no model'); sys.exit(3)"
    with pytest.raises(UserError) as caught:
        run(python(code))
    assert str(caught.value).endswith("aaano model") and len(str(caught.value)) < 2500
    monkeypatch.setattr(command, "MOST", 10)
    with pytest.raises(UserError, match=r"evaluate\.x\.command: .* wrote 11 bytes, more than any text has"):
        run(python("o.write_text('a' * 11)"))


def test_words_in_braces_are_replaced_and_no_shell_sees_them() -> None:
    command = [*python("o.write_text(sys.argv[3])"), "{worker}; echo $HOME"]
    assert run(command, worker="a b") == "a b; echo $HOME"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ["/no/such/parser", "{input}", "{output}"],
            r"evaluate\.x\.command: /no/such/parser cannot be started",
        ),
        (python("print('no model'); sys.exit(3)"), r"ended with status 3\. The end of its output:\nno model"),
        (python("pass"), r"what is not text in UTF-8"),
        (python("o.write_bytes(b'\\xff')"), r"what is not text in UTF-8"),
    ],
)
def test_what_goes_wrong_is_said(command: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(command)


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "pid"
    code = (
        "import subprocess; p = subprocess.Popen(['sleep', '600']); "
        f"pathlib.Path({str(started)!r}).write_text(str(p.pid)); p.wait()"
    )

    class Program(subprocess.Popen[bytes]):
        """Its time is over when it has started another."""

        def wait(self, timeout: float | None = None) -> int:
            if timeout is None:
                return super().wait()
            until(lambda: started.exists() and started.read_text(), "the program starts another")
            raise subprocess.TimeoutExpired(self.args, timeout)

    monkeypatch.setattr(command.subprocess, "Popen", Program)
    with pytest.raises(UserError, match=r"took longer than 3 s and was ended"):
        run(python(code), seconds=3)
    pid = int(started.read_text())
    until(lambda: not alive(pid), "what the program started ends")


def until(holds: Callable[[], object], what: str) -> None:
    end = time.monotonic() + 120  # against hanging
    while not holds():
        assert time.monotonic() < end, f"waited two minutes, in vain: {what}"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
