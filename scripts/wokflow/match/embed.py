"""Texts to unit vectors by a sentence encoder."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.shards import blocks, shard_range
from wokflow.match.bundled import BUNDLED, bundled_folder
from wokflow.match.settings import EmbedSettings
from wokflow.models.devices import describe, find_device, how_much_slower_bfloat16_is
from wokflow.models.loading import ask_for_no_conversion, origin, why_not

BLOCK = (
    1024  # texts: the unit of computation, since a vector's last bits depend on the other texts of its batch
)
DTYPE = np.dtype(np.float32)
BATCH = 128  # texts of similar length that are encoded together
ROOM = 1.1  # most places of a padded batch per token
MUCH_SLOWER = 2.0  # times as long as in float32: warn above this

Encode = Callable[[list[str]], NDArray[np.float32]]


def match_embed(
    *,
    texts: str,
    vectors: str,
    shard: int,
    shards: int,
    settings: EmbedSettings,
    job: Job,
) -> None:
    """Encode one shard of the texts; write float32 rows of norm 1 as .npy."""
    table = tables.read(texts)["text"]
    rows = shard_range(table.len(), BLOCK, shard, shards)
    encode, dimensions, on_gpu = encoder(settings, job.progress)
    with tables.atomic(vectors) as temporary, temporary.open("wb") as file:
        shape = (len(rows), dimensions)
        header = {"descr": np.lib.format.dtype_to_descr(DTYPE), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.flush()
        if (
            size := len(rows) * dimensions * DTYPE.itemsize
        ):  # a full disk is an error now, and not after hours
            os.posix_fallocate(file.fileno(), file.tell(), size)
        todo = blocks(rows, BLOCK)
        done = 0
        with ThreadPoolExecutor(1 if on_gpu else job.threads) as pool:
            parts = pool.map(lambda block: encode(table[block.start : block.stop].to_list()), todo)
            for block, part in zip(todo, parts, strict=True):
                file.write(part.tobytes())
                done += len(block)
                job.progress(done, f"{done} of {len(rows)} texts embedded", of=len(rows))


def encoder(settings: EmbedSettings, progress: Progress) -> tuple[Encode, int, bool]:
    """A function from at most BLOCK texts to unit vectors, their dimensions, and whether it runs on a GPU.

    On CPUs each call uses one thread, so that results do not depend on the number of threads; calls may run in
    parallel. Raises UserError if there is no such device, or if the model cannot be loaded.
    """
    import torch

    model = settings.model
    local = model == BUNDLED
    if local:
        os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    place = find_device(settings.device)
    source = str(bundled_folder()) if local else model
    ask_for_no_conversion()
    try:
        network: Any = SentenceTransformer(
            source,
            device=str(place),
            revision=settings.revision,
            trust_remote_code=False,
            local_files_only=local,
            model_kwargs={"weights_only": True},
        ).eval()
        network = network.float()  # weights stored in 16 bits would be reckoned with in 16 bits
    except Exception as error:  # a broken folder may raise anything
        raise UserError(f"match.embed.model: {model} cannot be loaded: {why_not(source, error)}") from error
    progress.say(f"{model if local else origin(model, settings.revision)}, on {describe(place)}")
    if settings.precision == "bfloat16":
        network = network.to(torch.bfloat16)
        if (times := how_much_slower_bfloat16_is(place)) > MUCH_SLOWER:
            progress.warn(
                f"match.embed.precision is bfloat16, but this processor multiplies matrices {times:.0f} times as "
                "slowly in it as in float32. Run it on one with avx512_bf16 or amx_bf16, or set float32."
            )

    tokenizing = threading.Lock()

    def encode(texts: list[str]) -> NDArray[np.float32]:
        result = np.empty((len(texts), network.get_embedding_dimension()), np.float32)
        with tokenizing:  # the tokenizer is not thread-safe
            features = network.preprocess(texts)
        for rows in batches(features["attention_mask"].sum(1).tolist()):
            batch = {key: _to(value, network.device) for key, value in take(features, rows).items()}
            with torch.inference_mode():
                vectors = network.forward(batch)["sentence_embedding"].float()
            result[rows] = torch.nn.functional.normalize(vectors, dim=1).cpu().numpy()
        return result

    return encode, int(network.get_embedding_dimension()), place.type == "cuda"


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Batches of rows with similar numbers of tokens: at most BATCH rows, with little padding (ROOM)."""
    batch: list[int] = []
    filled = 0
    for row in sorted(range(len(lengths)), key=lambda row: (lengths[row], row)):
        length = max(lengths[row], 1)
        if len(batch) == BATCH or length * (len(batch) + 1) > ROOM * (filled + length):
            yield batch
            batch, filled = [], 0
        batch.append(row)
        filled += length
    if batch:
        yield batch


def take(features: Mapping[str, Any], rows: list[int]) -> dict[str, Any]:
    """Some rows of a tokenizer's features, without columns that are padding in all of them."""
    mask = features["attention_mask"]
    columns = mask[rows].any(0)
    columns[0] |= not columns.any()
    taken = {}
    for key, value in features.items():
        if getattr(value, "shape", None) == mask.shape:
            value = value[rows][:, columns]
        taken[key] = value
    return taken


def _to(value: Any, device: Any) -> Any:
    return value.to(device) if hasattr(value, "to") else value
