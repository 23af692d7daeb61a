"""Predictions of a model that runs here, shard by shard and block by block."""

import hashlib
import shutil
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.digests import path_digest
from wokflow.frame.job import Progress, UserError
from wokflow.frame.shards import blocks
from wokflow.generate import schemas
from wokflow.generate.prompts import Prompt
from wokflow.models.decoding import (
    Decoding,
    Family,
    Lang,
    decode_tokens,
    encode,
    limits,
    set_languages,
)
from wokflow.models.devices import describe
from wokflow.models.loading import load, origin
from wokflow.models.texts import without_headings

BATCHES = 4  # batches in a block, which is the most that a killed job loses


def generate_decode(
    *,
    instances: str,
    trained: str | list[str],
    predictions: str,
    run: str,
    shard: int,
    shards: int,
    model: str,
    family: Family,
    prompt: str | None,
    decoding: Mapping[str, Any],
    languages: tuple[Lang, Lang] | None,
    revision: str | None,
    precision: str,
    device: str,
    remote_code: bool,
    seed: int,
    metadata: dict[str, str],
    progress: Progress,
) -> None:
    """Write the predictions (generate/predictions) of one shard of the instances, without headings.

    The model is the folder `trained` or, if there is none, the folder or name `model`. `prompt` is a file that
    Prompt reads, `decoding` has the fields of Decoding. `languages` of source and target are set in tokenizers that
    need them (mBART50, NLLB). Sampling draws by `seed` and block.

    Instances are ordered by the number of their tokens and cut into blocks of a fixed size. A shard is every
    `shards`-th block, so all shards have short and long texts, and predictions do not depend on their number.
    Finished blocks are kept in the shard's own folder beside its output until the end: a job that was killed
    continues after its last block. Blocks of other texts, another model or another `metadata["key"]` are removed.
    """
    place = str(trained) if trained else model
    search = Decoding(**decoding)
    network, tokenizer = load(
        place, family, revision=revision, precision=precision, device=device, remote_code=remote_code
    )
    name = origin(place, revision)
    progress.say(f"{run if trained else name}, on {describe(network.device)}")
    if languages:
        languages = (languages[0], languages[1])
        set_languages(tokenizer, *languages)
    template = Prompt.read(prompt) if prompt else None
    rows = _ordered(tables.read(instances), template, network, tokenizer, family, search, progress)
    every = list(enumerate(blocks(range(rows.height), search.batch * BATCHES)))
    own = {number: rows[block.start : block.stop] for number, block in every[shard::shards]}
    weights = path_digest(place) if Path(place).exists() else f"{name} at {revision}"
    settings = (metadata["key"], weights, run, family, search, languages, precision, seed)
    resume = Path(f"{predictions}.blocks")
    files = {
        number: resume / f"{_digest(settings, number, block['instance_id', 'text'].rows())}.parquet"
        for number, block in own.items()
    }
    todo = _todo(resume, files, progress)
    for done, number in enumerate(todo, start=1):
        texts = _decode(network, tokenizer, own[number], family, search, seed, number)
        decoded = own[number].select("instance_id", run=pl.lit(run), prediction=texts)
        tables.write(files[number], schemas.PREDICTIONS, decoded, {})
        progress(done, f"{done} of {len(todo)} blocks decoded", of=len(todo))
    with tables.PartWriter(predictions, schemas.PREDICTIONS, metadata) as part:
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
    progress: Progress,
) -> pl.DataFrame:
    """Columns instance_id, text (what the model reads) and tokens; short texts first."""
    most, _ = limits(network, family, decoding)
    texts, shortened = filled(instances, prompt, tokenizer, family, most)
    tokens = encode(tokenizer, texts, family)
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

    A model reads the source itself or the filled prompt. If a filled prompt has more than `most` tokens, the end of
    its source is cut, so that the prompt's own words stay whole.
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


def _todo(resume: Path, files: dict[int, Path], progress: Progress) -> list[int]:
    """Blocks to decode, long texts first, so that too little memory shows at once; other files are removed."""
    for path in set(resume.glob("*")) - set(files.values()):
        path.unlink()
    todo = [number for number in sorted(files, reverse=True) if not files[number].exists()]
    if len(todo) < len(files):
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
