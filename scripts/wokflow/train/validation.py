"""Validation: the loss of a model, and BLEU of what it writes."""

import hashlib
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import polars as pl

from wokflow.models.decoding import Decoding, Family, decode
from wokflow.models.texts import without_headings
from wokflow.train.batches import collate, learnt
from wokflow.train.encoded import Encoded
from wokflow.train.learner import Learner
from wokflow.train.stopping import Stop

BATCHES = 4  # batches that are decoded between two looks whether to stop

_HAN = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")


def valid_loss(
    learner: Learner,
    encoded: Encoded,
    family: Family,
    stop: Stop,
    *,
    device_batch: int,
    pad: int,
    most: int | None,
    on_target_only: bool,
) -> float | None:
    """The mean loss of a token over all examples; None if a process was told to stop."""
    by_length = np.argsort(-encoded.lengths, kind="stable")
    parts = [by_length[start : start + device_batch] for start in range(0, len(by_length), device_batch)]
    loss, tokens, stopped = 0.0, 0, False
    for part in parts[learner.process :: learner.processes]:
        if stopped := stop.now:
            break
        loss += learner.loss(collate(encoded, part, family, pad, most=most, on_target_only=on_target_only))
        tokens += learnt(encoded, part, family, most=most, on_target_only=on_target_only)
    total, count, stops = learner.sum([loss, tokens, stopped])
    return None if stops else total / max(1.0, count)


def valid_bleu(
    learner: Learner,
    tokenizer: Any,
    chosen: dict[str, list[str]],
    family: Family,
    decoding: Decoding,
    stop: Stop,
) -> float | None:
    """BLEU of what the model writes for each source, against its targets; None if a process was told to stop."""
    from accelerate.utils import gather_object

    by_length = sorted(chosen, key=lambda source: (-len(source), source))
    own = by_length[learner.process :: learner.processes]
    at_once = BATCHES * decoding.batch
    written: list[str] = []
    for start in range(0, len(own), at_once):
        if stop.now:
            break
        written += decode(learner.model, tokenizer, own[start : start + at_once], family, decoding)
    if any(learner.sum([len(written) < len(own)])):
        return None
    found = dict(gather_object(list(zip(own, written, strict=True))))
    return bleu([found[source] for source in by_length], [chosen[source] for source in by_length])


def choose_sources(rows: pl.DataFrame, most: int) -> dict[str, list[str]]:
    """At most `most` distinct sources, those with the smallest hashes, each with all its targets."""
    targets: dict[str, list[str]] = {}
    for source, target in rows.select("source", "target").iter_rows():
        targets.setdefault(source, []).append(target)
    drawn = sorted(targets, key=lambda source: hashlib.sha256(source.encode()).digest())
    return {source: targets[source] for source in drawn[:most]}


def bleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Corpus BLEU (0 to 100) by sacrebleu, without headings; with its Chinese tokenizer for Chinese targets."""
    from sacrebleu.metrics.bleu import BLEU

    plain = [[without_headings(text) for text in some] for some in references]
    columns = [list(column) for column in zip_longest(*plain)]
    tokenizer = "zh" if chinese([text for some in plain for text in some]) else "13a"
    scorer = BLEU(tokenize=tokenizer)
    score = scorer.corpus_score([without_headings(text) for text in texts], columns).score
    return min(float(score), 100.0)


def chinese(texts: Sequence[str]) -> bool:
    """Whether most letters of the texts are Chinese characters."""
    return 2 * sum(len(_HAN.findall(text)) for text in texts) > sum(
        len(_LETTER.findall(text)) for text in texts
    )
