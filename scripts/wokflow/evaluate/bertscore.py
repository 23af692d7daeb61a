"""BERTScore (Zhang et al. 2020) by its library, with a model for each target language."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wokflow.evaluate.intervals import Metric, mean, skipped
from wokflow.evaluate.parts import Texts, write_parts
from wokflow.frame.job import Progress, UserError
from wokflow.models.bounds import NO_LIMIT, positions
from wokflow.models.loading import at_revision

BertScorer = Callable[[Sequence[str], Sequence[str]], Metric]


@dataclass(frozen=True)
class BertModel:
    """The model of BERTScore: a folder or a name on the Hugging Face hub; None skips the metric.

    `revision` is of a model of the hub. `layers` is the layer whose vectors are compared; None takes the library's
    choice, which it has for well-known names only. `batch` texts are read at once. `device` None takes a GPU where
    there is one.
    """

    model: str | None = None
    revision: str | None = None
    layers: int | None = None
    batch: int = 32
    device: str | None = None


def evaluate_bertscore(
    *,
    instances: str,
    predictions: str,
    parts: str,
    run: str,
    data: str,
    model: str | None,
    revision: str | None,
    layers: int | None,
    batch: int = 32,
    device: str | None = None,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/parts with metric bertscore; see parts.write_parts.

    `model`, `revision` and `layers` are for texts of the language that the run writes (see BertModel); without a
    model the metric is skipped, with a note.
    """
    scorer = bert_scorer(BertModel(model, revision, layers, batch, device))

    def score(texts: Texts) -> list[Metric]:
        return [scorer(texts.texts, texts.references)]

    write_parts(instances, predictions, parts, run, data, score, metadata, progress)


def bert_scorer(settings: BertModel) -> BertScorer:
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
            found = bert_cos_score_idf(
                model, *sides, tokenizer, weights, device=device, batch_size=settings.batch
            )
            values[full] = found[..., 2].double().cpu().numpy()
        return mean("bertscore", values, signature=signature)

    return score


def _load(name: str, settings: BertModel) -> tuple[Any, Any, int, str]:
    """The model up to its layer, its tokenizer, the layer, and where it runs."""
    import torch
    from bert_score.utils import get_model, get_tokenizer, model2layers

    layers = settings.layers or model2layers.get(name)
    if layers is None:
        raise UserError(
            f"BERTScore has no default layer for {name}: set bertscore.layers (of a model of 12 layers usually the "
            "eighth or ninth)."
        )
    device = settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        place = at_revision(name, settings.revision)
        tokenizer, model = get_tokenizer(place), get_model(place, layers).to(device)
    except (OSError, ValueError, AssertionError) as error:
        raise UserError(f"BERTScore's model {name} (bertscore.model) cannot be loaded: {error}") from error
    places = positions(model.config) or NO_LIMIT
    tokenizer.model_max_length = min(tokenizer.model_max_length, places)
    return model, tokenizer, layers, device
