"""Whether a model keeps texts apart that share a row."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

SECOND = [2, 4, 6, 1]
FIRSTS = ([1, 2, 3, 4], [5, 6, 7, 0])  # token ids before it
NOISE = 1e-3  # of the largest score: differences up to that are rounding


def sees_others(model: Any, collate: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]) -> bool:
    """Whether the scores of a text change with the text before it in its row.

    The model is asked, as no list tells it: models whose positions are no input (BLOOM, MPT, state spaces), and some
    that have one (OPT), see all that stands before. `collate` makes the batches of the training.
    """
    import torch

    def scores(first: Sequence[int]) -> Any:
        ids = [*first, *SECOND]
        lengths = [len(first), len(SECOND)]
        batch = dict(collate([{"input_ids": ids, "labels": ids, "seq_lengths": lengths}]))
        del batch["labels"]
        given = {
            name: value.to(place) if isinstance(value, torch.Tensor) else value
            for name, value in batch.items()
        }
        return model(**given, use_cache=False).logits[0, len(first) :].float()

    place, training = next(model.parameters()).device, model.training
    model.eval()
    with torch.no_grad():
        one, other = map(scores, FIRSTS)
    model.train(training)
    return bool((one - other).abs().max() > NOISE * one.abs().max())
