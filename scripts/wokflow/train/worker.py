"""One process of several, as torchrun starts it: python -m wokflow.train.worker FOLDER, which launch has made."""

import json
import os
import sys
from pathlib import Path

from wokflow import tables
from wokflow.job import Progress, UserError
from wokflow.train.fit import StoppedError
from wokflow.train.launch import ERROR, STOP, TASK
from wokflow.train.process import train_here
from wokflow.train.settings import task_settings
from wokflow.train.stopping import Stop


class Lines(Progress):
    """Progress whose lines the launcher puts in its log, with the time."""

    def say(self, text: str) -> None:
        print(text, flush=True)


def main(folder: str) -> int:
    """Train; 0 also where it was stopped, so that the other processes are left to end by themselves."""
    talk = Path(folder)
    values = json.loads((talk / TASK).read_text(encoding="utf-8"))
    launcher = values.pop("launcher")
    task = task_settings(values)
    try:
        with Stop(task.minutes, file=talk / STOP, launcher=launcher) as stop:
            train_here(task, stop, Lines(sys.stdout))
    except UserError as error:
        tables.write_text(talk / ERROR.format(process=os.environ["RANK"]), str(error))
        return 0 if isinstance(error, StoppedError) else 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
