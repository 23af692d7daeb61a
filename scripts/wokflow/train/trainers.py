"""The trainers of transformers and TRL with our batches, exact resuming, complete checkpoints, and one validation for
any number of processes. Import inside functions: the libraries are heavy."""

import hashlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import DataLoader
from transformers import Seq2SeqTrainer, TrainerCallback
from trl.trainer.sft_trainer import SFTTrainer

from wokflow.frame.job import Progress, UserError
from wokflow.models.decoding import decode_tokens
from wokflow.train.batches import Batches
from wokflow.train.checkpoints import Checkpoints, Evaluation, Saved, best_of
from wokflow.train.examples import IGNORED, Encoded, collator
from wokflow.train.memory import parts_that_fit
from wokflow.train.stopping import Stop, StoppedError, TimeOverError
from wokflow.train.task import Task
from wokflow.train.validation import bleu, validation_decoding

if TYPE_CHECKING:
    from torch import Tensor

DECODED = 4  # batches that are decoded between two checks whether to stop


@dataclass
class Course:
    """The data and the state of a training, shared by the callback and the trainer.

    `sources` are decoded for BLEU: the token ids of each, and its references.
    """

    task: Task
    metric: str
    train: Encoded
    valid: Encoded
    sources: Sequence[tuple[list[int], Sequence[str]]]
    checkpoints: Checkpoints
    stop: Stop
    saved: Saved
    progress: Progress | None = None
    curve: list[Evaluation] = field(default_factory=list)
    stopped: bool = False

    @property
    def per_epoch(self) -> int:
        """Number of steps of an epoch."""
        return -(-len(self.train) // self.task.settings.batch)

    @property
    def steps(self) -> int:
        """Number of steps of all epochs."""
        return self.per_epoch * self.task.settings.epochs

    @property
    def best(self) -> Evaluation | None:
        return best_of(self.curve, self.metric)

    @property
    def ended(self) -> bool:
        """Whether all epochs are over, or the last ones have brought no better score for too long."""
        settings, best = self.task.settings, self.best
        stale = len(self.curve) - best.epoch if best else 0
        return len(self.curve) >= settings.epochs or stale >= settings.patience

    def say(self, text: str) -> None:
        if self.progress:
            self.progress.say(text)

    def stopped_at(self, step: int) -> StoppedError:
        """The error of a training that was stopped with a checkpoint after `step` steps."""
        run, steps = self.task.run, self.steps
        what = f"Training of {run} was stopped before its end; saved at step {step} of {steps} at most."
        if self.stop.asked:
            return StoppedError(f"{what} Run again to go on.")
        if (step, len(self.curve)) > (self.saved.step, len(self.saved.curve)):
            return TimeOverError(what)
        return StoppedError(
            f"{what} Its time was over before one step, or the evaluation after an epoch, was done: give its job "
            "more time, such as --set-resources train_model:runtime=1200 (minutes)."
        )


class Steps:
    """A mixin that Wokflow's trainers put before a library's trainer. All processes go through the same steps."""

    course: Course
    batches: Batches
    control: Any

    if TYPE_CHECKING:  # the attributes of the library's trainer

        def __getattr__(self, name: str) -> Any: ...

    def begin(self, course: Course) -> None:
        """Set the course, and the group of processes that votes."""
        self.course = course
        self.waited = 0.0  # seconds, for the batches of a step
        self._voters: Any = None
        if self.accelerator.num_processes > 1:
            wait = timedelta(seconds=self.args.ddp_timeout)
            self._voters = torch.distributed.new_group(backend="gloo", timeout=wait)

    def vote(self, *votes: bool) -> list[bool]:
        """For each of the `votes`, whether it is true in any process. Does not wait for GPUs."""
        counted = torch.tensor(votes, dtype=torch.int32)
        if self._voters is not None:
            torch.distributed.all_reduce(counted, group=self._voters)
        return [bool(count) for count in counted]

    def get_train_dataloader(self) -> Any:
        """The loader of parts, starting at the last checkpoint."""
        accelerator, course = self.accelerator, self.course
        saved, course.curve = course.saved, list(course.saved.curve)
        # Sums over this epoch, on the device. The saved sum of losses, over all processes, goes to the first process.
        self._loss: Any = saved.loss if accelerator.is_main_process else 0.0
        self._tokens: Any = saved.tokens
        self.batches = Batches(
            course.train.lengths,
            course.task.settings.batch,
            self._train_batch_size,
            course.task.settings.seed,
            processes=accelerator.num_processes,
            process=accelerator.process_index,
        )
        self.args.gradient_accumulation_steps = self.batches.rounds
        workers = self.args.dataloader_num_workers
        numbers: Any = range(len(course.train))
        return DataLoader(
            numbers,
            batch_sampler=self.batches,
            collate_fn=collator(course.train, self.data_collator),
            num_workers=workers,
            persistent_workers=workers > 0,
            pin_memory=self.args.dataloader_pin_memory,
        )

    def get_batch_samples(self, *arguments: Any) -> Any:
        start = time.monotonic()
        library: Any = super()
        batches, tokens = library.get_batch_samples(*arguments)
        self._tokens += tokens
        self.waited = time.monotonic() - start
        return batches, tokens

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> "Tensor":
        library: Any = super()
        with parts_that_fit():
            loss: Tensor = library.training_step(model, inputs, num_items_in_batch)
        self._loss += loss.double() * num_items_in_batch / self.accelerator.num_processes
        return loss

    def _run_epoch(self, *arguments: Any, **options: Any) -> None:
        library: Any = super()
        if not self.control.should_training_stop:  # the evaluation at the start may have been the last
            library._run_epoch(*arguments, **options)

    def _save_checkpoint(self, model: Any, trial: Any = None) -> None:
        library: Any = super()
        start, step = time.monotonic(), self.state.global_step
        library._save_checkpoint(model, trial)
        loss = self._summed(self._loss)
        self._loss = loss if self.accelerator.is_main_process else 0.0
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            self.course.checkpoints.finish(step, loss, float(self._tokens))
            self.course.checkpoints.keep(step, self.course.best)
        self.accelerator.wait_for_everyone()
        self.course.stop.took("save", time.monotonic() - start)

    def evaluate(self, *arguments: Any, **options: Any) -> dict[str, float]:
        """Save a checkpoint, score the model on the validation examples, and add a row to the curve.

        Raises StoppedError if training must stop meanwhile.
        """
        course, step = self.course, self.state.global_step
        if self.vote(not course.checkpoints.is_whole(step))[0]:
            self._save_checkpoint(self.model_wrapped)
        loss = self._valid_loss() if len(course.valid) else None
        score = self._valid_bleu() if course.sources else None
        mean = self._summed(self._loss) / max(1.0, float(self._tokens))
        self._loss, self._tokens = 0.0, 0.0
        course.curve.append(
            Evaluation(len(course.curve) + 1, step, mean, loss, score, self._get_learning_rate())
        )
        if self.accelerator.is_main_process:
            course.checkpoints.note(course.curve)
            course.checkpoints.keep(step, course.best)
        self.accelerator.wait_for_everyone()
        course.say(f"epoch {len(course.curve)}: training loss {mean:.4f}, {measured(loss, score)}")
        scores = {"eval_loss": loss, "eval_bleu": score, "epoch_loss": mean}
        metrics = {name: value for name, value in scores.items() if value is not None}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def _valid_loss(self) -> float:
        """The mean loss of a token over all validation examples. Raises StoppedError."""
        valid, size = self.course.valid, self._train_batch_size
        by_length = np.argsort(-valid.lengths, kind="stable")
        parts = [by_length[start : start + size].tolist() for start in range(0, len(by_length), size)]
        collate, loss, tokens = collator(valid, self.data_collator), 0.0, 0.0
        self.model.eval()
        for part in self._own(parts, []):
            with parts_that_fit(), torch.no_grad(), self.compute_loss_context_manager():
                summed, count = self.summed_loss(self._prepare_inputs(collate(part)))
            loss, tokens = loss + float(summed), tokens + float(count)
        self.model.train()
        return self._summed(loss) / max(1.0, self._summed(tokens))

    def _valid_bleu(self) -> float:
        """BLEU of the model's output for each source against its targets. Raises StoppedError."""
        from accelerate.utils import gather_object

        course, accelerator = self.course, self.accelerator
        rows, targets = zip(*course.sources, strict=True)
        order = sorted(range(len(rows)), key=lambda place: (-len(rows[place]), place))
        family, decoding = course.task.settings.family, validation_decoding(course.task.settings)
        size = DECODED * decoding.batch
        model = accelerator.unwrap_model(self.model, keep_torch_compile=False)
        outputs: list[tuple[int, str]] = []
        for part in self._own([order[start : start + size] for start in range(0, len(order), size)], []):
            with accelerator.autocast():
                tokens = [rows[place] for place in part]
                texts = decode_tokens(model, self.processing_class, tokens, family, decoding)
            outputs += zip(part, texts, strict=True)
        by_place = dict(gather_object(outputs))
        _, lang = course.task.settings.languages or ("", "zh")  # recipes by their dish are Chinese
        return bleu([by_place[place] for place in order], [targets[place] for place in order], lang)

    def _own(self, parts: Sequence[list[int]], none: list[int]) -> Iterator[list[int]]:
        """This process's share of the parts, padded with `none`. Raises StoppedError once any process must stop."""
        process, processes = self.accelerator.process_index, self.accelerator.num_processes
        for part in [*parts, *[none] * (-len(parts) % processes)][process::processes]:
            if self.vote(self.course.stop.now)[0]:
                raise self.course.stopped_at(self.state.global_step)
            yield part

    def _summed(self, value: Any) -> float:
        """The sum of a number over all processes."""
        number = torch.as_tensor(value, dtype=torch.float64, device=self.accelerator.device)
        return float(self.accelerator.reduce(number, "sum"))

    def summed_loss(self, inputs: Any) -> "tuple[Tensor, Tensor]":
        """(sum of the losses over all tokens with a label, number of these tokens) of a batch."""
        raise NotImplementedError

    def create_model_card(self, *arguments: Any, **options: Any) -> None:
        """Write no card: wokflow.train.model_card writes one."""

    def _send_telemetry(self) -> None:
        """Send nothing."""


class Seq2Seq(Steps, Seq2SeqTrainer):
    """transformers' trainer of encoder-decoder models; the loss of a step is the mean over all its tokens."""

    def summed_loss(self, inputs: Any) -> "tuple[Tensor, Tensor]":
        model: Any = self.model
        labels = inputs.pop("labels")
        return sequence_loss(model(**inputs, use_cache=False), labels, 1), (labels != IGNORED).sum()


class Causal(Steps, SFTTrainer):
    """TRL's trainer of causal models; it never holds the scores of the whole vocabulary for all tokens at once."""

    def begin(self, course: Course) -> None:
        super().begin(course)
        self._loss_shifts_labels = (
            True  # the first token has no loss, which transformers does not know of all models (GPT-2)
        )

    def summed_loss(self, inputs: Any) -> "tuple[Tensor, Tensor]":
        model: Any = self.model
        output = model(**inputs, use_cache=False, fused_lm_head=True)
        return -output.log_probs.sum(), output.label_mask.sum()


def sequence_loss(
    outputs: Any, labels: "Tensor", num_items_in_batch: Any, smoothing: float = 0.0
) -> "Tensor":
    """The summed cross-entropy of labels [rows, tokens], divided by the number of tokens in the step; in 32 bits."""
    summed: Tensor = torch.nn.functional.cross_entropy(
        outputs.logits.flatten(0, 1).float(),
        labels.flatten(),
        ignore_index=IGNORED,
        reduction="sum",
        label_smoothing=smoothing,
    )
    loss: Tensor = summed / num_items_in_batch
    return loss


def decoder_inputs(model: Any) -> Any:
    """For a collator: makes the decoder's input of labels, also for models without a method for it (NLLB)."""
    config = model.config

    def shifted(labels: "Tensor") -> "Tensor":
        moved = labels.roll(1, 1)
        moved[:, 0] = config.decoder_start_token_id
        return moved.masked_fill(moved == IGNORED, config.pad_token_id)

    own = getattr(model, "prepare_decoder_input_ids_from_labels", shifted)
    return SimpleNamespace(prepare_decoder_input_ids_from_labels=own)


class Watch(TrainerCallback):
    """Seeds steps, evaluates after epochs, saves and stops in time, and reports progress."""

    def __init__(self, trainer: Any) -> None:
        self._trainer, self._course = trainer, trainer.course
        self._saved = self._start = time.monotonic()
        self.seconds, self.waited, self.tokens = 0.0, 0.0, 0  # of steps, waiting for their batches included

    def on_train_begin(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        control.should_training_stop = self._course.ended

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        self._trainer.batches.set_epoch(state.global_step // self._course.per_epoch)

    def on_step_begin(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        """Make dropout depend on seed, step and process only, not on earlier draws."""
        self._start = time.monotonic()
        drawn = f"{self._course.task.settings.seed} {state.global_step} {args.process_index}"
        torch.manual_seed(int.from_bytes(hashlib.sha256(drawn.encode()).digest()[:7]))

    def on_step_end(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        course, now, step = self._course, time.monotonic(), state.global_step
        done = (step - 1) % course.per_epoch
        self.seconds += now - self._start + self._trainer.waited
        self.waited += self._trainer.waited
        self.tokens += int(course.train.lengths[self._trainer.batches.steps[done]].sum())
        course.stop.took("step", now - self._start)
        due = args.process_index == 0 and now - self._saved >= 60 * course.task.settings.save_minutes
        stop, due = self._trainer.vote(course.stop.now, due)
        course.stopped = stop
        control.should_evaluate = done + 1 == course.per_epoch and not stop
        control.should_save = stop or (due and not control.should_evaluate)
        control.should_training_stop = stop
        control.should_log = control.should_log or control.should_save or control.should_evaluate
        if control.should_save or control.should_evaluate:
            self._saved = now

    def on_evaluate(self, args: Any, state: Any, control: Any, **options: Any) -> None:
        control.should_training_stop = self._course.ended

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **options: Any) -> None:
        """Report progress. Raises UserError for a loss that is not finite."""
        loss = (logs or {}).get("loss")
        if loss is None:
            return
        if not math.isfinite(loss):
            raise UserError(
                f"The loss of step {state.global_step} is {loss}: training has diverged. Try a lower learning_rate, "
                "a longer warmup, or precision float32 (train.model; for one run: its column settings)."
            )
        course = self._course
        if course.progress:
            first = course.saved.step
            text = f"step {state.global_step} of {course.steps} at most: loss {loss:.4f}, {self}"
            course.progress(state.global_step - first, text, of=course.steps - first)

    def __str__(self) -> str:
        seconds = max(self.seconds, 1e-9)
        return f"{self.tokens / seconds:,.0f} tokens/s, {100 * self.waited / seconds:.1f} % waiting for data"


def measured(loss: float | None, bleu: float | None) -> str:
    """Scores of an evaluation in words."""
    if loss is None:
        return "no validation examples"
    return f"validation loss {loss:.4f}" + ("" if bleu is None else f", BLEU {bleu:.2f}")
