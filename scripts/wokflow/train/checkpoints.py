"""Checkpoints of a training. Only complete ones count, so that a killed training continues from the last of them."""

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from wokflow.frame import tables

WHOLE, CURVE = "whole.json", "curve.json"
PREFIX = "checkpoint-"  # of the folders that transformers' Trainer writes
DIGITS = 16  # of a key's digest


@dataclass(frozen=True)
class Evaluation:
    """A row of the training curve. Losses are means over tokens; None: not measured."""

    epoch: int
    step: int
    train_loss: float
    valid_loss: float | None
    valid_bleu: float | None
    learning_rate: float

    def better(self, other: "Evaluation", metric: str) -> bool:
        """Whether this evaluation is better by `metric` (bleu or loss); by loss if BLEU is equal, as in the first
        epochs.

        Without validation examples, the later evaluation is better.
        """
        if self.valid_loss is None or other.valid_loss is None:
            return self.epoch > other.epoch
        if metric == "bleu" and self.valid_bleu is not None and self.valid_bleu != other.valid_bleu:
            return other.valid_bleu is None or self.valid_bleu > other.valid_bleu
        return self.valid_loss < other.valid_loss


def best_of(curve: Sequence[Evaluation], metric: str) -> Evaluation | None:
    """The evaluation whose model is kept: the best, or the first of equal ones."""
    best: Evaluation | None = None
    for row in curve:
        if best is None or row.better(best, metric):
            best = row
    return best


@dataclass(frozen=True)
class Saved:
    """The content of a checkpoint besides tensors: loss and number of tokens of the epoch so far, and the curve."""

    step: int = 0
    loss: float = 0.0
    tokens: float = 0.0
    curve: tuple[Evaluation, ...] = ()


class Checkpoints:
    """The checkpoints of one training with one `key`, in a folder of their own below `root`, named after the key.

    Checkpoints of other keys (other settings, texts or code) lie beside them and are never touched: if a key comes
    back, its training continues from its own. transformers' Trainer writes a checkpoint as a folder; it counts as
    complete once it is flushed to disk and whole.json lists its files with their sizes. curve.json has the
    evaluations of all steps: training again from an earlier step gives the same ones.
    """

    def __init__(self, root: str | Path, key: str) -> None:
        self.root = Path(root)
        self.folder = self.root / hashlib.sha256(key.encode()).hexdigest()[:DIGITS]

    @property
    def set_aside(self) -> list[Path]:
        """The other folders in `root`: checkpoints of other keys."""
        return sorted(path for path in self.root.glob("[!.]*") if path != self.folder)

    def path(self, step: int) -> Path:
        return self.folder / f"{PREFIX}{step}"

    def finish(self, step: int, loss: float, tokens: float) -> None:
        """Mark the checkpoint after `step` steps as complete, with the loss and tokens of the epoch so far."""
        folder = self.path(step)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for path in (*files, *filter(Path.is_dir, folder.rglob("*")), folder):
            _to_disk(path)
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
        tables.write_text(folder / WHOLE, json.dumps({"loss": loss, "tokens": tokens, "files": sizes}) + "\n")
        _to_disk(folder)
        _to_disk(self.folder)

    def note(self, curve: Sequence[Evaluation]) -> None:
        """Save the evaluations so far."""
        tables.write_text(self.folder / CURVE, json.dumps([asdict(row) for row in curve], indent=1) + "\n")

    def is_whole(self, step: int) -> bool:
        return self._marked(step) is not None

    def keep(self, step: int, best: Evaluation | None) -> None:
        """Remove all checkpoints of this key except the one after `step` steps and the best one."""
        for other in self._steps():
            if other not in (step, best.step if best else step):
                shutil.rmtree(self.path(other), ignore_errors=True)

    def newest(self, metric: str) -> Saved:
        """The newest complete checkpoint whose best one is complete, too, or step 0; removes the key's other ones."""
        evaluations = self._curve()
        for step in sorted(self._steps(), reverse=True):
            curve = tuple(row for row in evaluations if row.step <= step)
            best, marked = best_of(curve, metric), self._marked(step)
            if marked and (best is None or self.is_whole(best.step)):
                self.keep(step, best)
                measured = (
                    bool(curve) and curve[-1].step == step
                )  # the epoch is over: the sums of the next one begin at 0
                return Saved(step, *((0.0, 0.0) if measured else marked), curve)
            shutil.rmtree(self.path(step), ignore_errors=True)
        return Saved()

    def remove(self) -> None:
        """Remove the checkpoints of this key, and `root` if nothing else is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):  # it is not empty, or was never made
            self.root.rmdir()

    def _marked(self, step: int) -> tuple[float, float] | None:
        """Loss and tokens of a checkpoint; None if it is incomplete."""
        folder = self.path(step)
        try:
            marked = json.loads((folder / WHOLE).read_text(encoding="utf-8"))
            if any((folder / name).stat().st_size != size for name, size in marked["files"].items()):
                return None
            return float(marked["loss"]), float(marked["tokens"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _curve(self) -> list[Evaluation]:
        try:
            return [
                Evaluation(**row) for row in json.loads((self.folder / CURVE).read_text(encoding="utf-8"))
            ]
        except (OSError, ValueError, TypeError):
            return []

    def _steps(self) -> list[int]:
        return [
            int(path.name.removeprefix(PREFIX)) for path in self.folder.glob(f"{PREFIX}*") if path.is_dir()
        ]


def _to_disk(path: Path) -> None:
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
