"""Several processes: of this node, or by srun of each node of the Slurm job.

On one node they meet by a file in a folder that their user alone may enter, and talk over the loopback interface. On
several nodes they meet at a port of the first one (PyTorch's TCP store), which has no password: the network between
the nodes must be trusted. No part of either unpickles what a store holds, as torchrun's own rendezvous does.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.frame.processes import TEXT, ask_program
from wokflow.train.processes import run_processes, worker
from wokflow.train.stopping import TimeOverError
from wokflow.train.task import Task

TASK, STOP, ERROR, TIME_OVER = "task.json", "stop", "error-{process}.txt", "time-over-{process}.txt"
LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}  # what processes of one node talk over
PORTS = range(20_000, 32_768)  # below those that systems give to outgoing connections


def launch(task: Task, progress: Progress | None = None) -> None:
    """Train in several processes; their output goes to the log. On SIGTERM they save and end.

    Raises UserError with the message of the first process that fails, or that was stopped; TimeOverError if all
    were, since their time was over.
    """
    processes, nodes = task.settings.processes, task.settings.nodes
    talk = Path(task.checkpoints).with_name(f"{Path(task.checkpoints).name}.launch")
    shutil.rmtree(talk, ignore_errors=True)
    task_of = task.plain() | {
        "launcher": os.getpid() if nodes == 1 else None,
        "launched": (socket.gethostname(), time.monotonic()),
    }
    say = progress.say if progress else _drop
    with TemporaryDirectory(prefix="wokflow-") as private, _telling(talk / STOP):
        meeting = (
            str(Path(private) / "meeting") if nodes == 1 else None
        )  # local: not all file systems have locks
        tables.write_text(talk / TASK, json.dumps(task_of | {"meeting": meeting}))
        if nodes == 1:
            code = run_processes(worker(talk), processes, _environment() | LOOPBACK, say)
        else:
            code = _run(command(talk, processes, nodes), say)
    error, time_over = (_first(talk, name) for name in (ERROR, TIME_OVER))
    shutil.rmtree(talk, ignore_errors=True)
    if time_over and not error and not code:
        raise TimeOverError(time_over)
    if error or code:
        raise UserError(error or f"The processes of training ended with code {code}; the log says why.")


def _first(talk: Path, name: str) -> str:
    """What the first process that has such a file wrote there; empty where none has."""
    files = sorted(talk.glob(name.format(process="*")))
    return files[0].read_text(encoding="utf-8") if files else ""


def command(talk: Path, processes: int, nodes: int) -> list[str]:
    """The command that starts the processes of all nodes. Raises UserError outside of a Slurm job."""
    job, nodelist, host = _allocation()
    # The job itself may be a step, of one node, that holds what this one needs, and that says so to its children.
    srun = ["env", "--unset=SLURM_NNODES", f"SLURM_NODELIST={nodelist}", f"SLURM_JOB_NODELIST={nodelist}"]
    srun += ["srun", "--overlap", "--mem=0", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1"]
    srun.append("--kill-on-bad-exit=1")
    if cpus := os.environ.get("SLURM_CPUS_PER_TASK"):
        srun.append(f"--cpus-per-task={cpus}")  # a step does not take it over from its job
    training = hashlib.sha256(
        f"{job} {talk.absolute()}".encode()
    ).hexdigest()  # others of the job meet elsewhere
    port = PORTS[int(training[:8], 16) % len(PORTS)]
    return [
        *srun,
        sys.executable,
        "-m",
        "wokflow.train.processes",
        str(talk),
        str(processes),
        host,
        str(port),
    ]


def _allocation() -> tuple[str, str, str]:
    """This Slurm job, its nodes as Slurm writes them, and the address of the first."""
    job = os.environ.get("SLURM_JOB_ID")
    if not job:
        raise UserError(
            "train.model asks for several nodes, but this is no job of Slurm: run it with --profile slurm, or set "
            "nodes: 1."
        )
    nodelist = _slurm("squeue", "--noheader", "--jobs", job, "--format", "%N").strip()
    first = _slurm("scontrol", "show", "hostnames", nodelist).split()[0]
    address = re.search(r"NodeAddr=(\S+)", _slurm("scontrol", "show", "node", first))
    return job, nodelist, address[1] if address else first


def _slurm(*command: str) -> str:
    done = ask_program(command)
    if done.returncode or not done.stdout.strip():
        raise UserError(f"{' '.join(command)} gave no answer: {done.stderr.strip()}")
    return done.stdout


@contextmanager
def _telling(file: Path) -> Iterator[None]:
    """While open, SIGTERM creates `file`, which all processes look for."""

    def tell(number: int, frame: FrameType | None) -> Any:
        file.touch()

    before = signal.signal(signal.SIGTERM, tell)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _environment() -> dict[str, str]:
    """This process's environment, in which children find the package."""
    places = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}


def _run(arguments: list[str], say: Callable[[str], None]) -> int:
    with subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment(),
        **TEXT,
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            say(line.rstrip())
    return running.returncode


def _drop(text: str) -> None:
    """Where nobody listens."""
