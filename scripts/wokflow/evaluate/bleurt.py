"""BLEURT of one run (Sellam et al. 2020), by a program in an environment of its own."""

from wokflow.evaluate import bleurt_worker
from wokflow.evaluate.contributions import write_parts
from wokflow.evaluate.scorer import Scorer
from wokflow.evaluate.settings import BleurtSettings
from wokflow.frame.job import Job

WORKER = str(bleurt_worker.__file__)


def evaluate_bleurt(
    *, instances: str, predictions: str, parts: str, run: str, settings: BleurtSettings, job: Job
) -> None:
    """Write schema evaluate/parts with metric bleurt, in percent; see contributions.write_parts.

    The command is as scorer.Scorer takes it; {worker} stands for bleurt_worker.py, to be run by a Python that has
    bleurt. Without a command the metric is skipped. Raises UserError if the command fails.
    """
    gpu = settings.device != "cpu"
    scorer = Scorer("bleurt", "BLEURT", WORKER, settings.command, settings.seconds, gpu=gpu)
    write_parts(instances, predictions, parts, run, settings.data, scorer.score, job)
