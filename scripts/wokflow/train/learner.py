"""A model with its optimizer, on one device or several: a step, a loss, and what a checkpoint holds."""

import hashlib
import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from wokflow.frame.job import UserError
from wokflow.models.decoding import Family
from wokflow.models.devices import find_device, use_bfloat16
from wokflow.train.batches import IGNORED, Batch
from wokflow.train.settings import Fit, Lora

if TYPE_CHECKING:
    from torch import Tensor

MEMORY = ("out of memory", "can't allocate memory")


class Learner:
    """Trains `model`. All processes must call `step` and `sum` in the same order."""

    def __init__(self, model: Any, family: Family, settings: Fit, seed: int) -> None:
        import torch
        from accelerate import Accelerator, DistributedDataParallelKwargs

        place = find_device(settings.device)
        self.accelerator = Accelerator(
            cpu=place.type == "cpu",
            mixed_precision="bf16" if use_bfloat16(settings.precision, place) else "no",
            kwargs_handlers=[DistributedDataParallelKwargs(broadcast_buffers=False)],  # they do not change
        )
        self.processes: int = self.accelerator.num_processes
        self.process: int = self.accelerator.process_index
        self._family, self._settings, self._seed = family, settings, seed
        if settings.dropout is not None:
            set_dropout(model, settings.dropout)
        if settings.gradient_checkpointing:
            model.activation_checkpointing_enable({"use_reentrant": False})
        self.model = with_adapters(model, settings.lora, family, seed) if settings.lora.rank else model
        self._wrapped = self.accelerator.prepare(self.model)
        self.trained = {name: value for name, value in self.model.named_parameters() if value.requires_grad}
        matrices = [value for value in self.trained.values() if value.dim() > 1]
        others = [value for value in self.trained.values() if value.dim() <= 1]
        groups = [
            {"params": matrices, "weight_decay": settings.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        self._optimizer = torch.optim.AdamW(groups, lr=settings.learning_rate)

    def step(
        self, parts: Sequence[Batch], tokens: int, number: int, rate: float, votes: Sequence[bool]
    ) -> tuple[float, list[bool]]:
        """Learn from this process's parts of a step; (sum of the losses, whether any process votes for each thing).

        `tokens` is the number of tokens with a loss in all processes. Dropout depends on seed, step `number`
        and process alone. Raises UserError if the loss is not finite, or memory does not suffice.
        """
        import torch

        drawn = hashlib.sha256(f"{self._seed} {number} {self.process}".encode()).digest()
        torch.manual_seed(int.from_bytes(drawn[:7]))
        self._wrapped.train()
        summed = torch.zeros((), device=self.accelerator.device)
        try:
            for place, part in enumerate(parts):
                last = place == len(parts) - 1
                with nullcontext() if last else self.accelerator.no_sync(self._wrapped):
                    loss = self._loss(self._wrapped, part, self._settings.label_smoothing)
                    self.accelerator.backward(loss * (self.processes / tokens))
                summed += loss.detach()
        except RuntimeError as error:  # that of a full GPU is one
            if any(words in str(error) for words in MEMORY):
                raise UserError(_memory(self._settings)) from error
            raise
        total, *voted = self.sum([summed, *votes])
        if not math.isfinite(total):
            raise UserError(
                f"The loss of step {number + 1} is {total}: training has diverged. Try a lower learning_rate, a "
                "longer warmup, or precision float32 (train.model; for one run: its column settings)."
            )
        self.accelerator.clip_grad_norm_(self._wrapped.parameters(), self._settings.clip)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        self._optimizer.zero_grad()
        return total, [bool(count) for count in voted]

    def loss(self, part: Batch) -> float:
        """The sum of the losses of the tokens of `part`, in this process alone, without learning."""
        import torch

        self.model.eval()
        with torch.inference_mode():
            return float(self._loss(self.model, part, 0.0))

    def sum(self, values: Sequence[Any]) -> list[float]:
        """Each value, summed over all processes."""
        import torch

        flat = torch.stack([torch.as_tensor(value, dtype=torch.float64).cpu() for value in values])
        found: list[float] = self.accelerator.reduce(flat.to(self.accelerator.device), "sum").tolist()
        return found

    def tensors(self) -> dict[str, Any]:
        """What a checkpoint holds: trained weights by name, and the optimizer's state."""
        weights = {name: value.detach() for name, value in self.trained.items()}
        return {"weights": weights, "optimizer": self._optimizer.state_dict()}

    def load(self, tensors: dict[str, Any], *, weights_only: bool = False) -> None:
        """Load the weights of a checkpoint and, unless `weights_only`, the optimizer's state."""
        import torch

        with torch.no_grad():
            for name, value in self.trained.items():
                value.copy_(tensors["weights"][name])
        if not weights_only:
            self._optimizer.load_state_dict(tensors["optimizer"])

    def _loss(self, network: Any, part: Batch, smoothing: float) -> "Tensor":
        import torch

        batch = {name: value.to(self.accelerator.device) for name, value in part.items()}
        labels = batch.pop("labels")
        if self._family == "seq2seq":
            start = getattr(self.model, "prepare_decoder_input_ids_from_labels", None)
            batch |= {"decoder_input_ids": start(labels=labels)} if start else {"labels": labels}
        logits = network(**batch, use_cache=False).logits
        if self._family == "causal":
            logits, labels = logits[:, :-1], labels[:, 1:]
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(),
            labels.flatten(),
            ignore_index=IGNORED,
            reduction="sum",
            label_smoothing=smoothing,
        )


def learning_rate(settings: Fit, step: int, steps: int) -> float:
    """The rate of a step (from 0) of `steps`: linear warmup, then constant or linear down to 0."""
    warmup = round(settings.warmup * steps)
    if step < warmup:
        return settings.learning_rate * (step + 1) / (warmup + 1)
    if settings.schedule == "constant":
        return settings.learning_rate
    return settings.learning_rate * (steps - step) / max(1, steps - warmup)


def set_dropout(model: Any, share: float) -> None:
    """Set the rate of the dropouts of a model; those that are off stay off."""
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = share if module.p else 0.0
        for name in ("dropout", "attention_dropout", "activation_dropout", "dropout_rate"):
            if isinstance(value := getattr(module, name, None), float) and value:
                setattr(module, name, share)


def with_adapters(model: Any, lora: Lora, family: Family, seed: int) -> Any:
    """The model with low-rank adapters, which alone are trained. Raises UserError if no layer takes them."""
    import torch
    from peft import LoraConfig, TaskType, get_peft_model

    torch.manual_seed(seed)
    config = LoraConfig(
        task_type=TaskType.SEQ_2_SEQ_LM if family == "seq2seq" else TaskType.CAUSAL_LM,
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets) if lora.targets else "all-linear",
    )
    try:
        return get_peft_model(model, config)
    except ValueError as error:
        raise UserError(f"train.model.lora: {error}") from error


def _memory(settings: Fit) -> str:
    return (
        f"Memory does not suffice for device_batch {settings.device_batch} and max_tokens {settings.max_tokens}. "
        "Lower device_batch (the effective batch and the result stay), set gradient_checkpointing: true, or take a "
        "device with more (train.model; for one run: its column settings)."
    )
