"""A tiny training: recipes whose translation follows from them, and a model of a few thousand weights."""

import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import polars as pl
from wokflow.frame import tables
from wokflow.frame.arguments import merged
from wokflow.frame.job import Progress
from wokflow.train import model, schemas
from wokflow.train.checkpoints import Checkpoints
from wokflow.train.settings import ModelSettings, Small
from wokflow.train.task import Task

from tests.models.tiny import search

UNMOVED = 1e-30  # a learning rate that changes no weight
ALWAYS = 1e-9  # minutes between two checkpoints: each step has one
SMALL = Small(width=16, layers=2, heads=2, vocabulary=300)
FIT = ModelSettings.model_validate(
    {
        "family": "seq2seq",
        "base": None,
        "languages": ("en", "zh"),
        "prompt": None,
        "chat": "auto",
        "seed": 1,
        "batch": 8,
        "device_batch": 4,
        "epochs": 3,
        "max_tokens": 64,
        "metric": "loss",
        "learning_rate": 5e-3,
        "device": "cpu",
        "trackers": (),
        "small": SMALL,
    }
)
DECODING = search(beams=1, repetition_penalty=1.0, no_repeat_ngram=0, max_tokens=40)


def changed(settings: ModelSettings, **values: Any) -> ModelSettings:
    """Settings with other values, which a run could have; inner blocks keep what they are not given."""
    return ModelSettings.model_validate(merged(settings.model_dump(), values))


def examples(path: Path, *, train: int = 24, valid: int = 6) -> Path:
    """A table of examples: from three headings to three headings, with one number that is to be copied."""
    rows = [
        {
            "instance_id": f"a:{number}>b:{number}",
            "split": "train" if number < train else "valid",
            "title": f"dish {number % 6}",
            "source": f"Title: dish {number % 6}\nIngredients: egg, salt\nSteps: stir {number % 6} times.\n",
            "target": f"Title: 菜{number % 6}\nIngredients: 鸡蛋，盐\nSteps: 搅拌{number % 6}次。\n",
        }
        for number in range(train + valid)
    ]
    tables.write(path, schemas.EXAMPLES, pl.DataFrame(rows), {})
    return path


def task_of(
    folder: Path,
    settings: ModelSettings = FIT,
    *,
    key: str = "one",
    minutes: float | None = None,
    **values: Any,
) -> Task:
    """A task of `folder`; `values` are other settings."""
    return Task(
        examples=str(folder / "examples.parquet"),
        out=str(folder / "model"),
        checkpoints=str(folder / "checkpoints"),
        curves=str(folder / "curves"),
        run="tiny",
        settings=changed(settings, **values),
        key=key,
        minutes=minutes,
        threads=1,
    )


def train(
    folder: Path, log: io.StringIO | None = None, settings: ModelSettings = FIT, **options: Any
) -> Path:
    """The model's folder, after a training in `folder`, which gets examples if it has none. `options`: as task_of."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "examples.parquet").exists():
        examples(folder / "examples.parquet")
    progress = Progress(log, seconds=0) if log is not None else None
    model.train(task_of(folder, settings, **options), progress)
    return folder / "model"


@dataclass(frozen=True)
class Strike:
    """A signal that a process sends itself, `times` times, once the checkpoint after `step` steps is whole."""

    step: int
    signal: signal.Signals
    times: int = 1


def apart(
    work: Callable[..., object], *arguments: object, strike: Strike | None = None, **options: object
) -> BaseProcess:
    """Start `work` in a process of its own, which a signal may strike."""
    import torch

    if torch.cuda.is_available():  # which no fork may use
        context: Any = multiprocessing.get_context("spawn")
    else:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.train.preloaded"])
    process = context.Process(target=_work, args=(work, arguments, options, strike))
    process.start()
    return process


def _work(
    work: Callable[..., object],
    arguments: tuple[object, ...],
    options: Mapping[str, object],
    strike: Strike | None,
) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    multiprocessing.set_start_method(
        "fork", force=True
    )  # of processes that load data, as where a job is started
    if strike:
        _expect(strike)
    try:
        work(*arguments, **options)
    except Exception as error:
        (Path(str(arguments[0])) / "error.txt").write_text(str(error), encoding="utf-8")
        sys.exit(1)


def _expect(strike: Strike) -> None:
    finish, left = Checkpoints.finish, [strike.signal] * strike.times

    def struck(self: Checkpoints, step: int, *rest: float) -> None:
        finish(self, step, *rest)
        while step >= strike.step and left:
            os.kill(os.getpid(), left.pop())

    Checkpoints.finish = struck  # type: ignore[method-assign]


def steps_saved(folder: Path) -> list[int]:
    """The steps whose checkpoints are there, of whatever key."""
    return sorted(
        int(path.parent.name.removeprefix("checkpoint-"))
        for path in (folder / "checkpoints").glob("*/checkpoint-*/whole.json")
    )


def wait_until(said: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def curve(model: Path) -> pl.DataFrame:
    return pl.read_csv(model / "curve.tsv", separator="\t")
