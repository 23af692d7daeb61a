"""Tests whether a model can learn texts that share a row without one seeing another."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

SECOND = [2, 4, 6, 1]
FIRSTS = ([1, 2, 3, 4], [5, 6, 7, 0])  # token ids of two texts that precede SECOND
NOISE = 1e-3  # differences up to this share of the largest score are rounding


def packing_fault(
    model: Any, collate: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]], most: int
) -> str | None:
    """The reason why a model cannot learn texts that share a row; None if it can.

    This is tested on the model itself, since no list of models exists. Models without positions as input (BLOOM, MPT,
    state-space models), and some with them (OPT), see everything before a text, so that its scores depend on it.
    Others (GPT-Neo) read no more tokens than they have positions, although packing makes one row of a whole batch: so
    `most` tokens are tried. `collate` makes the batches of the training.
    """
    import torch

    def scores(texts: Sequence[Sequence[int]]) -> Any:
        ids = [token for text in texts for token in text]
        batch = dict(
            collate([{"input_ids": ids, "labels": ids, "seq_lengths": [len(text) for text in texts]}])
        )
        del batch["labels"]
        inputs = {
            name: value.to(place) if isinstance(value, torch.Tensor) else value
            for name, value in batch.items()
        }
        return model(**inputs, use_cache=False).logits[0, -len(texts[-1]) :].float()

    place, training = next(model.parameters()).device, model.training
    model.eval()
    try:
        with torch.no_grad():
            one, other = (scores([first, SECOND]) for first in FIRSTS)
            scores([SECOND] * (most // len(SECOND) + 1))
    except torch.OutOfMemoryError:
        raise
    except Exception as error:  # a model's code may raise anything for input that it was not made for
        return f"cannot read texts that share a row ({error})"
    finally:
        model.train(training)
    if bool((one - other).abs().max() <= NOISE * one.abs().max()):
        return None
    return "does not separate texts that share a row: each would be learnt as the continuation of the one before it"
