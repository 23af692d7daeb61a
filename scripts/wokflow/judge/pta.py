"""The tasks of PTA: comparing a run's translation of a sentence that has an item with the reference."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.language_codes import english_name, languages_of
from wokflow.judge.schemas import PTA_PAIRS, TASK_REJECTS, TASKS
from wokflow.judge.settings import PtaSettings
from wokflow.judge.tasks import read_dimensions

STUDY = "pta"
SIDES = ("system", "reference")
ORDER = ":{}"  # ends the id of a pair's task: 1 for the first order, 2 for the second


def judge_pta(
    *,
    sentences: Sequence[str],
    dictionary: str,
    predictions: Sequence[str],
    held_out: Sequence[str],
    pta: Sequence[str],
    rejects: str,
    settings: PtaSettings,
    job: Job,
) -> None:
    """Write a pair for each run and each item of each sentence, and a task for each order in which it is shown.

    `pta` are the paths of the pairs and of the tasks. `sentences` are tables enrich/sentences, whose items
    `dictionary` (enrich/items) describes; the sentences of `held_out` (generate/exemplars), which prompts show, are
    left out. An item counts once in a sentence, by its first mention. Which side is A in the first order is drawn
    from the seed and the pair's id alone; in the second order the sides change places. A pair whose run wrote an
    empty text has no task and counts as lost; a sentence without prediction is a reject. Paper: Yao et al. 2024,
    section 4 and appendix E.

    Raises UserError for a target language without an English name.
    """
    dimensions = read_dimensions(settings.dimensions)
    if [one["values"] for one in dimensions] != [["A", "B", "C"]]:
        raise UserError(f"{settings.dimensions} must have one dimension, with the values A B C.")
    predicted = _predicted(predictions)
    names = _translated(dictionary)
    shown = set(tables.read(held_out, ["instance_id"])["instance_id"]) if held_out else set[str]()
    pairs, tasks, left_out = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    for row in tables.read(sentences).iter_rows(named=True) if sentences else ():
        corpus = row["sentence_id"].rpartition(":")[0]
        if row["sentence_id"] in shown or corpus not in settings.pairs:
            continue
        lang = languages_of(settings.pairs[corpus])[1]
        for item in _once(row["items"]):
            for run in predicted.get(corpus, {}):
                pair_id = f"{STUDY}:{row['sentence_id']}:{item['qid']}:{run}"
                text = predicted[corpus][run].get(row["sentence_id"])
                if text is None:
                    left_out.append(
                        {
                            "task_id": pair_id,
                            "reason": "no_prediction",
                            "detail": item["mention"],
                            "raw": row["source"],
                        }
                    )
                    continue
                pair = {
                    "pair_id": pair_id,
                    "corpus": corpus,
                    "run": run,
                    "sentence_id": row["sentence_id"],
                    "qid": item["qid"],
                    "mention": item["mention"],
                    "translated": (item["qid"], lang) in names,
                    "a": SIDES[_drawn(settings.seed, pair_id)],
                    "seed": settings.seed,
                    "system_length": len(text),
                    "reference_length": len(row["target"]),
                    "empty": not text.strip(),
                }
                pairs.append(pair)
                tasks += _tasks(pair, row, text, lang, settings.orders, dimensions)
    job.progress.say(
        f"{len(pairs)} pairs of {len({one['run'] for one in pairs})} runs are to be compared, in {len(tasks)} tasks; "
        f"{len(left_out)} items have no prediction"
    )
    for path, schema, rows in zip(
        (*pta, rejects), (PTA_PAIRS, TASKS, TASK_REJECTS), (pairs, tasks, left_out), strict=True
    ):
        tables.write(path, schema, rows, job.metadata)


def _predicted(paths: Sequence[str]) -> dict[str, dict[str, dict[str, str]]]:
    """Predictions by source of sentences, run and sentence id; runs in the order of their names."""
    texts: dict[str, dict[str, dict[str, str]]] = {}
    columns = ["run", "instance_id", "prediction"]
    rows = tables.read(paths, columns).sort("run", "instance_id").rows() if paths else []
    for run, sentence, text in rows:
        texts.setdefault(sentence.rpartition(":")[0], {}).setdefault(run, {})[sentence] = text or ""
    return texts


def _translated(dictionary: str) -> set[tuple[str, str]]:
    """The pairs of an item and a language in which the item has a name."""
    known = tables.read(dictionary, ["qid", "lang", "translations"])
    named = known.filter(pl.col("translations").list.len() > 0)
    return set(named.select("qid", "lang").iter_rows())


def _once(items: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The first mention of each item."""
    seen = set[str]()
    for item in items:
        if item["qid"] not in seen:
            seen.add(item["qid"])
            yield item


def _drawn(seed: int, pair_id: str) -> int:
    """0 or 1, drawn from the seed and the pair's id."""
    return hashlib.sha256(f"{seed}:{pair_id}".encode()).digest()[0] & 1


def _tasks(
    pair: Mapping[str, Any],
    sentence: Mapping[str, Any],
    text: str,
    lang: str,
    orders: int,
    dimensions: Sequence[Mapping[str, object]],
) -> Iterator[dict[str, Any]]:
    """The tasks of a pair, one for each order; none if the run's text is empty."""
    if pair["empty"]:
        return
    language = english_name(lang)
    if language is None:
        raise UserError(
            f"{pair['sentence_id']} is translated into {lang}, whose English name is not known: add it to NAMES in "
            "scripts/wokflow/frame/languages.py."
        )
    sides = (text, sentence["target"]) if pair["a"] == "system" else (sentence["target"], text)
    for order, (a, b) in enumerate((sides, sides[::-1])[:orders], start=1):
        shown = {
            "item": pair["mention"],
            "language": language,
            "source": sentence["source"],
            "a": a,
            "b": b,
        }
        yield {
            "task_id": f"{pair['pair_id']}{ORDER.format(order)}",
            "study": STUDY,
            "item": f"{STUDY}:{pair['sentence_id']}:{pair['qid']}",
            "system": pair["run"],
            "shown": [{"name": name, "text": value} for name, value in shown.items()],
            "dimensions": list(dimensions),
        }
