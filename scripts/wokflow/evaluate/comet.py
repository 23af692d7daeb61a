"""COMET of one run (Rei et al. 2020), by a program in an environment of its own."""

from wokflow.evaluate import comet_worker
from wokflow.evaluate.contributions import write_parts
from wokflow.evaluate.scorer import Scorer
from wokflow.evaluate.settings import CometSettings
from wokflow.frame.job import Job

WORKER = str(comet_worker.__file__)


def evaluate_comet(
    *, instances: str, predictions: str, parts: str, run: str, settings: CometSettings, job: Job
) -> None:
    """Write schema evaluate/parts with metric comet, in percent; see contributions.write_parts.

    The command is as scorer.Scorer takes it; {worker} stands for comet_worker.py, to be run by a Python that has
    unbabel-comet. Without a command the metric is skipped. Raises UserError if the command fails.
    """
    gpu = settings.device != "cpu"
    scorer = Scorer("comet", "COMET", WORKER, settings.command, settings.seconds, hub=True, gpu=gpu)
    write_parts(instances, predictions, parts, run, settings.data, scorer.score, job)
