"""Adaptations of dialogues, utterance by utterance."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import in_language
from wokflow.generate import schemas
from wokflow.generate.dialogues import with_lines
from wokflow.generate.settings import AdaptationsSettings
from wokflow.generate.turns import Misfit, Turn, aligned
from wokflow.models.identify import other_language

LANG = "en"
LETTERS = 80  # the language of shorter texts is not checked


def generate_adaptations(
    *,
    utterances: str,
    predictions: str,
    calls: str,
    adaptations: str,
    rejects: str,
    run: str,
    settings: AdaptationsSettings,
    job: Job,
) -> None:
    """Write each utterance as a run adapted it as generate/adaptations; an answer that does not fit its dialogue is a
    reject.

    An adaptation has as many utterances as its dialogue (ingest/utterances), by the same speakers in the same order;
    turns.aligned says what is set right, and the table and the log count it. Dialogues come in the order of their
    ids. `predictions` and `calls` are those of the run.
    """
    spoken = tables.read(utterances).sort("dialogue_id", "position")
    answers = dict(tables.read(predictions, ["instance_id", "prediction"]).iter_rows())
    cut = set(tables.read(calls).filter(pl.col("status") == "cut")["instance_id"])
    kept, left, repaired = list[dict[str, Any]](), list[dict[str, Any]](), Counter[str]()
    for (dialogue,), rows in spoken.group_by("dialogue_id", maintain_order=True):
        answer = answers.get(dialogue, "")
        turns = [Turn(*row) for row in with_lines(rows).select("speaker", "text").iter_rows()]
        try:
            adapted = aligned(turns, answer, renamed=settings.renamed) if answer else None
            if adapted is None:
                raise Misfit("no_answer")
            _check_language(adapted.turns, settings.certain)
        except Misfit as misfit:
            detail = misfit.detail + (", cut at the limit of tokens" if dialogue in cut else "")
            reject = {"reason": misfit.reason, "detail": detail.strip(", ") or None, "raw": answer}
            left.append({"dialogue_id": dialogue, "run": run} | reject)
            continue
        repaired.update(adapted.repairs)
        for row, turn in zip(rows.iter_rows(named=True), adapted.turns, strict=True):
            own = {name: row[name] for name in ("dialogue_id", "position", "speaker", "text")}
            new = {"run": run, "adapted_speaker": turn.speaker, "adapted": turn.text}
            kept.append(own | new | {"repairs": adapted.repairs})
    for path, schema, made in (
        (adaptations, schemas.ADAPTATIONS, kept),
        (rejects, schemas.ADAPTATION_REJECTS, left),
    ):
        tables.write(path, schema, made, job.metadata)
    whole = spoken["dialogue_id"].n_unique()
    job.progress.say(f"{whole - len(left)} of {whole} dialogues are adapted utterance by utterance")
    counted = sorted(Counter(row["reason"] for row in left).items())
    for what, count in chain(
        counted, ((f"set right, {name}", many) for name, many in sorted(repaired.items()))
    ):
        job.progress.say(f"{what}: {count}")


def _check_language(turns: Sequence[Turn], certain: float) -> None:
    """Raises Misfit for texts that are in another script, or certainly in another language of the same."""
    text = " ".join(turn.text for turn in turns)
    if in_language(text, LANG) is False:
        raise Misfit("wrong_language", "another script")
    other = other_language(text, LANG, certain) if len(text) >= LETTERS else None
    if other:
        raise Misfit("wrong_language", other)
