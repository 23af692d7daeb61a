"""BERTScore's F1 as its library has it (Zhang et al. 2020)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wokflow.evaluate.intervals import Metric, mean, skipped
from wokflow.frame.job import UserError

BertScorer = Callable[[Sequence[str], Sequence[str]], Metric]


@dataclass(frozen=True)
class BertModel:
    """The model of BERTScore: a folder or a name on the Hugging Face hub; None skips the metric.

    `layers` is the layer whose vectors are compared; None takes the library's choice, which it has for well-known
    names only. `device` None takes a GPU where there is one.
    """

    model: str | None = None
    layers: int | None = None
    batch: int = 32
    device: str | None = None


def bert_scorer(settings: BertModel) -> BertScorer:
    """A function that returns BERTScore's F1 of texts, each against its reference.

    There are neither idf weights nor rescaling. Texts longer than the model reads are cut. An empty text scores 0.
    Raises UserError if the model cannot be loaded or its layer is not known.
    """
    if settings.model is None:
        note = "No model is given for BERTScore (bertscore.model)."
        return lambda texts, references: skipped("bertscore", len(texts), note)
    scorer = _load(settings)
    scorer_hash = scorer.hash.replace(settings.model, Path(settings.model).name, 1)

    def score(texts: Sequence[str], references: Sequence[str]) -> Metric:
        full = [index for index, text in enumerate(texts) if text.strip()]
        values = np.zeros(len(texts))
        if full:
            pairs = [texts[index] for index in full], [references[index] for index in full]
            values[full] = scorer.score(*pairs, batch_size=settings.batch)[2].double().numpy()
        return mean("bertscore", values, signature=scorer_hash)

    return score


def _load(settings: BertModel) -> Any:
    from bert_score import BERTScorer
    from bert_score.utils import model2layers

    if settings.layers is None and settings.model not in model2layers:
        raise UserError(
            f"BERTScore has no default layer for {settings.model}: set bertscore.layers (of a model of 12 layers "
            "usually the eighth or ninth)."
        )
    try:
        scorer = BERTScorer(model_type=settings.model, num_layers=settings.layers, device=settings.device)
    except (OSError, ValueError, AssertionError) as error:
        raise UserError(
            f"BERTScore's model {settings.model} (bertscore.model) cannot be loaded: {error}"
        ) from error
    places = getattr(scorer._model.config, "max_position_embeddings", math.inf)
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, places)
    return scorer
