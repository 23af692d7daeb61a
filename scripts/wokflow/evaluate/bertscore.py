"""BERTScore (Zhang et al. 2020) by its library, with a model for each target language."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wokflow.evaluate.contributions import Texts, write_parts
from wokflow.evaluate.score_intervals import Metric, mean, skipped
from wokflow.evaluate.settings import BertModel, BertscoreSettings
from wokflow.frame.job import Job, UserError
from wokflow.models.bounds import NO_LIMIT, positions
from wokflow.models.devices import find_device
from wokflow.models.loading import at_revision

BertScorer = Callable[[Sequence[str], Sequence[str]], Metric]


def evaluate_bertscore(
    *, instances: str, predictions: str, parts: str, run: str, settings: BertscoreSettings, job: Job
) -> None:
    """Write schema evaluate/parts with metric bertscore; see contributions.write_parts.

    The model is one for the language that the run writes; without a model the metric is skipped, with a note.
    """
    scorer = bert_scorer(settings)

    def score(texts: Texts) -> list[Metric]:
        return [scorer(texts.texts, texts.references)]

    write_parts(instances, predictions, parts, run, settings.data, score, job)


def bert_scorer(settings: BertModel | BertscoreSettings) -> BertScorer:
    """A function that returns BERTScore's F1 of texts, each against its reference.

    There are neither idf weights nor rescaling. Texts longer than the model reads are cut. An empty text scores 0.
    Raises UserError if the model cannot be loaded or its layer is not known.
    """
    if settings.model is None:
        note = "No model is given for BERTScore (bertscore.model)."
        return lambda texts, references: skipped("bertscore", len(texts), note)
    from bert_score.utils import bert_cos_score_idf, get_hash

    model, tokenizer, layers, device = _load(settings.model, settings)
    weights = defaultdict(lambda: 1.0, {tokenizer.sep_token_id: 0.0, tokenizer.cls_token_id: 0.0})
    named = Path(settings.model).name + (f"@{settings.revision}" if settings.revision else "")
    signature = get_hash(named, layers, False, False, False, False)

    def score(texts: Sequence[str], references: Sequence[str]) -> Metric:
        full = [index for index, text in enumerate(texts) if text.strip()]
        values = np.zeros(len(texts))
        if full:
            sides = ([side[index] for index in full] for side in (references, texts))
            scores = bert_cos_score_idf(
                model, *sides, tokenizer, weights, device=device, batch_size=settings.batch
            )
            values[full] = scores[..., 2].double().cpu().numpy()
        return mean("bertscore", values, signature=signature)

    return score


def _load(name: str, settings: BertModel | BertscoreSettings) -> tuple[Any, Any, int, str]:
    """The model up to its layer, its tokenizer, the layer, and where it runs."""
    from bert_score.utils import get_model, get_tokenizer, model2layers

    layers = settings.layers or model2layers.get(name)
    if layers is None:
        raise UserError(
            f"BERTScore has no default layer for {name}: set bertscore.layers (of a model of 12 layers usually the "
            "eighth or ninth)."
        )
    device = str(find_device(settings.device or "auto"))
    try:
        place = at_revision(name, settings.revision)
        tokenizer, model = get_tokenizer(place), get_model(place, layers).to(device)
    except (OSError, ValueError, AssertionError) as error:
        raise UserError(f"BERTScore's model {name} (bertscore.model) cannot be loaded: {error}") from error
    places = positions(model.config) or NO_LIMIT
    tokenizer.model_max_length = min(tokenizer.model_max_length, places)
    return model, tokenizer, layers, device
