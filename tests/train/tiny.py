"""A tiny training: recipes whose translation follows from them, and a model of a few thousand weights."""

import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from wokflow.frame import tables
from wokflow.frame.config import fill
from wokflow.frame.job import Progress
from wokflow.train import model, schemas
from wokflow.train.checkpoints import Checkpoints
from wokflow.train.settings import Fit, Small, Task, fit_settings

from tests.conftest import ROOT
from tests.models.tiny import search

SCHEMA = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
DEFAULTS: dict[str, Any] = {}
fill(DEFAULTS, SCHEMA)
SMALL = Small(width=16, layers=2, heads=2, vocabulary=300)
BLOCK = {name: DEFAULTS["train"]["model"][name] for name in Fit.__dataclass_fields__}
FIT = replace(
    fit_settings(BLOCK),
    batch=8,
    device_batch=4,
    epochs=3,
    max_tokens=64,
    metric="loss",
    learning_rate=5e-3,
    device="cpu",
    trackers=(),
    small=SMALL,
)
DECODING = search(beams=1, repetition_penalty=1.0, no_repeat_ngram=0, max_tokens=40)


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


def task_of(folder: Path, settings: Fit = FIT, **changed: Any) -> Task:
    """A task of `folder`; `changed` are fields of Task."""
    task = Task(
        examples=str(folder / "examples.parquet"),
        out=str(folder / "model"),
        checkpoints=str(folder / "checkpoints"),
        curves=str(folder / "curves"),
        run="tiny",
        family="seq2seq",
        model="small",
        revision=None,
        languages=("en", "zh"),
        prompt=None,
        chat="auto",
        seed=1,
        settings=settings,
        decoding=DECODING,
        key="one",
        threads=1,
    )
    return replace(task, **changed)


def train(
    folder: Path,
    log: io.StringIO | None = None,
    settings: Fit = FIT,
    processes: int = 1,
    **changed: Any,
) -> Path:
    """Train in `folder`, which gets the examples if it has none; `changed` are fields of Task. The model's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "examples.parquet").exists():
        examples(folder / "examples.parquet")
    progress = Progress(log, seconds=0) if log is not None else None
    model.train(task_of(folder, settings, **changed), processes=processes, progress=progress)
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
