"""A model's server for the time of the prompt runs that use it."""

import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from wokflow.generate.endpoints import LOOK, Server, answers
from wokflow.job import Progress, UserError

BACKENDS: dict[str, tuple[str, ...]] = {  # the command of each
    "vllm": ("vllm", "serve", "{model}", "--host", "{host}", "--port", "{port}"),
    "ollama": ("env", "OLLAMA_HOST={host}:{port}", "ollama", "serve"),
    "transformers": ("transformers", "serve", "{model}", "--host", "{host}", "--port", "{port}"),
}
HOST = "127.0.0.1"  # its users run on the same node, in one job
PATIENCE = 10  # seconds that a server has to end
TAIL = 4000  # characters of its output that are told where it fails


def serve(
    command: Sequence[str],
    model: str,
    endpoint_file: str,
    *,
    minutes: float,
    output: str,
    progress: Progress,
) -> None:
    """Run a server until SIGTERM, or until its file or the process that started this one goes; then end it whole.

    (Snakemake removes the file of a service when its users are done, and sends a script no signal.)

    `command` is one of BACKENDS or the user's own: an item for each argument, with {model}, {host} and {port} in it.
    The file, which is there at once, says where the server will be, and why it does not start where it does not;
    await_server reads it. The server's output goes to the file `output`. Raises UserError where the command cannot
    be run, does not answer in `minutes`, or ends by itself.
    """
    port = free_port()
    arguments = filled(command, model, port)
    identity = hashlib.sha256(json.dumps([list(command), model]).encode()).hexdigest()
    server = Server(f"http://{HOST}:{port}/v1", identity, minutes)
    server.write(endpoint_file)
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    try:
        with stopped() as stop, Path(output).open("wb") as log, started(arguments, log) as process:
            _watch(process, server, lambda: stop.wait(LOOK) or not Path(endpoint_file).exists(), progress)
        if Path(endpoint_file).exists():
            Server(server.url, identity, minutes, "generate.server was ended.").write(endpoint_file)
    except UserError as error:
        told = UserError(f"generate.server: {error}\n{_tail(output)}".rstrip())
        Server(server.url, identity, minutes, str(told)).write(endpoint_file)
        raise told from None


def _watch(
    process: subprocess.Popen[bytes], server: Server, done: Callable[[], bool], progress: Progress
) -> None:
    """Wait for the server to answer, and then for the end. Raises UserError where it does not, or ends first."""
    start, ready, keepers = time.monotonic(), False, _keepers()
    while not done() and _keepers() == keepers:
        seconds = time.monotonic() - start
        if process.poll() is not None:
            raise UserError(
                f"{process.args!r} ended by itself after {seconds:.0f} s ({_end(process.returncode)})."
            )
        if not ready and (ready := answers(server.url)):
            progress.say(f"{server.url} answers after {seconds:.0f} s")
        if not ready and seconds > 60 * server.minutes:
            raise UserError(
                f"{process.args!r} does not answer after {server.minutes:g} minutes. If it needs longer to load "
                "the model, set generate.server.minutes."
            )
    progress.say("no longer needed")


def filled(command: Sequence[str], model: str, port: int) -> list[str]:
    """The command's arguments, their places filled in. Raises UserError for a model that looks like an option."""
    if not command:
        raise UserError("generate.server.command is empty: give the server's program and its arguments.")
    if model.startswith("-") or not model:
        raise UserError(f"the model {model!r} in runs.tsv is not a name or a folder.")
    values = {"model": model, "host": HOST, "port": str(port)}
    place = re.compile(rf"\{{({'|'.join(values)})\}}")
    return [place.sub(lambda match: values[match[1]], argument) for argument in command]


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def stopped() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set in place of ending this process."""
    event = threading.Event()
    former = {
        number: signal.signal(number, lambda *_: event.set()) for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield event
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def started(arguments: Sequence[str], log: BinaryIO) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, which is ended with all its group. Raises UserError where it cannot be run."""
    try:
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    except OSError as error:
        raise UserError(f"{arguments[0]} cannot be run here: {error.strerror}. Is it installed?") from None
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _keepers() -> tuple[int, ...]:
    """The process that started this one and, where that is a shell, the one that started the shell."""
    parent = os.getppid()
    try:
        name, _, rest = Path(f"/proc/{parent}/stat").read_text().rpartition(")")
    except OSError:  # there is no /proc, or the process is gone
        return (parent,)
    return (parent, int(rest.split()[1])) if name.endswith("sh") else (parent,)


def _end(code: int) -> str:
    return f"exit status {code}" if code >= 0 else signal.Signals(-code).name


def _tail(output: str) -> str:
    """The end of what the server wrote, as far as it wrote anything."""
    path = Path(output)
    if not path.exists():
        return ""
    lines = path.read_text(encoding="utf-8", errors="replace")[-TAIL:].strip().splitlines()[-20:]
    return "\n".join(["The end of its output:", *lines]) if lines else ""
