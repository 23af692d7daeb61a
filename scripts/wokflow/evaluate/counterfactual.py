"""Evaluation of counterfactual recipes on two levels: surface and actions (Liu et al. 2022, section 6)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.evaluate import schemas, surface
from wokflow.evaluate.actions import POSSIBLE, Evaluator
from wokflow.evaluate.bertscore import BertModel, bert_scorer
from wokflow.evaluate.intervals import Bootstrap, score_rows
from wokflow.evaluate.pivots import Pair, read_pivots
from wokflow.evaluate.predictions import read_predictions
from wokflow.frame import tables
from wokflow.frame.job import Progress
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.segment import Segmenter
from wokflow.parse.texts import Extractor, extractor

DATASET = "counterfactual"


def evaluate_counterfactual(
    *,
    instances: str,
    pivots: str,
    orders: str,
    candidates: str,
    predictions: Sequence[str],
    trained_vectors: Sequence[str],
    trained_parser: Sequence[str],
    scores: str,
    glossary: str,
    more_predictions: Sequence[str],
    vectors: str | None,
    actions: Mapping[str, Any],
    dependencies: Mapping[str, Any],
    parser: str | None,
    tau: float,
    definition: str,
    bertscore: Mapping[str, Any],
    bertscore_model: str | None,
    bootstrap: Mapping[str, Any],
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Score the workflow's `predictions` and the user's `more_predictions`; write schema evaluate/scores.

    Texts are read as recipes were, with the settings parse.actions (`actions`) and parse.dependencies
    (`dependencies`): by the `parser`, a model's name or folder, unless one was trained for it (parse.parser). In
    place of the user's word `vectors` stand those that were trained (parse.vectors). Each of `trained_vectors` and
    `trained_parser` holds one folder, or none. See write_scores for the rest.
    """
    known = read_glossary(glossary)
    folders = [vectors] if vectors else trained_vectors
    write_scores(
        scores,
        instances=instances,
        pivots=pivots,
        orders=orders,
        candidates=candidates,
        predictions=[*predictions, *more_predictions],
        glossary=known,
        extract=extractor(known, actions, {"model": parser, **dependencies}, *trained_parser),
        vectors=folders[0],
        tau=tau,
        definition=definition,
        bert=BertModel(bertscore_model, **bertscore),
        bootstrap=Bootstrap(**bootstrap),
        metadata=metadata,
        progress=progress,
    )


def write_scores(
    out: str,
    *,
    instances: str,
    pivots: str,
    orders: str,
    candidates: str | None = None,
    predictions: Sequence[str],
    glossary: Glossary,
    extract: Extractor,
    vectors: str | None = None,
    tau: float = 0.9,
    definition: str = POSSIBLE,
    bert: BertModel,
    bootstrap: Bootstrap,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Score all runs in the files of predictions; write schema evaluate/scores, by run, dataset and metric.

    The other tables are pivot/instances, pivot/pivots, pivot/orders and pivot/candidates, whose phrases give the
    words of pivot actions for soft scores; without candidates the names of their classes do. `extract` reads the
    actions of texts, in the way in which those of the dishes were read. Soft scores need word `vectors` (a folder of
    parse.vectors) and count similarities above `tau`. `definition`, paper or possible, says which changes and pivot
    actions count (actions.compare). Datasets are all instances, and each dish pair. Rows of the
    input may come in any order. Raises UserError for predictions that do not fit the instances.
    """
    rows = tables.read(instances).sort("instance_id")
    runs = read_predictions(predictions, rows["instance_id"].to_list(), progress)
    of_pair = read_pivots(rows, pivots, orders, candidates, glossary, extract, progress)
    bases, pairs = rows["text"].to_list(), list(zip(rows["base_dish"], rows["target_dish"], strict=True))
    added, removed = rows["ingredient_added"].to_list(), rows["ingredient_removed"].to_list()
    cut = Segmenter(glossary) if vectors else list
    level_2 = Evaluator(bases, [of_pair[pair] for pair in pairs], extract, vectors, tau, cut, definition)
    bert_score = bert_scorer(bert)
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
            scored = [(run, name, one.some(mask)) for name, mask in masks.items() for one in metrics]
            writer.write(score_rows(scored, bootstrap))
            if progress:
                progress(number, f"{number} of {len(runs)} runs", of=len(runs))


def datasets(pairs: Sequence[Pair]) -> dict[str, NDArray[np.bool_]]:
    """Which instances belong to all, and to each dish pair."""
    found = {DATASET: np.ones(len(pairs), bool)}
    for pair in sorted(set(pairs)):
        found["/".join((DATASET, *pair))] = np.array([one == pair for one in pairs])
    return found
