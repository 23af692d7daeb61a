"""The settings of stage train: config blocks train.*. Sections are those of Cultural Adaptation of Recipes."""

from typing import Annotated, Literal

from wokflow.frame.settings import (
    Block,
    Content,
    Field,
    Folder,
    Model,
    Never,
    Settings,
    Text,
    from_rule,
)


class GoldSettings(Settings):
    """Test sets of adaptations by people. Their sources, and recipes of the same dishes, are kept out of training."""

    zh_en: Content[Text | None] = Field(None, alias="zh-en")
    """Gold set Chinese to English: a tab-separated table as described in resources/gold/README.md."""
    en_zh: Content[Text | None] = Field(None, alias="en-zh")
    """Gold set English to Chinese."""


class PublishedSettings(Settings):
    """The data of the first paper in place of this run's own pairs: for each direction a folder with train.jsonl and
    val.jsonl, from which models learn, and perhaps test.jsonl, the silver test set (docs/runs.md).
    """

    zh_en: Folder[Text | None] = Field(None, alias="zh-en")
    """Folder of Chinese to English."""
    en_zh: Folder[Text | None] = Field(None, alias="en-zh")
    """Folder of English to Chinese."""


class PairsSettings(Settings):
    published: Folder[Text | None] = from_rule()
    """The published data of the direction."""


class RecipesSettings(Settings):
    most: int | None = Field(None, ge=1)
    """Most recipes that runs of data counterfactual learn from; null: all."""
    valid: float = Field(0.01, gt=0, lt=1)
    """Share of these recipes that is used for validation."""
    seed: int = Field(13, ge=0)
    """Seed of the draw."""


class Lora(Block):
    rank: int = Field(default=0, ge=0)
    """Rank of LoRA's matrices; 0: the whole model is trained."""
    alpha: int = Field(default=32, ge=1)
    """Scale of LoRA's matrices."""
    dropout: float = Field(default=0.05, ge=0, lt=1)
    """Dropout before LoRA's matrices."""
    targets: tuple[Text, ...] | None = None
    """Names of the layers that get LoRA's matrices; null: all linear layers."""
    base: Literal["auto", "float32", "bfloat16", "nf4"] = "auto"
    """Precision of the frozen weights: `auto` is the precision of the arithmetic, `nf4` has 4 bits (QLoRA)."""


class Small(Block):
    width: int = Field(default=64, ge=8)
    """Width of the model `small`, which is made from scratch."""
    layers: int = Field(default=2, ge=1)
    """Number of its layers (in encoder and decoder each)."""
    heads: int = Field(default=2, ge=1)
    """Number of its attention heads."""
    vocabulary: int = Field(default=2000, ge=300)
    """Number of its subwords, learnt from the examples."""


class ModelSettings(Settings):
    """How models are trained. A row of the table of runs may override each key, as in model.epochs=5."""

    family: Literal["seq2seq", "causal"] = from_rule()
    base: Model[Text | None] = from_rule()
    """The model that training starts from; None: a model of size `small` with random weights."""
    languages: tuple[Text, Text] | None = from_rule()
    """Languages of source and target, for tokenizers that need them (mBART50, NLLB). None: recipes are learnt by
    their dish.
    """
    prompt: Content[Text | None] = from_rule()
    """The prompt that a causal model learns to answer."""
    chat: Literal["auto", "never"] = from_rule()
    """Whether the model is asked through its chat template, if it has one."""
    seed: int = from_rule()
    batch: int = Field(64, ge=1)
    """Examples of a step of the optimizer, on all devices together (Cultural Adaptation of Recipes, section 6.1: 64
    for MT-ft, 32 for mT5 and mBART50).
    """
    device_batch: Never[Annotated[int, Field(ge=1)] | Literal["auto"]] = 8
    """Most examples that a device holds at once; gradients are accumulated up to `batch`. `auto`, for a single
    process only, starts with all of them; whenever memory does not suffice, it goes on from the last checkpoint with
    half as many.
    """
    max_tokens: int = Field(512, ge=8)
    """Longer texts are cut (section 6.1)."""
    packing: bool = False
    """Causal models: several short texts share a row without seeing each other; a step has `batch` rows. Models that
    cannot do this are refused.
    """
    epochs: int = Field(30, ge=1)
    """Most passes over the examples (section 6.1)."""
    patience: int = Field(5, ge=1)
    """Training stops after this many epochs without a better score on the validation set (section 6.1)."""
    metric: Literal["auto", "bleu", "loss"] = "auto"
    """The score that decides which epoch is best. `auto`: BLEU if at least 200 validation sources are decoded
    (valid_most), else the loss, since BLEU of few texts is noise. Runs of data counterfactual always use the loss.
    """
    valid_most: int = Field(200, ge=1)
    """Most validation sources that are decoded for BLEU in each epoch."""
    valid_beams: int = Field(1, ge=1, le=64)
    """Number of beams for decoding them; 1 is fastest."""
    learning_rate: float = Field(0.0001, gt=0)
    """Greatest learning rate (section 6.1)."""
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    """How the learning rate falls to 0, linearly or as a cosine; or it stays constant (our choice; the paper does not
    say).
    """
    warmup: float = Field(0.05, ge=0, lt=1)
    """Share of the steps, at the beginning, in which the learning rate rises (our choice)."""
    weight_decay: float = Field(0.01, ge=0)
    """Weight decay of AdamW (our choice)."""
    clip: float = Field(1, gt=0)
    """Greatest norm of the gradient (our choice)."""
    dropout: float | None = Field(None, ge=0, lt=1)
    """Dropout rate; null: that of the model."""
    label_smoothing: float = Field(0, ge=0, lt=1)
    """Label smoothing."""
    loss_on: Literal["auto", "all", "target"] = "auto"
    """Causal models: whether the whole text or only the part after the source has a loss. `auto`: target if the model
    is asked through a chat template, else all.
    """
    save_minutes: Never[float] = Field(15, gt=0)
    """A checkpoint is saved after each epoch, and when the last one is this old."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Precision of the arithmetic: `auto` is bfloat16 on a GPU that supports it, else float32."""
    device: Never[Literal["auto", "cpu", "cuda"]] = "auto"
    """Device: `auto` uses GPUs if there are any."""
    processes: Never[int] = Field(1, ge=1)
    """Processes per node: one for each GPU of the job. Steps have the same examples; rounding and the draws of
    dropout differ.
    """
    nodes: Never[int] = Field(1, ge=1)
    """Number of nodes, under Slurm; each runs `processes` processes."""
    shard: Never[bool] = False
    """Causal models: shard weights, gradients and optimizer across the processes (FSDP2), for models that one GPU
    cannot train.
    """
    gradient_checkpointing: Never[bool] = False
    """Recompute activations in the backward pass, which saves memory and costs time."""
    compile: Never[bool] = False
    """Compile the model first (torch.compile): takes some minutes, then steps are faster."""
    trackers: Never[tuple[Annotated[str, Field(pattern="^[a-z_]+$")], ...]] = ("tensorboard",)
    """Trackers of live curves: `tensorboard` writes to logs/train_model/tensorboard; others of transformers, such as
    wandb and mlflow, if installed.
    """
    remote_code: bool = False
    """Run code that comes with a model. Only for models that you trust."""
    revision: str | None = None
    """Branch, tag or commit of the model on the hub."""
    lora: Lora = Lora()
    small: Small = Small()
