"""BLEURT of one run (Sellam et al. 2020), by a program in an environment of its own."""

from collections.abc import Sequence

from wokflow.evaluate import bleurt_worker
from wokflow.evaluate.parts import write_parts
from wokflow.evaluate.scorer import Scorer
from wokflow.frame.job import Progress

WORKER = str(bleurt_worker.__file__)


def evaluate_bleurt(
    *,
    instances: str,
    predictions: str,
    parts: str,
    run: str,
    data: str,
    command: Sequence[str] | None,
    seconds: float | None = None,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/parts with metric bleurt, in percent; see parts.write_parts.

    `command` and `seconds` as scorer.Scorer takes them; {worker} stands for bleurt_worker.py, to be run by a Python
    that has bleurt. Without a command the metric is skipped. Raises UserError if the command fails.
    """
    scorer = Scorer("bleurt", "BLEURT", WORKER, command, seconds)
    write_parts(instances, predictions, parts, run, data, scorer.score, metadata, progress)
