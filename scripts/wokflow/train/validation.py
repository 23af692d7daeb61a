"""BLEU of a model's output for validation sources, and whether it decides which epoch is best."""

import hashlib
from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

import polars as pl

from wokflow.models.decoding import Decoding
from wokflow.models.recipe_texts import without_headings
from wokflow.train.settings import ModelSettings

ENOUGH = 200  # sources; BLEU of fewer is noise


def choose_metric(metric: str, sources: int, *, adapts: bool, sharded: bool) -> Literal["bleu", "loss"]:
    """The score that decides. auto: BLEU for adaptations with ENOUGH validation `sources`, unless `sharded`; else
    loss.
    """
    if metric == "auto":
        return "bleu" if adapts and not sharded and sources >= ENOUGH else "loss"
    return "bleu" if metric == "bleu" and adapts else "loss"


def choose_sources(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """At most `most` distinct sources, those with the smallest hashes; `targets` has all targets of each source."""
    distinct = rows.group_by("source", maintain_order=True).agg(pl.first("title"), targets="target")
    drawn = [hashlib.sha256(source.encode()).hexdigest() for source in distinct["source"]]
    return (
        distinct.with_columns(drawn=pl.Series(drawn, dtype=pl.String)).sort("drawn").drop("drawn").head(most)
    )


def validation_decoding(settings: ModelSettings) -> Decoding:
    """How validation sources are decoded.

    The penalties are fixed: those of generate.decode are not in the key of a training, so must not affect it.
    """
    return Decoding(
        beams=settings.valid_beams,
        repetition_penalty=1.2,
        no_repeat_ngram=5,
        max_source_tokens=settings.max_tokens,
        max_tokens=settings.max_tokens,
        temperature=None,
        batch=16,
    )


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]], lang: str) -> float:
    """Corpus BLEU (0 to 100) by sacrebleu, without headings; with its Chinese tokenizer for targets in Chinese."""
    from sacrebleu.metrics.bleu import BLEU

    columns = [list(column) for column in zip_longest(*(map(without_headings, some) for some in references))]
    scorer = BLEU(tokenize="zh" if lang == "zh" else "13a")
    score = scorer.corpus_score([without_headings(text) for text in texts], columns).score
    return min(float(score), 100.0)
