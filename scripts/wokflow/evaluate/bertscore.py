"""BERTScore of one run (Zhang et al. 2020), with a model for each target language."""

from wokflow.evaluate.bert import BertModel, bert_scorer
from wokflow.evaluate.parts import write_parts
from wokflow.frame.job import Progress


def evaluate_bertscore(
    *,
    instances: str,
    predictions: str,
    parts: str,
    run: str,
    data: str,
    model: str | None,
    layers: int | None,
    batch: int = 32,
    device: str | None = None,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/parts with metric bertscore; see parts.write_parts.

    `model` and `layers` are for texts of the language that the run writes (see bert.BertModel); without a model the
    metric is skipped, with a note.
    """
    scorer = bert_scorer(BertModel(model, layers, batch, device))
    write_parts(
        instances,
        predictions,
        parts,
        run=run,
        data=data,
        score=lambda texts: [scorer(texts.texts, texts.references)],
        metadata=metadata,
        progress=progress,
    )
