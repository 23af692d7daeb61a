"""Predictions of runs of family educat (Chen et al. 2021; Counterfactual Recipe Generation, section 5.2)."""

from collections.abc import Sequence
from dataclasses import fields

from wokflow.frame.job import Job
from wokflow.generate.blocks import Shard
from wokflow.generate.rewriting_runs import rewritten
from wokflow.generate.settings import EducatSettings
from wokflow.models.educat_chain import Chain, rewrite
from wokflow.models.sentence_rewriting import Original, Reader


def generate_educat(
    *,
    instances: str,
    trained: str | list[str],
    predictions: str,
    shard: int,
    shards: int,
    settings: EducatSettings,
    job: Job,
) -> None:
    """Write the predictions (generate/predictions) of one shard of the instances; draws are by seed and block."""
    how = Chain(**{each.name: getattr(settings, each.name) for each in fields(Chain)})

    def write(reader: Reader, originals: Sequence[Original], seed: int) -> list[str]:
        return rewrite(reader, originals, how, settings.max_source_tokens, seed)

    rewritten(instances, trained, Shard(predictions, shard, shards, settings.run), write, settings, job)
