"""The examples of each training step, and their tensors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from wokflow.models.decoding import Family
from wokflow.train.encoded import Encoded, Tokens

if TYPE_CHECKING:
    from torch import Tensor

SORTED = 50  # batches whose examples are sorted by length together
IGNORED = -100  # the label of tokens without a loss
AHEAD = 2  # steps whose tensors are made in advance

Indices = NDArray[np.int64]
Batch = dict[str, "Tensor"]
Item = TypeVar("Item")
Made = TypeVar("Made")


def plan(lengths: NDArray[np.int64], batch: int, seed: int, epoch: int) -> list[Indices]:
    """The examples of each step of an epoch: each example once, and examples of similar length in one step.

    The order depends on seed and epoch alone, not on the number of processes.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    steps: list[Indices] = []
    for start in range(0, len(order), SORTED * batch):
        some = order[start : start + SORTED * batch]
        by_length = some[np.argsort(-lengths[some], kind="stable")]
        steps += [by_length[first : first + batch] for first in range(0, len(by_length), batch)]
    return [steps[place] for place in random.permutation(len(steps))]


def shares(examples: Indices, device_batch: int, processes: int, process: int) -> list[Indices]:
    """One process's share of a step's examples, in parts of at most `device_batch`.

    All processes have the same number of parts, so parts may be empty.
    """
    rounds = -(-len(examples) // (device_batch * processes))
    return np.array_split(examples, rounds * processes)[process::processes]


def collate(
    encoded: Encoded,
    part: Indices,
    family: Family,
    pad: int,
    *,
    most: int | None,
    on_target_only: bool = False,
) -> Batch:
    """input_ids, attention_mask and labels, each [examples, tokens].

    Causal: source and target are one text of at most `most` tokens; with `on_target_only` only the target has labels.
    An empty part gives one example without labels, as all processes must run the same number of parts.
    """
    chosen = part if len(part) else np.zeros(1, np.int64)
    sources = [encoded.sources[row] for row in chosen]
    labels = [encoded.targets[row] for row in chosen]
    if family == "causal":
        starts = [len(row) if on_target_only else 0 for row in sources]
        sources = [np.concatenate(both)[:most] for both in zip(sources, labels, strict=True)]
        labels = [row.copy() for row in sources]
        for row, start in zip(labels, starts, strict=True):
            row[:start] = IGNORED
    ids, mask = _padded(sources, pad)
    marked, _ = _padded(labels if len(part) else [np.full_like(row, IGNORED) for row in labels], IGNORED)
    return {"input_ids": ids, "attention_mask": mask, "labels": marked}


def learnt(
    encoded: Encoded, examples: Indices, family: Family, *, most: int | None, on_target_only: bool
) -> int:
    """The number of tokens of these examples that have a loss."""
    targets = encoded.targets.lengths[examples]
    if family == "seq2seq":
        return int(targets.sum())
    sources = encoded.sources.lengths[examples]
    whole = sources + targets if most is None else np.minimum(sources + targets, most)
    first = np.maximum(sources, 1) if on_target_only else 1  # nothing predicts the first token
    return int(np.maximum(whole - first, 0).sum())


def ahead(items: Iterable[Item], make: Callable[[Item], Made]) -> Iterator[Made]:
    """`make(item)` for each item, in order, computed some items in advance on another thread."""
    waiting: list[Future[Made]] = []
    with ThreadPoolExecutor(1) as pool:
        for item in items:
            waiting.append(pool.submit(make, item))
            if len(waiting) > AHEAD:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()


def _padded(rows: Sequence[Tokens], value: int) -> tuple["Tensor", "Tensor"]:
    """Rows padded at their ends with `value`, and a mask of what is not padding: [rows, tokens] each."""
    import torch

    filled = np.full((len(rows), max(map(len, rows))), value, np.int64)
    mask = np.zeros_like(filled)
    for number, row in enumerate(rows):
        filled[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return torch.from_numpy(filled), torch.from_numpy(mask)
