"""Metrics of word overlap of one run: BLEU and spBLEU, chrF, ROUGE-L, and the length of its texts."""

from wokflow.evaluate.contributions import Texts, write_parts
from wokflow.evaluate.overlap import overlap
from wokflow.evaluate.score_intervals import Metric
from wokflow.evaluate.settings import MetricsSettings
from wokflow.evaluate.spbleu import sentence_pieces, spbleu_metric
from wokflow.frame.job import Job
from wokflow.frame.languages import target_lang


def evaluate_metrics(
    *, instances: str, predictions: str, parts: str, run: str, settings: MetricsSettings, job: Job
) -> None:
    """Write schema evaluate/parts with metrics of overlap (overlap.py); see contributions.write_parts.

    With a model of SentencePiece (`spbleu`), also with that metric.
    """
    pieces = sentence_pieces(settings.spbleu) if settings.spbleu else None

    def score(texts: Texts) -> list[Metric]:
        metrics = overlap(texts.texts, texts.references, target_lang(settings.data))
        return [*metrics, spbleu_metric(texts.texts, texts.references, pieces)] if pieces else metrics

    write_parts(instances, predictions, parts, run, settings.data, score, job)
