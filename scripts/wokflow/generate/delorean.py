"""Predictions of runs of family delorean (Qin et al. 2020; Counterfactual Recipe Generation, section 5.2)."""

from collections.abc import Sequence

from wokflow.frame.job import Job
from wokflow.generate.blocks import Shard
from wokflow.generate.rewriting_runs import rewritten
from wokflow.generate.settings import DeloreanSettings
from wokflow.models.delorean_passes import Passes, rewrite
from wokflow.models.sentence_rewriting import Original, Reader


def generate_delorean(
    *,
    instances: str,
    trained: str | list[str],
    predictions: str,
    shard: int,
    shards: int,
    settings: DeloreanSettings,
    job: Job,
) -> None:
    """Write the predictions (generate/predictions) of one shard of the instances; nothing is drawn."""
    how = Passes(settings.mix, settings.step, settings.passes, settings.backward)

    def write(reader: Reader, originals: Sequence[Original], seed: int) -> list[str]:
        return rewrite(reader, originals, how, settings.max_source_tokens)

    place = Shard(predictions, shard, shards, settings.run)
    rewritten(instances, trained, place, write, settings, job)
