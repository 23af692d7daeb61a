"""Programs that have an environment of their own: called with files, and no shell."""

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from wokflow.job import UserError

TOLD = 1500  # signs of the end of a program's output that an error repeats
FILES = ("{input}", "{output}")


def run_command(command: Sequence[str], text: str, *, key: str, seconds: float | None, **names: str) -> str:
    """Run a command whose words {input} and {output} stand for files, and return what it wrote.

    `text` is what the input file holds. Other words in braces are replaced by `names`. A command that takes longer
    than `seconds` is ended, with all that it started. Raises UserError, which names the config `key`, where a word
    is missing, the program cannot be started, fails, takes too long, or writes no text.
    """
    if missing := [word for word in FILES if not any(word in part for part in command)]:
        raise UserError(f"{key}: the command has no {' and no '.join(missing)}, which stand for its files.")
    with tempfile.TemporaryDirectory(prefix="wokflow-") as folder:
        read, written, said = (Path(folder) / name for name in ("input", "output", "said"))
        read.write_text(text, encoding="utf-8", newline="\n")
        words = _filled(command, {"input": str(read), "output": str(written), **names})
        with said.open("wb") as output:
            status = _run(words, output.fileno(), key, seconds)
        if status:
            end = said.read_text(encoding="utf-8", errors="replace")[-TOLD:].strip()
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
