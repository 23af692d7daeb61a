"""COMET of one run (Rei et al. 2020), by a program in an environment of its own."""

from collections.abc import Sequence

from wokflow.evaluate import comet_worker
from wokflow.evaluate.parts import write_parts
from wokflow.evaluate.scorer import Scorer
from wokflow.frame.job import Progress

WORKER = str(comet_worker.__file__)


def evaluate_comet(
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
    """Write schema evaluate/parts with metric comet, in percent; see parts.write_parts.

    `command` and `seconds` as scorer.Scorer takes them; {worker} stands for comet_worker.py, to be run by a Python
    that has unbabel-comet. Without a command the metric is skipped. Raises UserError if the command fails.
    """
    scorer = Scorer("comet", "COMET", WORKER, command, seconds, hub=True)
    write_parts(instances, predictions, parts, run, data, scorer.score, metadata, progress)
