"""Whether a model can learn texts that share a row, and keeps them apart."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

SECOND = [2, 4, 6, 1]
FIRSTS = ([1, 2, 3, 4], [5, 6, 7, 0])  # token ids before it
NOISE = 1e-3  # of the largest score: differences up to that are rounding


def packing_fault(
    model: Any, collate: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]], most: int
) -> str | None:
    """Why a model cannot learn texts that share a row; None if it can.

    The model is asked, as no list tells it. Models whose positions are no input (BLOOM, MPT, state spaces), and some
    that have one (OPT), see all that stands before a text: its scores change with that. Others (GPT-Neo) read no more
    tokens than they have positions, but the rows of a batch become one; it is asked with `most` tokens. `collate`
    makes the batches of the training.
    """
    import torch

    def scores(texts: Sequence[Sequence[int]]) -> Any:
        ids = [token for text in texts for token in text]
        batch = dict(
            collate([{"input_ids": ids, "labels": ids, "seq_lengths": [len(text) for text in texts]}])
        )
        del batch["labels"]
        given = {
            name: value.to(place) if isinstance(value, torch.Tensor) else value
            for name, value in batch.items()
        }
        return model(**given, use_cache=False).logits[0, -len(texts[-1]) :].float()

    place, training = next(model.parameters()).device, model.training
    model.eval()
    try:
        with torch.no_grad():
            one, other = (scores([first, SECOND]) for first in FIRSTS)
            scores([SECOND] * (most // len(SECOND) + 1))
    except torch.OutOfMemoryError:
        raise
    except Exception as error:  # whatever the code of a model raises at what it was not made for
        return f"cannot read texts that share a row ({error})"
    finally:
        model.train(training)
    if bool((one - other).abs().max() <= NOISE * one.abs().max()):
        return None
    return (
        "does not keep texts apart that share a row: each would be learnt as what follows the one before it"
    )
