"""BERTScore of one run (Zhang et al. 2020), with a model for each target language."""

from collections.abc import Mapping
from typing import Any

from wokflow.evaluate.bert import BertModel, bert_scorer
from wokflow.evaluate.parts import target_lang, write_parts
from wokflow.job import Progress


def bertscore(
    instances: str,
    predictions: str,
    out: str,
    *,
    run: str,
    data: str,
    zh: Mapping[str, Any],
    en: Mapping[str, Any],
    batch: int = 32,
    device: str | None = None,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/parts with metric bertscore; see parts.write_parts.

    `zh` and `en` name the `model` for texts of that language, and its `layers` (see bert.BertModel); without a
    model the metric is skipped, with a note.
    """
    settings = {"zh": zh, "en": en}[target_lang(data)]
    scorer = bert_scorer(BertModel(**settings, batch=batch, device=device))
    write_parts(
        instances,
        predictions,
        out,
        run=run,
        data=data,
        score=lambda texts: [scorer(texts.texts, texts.references)],
        metadata=metadata,
        progress=progress,
    )
