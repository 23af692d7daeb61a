"""Divides the GPUs of a machine among jobs: each job holds its own until it ends."""

import fcntl
import os
import stat
import sys
import tempfile
import time
from itertools import takewhile
from pathlib import Path
from typing import IO
from urllib.parse import quote

from wokflow.frame.job import UserError

VISIBLE = "CUDA_VISIBLE_DEVICES"
WAIT = 0.5  # seconds between two looks for free GPUs
held: list[IO[str]] = []  # locks of this process, released by its end


def find_gpus(devices: Path = Path("/dev")) -> list[str]:
    """The GPUs that this process may use, named as in CUDA_VISIBLE_DEVICES; needs neither driver nor torch."""
    visible = os.environ.get(VISIBLE)
    if visible is None:
        return [str(number) for number, _ in enumerate(devices.glob("nvidia[0-9]*"))]
    names = (name.strip() for name in visible.split(","))
    # CUDA ends the list at the first invalid name. Slurm writes NoDevFiles where it gives no GPU.
    return list(takewhile(lambda name: name and name[0] != "-" and name != "NoDevFiles", names))


def take_gpus(count: int) -> None:
    """Take GPUs that no other job of this user has on this machine, until this process ends, and hide all others.

    Waits until so many are free, or all if there are fewer. Does nothing where no GPU is known, nor in a Slurm job
    whose GPUs Slurm does not name, or are no more than `count`. Raises UserError if the folder of the locks belongs
    to someone else.
    """
    gpus = find_gpus()
    if count < 1 or not gpus:
        return
    if "SLURM_JOB_ID" in os.environ and (VISIBLE not in os.environ or len(gpus) <= count):
        return
    folder, wanted = _folder(), min(count, len(gpus))
    waits = False
    while len(taken := _take(folder, gpus, wanted)) < wanted:
        if not waits:
            print(
                f"Waiting for {wanted} of the GPUs {', '.join(gpus)}: other jobs have them.", file=sys.stderr
            )
            waits = True
        time.sleep(WAIT)
    os.environ[VISIBLE] = ",".join(taken)


def _take(folder: Path, gpus: list[str], wanted: int) -> list[str]:
    """Lock as many GPUs as wanted, or none."""
    locks: dict[str, IO[str]] = {}
    with (folder / "all").open("w") as every:
        fcntl.flock(every, fcntl.LOCK_EX)  # else two jobs could each take half of what they need
        for gpu in gpus:
            lock: IO[str] = (folder / f"gpu-{quote(gpu, safe='')}").open("w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()
                continue
            locks[gpu] = lock
            if len(locks) == wanted:
                held.extend(locks.values())
                return list(locks)
    for lock in locks.values():
        lock.close()
    return []


def _folder() -> Path:
    """The folder of the locks: one for each user, and for each Slurm job, since each numbers its GPUs from 0."""
    parts = ["wokflow-gpus", str(os.getuid()), *filter(None, [os.environ.get("SLURM_JOB_ID")])]
    place = os.environ.get("XDG_RUNTIME_DIR", "")  # may name a folder of another machine
    folder = Path(place if os.access(place, os.W_OK) else tempfile.gettempdir()) / "-".join(parts)
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        raise UserError(
            f"{folder} belongs to another user. Remove it, or set XDG_RUNTIME_DIR to a folder of yours."
        )
    return folder
