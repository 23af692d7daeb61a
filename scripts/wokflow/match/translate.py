"""Chinese titles to English, each distinct title once."""

from collections.abc import Callable

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.frame.shards import blocks, shard_range
from wokflow.match import schemas
from wokflow.match.lexicon import Lexicon
from wokflow.match.settings import TranslateSettings
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
    settings: TranslateSettings,
    job: Job,
) -> None:
    """Write columns title and text for one shard of the distinct titles.

    Without a backend titles stay as they are, which is right for those in English, and for multilingual encoders.
    """
    table = tables.read(titles)
    rows = shard_range(table.height, BLOCK, shard, shards)
    translate = _translator(settings, job.progress)
    texts: list[str] = []
    for block in blocks(rows, BLOCK):
        texts += translate(table["title"][block.start : block.stop].to_list())
        job.progress(len(texts), f"{len(texts)} of {len(rows)} titles translated", of=len(rows))
    part = table[rows.start : rows.stop].with_columns(text=pl.Series(texts, dtype=pl.String))
    tables.write(translated, schemas.TRANSLATED_TITLES, part, job.metadata)


def _translator(settings: TranslateSettings, progress: Progress) -> Translate:
    match settings.backend:
        case "lexicon":
            words = Lexicon.load(settings.lexicon)
            return lambda texts: [words.translate(text) for text in texts]
        case "hub":
            return hub(settings, progress)
        case "none":
            return lambda texts: texts


def hub(settings: TranslateSettings, progress: Progress) -> Translate:
    """A translator by a sequence-to-sequence model, in bfloat16 on GPUs that have it.

    No code of the model's repository is run. Raises UserError if there is no such device, or if the model cannot be
    loaded.
    """
    import torch

    network, tokenizer = load(
        settings.model,
        "seq2seq",
        revision=settings.revision,
        precision="auto",
        device=settings.device,
        remote_code=False,
        named_by="match.translate.model",
    )
    progress.say(f"{origin(settings.model, settings.revision)}, on {describe(network.device)}")

    def translate(texts: list[str]) -> list[str]:
        order = sorted(range(len(texts)), key=lambda index: (len(texts[index]), index))
        result = [""] * len(texts)
        for start in range(0, len(order), settings.batch):
            batch = order[start : start + settings.batch]
            inputs = tokenizer(
                [texts[index] for index in batch],
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=128,
            ).to(network.device)
            with torch.inference_mode():
                tokens = network.generate(
                    **inputs, num_beams=settings.beams, do_sample=False, max_new_tokens=64
                )
            decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True)
            for index, text in zip(batch, decoded, strict=True):
                result[index] = text.strip()
        return result

    return translate
