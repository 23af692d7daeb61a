"""Runs programs that users name, from text to text, without a shell and without the user's secret keys."""

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from wokflow.frame.job import UserError
from wokflow.frame.printed import end_of
from wokflow.frame.secrets import program_environment

LOG_END = 1500  # bytes of the end of a program's output that an error message repeats
MOST = 1 << 32  # bytes that a program may write


def run_command(
    command: Sequence[str],
    text: str,
    *,
    key: str,
    seconds: float | None,
    hub: bool = False,
    gpu: bool = True,
    **names: str,
) -> str:
    """Run a command on a text and return the text that it writes.

    The command's words {input} and {output} stand for files; without the first the program reads standard input,
    without the second it writes to standard output. Other words in braces are replaced by `names`. A command that
    takes longer than `seconds` is killed, with all processes that it started. Of secrets in the environment the
    program gets those that fetch a model from the Hugging Face hub, if `hub`, and those that users name in
    WOKFLOW_EXPORT. Without `gpu` it sees none. Raises UserError, which names the config `key`, if the program cannot
    be started, fails, takes too long, or writes no text, or too much of it.
    """
    with tempfile.TemporaryDirectory(prefix="wokflow-") as folder:
        read, written, log = (Path(folder) / name for name in ("input", "output", "log"))
        read.write_text(text, encoding="utf-8", newline="\n")
        words = _filled(command, {"input": str(read), "output": str(written), **names})
        printed = log if _names(command, "{output}") else written
        environment = {
            **program_environment(os.environ, hub=hub),
            **({} if gpu else {"CUDA_VISIBLE_DEVICES": ""}),
        }
        status = _run(words, environment, _source(command, read), printed, log, key, seconds)
        if status:
            with log.open("rb") as file:
                end = end_of(file, LOG_END).strip()
            raise UserError(
                f"{key}: {shlex.join(words)} ended with status {status}. The end of its output:\n{end}"
            )
        try:
            if (size := written.stat().st_size) > MOST:
                raise UserError(f"{key}: {shlex.join(words)} wrote {size:,} bytes, more than any text has.")
            return written.read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError) as error:
            place = "{output}" if printed is log else "its standard output"
            raise UserError(
                f"{key}: {shlex.join(words)} wrote to {place} what is not text in UTF-8: {error}"
            ) from error


def _names(command: Sequence[str], word: str) -> bool:
    return any(word in part for part in command)


def _source(command: Sequence[str], text: Path) -> Path:
    """The program's standard input: the text, or nothing if the command names {input}."""
    return Path(os.devnull) if _names(command, "{input}") else text


def _filled(command: Sequence[str], names: Mapping[str, str]) -> list[str]:
    words = list(command)
    for name, value in names.items():
        words = [word.replace(f"{{{name}}}", value) for word in words]
    return words


def _run(
    words: Sequence[str],
    environment: Mapping[str, str],
    source: Path,
    printed: Path,
    log: Path,
    key: str,
    seconds: float | None,
) -> int:
    try:
        with source.open("rb") as given, printed.open("ab") as out, log.open("ab") as errors:
            program = subprocess.Popen(
                words, env=environment, stdin=given, stdout=out, stderr=errors, start_new_session=True
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
