"""Runs the processes of a training on one node: python -m wokflow.train.node_processes FOLDER PROCESSES ADDRESS PORT.

srun starts this command on each of several nodes. On a single node, the launcher calls run_processes directly.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from wokflow.frame.processes import TEXT
from wokflow.frame.temporary import temporary_folder

LOOK = 0.1  # seconds between two checks of the processes
PATIENCE = 10.0  # seconds that the other processes get to end after one has failed


def worker(folder: str | Path) -> list[str]:
    """The command of one process."""
    return [sys.executable, "-m", "wokflow.train.worker", str(folder)]


def run_processes(
    command: Sequence[str],
    processes: int,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    *,
    nodes: int,
    node: int,
) -> int:
    """Run the processes of one node to their end, and return the first exit code other than 0, or 0.

    If one fails, the others get SIGTERM, and are killed if they do not end in time. `say` gets each line of output.
    """
    ranks = range(node * processes, (node + 1) * processes)
    threads = max(1, len(os.sched_getaffinity(0)) // processes)
    common = {
        "OMP_NUM_THREADS": str(threads),
        **environment,
        "WORLD_SIZE": str(nodes * processes),
        "LOCAL_WORLD_SIZE": str(processes),
    }
    reading, writing = os.pipe()
    started: list[subprocess.Popen[bytes]] = []
    try:
        for local, rank in enumerate(ranks):
            started.append(
                subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=writing,
                    stderr=subprocess.STDOUT,
                    env=common | {"RANK": str(rank), "LOCAL_RANK": str(local)},
                )
            )
        os.close(writing)
        reader = threading.Thread(target=_repeat, args=(reading, say), daemon=True)
        reader.start()
        code = _first_failure(started)
    finally:
        _end(started)
    reader.join(PATIENCE)  # the pipe stays open if a child of theirs lives on
    return code


def _repeat(descriptor: int, say: Callable[[str], None]) -> None:
    with open(descriptor, **TEXT) as lines:
        for line in lines:
            say(line.rstrip())


def _first_failure(processes: list[subprocess.Popen[bytes]]) -> int:
    """The exit code of the first process that fails; 0 once all have ended well."""
    while True:
        codes = [process.poll() for process in processes]
        if failed := [code for code in codes if code]:
            return failed[0]
        if None not in codes:
            return 0
        time.sleep(LOOK)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    until = time.monotonic() + PATIENCE
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
        process.kill()
        process.wait()


def main(folder: str, processes: str, address: str, port: str) -> int:
    """Run the processes of this node of a Slurm step; the first node listens on `port` of `address`."""
    meeting = {"MASTER_ADDR": address, "MASTER_PORT": port}
    nodes, node = int(os.environ["SLURM_NTASKS"]), int(os.environ["SLURM_PROCID"])
    with temporary_folder():  # the launcher's own folder is on its node only
        environment = os.environ | meeting
        return run_processes(worker(folder), int(processes), environment, _print, nodes=nodes, node=node)


def _print(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
