"""The settings of stage train: config blocks train.*. Sections are those of Cultural Adaptation of Recipes."""

from typing import Annotated, Literal

from wokflow.frame.settings import Block, Content, Field, Model, Never, Settings, Text, from_rule


class GoldSettings(Settings):
    """Adaptations written for the test. Their sources, and recipes of the same dishes, are kept out of training."""

    zh_en: Content[Text | None] = Field(None, alias="zh-en")
    """Gold set Chinese to English: a table with tabs, as resources/gold/README.md says."""
    en_zh: Content[Text | None] = Field(None, alias="en-zh")
    """Gold set English to Chinese."""


class RecipesSettings(Settings):
    most: int | None = Field(None, ge=1)
    """Runs of data counterfactual learn from so many recipes at most; null takes all."""
    valid: float = Field(0.01, gt=0, lt=1)
    """Share of these recipes that validates."""
    seed: int = Field(13, ge=0)
    """Seed of the draw."""


class Lora(Block):
    rank: int = Field(default=0, ge=0)
    """Rank of LoRA's matrices; 0 trains the whole model."""
    alpha: int = Field(default=32, ge=1)
    """Their scale."""
    dropout: float = Field(default=0.05, ge=0, lt=1)
    """Their dropout."""
    targets: tuple[Text, ...] | None = None
    """Names of the layers that get them; null: all linear layers."""
    base: Literal["auto", "float32", "bfloat16", "nf4"] = "auto"
    """Precision of the weights below them: `auto` is that of the arithmetic, `nf4` has 4 bits (QLoRA)."""


class Small(Block):
    width: int = Field(default=64, ge=8)
    """The model `small`, which is made from scratch: its width."""
    layers: int = Field(default=2, ge=1)
    """Its layers (of encoder and decoder each)."""
    heads: int = Field(default=2, ge=1)
    """Its attention heads."""
    vocabulary: int = Field(default=2000, ge=300)
    """Its subwords, learnt from the examples."""


class ModelSettings(Settings):
    """How models are trained. A row of the table of runs may set each key for itself, as model.epochs=5."""

    family: Literal["seq2seq", "causal"] = from_rule()
    base: Model[Text | None] = from_rule()
    """The model that training begins with; None: one of random weights, of the size `small`."""
    languages: tuple[Text, Text] | None = from_rule()
    """Of source and target, which are set in tokenizers that need them (mBART50, NLLB). None: recipes are learnt by
    their dish.
    """
    prompt: Content[Text | None] = from_rule()
    """What a causal model learns to answer."""
    chat: Literal["auto", "never"] = from_rule()
    """Whether it is asked through its chat template, if it has one."""
    seed: int = from_rule()
    batch: int = Field(64, ge=1)
    """Examples of a step of the optimizer, on all devices together (Cultural Adaptation of Recipes, section 6.1: 64
    for MT-ft, 32 for mT5 and mBART50).
    """
    device_batch: Never[Annotated[int, Field(ge=1)] | Literal["auto"]] = 8
    """Examples that a device holds at once, at most; gradients are summed up to `batch`. `auto`, of one process
    alone, begins with all of them and takes fewer until memory suffices.
    """
    max_tokens: int = Field(512, ge=8)
    """Longer texts are cut (section 6.1)."""
    packing: bool = False
    """Causal models: short texts share a row; none sees another (a model that cannot do that is refused). A step
    then has `batch` rows.
    """
    epochs: int = Field(30, ge=1)
    """Passes over the examples, at most (section 6.1)."""
    patience: int = Field(5, ge=1)
    """Training stops after so many epochs without a better score on the validation set (section 6.1)."""
    metric: Literal["auto", "bleu", "loss"] = "auto"
    """The score that decides which epoch is best. `auto`: BLEU of at least 200 validation sources, else the loss, as
    BLEU of few texts is noise. Runs of data counterfactual take the loss.
    """
    valid_most: int = Field(200, ge=1)
    """Validation sources that are decoded for BLEU in each epoch, at most."""
    valid_beams: int = Field(1, ge=1, le=64)
    """Beams with which they are decoded; 1 is quickest."""
    learning_rate: float = Field(0.0001, gt=0)
    """Greatest learning rate (section 6.1)."""
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    """The learning rate falls to 0 in a line or as a cosine, or stays (our choice; the paper does not say)."""
    warmup: float = Field(0.05, ge=0, lt=1)
    """Share of the steps in which the learning rate rises first (our choice)."""
    weight_decay: float = Field(0.01, ge=0)
    """Weight decay of AdamW (our choice)."""
    clip: float = Field(1, gt=0)
    """Greatest norm of the gradient (our choice)."""
    dropout: float | None = Field(None, ge=0, lt=1)
    """Share of the network left out at each step; null leaves it as the model has it."""
    label_smoothing: float = Field(0, ge=0, lt=1)
    """Label smoothing."""
    loss_on: Literal["auto", "all", "target"] = "auto"
    """Causal models: learn the whole text, or only what follows the source. `auto`: only the answer in a chat, else
    all.
    """
    save_minutes: Never[float] = Field(15, gt=0)
    """A checkpoint is saved after each epoch, and when the last one is so old."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic: `auto` takes bfloat16 on a GPU that has it."""
    device: Never[Literal["auto", "cpu", "cuda"]] = "auto"
    """Where: `auto` takes GPUs where there are any."""
    processes: Never[int] = Field(1, ge=1)
    """Processes in a node: one for each GPU of the job. The steps are the same; rounding and what dropout draws
    differ.
    """
    nodes: Never[int] = Field(1, ge=1)
    """Nodes, under Slurm; each runs so many `processes`."""
    shard: Never[bool] = False
    """Causal models: share weights, gradients and optimizer out among the processes (FSDP2), where one GPU cannot
    train them.
    """
    gradient_checkpointing: Never[bool] = False
    """Trade time for memory."""
    compile: Never[bool] = False
    """Compile the model first (torch.compile): quicker steps after some minutes."""
    trackers: Never[tuple[Annotated[str, Field(pattern="^[a-z_]+$")], ...]] = ("tensorboard",)
    """Where live curves go: `tensorboard` writes to logs/train_model/tensorboard; wandb, mlflow and others of
    transformers by name, where installed.
    """
    remote_code: bool = False
    """Run code that comes with a model. Only for models that you trust."""
    revision: str | None = None
    """Branch, tag or commit of the model on the hub."""
    lora: Lora = Lora()
    small: Small = Small()
