"""Checkpoints of a training, written whole or not at all, so that a killed training continues from the last one."""

import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wokflow.frame import tables

STATE, TENSORS = "state.json", "tensors.pt"
DIGITS = 16  # of a key's digest


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
        """Whether this one is better by `metric`, bleu or loss; by loss if BLEU is equal, as in the first epochs.

        Without validation examples the later one is better.
        """
        if self.valid_loss is None or other.valid_loss is None:
            return self.epoch > other.epoch
        if metric == "bleu" and self.valid_bleu is not None and self.valid_bleu != other.valid_bleu:
            return other.valid_bleu is None or self.valid_bleu > other.valid_bleu
        return self.valid_loss < other.valid_loss


@dataclass
class State:
    """Progress of a training: steps done, evaluations, and the sums of the losses and tokens of this epoch."""

    step: int = 0
    loss: float = 0.0
    tokens: int = 0
    curve: list[Evaluation] = field(default_factory=list)

    @property
    def progress(self) -> tuple[int, int]:
        """Steps and evaluations done."""
        return self.step, len(self.curve)

    def best(self, metric: str) -> Evaluation | None:
        """The evaluation whose model is kept; of equal ones the first."""
        best: Evaluation | None = None
        for row in self.curve:
            if best is None or row.better(best, metric):
                best = row
        return best


class Checkpoints:
    """The checkpoints of one training with one `key`, in a folder of their own below `root`, named after the key.

    Those of other keys, that is of other settings, texts or code, lie beside them and are never touched: when the
    key comes back, the training continues from its own. A checkpoint is a folder step-N that appears when it is
    whole: the trained weights after N steps with their optimizer (tensors.pt), and the state (state.json).
    """

    def __init__(self, root: str | Path, key: str) -> None:
        self.root = Path(root)
        self.folder = self.root / hashlib.sha256(key.encode()).hexdigest()[:DIGITS]

    @property
    def set_aside(self) -> list[Path]:
        """What else lies in `root`: checkpoints of other keys."""
        return sorted(path for path in self.root.glob("[!.]*") if path != self.folder)

    def save(self, state: State, tensors: Mapping[str, Any]) -> None:
        import torch

        with tables.atomic_folder(self._path(state.step)) as folder:
            torch.save(dict(tensors), folder / TENSORS)
            self._write_state(folder, state, (folder / TENSORS).stat().st_size)
        self._sync()

    def update(self, state: State, metric: str) -> None:
        """Put the evaluation after the last save into its checkpoint; keep only that checkpoint and the best one."""
        folder = self._path(state.step)
        self._write_state(folder, state, (folder / TENSORS).stat().st_size)
        self._sync()
        self.keep(state, metric)

    def keep(self, state: State, metric: str) -> None:
        """Remove all checkpoints of this key but the newest, that of `state`, and the best."""
        best = state.best(metric)
        kept = {state.step, best.step if best else state.step}
        for step in self._steps():
            if step not in kept:
                shutil.rmtree(self._path(step), ignore_errors=True)

    def newest(self, metric: str) -> State | None:
        """The state of the newest whole checkpoint whose best one is whole too; others of this key are removed."""
        for step in sorted(self._steps(), reverse=True):
            state = self._read(step)
            best = state.best(metric) if state else None
            if state and (best is None or best.step == step or self._read(best.step)):
                self.keep(state, metric)
                return state
            shutil.rmtree(self._path(step), ignore_errors=True)
        return None

    def tensors(self, step: int) -> dict[str, Any]:
        """The tensors of the checkpoint after `step` steps, on the CPU."""
        import torch

        tensors: dict[str, Any] = torch.load(
            self._path(step) / TENSORS, map_location="cpu", weights_only=True
        )
        return tensors

    def remove(self) -> None:
        """Remove the checkpoints of this key, and `root` if nothing else is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):  # it is not empty, or was never made
            self.root.rmdir()

    def _write_state(self, folder: Path, state: State, size: int) -> None:
        tables.write_text(folder / STATE, json.dumps(asdict(state) | {"size": size}, indent=1) + "\n")

    def _read(self, step: int) -> State | None:
        """The state of a checkpoint; None if it is torn."""
        folder = self._path(step)
        try:
            values = json.loads((folder / STATE).read_text(encoding="utf-8"))
            if values.pop("size") != (folder / TENSORS).stat().st_size:
                return None
            self.tensors(step)
            curve = [Evaluation(**row) for row in values.pop("curve")]
            return State(**values, curve=curve)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError, pickle.UnpicklingError):
            return None

    def _steps(self) -> list[int]:
        return [int(path.name.removeprefix("step-")) for path in self.folder.glob("step-*") if path.is_dir()]

    def _path(self, step: int) -> Path:
        return self.folder / f"step-{step:08}"

    def _sync(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
