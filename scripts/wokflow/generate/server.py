"""The workflow's own model server, for the time of the prompt run that uses it."""

import os
import re
import secrets
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.printed import errors_in
from wokflow.frame.processes import program
from wokflow.frame.secrets import without_secrets
from wokflow.frame.weights import cached_commit
from wokflow.generate.listeners import keepers, listens
from wokflow.generate.served import LOOK, Server, flags, server_command, serves
from wokflow.generate.settings import ServerSettings

HOST = "127.0.0.1"  # its users run on the same node, in one job
ATTEMPTS = 3  # ports that are tried
OF_HUB = ("vllm", "transformers")  # backends that load the model of that name at its revision, or at main
KEY_VARIABLES = ("WOKFLOW_SERVER_KEY", "VLLM_API_KEY")
NO_REPORTS = {"VLLM_NO_USAGE_STATS": "1"}  # vLLM sends usage data to its makers unless this forbids it
LONGEST = 80  # characters of the folder of temporary files; Linux takes 107 for the path of a socket
PATIENCE = 10  # seconds that a server has to end


class PortTakenError(Exception):
    """Another process listens on the port that was chosen for the server."""


def generate_server(*, endpoint: str, settings: ServerSettings, log: str, job: Job) -> None:
    """Run a server until SIGTERM, or until the file `endpoint` or this process's parent is gone; then end all of it.

    (Snakemake removes the file of a service when its users are done, and sends a script no signal.)

    The server gets a random key by environment variables, where no other user sees it. A Unix socket lies in a folder
    of this user alone; on a TCP port, only a listener that is the server itself is taken for it. A server is ready
    when it lists the model, asked with that key. `transformers serve` is ready when its health check succeeds, since
    it lists the models in the cache of the hub, whatever model it serves.

    The file `endpoint` exists from the start, readable by this user alone; it says where the server is and, if it
    cannot start, why; await_server reads it. The server's output goes to a file beside `log`. Raises UserError if the
    command cannot be run, is not ready in time, serves another model, or ends by itself.
    """
    model, progress = settings.model, job.progress
    command = [*server_command(settings), *placement(settings)]
    output = Path(f"{log}.server")
    output.parent.mkdir(parents=True, exist_ok=True)
    with stopped() as stop, TemporaryDirectory(prefix="wokflow-", dir=_short()) as private:
        server = Server("", settings.minutes, secrets.token_urlsafe(32))
        try:
            for attempt in range(1, ATTEMPTS + 1):
                server, arguments, port = placed(server, command, model, Path(private) / f"{attempt}.sock")
                server.write(endpoint)
                try:
                    with started(arguments, output, server.secret, model) as process:
                        ready = Readiness(server, settings, port, process.pid)
                        done = partial(_done, stop, endpoint)
                        _watch(process, ready, endpoint, done, progress)
                    break
                except PortTakenError:
                    progress.say(f"another process listens on port {port}")
                    if attempt == ATTEMPTS:
                        raise UserError(f"{ATTEMPTS} ports in turn were taken by other processes.") from None
            if Path(endpoint).exists():
                replace(server, error="generate.server was ended.").write(endpoint)
        except UserError as error:
            message = f"generate.server: {error}\n{_causes(output, server.secret)}".rstrip()
            replace(server, error=message).write(endpoint)
            raise UserError(message) from None


def placement(settings: ServerSettings) -> list[str]:
    """Options of vLLM that divide the model among GPUs; none for other servers, and without GPUs."""
    if settings.backend != "vllm" or not settings.gpus:
        return []
    placed = {"--tensor-parallel-size": settings.gpus, "--gpu-memory-utilization": settings.gpu_memory}
    return flags(placed)


def _short() -> str | None:
    """Where a socket's folder may lie: the usual folder, or /tmp where that is too long for the path of a socket."""
    return None if len(gettempdir()) < LONGEST else "/tmp"


def _done(stop: threading.Event, endpoint: str) -> bool:
    return stop.wait(LOOK) or not Path(endpoint).exists()


def placed(
    server: Server, command: Sequence[str], model: str, socket: Path
) -> tuple[Server, list[str], int | None]:
    """The server at its place, its command filled in, and its port; None where it listens on a Unix socket."""
    if any("{socket}" in argument for argument in command):
        server = replace(server, url="http://localhost/v1", socket=str(socket))
        return server, filled(command, model=model, socket=str(socket)), None
    port = free_port()
    server = replace(server, url=f"http://{HOST}:{port}/v1")
    return server, filled(command, model=model, host=HOST, port=str(port)), port


@dataclass(frozen=True)
class Readiness:
    """Whether a server is ready: it is our own process that answers, and it serves the model."""

    server: Server
    settings: ServerSettings
    port: int | None
    session: int

    @property
    def commit(self) -> str:
        """That of the model of the hub that it loaded; "" where the command says what is loaded, or nobody knows."""
        if self.settings.backend not in OF_HUB:
            return ""
        return cached_commit(self.settings.model, self.settings.revision) or ""

    def __call__(self) -> bool:
        """Raises PortTakenError if another process listens on the port; UserError if another model is served."""
        own = listens(self.port, self.session) if self.port is not None else True
        if own is False:
            raise PortTakenError
        if own is None:  # nobody listens yet
            return False
        if self.settings.backend == "transformers":
            return self.server.healthy()
        names, model = self.server.models(), self.settings.model
        if names and not serves(names, model):
            raise UserError(
                f"the server has {', '.join(names)} and not {model}. Name the run's model as the server does, "
                "or let the server take its name from {model} (vLLM: --served-model-name; Ollama: ollama pull)."
            )
        return bool(names)


def _watch(
    process: subprocess.Popen[bytes],
    is_ready: Readiness,
    endpoint: str,
    done: Callable[[], bool],
    progress: Progress,
) -> None:
    """Wait for the server to be ready, say so in `endpoint`, and wait for the end.

    Raises UserError if it is never ready, or ends first; PortTakenError if another process has its port.
    """
    start, ready, before = time.monotonic(), False, keepers()
    while not done() and keepers() == before:
        seconds = time.monotonic() - start
        ended = process.poll() is not None
        if not ready and (ready := is_ready()):
            commit = is_ready.commit
            replace(is_ready.server, ready=True, commit=commit).write(endpoint)
            of_hub = f": {is_ready.settings.model} at commit {commit}" if commit else ""
            progress.say(f"ready after {seconds:.0f} s{of_hub}")
        if ended:
            raise UserError(
                f"{process.args!r} ended by itself after {seconds:.0f} s ({_end(process.returncode)})."
            )
        if not ready and seconds > 60 * is_ready.server.minutes:
            raise UserError(
                f"{process.args!r} is not ready after {is_ready.server.minutes:g} minutes. If it needs longer to "
                "load the model, set generate.server.minutes."
            )
    progress.say("no longer needed")


def filled(command: Sequence[str], *, model: str, **places: str) -> list[str]:
    """The command's arguments, their places filled in. Raises UserError for a model that looks like an option."""
    if not command:
        raise UserError("generate.server.command is empty: give the server's program and its arguments.")
    if model.startswith("-") or not model:
        raise UserError(f"the model {model!r} in the table of runs is not a name or a folder.")
    values = {"model": model, **places}
    place = re.compile(rf"\{{({'|'.join(values)})\}}")
    return [place.sub(lambda match: values[match[1]], argument) for argument in command]


def free_port() -> int:
    """A port of this machine that is not in use."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def stopped() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set instead of ending this process."""
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
def started(
    arguments: Sequence[str], output: Path, secret: str, model: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that finds `secret` in its environment, and of other secrets what it takes to fetch `model`.

    What it prints, which may be prompts, goes to a file for this user alone. Raises UserError if it cannot be run.
    """
    output.unlink(missing_ok=True)
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    own = without_secrets(os.environ, hub=not Path(model).exists())
    environment = own | dict.fromkeys(KEY_VARIABLES, secret) | NO_REPORTS
    files: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": descriptor, "stderr": subprocess.STDOUT}
    try:
        with program(arguments, patience=PATIENCE, env=environment, **files) as process:
            yield process
    finally:
        os.close(descriptor)


def _end(code: int) -> str:
    return f"exit status {code}" if code >= 0 else signal.Signals(-code).name


def _causes(output: Path, secret: str) -> str:
    """The last errors in the server's output, and where that is; prompts and secrets are not quoted."""
    if not output.exists() or not output.stat().st_size:
        return ""
    with output.open("rb") as file:
        errors = errors_in(file, (secret,))
    return "\n".join([*errors, f"Its output is in {output}, which you alone may read."])
