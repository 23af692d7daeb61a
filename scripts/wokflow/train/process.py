"""One process of a training: it reads the examples and learns; the first process writes the model."""

from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress
from wokflow.models.decoding import set_languages
from wokflow.models.loading import load
from wokflow.train.card import write_card
from wokflow.train.checkpoints import Checkpoints
from wokflow.train.encoded import Encoded, encode_examples, read_examples
from wokflow.train.fit import Training
from wokflow.train.learner import Learner
from wokflow.train.record import base_of, write_record
from wokflow.train.scratch import make_small
from wokflow.train.settings import Task
from wokflow.train.stopping import Stop

READABLE = 0o644


def train_here(task: Task, stop: Stop, progress: Progress | None = None) -> None:
    """Train as the only process, or as one of those that torchrun started; the first writes the model's folder.

    Raises UserError, and StoppedError if `stop` came before the end.
    """
    import torch
    from transformers.utils import logging

    quiet: Any = logging.disable_progress_bar
    quiet()
    if task.threads:
        torch.set_num_threads(task.threads)
    rows = read_examples(task.examples)
    network, tokenizer = _begin(task, rows)
    base = base_of(task.model, task.revision)
    learner = Learner(network, task.family, task.settings, task.seed)
    first = learner.process == 0
    said = progress if first else None
    encoded = _encoded(task, rows, network, tokenizer, said)
    checkpoints = Checkpoints(task.checkpoints, task.key)
    valid_rows = rows.filter(split="valid")
    training = Training(
        task, learner, tokenizer, *encoded, valid_rows, checkpoints=checkpoints, stop=stop, progress=said
    )
    state = training.run()
    if first:
        model = learner.model.merge_and_unload() if task.settings.lora.rank else learner.model
        with tables.atomic_folder(task.out) as folder:
            model.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            run = write_record(folder, task, rows, base, state)
            write_card(folder, task, rows, run, state)
            for path in folder.iterdir():
                path.chmod(READABLE)  # safetensors leaves weights to their owner alone
        checkpoints.remove()
    learner.accelerator.end_training()


def _begin(task: Task, rows: pl.DataFrame) -> tuple[Any, Any]:
    """The model and tokenizer that training begins with."""
    settings = task.settings
    if task.model == "small":
        train = rows.filter(split="train")
        texts = [text for name in ("source", "target") for text in train[name]]
        return make_small(texts, task.family, settings.small, max_tokens=settings.max_tokens, seed=task.seed)
    network, tokenizer = load(
        task.model,
        task.family,
        revision=task.revision,
        device="cpu",
        remote_code=settings.remote_code,
    )
    if task.languages:
        set_languages(tokenizer, *task.languages)
    return network, tokenizer


def _encoded(
    task: Task, rows: pl.DataFrame, network: Any, tokenizer: Any, progress: Progress | None
) -> tuple[Encoded, Encoded]:
    """The training and the validation examples."""
    most = task.settings.max_tokens
    positions = getattr(network.config, "max_position_embeddings", None)
    if positions and positions < most:
        if progress:
            progress.say(
                f"the model has positions for {positions} tokens: max_tokens {most} is more than it reads"
            )
        most = positions
    train, valid = (
        encode_examples(rows.filter(split=split), tokenizer, task.family, (most, most), progress)
        for split in ("train", "valid")
    )
    return train, valid
