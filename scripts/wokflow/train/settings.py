"""The settings of a training: config block train.model, which a run may override."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wokflow.models.decoding import Decoding, Family, Lang


@dataclass(frozen=True)
class Small:
    """The size of a model that is made from scratch; `vocabulary` is the most tokens that its tokenizer has."""

    width: int = 256
    layers: int = 3
    heads: int = 4
    vocabulary: int = 8000


@dataclass(frozen=True)
class Lora:
    """Low-rank adapters in place of training all weights; `rank` 0: off. `targets` None: all linear layers."""

    rank: int = 0
    alpha: int = 32
    dropout: float = 0.05
    targets: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Fit:
    """How a model learns.

    `batch` examples make one step, on all devices together; at most `device_batch` of them are on a device at once.
    `max_tokens` bounds a source and a target, each. Each epoch ends with an evaluation. Training ends after
    `epochs`, or after `patience` evaluations without a better `metric`, and the best model is kept. At most
    `valid_most` sources are decoded for BLEU. `learning_rate` is reached after the share `warmup` of all steps.
    `clip` bounds the norm of the gradient. `dropout` None: the model's own. A checkpoint is saved at least every
    `save_minutes`.
    """

    batch: int = 64
    device_batch: int = 8
    max_tokens: int = 512
    epochs: int = 30
    patience: int = 5
    metric: Literal["bleu", "loss"] = "bleu"
    valid_most: int = 200
    learning_rate: float = 1e-4
    schedule: Literal["linear", "constant"] = "linear"
    warmup: float = 0.05
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float | None = None
    label_smoothing: float = 0.0
    loss_on: Literal["all", "target"] = "all"
    save_minutes: float = 10.0
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    device: str = "auto"
    gradient_checkpointing: bool = False
    remote_code: bool = False
    lora: Lora = Lora()
    small: Small = Small()


def fit_settings(block: Mapping[str, Any]) -> Fit:
    """Settings from plain values, as config and JSON have them."""
    values = dict(block)
    lora, small = dict(values.pop("lora", {})), values.pop("small", {})
    if lora.get("targets") is not None:
        lora["targets"] = tuple(lora["targets"])
    return Fit(**values, lora=Lora(**lora), small=Small(**small))


@dataclass(frozen=True)
class Task:
    """One training: its files, its run, and everything that it depends on.

    `examples` is a table (train/examples), `out` the folder of the model, `checkpoints` the folder of checkpoints;
    only those of the same `key` are continued. `model` is `small` (random weights), a folder, or a name on the
    Hugging Face hub at `revision`. `languages` of source and target are set in tokenizers that need them (mBART50,
    NLLB). `decoding` is for the validation sources. `minutes` is the time limit of the job. `threads` are those of
    a process on CPUs; None: PyTorch's choice.
    """

    examples: str
    out: str
    checkpoints: str
    run: str
    family: Family
    model: str
    revision: str | None
    languages: tuple[Lang, Lang] | None
    seed: int
    settings: Fit
    decoding: Decoding
    key: str
    minutes: float | None = None
    threads: int | None = None


def task_settings(values: Mapping[str, Any]) -> Task:
    """A task from plain values, as `dataclasses.asdict` and JSON have them."""
    languages = values["languages"]
    made = {
        "settings": fit_settings(values["settings"]),
        "decoding": Decoding(**values["decoding"]),
        "languages": languages and tuple(languages),
    }
    return Task(**{**values, **made})
