"""Evaluation of counterfactual recipes on two levels: surface and actions (Liu et al. 2022, section 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate import schemas, surface
from wokflow.evaluate.bertscore import bert_scorer
from wokflow.evaluate.changes import Evaluator
from wokflow.evaluate.expected import Pair, read_pivots
from wokflow.evaluate.given_predictions import read_predictions
from wokflow.evaluate.score_intervals import score_rows
from wokflow.evaluate.settings import CounterfactualSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.parse.dependencies import load_backend
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.other_texts import Extractor, Load, extractor
from wokflow.parse.segment import Segmenter

DATASET = "counterfactual"


@dataclass(frozen=True)
class Reader:
    """Tools that read texts.

    `extract` finds the actions of a text in the same way as those of the dishes were found; word `vectors` are a
    folder of parse.vectors, or a file. Without vectors there are no soft scores.
    """

    glossary: Glossary
    extract: Extractor
    vectors: str | None


def evaluate_counterfactual(
    *,
    instances: str,
    pivots: Sequence[str],
    predictions: Sequence[str],
    trained_vectors: Sequence[str],
    trained_parser: Sequence[str],
    scores: str,
    settings: CounterfactualSettings,
    job: Job,
) -> None:
    """Score the workflow's `predictions` and those that the settings name; write schema evaluate/scores.

    Texts are read as recipes were, with settings of parse.actions and parse.dependencies. Each of `trained_vectors`
    and `trained_parser` holds one folder that the workflow made (parse.vectors, parse.parser), or none: vectors where
    the settings name no others, a parser where parse.dependencies.backend is trained. See write_scores for the rest.
    """
    glossary = read_glossary(settings.glossary)
    extract = extractor(glossary, settings.method, settings.style, _parser(settings, trained_parser))
    reader = Reader(glossary, extract, settings.vectors or trained_vectors[0])
    write_scores(scores, instances, pivots, [*predictions, *settings.predictions], reader, settings, job)


def _parser(settings: CounterfactualSettings, trained: Sequence[str]) -> Load | None:
    """A function that loads the parser of texts; None if rules read them, as the settings then name no parser."""
    if settings.backend is None or settings.batch is None:
        return None
    model = trained[0] if trained else settings.model or ""
    device = settings.device or "cpu"  # of the parser that the workflow trains
    return partial(load_backend, settings.backend, model, batch=settings.batch, device=device)


def write_scores(
    out: str,
    instances: str,
    pivots: Sequence[str],
    predictions: Sequence[str],
    reader: Reader,
    settings: CounterfactualSettings,
    job: Job,
) -> None:
    """Score all runs in the files of predictions; write schema evaluate/scores, by run, dataset and metric.

    `instances` is pivot/instances. `pivots` are pivot/pivots, pivot/orders and pivot/candidates, whose phrases give
    the words of pivot actions for soft scores; without candidates the names of their classes do. Datasets are all
    instances, and each dish pair. Rows of the input may come in any order. Raises UserError for predictions that do
    not fit the instances.
    """
    rows = tables.read(instances).sort("instance_id")
    runs = read_predictions(predictions, rows["instance_id"].to_list(), job.progress)
    of_pair = read_pivots(rows, pivots, reader.glossary, reader.extract, job.progress)
    bases, pairs = rows["text"].to_list(), list(zip(rows["base_dish"], rows["target_dish"], strict=True))
    added, removed = rows["ingredient_added"].to_list(), rows["ingredient_removed"].to_list()
    level_2 = Evaluator(
        bases,
        [of_pair[pair] for pair in pairs],
        reader.extract,
        Segmenter(reader.glossary) if reader.vectors else list,
        reader.vectors,
        settings.tau,
        settings.definition,
    )
    bert_score = bert_scorer(settings.bertscore)
    masks = datasets(pairs)
    with tables.PartWriter(out, schemas.SCORES, job.metadata) as writer:
        for number, (run, predicted) in enumerate(runs.items(), start=1):
            texts = list(predicted.values())
            metrics = [
                *surface.coverage(texts, added, removed),
                *surface.bleu(texts, bases),
                bert_score(texts, bases),
                *level_2(texts),
            ]
            scored = [(run, name, one.some(mask)) for name, mask in masks.items() for one in metrics]
            writer.write(score_rows(scored, settings.bootstrap))
            job.progress(number, f"{number} of {len(runs)} runs", of=len(runs))


def datasets(pairs: Sequence[Pair]) -> dict[str, NDArray[np.bool_]]:
    """Which instances belong to all, and to each dish pair."""
    members = {DATASET: np.ones(len(pairs), bool)}
    for pair in sorted(set(pairs)):
        members["/".join((DATASET, *pair))] = np.array([one == pair for one in pairs])
    return members
