"""Predictions of a model that runs here, shard by shard and block by block."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.digests import path_digest
from wokflow.frame.job import Job, Progress
from wokflow.frame.shards import blocks
from wokflow.generate import schemas
from wokflow.generate.asking import Asking
from wokflow.generate.sentences import cleaner, dialogue_of, values_of
from wokflow.generate.settings import DecodeSettings
from wokflow.models.decoding import Decoding, set_languages
from wokflow.models.loading import origin
from wokflow.models.writers import Model, writer


def generate_decode(
    *,
    instances: str,
    exemplars: str | list[str],
    trained: str | list[str],
    predictions: str,
    shard: int,
    shards: int,
    settings: DecodeSettings,
    job: Job,
) -> None:
    """Write the predictions (generate/predictions) of one shard of the instances; see also sentences.cleaner.

    The model is the folder `trained` or, if there is none, that of the settings. Their languages are set in
    tokenizers that need them (mBART50, NLLB). A prompt comes after the first `shots` of the table `exemplars`, with
    their answers; with `chat` auto it goes through the chat template of a causal model that has one. Sampling draws
    by seed and block.

    Instances are ordered by the number of their tokens and cut into blocks of a fixed size. A shard is every
    `shards`-th block, so all shards have short and long texts, and predictions do not depend on their number.
    Finished blocks are kept in the shard's own folder beside its output until the end: a job that was killed
    continues after its last block. Blocks of other texts, another model or another key of the job are removed.
    """
    model, progress = _model(settings, str(trained) if trained else settings.model), job.progress
    prompt, languages, key = settings.prompt, settings.languages, job.metadata["key"]
    with writer(settings.backend, model) as loaded:
        tokenizer, name = loaded.tokenizer, origin(model.place, model.revision)
        progress.say(f"{settings.run if trained else name}, on {loaded.where}")
        if languages:
            set_languages(tokenizer, *languages)
        given = tables.read(instances)
        values = dict(zip(given["instance_id"], values_of(given, languages), strict=True))
        dialogue = dialogue_of(prompt, exemplars, settings.shots, languages) if prompt else None
        asking = Asking.of(tokenizer, model.family, dialogue, loaded.most, settings.chat)
        clean = cleaner(given, continues=model.family == "causal" and not asking.chat)

        def write(tokens: list[list[int]], number: int) -> list[str]:
            return [clean(text) for text in loaded.write(tokens, int(_digest(settings.seed, number)[:8], 16))]

        tokens, shortened = asking.rows([values[name] for name in given["instance_id"]])
        long = shortened or sum(len(row) > loaded.most for row in tokens)
        progress.say(f"{long} of {len(tokens)} sources are cut to fit {loaded.most} tokens")
        rows = given.select("instance_id", tokens=pl.Series(tokens, dtype=pl.List(pl.Int64))).sort(
            pl.col("tokens").list.len(), "instance_id"
        )
        every = list(enumerate(blocks(range(rows.height), loaded.block)))
        own = {number: rows[block.start : block.stop] for number, block in every[shard::shards]}
        weights = path_digest(model.place) if Path(model.place).exists() else f"{name} at {model.revision}"
        resume = Path(f"{predictions}.blocks")
        files = {
            number: resume / f"{_digest(key, weights, number, block['instance_id', 'tokens'].rows())}.parquet"
            for number, block in own.items()
        }
        todo = _todo(resume, files, progress)
        for done, number in enumerate(todo, start=1):
            names, answers = own[number]["instance_id"], [write(own[number]["tokens"].to_list(), number)]
            for _ in range(dialogue.turns - 1 if dialogue else 0):
                turns = list(zip(*answers, strict=True))
                answers.append(write(asking.rows([values[name] for name in names], turns)[0], number))
            decoded = own[number].select(
                "instance_id", run=pl.lit(settings.run), prediction=pl.Series(answers[-1], dtype=pl.String)
            )
            tables.write(files[number], schemas.PREDICTIONS, decoded, {})
            progress(done, f"{done} of {len(todo)} blocks decoded", of=len(todo))
    with tables.PartWriter(predictions, schemas.PREDICTIONS, job.metadata) as part:
        for file in files.values():
            part.write(tables.read(file))
    shutil.rmtree(resume, ignore_errors=True)


def _model(settings: DecodeSettings, place: str) -> Model:
    search = Decoding(
        beams=settings.beams,
        repetition_penalty=settings.repetition_penalty,
        no_repeat_ngram=settings.no_repeat_ngram,
        max_source_tokens=settings.max_source_tokens,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        batch=settings.batch,
    )
    return Model(
        place=place,
        family=settings.family,
        decoding=search,
        revision=settings.revision,
        precision=settings.precision,
        remote_code=settings.remote_code,
        device=settings.device,
        gpus=settings.gpus,
        gpu_memory=settings.gpu_memory,
        python=settings.python,
    )


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _todo(resume: Path, files: dict[int, Path], progress: Progress) -> list[int]:
    """Blocks to decode, long texts first, so that too little memory shows at once; other files are removed."""
    for path in set(resume.glob("*")) - set(files.values()):
        path.unlink()
    whole = {number for number, file in files.items() if file.exists() and not tables.damage(file)}
    todo = sorted(files.keys() - whole, reverse=True)
    if len(todo) < len(files):
        progress.say(f"{len(files) - len(todo)} of {len(files)} blocks were decoded before")
    return todo
