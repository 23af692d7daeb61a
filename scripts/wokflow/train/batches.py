"""The examples of each training step, and each process's share of them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

SORTED = 50  # number of batches whose examples are sorted by length together

Indices = NDArray[np.int64]


def plan(lengths: NDArray[np.int64], batch: int, seed: int, epoch: int) -> list[Indices]:
    """The examples of each step of an epoch: each example once, and examples of similar length in one step.

    The order depends on seed and epoch only, not on the number of processes. The longest step comes first, so that a
    lack of memory shows at once; a step with fewer examples comes last.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    steps: list[Indices] = []
    for start in range(0, len(order), SORTED * batch):
        some = order[start : start + SORTED * batch]
        by_length = some[np.argsort(-lengths[some], kind="stable")]
        steps += [by_length[first : first + batch] for first in range(0, len(by_length), batch)]
    longest = max(range(len(steps)), key=lambda place: (len(steps[place]), int(lengths[steps[place]].max())))
    last = [] if len(steps[-1]) == batch or len(steps) == 1 else [len(steps) - 1]
    others = [place for place in range(len(steps) - len(last)) if place != longest]
    return [steps[place] for place in (longest, *random.permutation(others).astype(np.int64), *last)]


def shares(examples: Indices, device_batch: int, processes: int, process: int) -> list[Indices]:
    """One process's share of a step's examples, in parts of at most `device_batch`.

    All processes have the same number of parts, so parts may be empty.
    """
    rounds = -(-len(examples) // (device_batch * processes))
    return np.array_split(examples, rounds * processes)[process::processes]


class Batches:
    """A batch sampler: the parts of one process, step by step, in the order of `epoch`."""

    def __init__(
        self,
        lengths: NDArray[np.int64],
        batch: int,
        device_batch: int,
        seed: int,
        *,
        processes: int,
        process: int,
    ) -> None:
        self.lengths, self.batch, self.device_batch, self.seed = lengths, batch, device_batch, seed
        self.processes, self.process = processes, process
        self.set_epoch(0)

    def set_epoch(self, epoch: int) -> None:
        self.steps = plan(self.lengths, self.batch, self.seed, epoch)

    @property
    def rounds(self) -> int:
        """Number of parts of a full step."""
        return -(-self.batch // (self.device_batch * self.processes))

    def __len__(self) -> int:
        """Number of parts of an epoch."""
        return sum(-(-len(step) // (self.device_batch * self.processes)) for step in self.steps)

    def __iter__(self) -> Iterator[list[int]]:
        for step in self.steps:
            for part in shares(step, self.device_batch, self.processes, self.process):
                yield part.tolist()
