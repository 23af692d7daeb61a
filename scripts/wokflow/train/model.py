"""Trains a model, in this process or in several."""

from pathlib import Path

from wokflow.cluster.window import queue_again
from wokflow.frame.job import Job, Progress
from wokflow.train.launch import launch
from wokflow.train.process import train_here
from wokflow.train.settings import ModelSettings
from wokflow.train.stopping import Stop, StoppedError, TimeOverError
from wokflow.train.task import Task


def train_model(
    *,
    examples: str,
    model: str,
    run: str,
    settings: ModelSettings,
    minutes: float | None,
    log: str,
    job: Job,
) -> None:
    """Train on the table `examples` (train/examples) and write the folder `model`, with tokenizer, curve and card.

    Checkpoints lie beside the model, and live curves beside the `log`.
    """
    task = Task(
        examples=examples,
        out=model,
        checkpoints=f"{model}.checkpoints",
        curves=str(Path(log).parent / "tensorboard" / run),
        run=run,
        settings=settings,
        key=job.metadata["key"],
        minutes=minutes,
        threads=job.threads,
    )
    train(task, job.progress)


def train(task: Task, progress: Progress | None = None) -> None:
    """Train in as many processes as the settings say.

    A training that was killed continues from its last checkpoint and ends with the same model; then its checkpoints
    are removed. On SIGTERM, and before the task's `minutes` are over, it saves a checkpoint and raises UserError. If
    its time was over and it has made progress, its Slurm job is queued again, as often as needed.

    Also raises UserError for examples that are missing or empty, a model that cannot be loaded, a loss that is
    not finite, and too little memory.
    """
    try:
        if task.settings.processes == task.settings.nodes == 1:
            with Stop(task.minutes) as stop:
                train_here(task, stop, progress)
        else:
            launch(task, progress)
    except TimeOverError as error:
        raise StoppedError(f"{error} {queue_again()}") from error
