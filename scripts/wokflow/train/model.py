"""Training one model, in this process or in several."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wokflow.cluster.window import queue_again
from wokflow.frame.job import Progress
from wokflow.generate.asking import Chat
from wokflow.models.decoding import Decoding, Family
from wokflow.train.launch import launch
from wokflow.train.process import train_here
from wokflow.train.settings import Task, fit_settings
from wokflow.train.stopping import Stop, StoppedError, TimeOverError


def train_model(
    *,
    examples: str,
    model: str,
    run: str,
    family: Family,
    base: str,
    revision: str | None,
    languages: tuple[str, str] | None,
    prompt: str | None,
    chat: Chat,
    seed: int,
    fit: Mapping[str, Any],
    valid_beams: int,
    speed: Mapping[str, Any],
    processes: int,
    nodes: int,
    key: str,
    minutes: float | None,
    threads: int,
    log: str,
    progress: Progress,
) -> None:
    """Train on the table `examples` (train/examples) and write the folder `model`, with tokenizer, curve and card.

    Training begins with `base`: `small` (random weights), a folder, or a name on the Hugging Face hub at
    `revision`. `fit` and `speed` together are the fields of settings.Fit; `valid_beams` are those with which
    validation sources are decoded. Live curves lie beside the `log`. For the rest see settings.Task.
    """
    settings = fit_settings({**fit, **speed})
    longest = settings.max_tokens
    task = Task(
        examples=examples,
        out=model,
        checkpoints=f"{model}.checkpoints",
        curves=str(Path(log).parent / "tensorboard" / run),
        run=run,
        family=family,
        model=base,
        revision=revision,
        languages=languages and (languages[0], languages[1]),
        prompt=prompt,
        chat=chat,
        seed=seed,
        settings=settings,
        decoding=Decoding(
            beams=valid_beams,
            repetition_penalty=1.2,
            no_repeat_ngram=5,
            max_source_tokens=longest,
            max_tokens=longest,
            temperature=None,
            batch=16,
        ),
        key=key,
        minutes=minutes,
        threads=threads,
    )
    train(task, processes=processes, nodes=nodes, progress=progress)


def train(task: Task, *, processes: int = 1, nodes: int = 1, progress: Progress | None = None) -> None:
    """Do a training in `processes` on each of `nodes`.

    A training that was killed continues from its last checkpoint and ends with the same model; its checkpoints are
    removed then. On SIGTERM, and before the task's `minutes` are over, it saves a checkpoint and raises UserError.
    If it has got on by then, its Slurm job is queued again, as often as it takes.

    Raises UserError as well for examples that are missing or empty, a model that cannot be loaded, a loss that is
    not finite, and too little memory.
    """
    try:
        if processes == nodes == 1:
            with Stop(task.minutes) as stop:
                train_here(task, stop, progress)
        else:
            launch(task, processes, nodes, progress)
    except TimeOverError as error:
        raise StoppedError(f"{error} {queue_again()}") from error
