"""Metrics of word overlap of one run: BLEU, chrF, ROUGE-L, and the length of its texts."""

from wokflow.evaluate.languages import target_lang
from wokflow.evaluate.overlap import overlap
from wokflow.evaluate.parts import write_parts
from wokflow.frame.job import Progress


def evaluate_metrics(
    *,
    instances: str,
    predictions: str,
    parts: str,
    run: str,
    data: str,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/parts with metrics bleu, bleu_jieba, chrf, rouge_l and tokens; see parts.write_parts."""
    write_parts(
        instances,
        predictions,
        parts,
        run=run,
        data=data,
        score=lambda texts: overlap(texts.texts, texts.references, target_lang(data)),
        metadata=metadata,
        progress=progress,
    )
