"""Predictions of a model that runs here, shard by shard and block by block."""

from collections import Counter

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.answers import cleaned
from wokflow.generate.asking import Asking
from wokflow.generate.blocks import Shard, seed_of
from wokflow.generate.sentence_texts import cleaner, dialogue_of, values_of
from wokflow.generate.settings import DecodeSettings
from wokflow.models.decoding import Decoding, set_languages
from wokflow.models.loading import origin, weights_digest
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
    """Write the predictions (generate/predictions) of one shard of the instances; see also sentence_texts.cleaner.

    The model is the folder `trained` or, if there is none, that of the settings. Their languages are set in
    tokenizers that need them (mBART50, NLLB). A prompt comes after the first `shots` of the table `exemplars`, with
    their answers; with `chat` auto it goes through the chat template of a causal model that has one. Sampling draws
    by seed and block. Answers in a chat lose thoughts and marks of code.

    Instances are ordered by the number of their tokens and cut into blocks; see Shard.write.
    """
    model, progress = _model(settings, str(trained) if trained else settings.model), job.progress
    prompt, languages = settings.prompt, settings.languages
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
            written = loaded.write(tokens, seed_of(settings.seed, number))
            return [clean(cleaned(text) if asking.chat else text) for text in written]

        tokens, shortened = asking.rows([values[name] for name in given["instance_id"]])
        long = shortened or sum(len(row) > loaded.most for row in tokens)
        progress.say(f"{long} of {len(tokens)} sources are cut to fit {loaded.most} tokens")
        rows = given.select("instance_id", tokens=pl.Series(tokens, dtype=pl.List(pl.Int64))).sort(
            pl.col("tokens").list.len(), "instance_id"
        )

        again = Counter[str]()  # of further questions, which hold the answers before them

        def texts(block: pl.DataFrame, number: int) -> list[str]:
            names, answers = block["instance_id"], [write(block["tokens"].to_list(), number)]
            for _ in range(dialogue.turns - 1 if dialogue else 0):
                turns = list(zip(*answers, strict=True))
                further, cut = asking.rows([values[name] for name in names], turns)
                again.update(asked=len(further), cut=cut)
                answers.append(write(further, number))
            return answers[-1]

        weights = weights_digest(model.place, model.revision)
        Shard(predictions, shard, shards, settings.run).write(rows, loaded.block, texts, weights, job)
        if again["cut"]:
            progress.warn(
                f"{settings.run}: in {again['cut']} of {again['asked']} further questions the source is cut to fit "
                f"{loaded.most} tokens beside the answer before (generate.decode.max_source_tokens)"
            )


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
