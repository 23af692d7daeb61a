"""Evaluation of counterfactual recipes on two levels: surface and actions (Liu et al. 2022, section 6)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow import tables
from wokflow.evaluate import actions, schemas, surface
from wokflow.evaluate.bert import BertModel, bert_scorer
from wokflow.evaluate.intervals import Bootstrap, scores
from wokflow.evaluate.pivots import Pair, read_pivots
from wokflow.evaluate.predictions import read_predictions
from wokflow.job import Progress
from wokflow.parse.glossary import Glossary
from wokflow.parse.texts import Extractor

DATASET = "counterfactual"


def evaluate_counterfactual(
    instances: str,
    pivots: str,
    orders: str,
    predictions: Sequence[str],
    out: str,
    *,
    glossary: Glossary,
    extract: Extractor,
    candidates: str | None = None,
    vectors: str | None = None,
    tau: float = 0.9,
    bertscore: Mapping[str, Any],
    bootstrap: Mapping[str, Any],
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Score all runs in the files of predictions; write schema evaluate/scores, by run, dataset and metric.

    The other tables are pivot/instances, pivot/pivots, pivot/orders and, where their phrases are to stand for the
    pivot actions in soft scores, pivot/candidates; without it their classes do. `extract` reads the actions of
    texts and is to be what read those of the dishes. Soft scores need word `vectors` (a folder of parse.vectors)
    and count similarities above `tau`. `bertscore` are settings of bert.BertModel, `bootstrap` of
    intervals.Bootstrap. Datasets are all instances, and each dish pair. Rows of the input may come in any order.
    Raises UserError for predictions that do not fit the instances.
    """
    rows = tables.read(instances).sort("instance_id")
    runs = read_predictions(predictions, rows["instance_id"].to_list(), progress)
    of_pair = read_pivots(rows, pivots, orders, candidates, glossary, extract, progress)
    bases, pairs = rows["text"].to_list(), list(zip(rows["base_dish"], rows["target_dish"], strict=True))
    added, removed = rows["ingredient_added"].to_list(), rows["ingredient_removed"].to_list()
    level_2 = actions.Evaluator(bases, [of_pair[pair] for pair in pairs], extract, vectors, tau)
    bert_score = bert_scorer(BertModel(**bertscore))
    masks = datasets(pairs)
    with tables.PartWriter(out, schemas.SCORES, metadata) as writer:
        for number, (run, predicted) in enumerate(runs.items(), start=1):
            texts = list(predicted.values())
            metrics = [
                *surface.coverage(texts, added, removed),
                *surface.bleu(texts, bases),
                bert_score(texts, bases),
                *level_2(texts),
            ]
            writer.write(scores(run, metrics, masks, Bootstrap(**bootstrap)))
            if progress:
                progress(number, f"{number} of {len(runs)} runs", of=len(runs))


def datasets(pairs: Sequence[Pair]) -> dict[str, NDArray[np.bool_]]:
    """Which instances belong to all, and to each dish pair."""
    found = {DATASET: np.ones(len(pairs), bool)}
    for pair in sorted(set(pairs)):
        found["/".join((DATASET, *pair))] = np.array([one == pair for one in pairs])
    return found
