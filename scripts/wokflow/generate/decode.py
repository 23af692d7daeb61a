"""Predictions of a model that runs here, shard by shard and block by block."""

import hashlib
import shutil
from bisect import bisect_right
from pathlib import Path
from typing import Any

import polars as pl

from wokflow import tables
from wokflow.generate import schemas
from wokflow.generate.decoding import (
    Decoding,
    Family,
    Lang,
    decode_tokens,
    encode,
    limits,
    set_languages,
)
from wokflow.generate.prompts import Prompt
from wokflow.job import Progress, UserError
from wokflow.keys import path_digest
from wokflow.shards import blocks
from wokflow.train.models import load
from wokflow.train.texts import without_headings

BATCHES = 4  # batches a block: what a killed job loses at most


def decode_shard(
    instances: str,
    out: str,
    *,
    run: str,
    model: str,
    family: Family,
    prompt: Prompt | None,
    decoding: Decoding,
    languages: tuple[Lang, Lang] | None,
    revision: str | None,
    precision: str,
    device: str,
    remote_code: bool,
    seed: int,
    shard: int,
    shards: int,
    resume: str,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write the predictions (schema generate/predictions) of one shard of the instances, without headings.

    Instances are ordered by the number of their tokens and cut into blocks of a fixed size; a shard is each
    `shards`-th block, so that all shards have short and long texts, and a prediction does not depend on their number.
    A finished block is kept in the folder `resume`, which is this shard's own and goes at the end: a job that was
    killed goes on behind its last block. Blocks made of other texts, by another model or for another
    `metadata["key"]` are thrown away. `languages` (of source and target) is what mBART50 and NLLB must be told;
    None leaves their tokenizer as it was saved. Sampling draws by `seed` and block.
    """
    network, tokenizer = load(
        model, family, revision=revision, precision=precision, device=device, remote_code=remote_code
    )
    if languages:
        set_languages(tokenizer, *languages)
    rows = _ordered(tables.read(instances), prompt, network, tokenizer, family, decoding, progress)
    every = list(enumerate(blocks(range(rows.height), decoding.batch * BATCHES)))
    mine = {number: rows[block.start : block.stop] for number, block in every[shard::shards]}
    made_by = path_digest(model) if Path(model).exists() else f"{model} at {revision}"
    how = (metadata["key"], made_by, run, family, decoding, languages, precision, seed)
    files = {
        number: Path(resume) / f"{_digest(how, number, some['instance_id', 'text'].rows())}.parquet"
        for number, some in mine.items()
    }
    todo = _todo(Path(resume), files, progress)
    for done, number in enumerate(todo, start=1):
        predictions = _decode(network, tokenizer, mine[number], family, decoding, seed, number)
        made = mine[number].select("instance_id", run=pl.lit(run), prediction=predictions)
        tables.write(files[number], schemas.PREDICTIONS, made, {})
        if progress:
            progress(done, f"{done} of {len(todo)} blocks decoded", of=len(todo))
    with tables.PartWriter(out, schemas.PREDICTIONS, metadata) as part:
        for file in files.values():
            part.write(tables.read(file))
    shutil.rmtree(resume, ignore_errors=True)


def _ordered(
    instances: pl.DataFrame,
    prompt: Prompt | None,
    network: Any,
    tokenizer: Any,
    family: Family,
    decoding: Decoding,
    progress: Progress | None,
) -> pl.DataFrame:
    """Columns instance_id, text (what the model reads) and tokens; short texts first."""
    most, _ = limits(network, family, decoding)
    texts, shortened = filled(instances, prompt, tokenizer, family, most)
    tokens = encode(tokenizer, texts, family)
    if progress:
        long = shortened or sum(len(row) > most for row in tokens)
        progress.say(f"{long} of {len(tokens)} sources are cut to fit {most} tokens")
    rows = instances.select(
        "instance_id",
        text=pl.Series(texts, dtype=pl.String),
        tokens=pl.Series(tokens, dtype=pl.List(pl.Int64)),
    )
    return rows.sort(pl.col("tokens").list.len(), "instance_id")


def filled(
    rows: pl.DataFrame, prompt: Prompt | None, tokenizer: Any, family: Family, most: int
) -> tuple[list[str], int]:
    """(what the model reads for each row, how many sources were shortened).

    That is the source itself or, with a prompt, the prompt. Where a prompt has more than `most` tokens, its source
    loses its end, so that what the prompt asks stays whole.
    """
    if prompt is None:
        return rows["source"].to_list(), 0
    places = rows.select("source", "title", "base").to_dicts()
    texts = [prompt.fill(**values) for values in places]
    shortened = 0
    for number, row in enumerate(encode(tokenizer, texts, family)):
        if len(row) <= most:
            continue
        values, shortened = places[number], shortened + 1

        def size(letters: int, values: dict[str, Any] = values) -> int:
            text = prompt.fill(**values | {"source": values["source"][:letters]})
            return len(encode(tokenizer, [text], family)[0])

        letters = bisect_right(range(len(values["source"])), most, key=size) - 1
        texts[number] = prompt.fill(**values | {"source": values["source"][: max(letters, 0)]})
    return texts, shortened


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _todo(resume: Path, files: dict[int, Path], progress: Progress | None) -> list[int]:
    """Blocks to decode, long texts first, so that too little memory shows at once; other files of `resume` go."""
    for path in set(resume.glob("*")) - set(files.values()):
        path.unlink()
    todo = [number for number in sorted(files, reverse=True) if not files[number].exists()]
    if progress and len(todo) < len(files):
        progress.say(f"{len(files) - len(todo)} of {len(files)} blocks were decoded before")
    return todo


def _decode(
    network: Any,
    tokenizer: Any,
    rows: pl.DataFrame,
    family: Family,
    decoding: Decoding,
    seed: int,
    block: int,
) -> pl.Series:
    import torch

    if decoding.temperature is not None:
        torch.manual_seed(int(_digest(seed, block)[:8], 16))
    try:
        texts = decode_tokens(network, tokenizer, rows["tokens"].to_list(), family, decoding)
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"generate.decode.batch: {decoding.batch} sources at a time, with {decoding.beams} beams, are too many "
            "for the GPU's memory. Lower batch, or max_tokens, or set precision to bfloat16."
        ) from error
    return pl.Series([without_headings(text) for text in texts], dtype=pl.String)
