"""Runs that rewrite base recipes by a causal model with a decoding of their own: DELOREAN, EDUCAT, mined edits."""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate.asking import Asking
from wokflow.generate.blocks import Shard, seed_of
from wokflow.generate.prompts import Dialogue, Prompt
from wokflow.generate.sentence_texts import values_of
from wokflow.generate.settings import Rewriting
from wokflow.models.devices import describe
from wokflow.models.loading import load, origin, weights_digest
from wokflow.models.sentence_rewriting import Original, Reader

Rewriter = Callable[[Reader, Sequence[Original], int], list[str]]


def rewritten(
    instances: str,
    trained: str | list[str],
    shard: Shard,
    rewrite: Rewriter,
    settings: Rewriting,
    job: Job,
    given: str = "",
) -> None:
    """Write the predictions (generate/predictions) of one shard of the instances of rewriting.

    `rewrite` makes texts of the original ones of a block, with a seed. The model is the folder `trained` or, if there
    is none, that of the settings. The new text follows the prompt; the old text follows the same prompt filled in for
    the base dish. `given` is the digest of what `rewrite` reads of other tables. Raises UserError where the prompt
    does not name the dish.
    """
    place = str(trained) if trained else settings.model
    network, tokenizer = load(
        place,
        "causal",
        revision=settings.revision,
        precision=settings.precision,
        device=settings.device,
        remote_code=settings.remote_code,
    )
    name = settings.run if trained else origin(place, settings.revision)
    job.progress.say(f"{name}, on {describe(network.device)}")
    reader, prompt = Reader(network, tokenizer), Prompt.read(settings.prompt)
    if "{title}" not in prompt.template or len(prompt.questions) > 1:
        raise UserError(
            f"The prompt {settings.prompt} of run {settings.run} must name the dish to make, {{title}}, and ask once."
        )
    asking = Asking.of(tokenizer, "causal", Dialogue(prompt), reader.places, settings.chat)
    rows = _rows(tables.read(instances), asking)
    long = sum(len(reader.ids(text)) > settings.max_source_tokens for text in rows["text"])
    job.progress.say(f"{long} of {rows.height} base recipes are cut to {settings.max_source_tokens} tokens")

    def texts(block: pl.DataFrame, number: int) -> list[str]:
        originals = [Original(**row) for row in block.drop("instance_id").iter_rows(named=True)]
        return _in_memory(rewrite, reader, originals, seed_of(settings.seed, number), settings)

    shard.write(rows, settings.batch, texts, weights_digest(place, settings.revision) + given, job)


def _rows(instances: pl.DataFrame, asking: Asking) -> pl.DataFrame:
    """Instances as those of Original, short texts first."""
    values = values_of(instances, None)
    told = [{**one, "title": one["base"]} for one in values]
    ids: dict[str, Any] = {
        name: pl.Series(asking.rows(asked)[0], dtype=pl.List(pl.Int64))
        for name, asked in (("asked", values), ("told", told))
    }
    dishes = pl.concat_list("base", "title")
    return instances.select("instance_id", **ids, text="source", dishes=dishes).sort(
        pl.col("text").str.len_chars(), "instance_id"
    )


def _in_memory(
    rewrite: Rewriter, reader: Reader, originals: Sequence[Original], seed: int, settings: Rewriting
) -> list[str]:
    import torch

    try:
        return rewrite(reader, originals, seed)
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"Run {settings.run}: a batch of {settings.batch} recipes is too much for the GPU's memory. Lower batch "
            "of the run's family, or set precision to bfloat16."
        ) from error
