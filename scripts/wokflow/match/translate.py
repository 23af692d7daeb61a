"""Chinese titles to English, each distinct title once."""

from collections.abc import Callable
from typing import Literal

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress
from wokflow.frame.shards import blocks, shard_range
from wokflow.match import schemas
from wokflow.match.lexicon import Lexicon
from wokflow.models.devices import describe
from wokflow.models.loading import load, origin

BLOCK = 2048  # titles: the unit of computation; within it, titles are batched by length

Translate = Callable[[list[str]], list[str]]


def match_translate(
    *,
    titles: str,
    translated: str,
    shard: int,
    shards: int,
    backend: Literal["lexicon", "hub", "none"],
    lexicon: str = "",
    model: str = "",
    revision: str | None = None,
    device: str = "auto",
    beams: int = 1,
    batch: int = 1,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write columns title and text for one shard of the distinct titles.

    Backends: `lexicon` reads the folder `lexicon`; `hub` loads a sequence-to-sequence `model` (name or folder, at
    `revision`) on `device` and searches with `beams` beams, `batch` titles at a time; `none` leaves the titles as
    they are, which is right for titles in English and for multilingual encoders.
    """
    table = tables.read(titles)
    rows = shard_range(table.height, BLOCK, shard, shards)
    translate: Translate
    match backend:
        case "lexicon":
            words = Lexicon.load(lexicon)

            def translate(texts: list[str]) -> list[str]:
                return [words.translate(text) for text in texts]

        case "hub":
            translate = hub(model, revision, device, beams, batch, progress)
        case "none":

            def translate(texts: list[str]) -> list[str]:
                return texts

    texts: list[str] = []
    for block in blocks(rows, BLOCK):
        texts += translate(table["title"][block.start : block.stop].to_list())
        if progress:
            progress(len(texts), f"{len(texts)} of {len(rows)} titles translated", of=len(rows))
    part = table[rows.start : rows.stop].with_columns(text=pl.Series(texts, dtype=pl.String))
    tables.write(translated, schemas.TRANSLATED_TITLES, part, metadata)


def hub(
    model: str, revision: str | None, device: str, beams: int, batch: int, progress: Progress | None = None
) -> Translate:
    """A translator by a sequence-to-sequence model, in bfloat16 on GPUs that have it.

    No code of the model's repository is run. Raises UserError if there is no such device, or if the model cannot be
    loaded.
    """
    import torch

    network, tokenizer = load(
        model, "seq2seq", revision=revision, precision="auto", device=device, named_by="match.translate.model"
    )
    if progress:
        progress.say(f"{origin(model, revision)}, on {describe(network.device)}")

    def translate(texts: list[str]) -> list[str]:
        order = sorted(range(len(texts)), key=lambda index: (len(texts[index]), index))
        result = [""] * len(texts)
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            inputs = tokenizer(
                [texts[index] for index in some],
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=128,
            ).to(network.device)
            with torch.inference_mode():
                tokens = network.generate(**inputs, num_beams=beams, do_sample=False, max_new_tokens=64)
            decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True)
            for index, text in zip(some, decoded, strict=True):
                result[index] = text.strip()
        return result

    return translate
