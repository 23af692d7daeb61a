"""One of several processes of a training: python -m wokflow.train.worker FOLDER, which launch made."""

import json
import os
import socket
import sys
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.frame.secrets import shown
from wokflow.models.devices import find_device
from wokflow.train.launch import ERROR, STOP, TASK, TIME_OVER
from wokflow.train.process import train_here
from wokflow.train.stopping import Stop, StoppedError, TimeOverError
from wokflow.train.task import Task
from wokflow.train.trainer_arguments import COLLECTIVE_S


class Lines(Progress):
    """Progress on stdout; the launcher writes its lines to the log, with the time."""

    def say(self, text: str) -> None:
        print(shown(text), flush=True)


def main(folder: str) -> int:
    """Train, and return the exit code. It is 0 also if training was stopped, so that other processes end by
    themselves.
    """
    path = Path(folder)
    values = json.loads((path / TASK).read_text(encoding="utf-8"))
    launcher, launched, meeting = (values.pop(name) for name in ("launcher", "launched", "meeting"))
    task = Task.from_plain(values)
    try:
        with Stop(task.minutes, began=began(*launched), file=path / STOP, launcher=launcher) as stop:
            if meeting:
                _meet(meeting, task.settings.device)
            train_here(task, stop, Lines(sys.stdout))
    except UserError as error:
        file = TIME_OVER if isinstance(error, TimeOverError) else ERROR
        tables.write_text(path / file.format(process=os.environ["RANK"]), shown(str(error)))
        return 0 if isinstance(error, StoppedError) else 1
    return 0


def began(host: str, moment: float) -> float:
    """When the training began by this node's clock: `moment` on the host that launched it, now on others.

    Clocks of nodes differ. Processes on other nodes begin a little later, and stop together with the first node's.
    """
    return moment if host == socket.gethostname() else time.monotonic()


def _meet(file: str, device: str) -> None:
    """Join the other processes by a file. (Across nodes, torch finds them by MASTER_ADDR and MASTER_PORT.)"""
    import torch.distributed

    torch.distributed.init_process_group(
        "gloo" if find_device(device).type == "cpu" else "cpu:gloo,cuda:nccl",
        init_method=f"file://{quote(file)}",
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
        timeout=timedelta(seconds=COLLECTIVE_S),
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
