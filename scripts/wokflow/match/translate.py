"""Chinese titles to English, each distinct title once."""

import os
from collections.abc import Callable
from typing import Literal

import polars as pl

from wokflow import tables
from wokflow.job import Progress, UserError
from wokflow.match.lexicon import Lexicon
from wokflow.shards import blocks, shard_range

BLOCK = 2048  # titles that are translated together; they are batched by length inside

Translate = Callable[[list[str]], list[str]]


def match_translate(
    titles: str,
    translated: str,
    *,
    shard: int,
    shards: int,
    backend: Literal["lexicon", "hub", "none"],
    lexicon: str,
    model: str,
    revision: str | None,
    beams: int,
    batch: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write columns title and text for one shard of the distinct titles.

    Backends: `lexicon` reads the folder `lexicon`; `hub` loads a sequence-to-sequence `model` (name or
    folder, at `revision`) and searches with `beams` beams, `batch` titles at a time; `none` leaves titles as
    they are, for multilingual encoders.
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
            translate = hub(model, revision, beams, batch)
        case "none":

            def translate(texts: list[str]) -> list[str]:
                return texts

    texts: list[str] = []
    for block in blocks(rows, BLOCK):
        texts += translate(table["title"][block.start : block.stop].to_list())
        if progress:
            progress(len(texts), f"{len(texts)} of {len(rows)} titles translated", of=len(rows))
    part = table[rows.start : rows.stop].with_columns(text=pl.Series(texts, dtype=pl.String))
    with tables.atomic(translated) as temporary:
        part.write_parquet(temporary, metadata=metadata)


def hub(model: str, revision: str | None, beams: int, batch: int) -> Translate:
    """A translator by a sequence-to-sequence model, on a GPU in bfloat16 where there is one.

    Weights are read from safetensors only and no code of the model's repository is run. Raises UserError
    where the model cannot be loaded.
    """
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    options = {"revision": revision or "main", "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, **options)
        network = AutoModelForSeq2SeqLM.from_pretrained(model, use_safetensors=True, **options)
    except Exception as error:  # a broken folder may raise anything
        raise UserError(
            f"match.translate.model: {model} cannot be loaded: {error}\n"
            "Give a folder with the model, or load it once where there is a network "
            "(HF_HOME says where it is kept)."
            + (" HF_HUB_OFFLINE is set." if os.environ.get("HF_HUB_OFFLINE") else "")
        ) from error
    network = network.to(device, torch.bfloat16 if device == "cuda" else torch.float32).eval()

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
            ).to(device)
            with torch.inference_mode():
                tokens = network.generate(**inputs, num_beams=beams, do_sample=False, max_new_tokens=64)
            decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True)
            for index, text in zip(some, decoded, strict=True):
                result[index] = text.strip()
        return result

    return translate
