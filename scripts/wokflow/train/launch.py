"""Launches the processes of a training on this node or, by srun, on each node of the Slurm job.

On one node, processes find each other by a file in a folder that only their user may enter, and communicate over the
loopback interface. On several nodes, they find each other at a port of the first node (PyTorch's TCP store), which
has no password: the network between the nodes must be trusted. Neither way unpickles the content of a store, unlike
torchrun's own rendezvous.
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
from wokflow.train.node_processes import run_processes, worker
from wokflow.train.stopping import TimeOverError
from wokflow.train.task import Task

TASK, STOP, ERROR, TIME_OVER = "task.json", "stop", "error-{process}.txt", "time-over-{process}.txt"
LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}  # the interface of processes on one node
PORTS = range(20_000, 32_768)  # below the ports that systems use for outgoing connections


def launch(task: Task, progress: Progress | None = None) -> None:
    """Train in several processes; their output goes to the log. On SIGTERM they save a checkpoint and end.

    Raises UserError with the message of the first process that failed or was stopped, and TimeOverError if all of
    them stopped because their time was over.
    """
    processes, nodes = task.settings.processes, task.settings.nodes
    folder = Path(task.checkpoints).with_name(f"{Path(task.checkpoints).name}.launch")
    shutil.rmtree(folder, ignore_errors=True)
    values = task.plain() | {
        "launcher": os.getpid() if nodes == 1 else None,
        "launched": (socket.gethostname(), time.monotonic()),
    }
    say = progress.say if progress else _drop
    with TemporaryDirectory(prefix="wokflow-") as private, _stop_file(folder / STOP):
        meeting = (
            str(Path(private) / "meeting") if nodes == 1 else None
        )  # on the local disk, since not all file systems have locks
        tables.write_text(folder / TASK, json.dumps(values | {"meeting": meeting}))
        if nodes == 1:
            code = run_processes(worker(folder), processes, _environment() | LOOPBACK, say, nodes=1, node=0)
        else:
            code = _run(command(folder, processes, nodes), say)
    error, time_over = (_first(folder, name) for name in (ERROR, TIME_OVER))
    shutil.rmtree(folder, ignore_errors=True)
    if time_over and not error and not code:
        raise TimeOverError(time_over)
    if error or code:
        raise UserError(error or f"The processes of training ended with code {code}; the log says why.")


def _first(folder: Path, name: str) -> str:
    """The content of the first process's file of that name; empty if no process has written one."""
    files = sorted(folder.glob(name.format(process="*")))
    return files[0].read_text(encoding="utf-8") if files else ""


def command(folder: Path, processes: int, nodes: int) -> list[str]:
    """The command that starts the processes of all nodes. Raises UserError outside of a Slurm job."""
    job, nodelist, host = _allocation()
    # This process may itself run in a step of one node, whose variables would keep srun from using the other nodes.
    srun = ["env", "--unset=SLURM_NNODES", f"SLURM_NODELIST={nodelist}", f"SLURM_JOB_NODELIST={nodelist}"]
    srun += ["srun", "--overlap", "--mem=0", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1"]
    srun.append("--kill-on-bad-exit=1")
    if cpus := os.environ.get("SLURM_CPUS_PER_TASK"):
        srun.append(f"--cpus-per-task={cpus}")  # a step does not inherit it from its job
    training = hashlib.sha256(
        f"{job} {folder.absolute()}".encode()
    ).hexdigest()  # other trainings of the job use another port
    port = PORTS[int(training[:8], 16) % len(PORTS)]
    return [
        *srun,
        sys.executable,
        "-m",
        "wokflow.train.node_processes",
        str(folder),
        str(processes),
        host,
        str(port),
    ]


def _allocation() -> tuple[str, str, str]:
    """The id of this Slurm job, its nodes in Slurm's notation, and the address of the first node."""
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
def _stop_file(file: Path) -> Iterator[None]:
    """Until the end of the block, SIGTERM creates `file`, which all processes look for."""

    def create(number: int, frame: FrameType | None) -> Any:
        file.touch()

    before = signal.signal(signal.SIGTERM, create)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _environment() -> dict[str, str]:
    """This process's environment, with the package on the path of Python."""
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
    """Ignore the text, if there is no log."""
