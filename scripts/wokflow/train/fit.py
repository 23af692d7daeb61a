"""The training loop: epochs of steps, an evaluation after each, checkpoints, and an end by patience or time."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl

from wokflow.frame.job import Progress, UserError
from wokflow.train.batches import Batch, Indices, ahead, collate, learnt, plan, shares
from wokflow.train.checkpoints import Checkpoints, Evaluation, State
from wokflow.train.encoded import Encoded
from wokflow.train.learner import Learner, learning_rate
from wokflow.train.settings import Task
from wokflow.train.stopping import Stop
from wokflow.train.validation import choose_sources, valid_bleu, valid_loss

Item = TypeVar("Item")


class StoppedError(UserError):
    """Training was told to stop, and has saved a checkpoint."""


class TimeOverError(StoppedError):
    """The time of the job was over; the checkpoint is further than that which training began with."""


@dataclass
class Meter:
    """Seconds spent in steps, seconds of these spent waiting for data, and tokens of sources and targets."""

    seconds: float = 0.0
    waited: float = 0.0
    tokens: int = 0

    def __str__(self) -> str:
        rate = self.tokens / max(self.seconds, 1e-9)
        return f"{rate:,.0f} tokens/s, {100 * self.waited / max(self.seconds, 1e-9):.1f} % waiting for data"


@dataclass
class Training:
    """One process's part in a training; all processes go through the same steps."""

    task: Task
    learner: Learner
    tokenizer: Any
    train: Encoded
    valid: Encoded
    valid_rows: pl.DataFrame
    checkpoints: Checkpoints
    stop: Stop
    progress: Progress | None = None

    def __post_init__(self) -> None:
        settings = self.task.settings
        self._per_epoch = -(-len(self.train) // settings.batch)
        self._steps = self._per_epoch * settings.epochs
        positions = getattr(self.learner.model.config, "max_position_embeddings", None)
        self._shape = {
            "pad": self.tokenizer.pad_token_id,
            "most": positions,
            "on_target_only": settings.loss_on == "target",
        }
        self._sources = choose_sources(self.valid_rows, settings.valid_most)
        self._state = State()
        self._began = self._state.progress
        self._meter = Meter()
        self._saved = time.monotonic()

    def run(self) -> State:
        """Train from the last checkpoint to the end, and load the best weights. Raises StoppedError."""
        self._resume()
        first = self._state.step
        self._began = self._state.progress
        while not self._ended():
            if self._state.step == self._per_epoch * (len(self._state.curve) + 1):
                self._evaluate()
            else:
                self._epoch(first)
        best = self._state.best(self.task.settings.metric)
        assert best is not None
        self.learner.load(self.checkpoints.tensors(best.step), weights_only=True)
        self._report(best)
        return self._state

    def _resume(self) -> None:
        from accelerate.utils import broadcast_object_list

        main = self.learner.process == 0
        found = [self.checkpoints.newest(self.task.settings.metric) if main else None]
        broadcast_object_list(found)
        if set_aside := ", ".join(map(str, self.checkpoints.set_aside)):
            self._say(
                f"checkpoints of other settings, texts or code, which are kept and not used: {set_aside}"
            )
        if found[0] is None:
            return
        self._state = found[0]
        self.learner.load(self.checkpoints.tensors(self._state.step))
        self._say(f"going on from the checkpoint after step {self._state.step}")

    def _ended(self) -> bool:
        curve, settings = self._state.curve, self.task.settings
        best = self._state.best(settings.metric)
        stale = len(curve) - best.epoch if best else 0
        return len(curve) >= settings.epochs or stale >= settings.patience

    def _epoch(self, first: int) -> None:
        """Do the steps of this epoch that are not done yet."""
        settings, state = self.task.settings, self._state
        epoch = len(state.curve)
        steps = plan(self.train.lengths, settings.batch, self.task.seed, epoch)
        todo = steps[state.step - epoch * self._per_epoch :]
        lengths = self.train.lengths
        for examples, parts in self._timed(ahead(todo, self._make)):
            start = time.monotonic()
            due = self.learner.process == 0 and start - self._saved >= 60 * settings.save_minutes
            tokens = max(1, self._learnt(examples))
            rate = learning_rate(settings, state.step, self._steps)
            loss, (stop, due) = self.learner.step(parts, tokens, state.step, rate, (self.stop.now, due))
            state.step, state.loss, state.tokens = state.step + 1, state.loss + loss, state.tokens + tokens
            took = time.monotonic() - start
            self.stop.took("step", took)
            self._meter.seconds += took
            self._meter.tokens += int(lengths[examples].sum())
            if self.progress:
                said = f"step {state.step} of {self._steps} at most: loss {loss / tokens:.4f}, {self._meter}"
                self.progress(state.step - first, said, of=self._steps - first)
            if stop or due or state.step == self._per_epoch * (epoch + 1):
                self._save()
            if stop:
                raise self._stopped()

    def _timed(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items; the time until each one comes is counted as waiting."""
        iterator = iter(items)
        while True:
            start = time.monotonic()
            try:
                item = next(iterator)
            except StopIteration:
                return
            waited = time.monotonic() - start
            self._meter.waited += waited
            self._meter.seconds += waited
            yield item

    def _make(self, examples: Indices) -> tuple[Indices, list[Batch]]:
        """A step's examples, and the tensors of this process's share of them."""
        parts = shares(
            examples, self.task.settings.device_batch, self.learner.processes, self.learner.process
        )
        return examples, [collate(self.train, part, self.task.family, **self._shape) for part in parts]

    def _learnt(self, examples: Indices) -> int:
        shape = {name: self._shape[name] for name in ("most", "on_target_only")}
        return learnt(self.train, examples, self.task.family, **shape)

    def _evaluate(self) -> None:
        """Evaluate, and add a row to the curve. The checkpoint of this step has been saved before."""
        state = self._state
        loss, score = self._scores() if len(self.valid) else (None, None)
        rate = learning_rate(self.task.settings, state.step - 1, self._steps)
        mean = state.loss / state.tokens
        state.curve.append(Evaluation(len(state.curve) + 1, state.step, mean, loss, score, rate))
        state.loss, state.tokens = 0.0, 0
        if self.learner.process == 0:
            self.checkpoints.update(state, self.task.settings.metric)
        self.learner.accelerator.wait_for_everyone()
        self._say(f"epoch {len(state.curve)}: training loss {mean:.4f}, {_measured(loss, score)}")

    def _scores(self) -> tuple[float, float | None]:
        """Validation loss and, if it is the metric, BLEU. Raises StoppedError."""
        task = self.task
        loss = valid_loss(
            self.learner,
            self.valid,
            task.family,
            self.stop,
            device_batch=task.settings.device_batch,
            **self._shape,
        )
        score = None
        if loss is not None and task.settings.metric == "bleu":
            score = valid_bleu(
                self.learner, self.tokenizer, self._sources, task.family, task.decoding, self.stop
            )
        if loss is None or (score is None and task.settings.metric == "bleu"):
            raise self._stopped()
        return loss, score

    def _save(self) -> None:
        start = time.monotonic()
        if self.learner.process == 0:
            self.checkpoints.save(self._state, self.learner.tensors())
            self.checkpoints.keep(self._state, self.task.settings.metric)
        self.learner.accelerator.wait_for_everyone()
        self._saved = time.monotonic()
        self.stop.took("save", self._saved - start)

    def _stopped(self) -> StoppedError:
        what = (
            f"Training of {self.task.run} was stopped before its end; saved at step {self._state.step} of "
            f"{self._steps} at most."
        )
        if self.stop.told:
            return StoppedError(f"{what} Run again to go on.")
        if self._state.progress > self._began:
            return TimeOverError(what)
        return StoppedError(
            f"{what} Its time was over before one step, or the evaluation after an epoch, was done: give its job "
            "more time, such as --set-resources train_model:runtime=1200 (minutes)."
        )

    def _report(self, best: Evaluation) -> None:
        weights = sum(value.numel() for value in self.learner.model.parameters())
        work = 6 * weights * self._meter.tokens
        self._say(f"best: epoch {best.epoch}, {_measured(best.valid_loss, best.valid_bleu)}")
        if self._meter.seconds:
            self._say(
                f"{self._meter}; 6 x {weights:,} weights x {self._meter.tokens:,} tokens = {work:.3g} operations "
                f"in {self._meter.seconds:.1f} s of steps: {work / self._meter.seconds:.3g} a second"
            )

    def _say(self, text: str) -> None:
        if self.progress:
            self.progress.say(text)


def _measured(loss: float | None, bleu: float | None) -> str:
    if loss is None:
        return "no validation examples"
    return f"validation loss {loss:.4f}" + ("" if bleu is None else f", BLEU {bleu:.2f}")
