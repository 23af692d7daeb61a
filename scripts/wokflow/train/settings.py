"""The settings of a training: config block train.model, which a run may override. The schema has the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wokflow.generate.asking import Chat
from wokflow.models.decoding import Decoding, Family


@dataclass(frozen=True)
class Small:
    """The size of a model that is made from scratch; `vocabulary` is the most tokens that its tokenizer has."""

    width: int
    layers: int
    heads: int
    vocabulary: int


@dataclass(frozen=True)
class Lora:
    """Low-rank adapters in place of training all weights; `rank` 0: off. `targets` None: all linear layers.

    `base` is the precision of the weights below them, which do not change: auto is that of the arithmetic, nf4 has 4
    bits (QLoRA).
    """

    rank: int
    alpha: int
    dropout: float
    targets: tuple[str, ...] | None
    base: Literal["auto", "float32", "bfloat16", "nf4"]


@dataclass(frozen=True)
class Fit:
    """How a model learns; config/README.md (train.model) says what each key means."""

    batch: int
    device_batch: int | Literal["auto"]
    max_tokens: int
    packing: bool
    epochs: int
    patience: int
    metric: Literal["auto", "bleu", "loss"]
    valid_most: int
    learning_rate: float
    schedule: Literal["linear", "cosine", "constant"]
    warmup: float
    weight_decay: float
    clip: float
    dropout: float | None
    label_smoothing: float
    loss_on: Literal["auto", "all", "target"]
    save_minutes: float
    precision: Literal["auto", "float32", "bfloat16"]
    device: str
    shard: bool
    gradient_checkpointing: bool
    compile: bool
    trackers: tuple[str, ...]
    remote_code: bool
    lora: Lora
    small: Small


def fit_settings(block: Mapping[str, Any]) -> Fit:
    """Settings from plain values, as config and JSON have them."""
    values = dict(block)
    lora, small = dict(values.pop("lora")), values.pop("small")
    targets = lora.pop("targets")
    lora["targets"] = targets and tuple(targets)
    values["trackers"] = tuple(values["trackers"])
    return Fit(**values, lora=Lora(**lora), small=Small(**small))


@dataclass(frozen=True)
class Task:
    """One training: its files, its run, and everything that it depends on.

    `examples` is a table (train/examples), `out` the folder of the model, `checkpoints` the folder of checkpoints;
    only those of the same `key` are continued. `curves` is a folder for trackers that write files. `model` is `small`
    (random weights), a folder, or a name on the Hugging Face hub at `revision`. `languages` of source and target are
    set in tokenizers that need them (mBART50, NLLB). A causal model learns to answer `prompt`, a file, through its
    chat template if `chat` says so. `decoding` is for the validation sources. `minutes` is the time limit of the job.
    `threads` are those of a process on CPUs; None: PyTorch's choice.
    """

    examples: str
    out: str
    checkpoints: str
    curves: str
    run: str
    family: Family
    model: str
    revision: str | None
    languages: tuple[str, str] | None
    prompt: str | None
    chat: Chat
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
