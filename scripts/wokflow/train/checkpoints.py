"""Checkpoints of a training: written whole or not at all, so that a killed one goes on from the last."""

import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wokflow import tables

STATE, TENSORS = "state.json", "tensors.pt"


@dataclass(frozen=True)
class Evaluation:
    """One row of the curve. Losses are means over tokens; None: not measured."""

    epoch: int
    step: int
    train_loss: float
    valid_loss: float | None
    valid_bleu: float | None
    learning_rate: float

    def better(self, other: "Evaluation", metric: str) -> bool:
        """Whether this one is better by `metric`, bleu or loss; by loss too where BLEU is equal, as at first.

        Without validation examples the later one is.
        """
        if self.valid_loss is None or other.valid_loss is None:
            return self.epoch > other.epoch
        if metric == "bleu" and self.valid_bleu is not None and self.valid_bleu != other.valid_bleu:
            return other.valid_bleu is None or self.valid_bleu > other.valid_bleu
        return self.valid_loss < other.valid_loss


@dataclass
class State:
    """How far a training is: steps done, evaluations, and the sums of the losses and tokens of this epoch."""

    step: int = 0
    loss: float = 0.0
    tokens: int = 0
    curve: list[Evaluation] = field(default_factory=list)

    def best(self, metric: str) -> Evaluation | None:
        """The evaluation whose model is kept; of equal ones the first."""
        found: Evaluation | None = None
        for row in self.curve:
            if found is None or row.better(found, metric):
                found = row
        return found


class Checkpoints:
    """The folder of one training's checkpoints. Those of another `key`, that is of other settings or data, go.

    A checkpoint is a folder step-N that appears when it is whole: N steps done, the weights that are trained and
    their optimizer (tensors.pt), and the state (state.json).
    """

    def __init__(self, folder: str | Path, key: str) -> None:
        self.folder = Path(folder)
        self._key = hashlib.sha256(key.encode()).hexdigest()

    def save(self, state: State, tensors: Mapping[str, Any]) -> None:
        import torch

        with tables.atomic_folder(self._path(state.step)) as folder:
            torch.save(dict(tensors), folder / TENSORS)
            self._write_state(folder, state, (folder / TENSORS).stat().st_size)
        self._sync()

    def update(self, state: State, metric: str) -> None:
        """Put the evaluation after the last save into its checkpoint; keep that checkpoint and the best alone."""
        folder = self._path(state.step)
        self._write_state(folder, state, (folder / TENSORS).stat().st_size)
        self._sync()
        self.keep(state, metric)

    def keep(self, state: State, metric: str) -> None:
        """Remove all checkpoints but the newest, that of `state`, and the best."""
        best = state.best(metric)
        kept = {state.step, best.step if best else state.step}
        for step in self._steps():
            if step not in kept:
                shutil.rmtree(self._path(step), ignore_errors=True)

    def newest(self, metric: str) -> State | None:
        """The state of the newest whole checkpoint whose best one is whole too; others are removed."""
        for step in sorted(self._steps(), reverse=True):
            state = self._read(step)
            best = state.best(metric) if state else None
            if state and (best is None or best.step == step or self._read(best.step)):
                self.keep(state, metric)
                return state
            shutil.rmtree(self._path(step), ignore_errors=True)
        return None

    def tensors(self, step: int) -> dict[str, Any]:
        """What was saved after `step` steps, on the CPU."""
        import torch

        found: dict[str, Any] = torch.load(self._path(step) / TENSORS, map_location="cpu", weights_only=True)
        return found

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write_state(self, folder: Path, state: State, size: int) -> None:
        said = asdict(state) | {"key": self._key, "size": size}
        tables.write_text(folder / STATE, json.dumps(said, indent=1) + "\n")

    def _read(self, step: int) -> State | None:
        """The state of a checkpoint; None where it is torn, or another training's."""
        folder = self._path(step)
        try:
            said = json.loads((folder / STATE).read_text(encoding="utf-8"))
            if said.pop("key") != self._key or said.pop("size") != (folder / TENSORS).stat().st_size:
                return None
            self.tensors(step)
            curve = [Evaluation(**row) for row in said.pop("curve")]
            return State(**said, curve=curve)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError, pickle.UnpicklingError):
            return None

    def _steps(self) -> list[int]:
        return [int(path.name.removeprefix("step-")) for path in self.folder.glob("step-*") if path.is_dir()]

    def _path(self, step: int) -> Path:
        return self.folder / f"step-{step:08}"

    def _sync(self) -> None:
        place = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
