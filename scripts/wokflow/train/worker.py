"""One process of several, as torchrun starts it: python -m wokflow.train.worker FOLDER (made by launch)."""

import json
import os
import sys
import time
from pathlib import Path

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.train.launch import ERROR, STOP, TASK, TIME_OVER
from wokflow.train.process import train_here
from wokflow.train.settings import task_settings
from wokflow.train.stopping import Stop, StoppedError, TimeOverError


class Lines(Progress):
    """Progress on stdout; the launcher writes its lines to the log, with the time."""

    def say(self, text: str) -> None:
        print(text, flush=True)


def main(folder: str) -> int:
    """Train. Returns 0 also if it was stopped, so that torchrun lets the other processes end by themselves."""
    talk = Path(folder)
    values = json.loads((talk / TASK).read_text(encoding="utf-8"))
    launcher, launched = values.pop("launcher"), values.pop("launched")
    began = time.monotonic() - (time.time() - launched)
    task = task_settings(values)
    try:
        with Stop(task.minutes, began=began, file=talk / STOP, launcher=launcher) as stop:
            train_here(task, stop, Lines(sys.stdout))
    except UserError as error:
        file = TIME_OVER if isinstance(error, TimeOverError) else ERROR
        tables.write_text(talk / file.format(process=os.environ["RANK"]), str(error))
        return 0 if isinstance(error, StoppedError) else 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
