"""Settings of a training that contradict one another."""

from collections.abc import Iterator, Mapping
from typing import Any


def setting_problems(family: str, block: Mapping[str, Any], processes: int) -> Iterator[str]:
    """Why a model of a `family` cannot be trained with these settings (train.model) in so many processes."""
    if block["device_batch"] == "auto" and processes > 1:
        yield (
            "train.model.device_batch: auto is for one process only: of several, one may run out of memory while "
            "the others wait for its gradients. Give a number."
        )
    if not block["shard"]:
        return
    if processes == 1:
        yield "train.model.shard splits a model among processes, but there is only one: set processes or nodes."
    if family != "causal":
        yield (
            "train.model.shard is for causal models: accelerate cannot split the embeddings that encoder and decoder "
            "share. To save memory with this model, use gradient_checkpointing, lora.rank or a smaller device_batch."
        )
    if block["lora"]["rank"] or block["metric"] == "bleu":
        yield (
            "train.model.shard works neither with lora.rank nor with metric: bleu. Adapters need little memory "
            "(lora.base: nf4 the least), and the best epoch of a sharded model is chosen by its loss (metric: auto)."
        )
