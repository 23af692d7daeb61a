"""Several processes: torchrun on this node, or by srun on each node of the Slurm job."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from wokflow import tables
from wokflow.job import Progress, UserError
from wokflow.train.settings import Task

TASK, STOP, ERROR = "task.json", "stop", "error-{process}.txt"
TORCHRUN = """import signal
from torch.distributed.run import main
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # workers save and leave; torchrun would kill them before
main()"""
PORTS = range(20_000, 60_000)


def launch(task: Task, processes: int, nodes: int, progress: Progress | None = None) -> None:
    """Train with `processes` on each of `nodes`; what they say lands in the log. SIGTERM has them save and leave.

    Raises UserError with what the first process that fails says, or says that they were stopped.
    """
    talk = Path(task.checkpoints).with_name(f"{Path(task.checkpoints).name}.launch")
    shutil.rmtree(talk, ignore_errors=True)
    tables.write_text(
        talk / TASK, json.dumps(asdict(task) | {"launcher": os.getpid() if nodes == 1 else None})
    )
    with _telling(talk / STOP):
        code = _run(command(talk, processes, nodes), processes, progress)
    errors = sorted(talk.glob(ERROR.format(process="*")))
    said = errors[0].read_text(encoding="utf-8") if errors else None
    shutil.rmtree(talk, ignore_errors=True)
    if said or code:
        raise UserError(said or f"The processes of training ended with code {code}; the log says why.")


def command(talk: Path, processes: int, nodes: int) -> list[str]:
    """The command that starts all processes. Raises UserError where several nodes are asked for without Slurm."""
    torchrun = [sys.executable, "-c", TORCHRUN, f"--nproc-per-node={processes}", "--signals-to-handle=SIGINT"]
    worker = ["-m", "wokflow.train.worker", str(talk)]
    if nodes == 1:
        return [*torchrun, "--standalone", *worker]
    host, job = _first_node(), int(os.environ["SLURM_JOB_ID"])
    srun = ["srun", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1", "--kill-on-bad-exit=1"]
    srun += ["--overlap"]  # the job itself may be a step, and hold what this one needs
    if cpus := os.environ.get("SLURM_CPUS_PER_TASK"):
        srun.append(f"--cpus-per-task={cpus}")  # a step does not take it over from its job
    meeting = f"--rdzv-endpoint={host}:{PORTS[job % len(PORTS)]}"
    return [
        *srun,
        *torchrun,
        f"--nnodes={nodes}",
        "--rdzv-backend=c10d",
        meeting,
        f"--rdzv-id={job}",
        *worker,
    ]


def _first_node() -> str:
    nodes = os.environ.get("SLURM_JOB_NODELIST")
    if not nodes:
        raise UserError(
            "train.model asks for several nodes, but this is no job of Slurm: run it with --profile slurm, or set "
            "nodes: 1."
        )
    done = subprocess.run(
        ["scontrol", "show", "hostnames", nodes], capture_output=True, text=True, check=False
    )
    if done.returncode or not done.stdout.split():
        raise UserError(f"scontrol show hostnames {nodes} gave no node: {done.stderr.strip()}")
    return done.stdout.split()[0]


@contextmanager
def _telling(file: Path) -> Iterator[None]:
    """While open, SIGTERM makes `file`, which all processes look for."""

    def tell(number: int, frame: FrameType | None) -> Any:
        file.touch()

    before = signal.signal(signal.SIGTERM, tell)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: list[str], processes: int, progress: Progress | None) -> int:
    threads = max(1, len(os.sched_getaffinity(0)) // processes)
    places = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH")]
    environment = {
        "OMP_NUM_THREADS": str(threads),
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
    }
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if progress:
                progress.say(line.rstrip())
    return running.returncode
