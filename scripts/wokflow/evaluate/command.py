"""Run programs that have an environment of their own, with files for input and output and without a shell."""

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from wokflow.frame.job import UserError

LOG_END = 1500  # characters of the end of a program's output that an error message repeats
FILES = ("{input}", "{output}")


def run_command(command: Sequence[str], text: str, *, key: str, seconds: float | None, **names: str) -> str:
    """Run a command whose words {input} and {output} stand for files, and return the text of the output file.

    `text` goes into the input file. Other words in braces are replaced by `names`. A command that takes longer than
    `seconds` is killed, with all processes that it started. Raises UserError, which names the config `key`, if
    {input} or {output} is missing, or if the program cannot be started, fails, takes too long, or writes no text.
    """
    if missing := [word for word in FILES if not any(word in part for part in command)]:
        raise UserError(f"{key}: the command has no {' and no '.join(missing)}, which stand for its files.")
    with tempfile.TemporaryDirectory(prefix="wokflow-") as folder:
        read, written, log = (Path(folder) / name for name in ("input", "output", "log"))
        read.write_text(text, encoding="utf-8", newline="\n")
        words = _filled(command, {"input": str(read), "output": str(written), **names})
        with log.open("wb") as file:
            status = _run(words, file.fileno(), key, seconds)
        if status:
            end = log.read_text(encoding="utf-8", errors="replace")[-LOG_END:].strip()
            raise UserError(f"{key}: {shlex.join(words)} ended with status {status}. Its last words:\n{end}")
        try:
            return written.read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError) as error:
            raise UserError(
                f"{key}: {shlex.join(words)} wrote no text in UTF-8 to {{output}}: {error}"
            ) from error


def _filled(command: Sequence[str], names: Mapping[str, str]) -> list[str]:
    words = list(command)
    for name, value in names.items():
        words = [word.replace(f"{{{name}}}", value) for word in words]
    return words


def _run(words: Sequence[str], output: int, key: str, seconds: float | None) -> int:
    try:
        program = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    except OSError as error:
        raise UserError(
            f"{key}: {words[0]} cannot be started: {error}. Give the path of a program."
        ) from error
    try:
        return program.wait(seconds)
    except subprocess.TimeoutExpired as error:
        raise UserError(
            f"{key}: {shlex.join(words)} took longer than {seconds:g} s and was ended. Allow more time, or look into "
            "why it takes so long."
        ) from error
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
