"""A training, as described to each of its processes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wokflow.train.settings import ModelSettings


@dataclass(frozen=True)
class Task:
    """A training of `run`.

    `examples` is a table (train/examples), `out` the folder of the model, `checkpoints` the folder of checkpoints;
    only those of the same `key` are continued. `curves` is a folder for trackers that write files. `minutes` is the
    time limit of the job; None: no limit. `threads` is the number of threads of a process on CPUs; None: PyTorch's
    choice.
    """

    examples: str
    out: str
    checkpoints: str
    curves: str
    run: str
    settings: ModelSettings
    key: str
    minutes: float | None
    threads: int | None

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> "Task":
        """The task from the values of `plain`, which may have gone through JSON."""
        return cls(**{**values, "settings": ModelSettings.of_job(values["settings"])})

    def plain(self) -> dict[str, Any]:
        """The task as values that JSON can hold."""
        return vars(self) | {"settings": self.settings.model_dump(mode="json")}
