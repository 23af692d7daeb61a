"""The settings of stage generate: config blocks generate.*. Sections are those of Cultural Adaptation of Recipes."""

from typing import Annotated, Any, Literal

from wokflow.frame.settings import (
    AsWritten,
    Block,
    Content,
    Field,
    Folder,
    Model,
    Never,
    RuleOnly,
    Settings,
    Text,
    When,
    borrowed,
    from_rule,
)


class BaselinesSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    seed: int = Field(13, ge=0)
    """Seed of the draw of recipes of the target dish."""


class InstancesSettings(Settings):
    simplified: bool = borrowed("ingest.recipes.simplified")
    gold: Content[Text | None] = from_rule()
    """The gold set of the direction."""
    published: Folder[Text | None] = from_rule()
    """The published data of the direction."""


class ItemsSettings(Settings):
    """Instances of runs on sentences: those of enrich/sentences."""

    exemplars: int = Field(0, ge=0)
    """Sentences of each source that are held out of the instances of all runs, for prompts to show. No other
    sentence mentions their items.
    """
    seed: int = Field(13, ge=0)
    """Seed of their choice."""
    corpus: str = from_rule()
    """The source of sentences."""
    pair: str = from_rule()
    """Its languages, as en-zh."""


class DialoguesSettings(Settings):
    """Dialogues that runs adapt within their language, for people of another culture: docs/dialogues.md."""

    culture: Text = "India"
    """The country that dialogues are adapted for."""
    people: Text = "Indian"
    """The adjective of that country in prompts: Indian culture."""
    exemplars: Content[Text] = "resources/dialogues/exemplars.txt"
    """The dialogues, with their adaptations, that prompts show: a text file. The default is for India."""


class AdaptationsSettings(Settings):
    """Which answers of models adapt a dialogue utterance by utterance."""

    renamed: bool = True
    """Whether speakers may get other names, each one name throughout. They are counted in any case."""
    certain: float = Field(0.99, gt=0, le=1)
    """An adaptation is left out if it is in another language than English with at least this probability."""


Shots = Annotated[
    int,
    Field(
        ge=0,
        description="Exemplars before the prompt, in runs on sentences whose model is told what to do: the first "
        "ones of those that generate.items.exemplars holds out.",
    ),
]
GpuMemory = Annotated[
    Never[float],
    Field(gt=0, le=1, description="Backend vllm: share of a GPU's memory that it takes."),
]


class DecodeSettings(Settings):
    """How models of the families seq2seq and causal write. A row of the table of runs may set each key for itself,
    as decode.beams=1.
    """

    run: str = from_rule()
    family: Literal["seq2seq", "causal"] = from_rule()
    model: Model[str] = from_rule()
    """A name on the hub, a folder, or run: and the name of the run that trains it."""
    languages: tuple[str, str] | None = from_rule()
    """Those of source and target, where they differ."""
    prompt: Content[str | None] = from_rule()
    """The file of the run's prompt."""
    seed: int = from_rule()
    """The run's."""
    backend: Literal["transformers", "vllm"] = "transformers"
    """What runs the model. `vllm` is many times as quick for causal models, and knows no beams, repetition_penalty
    and no_repeat_ngram (set 1, 1 and 0).
    """
    beams: int = Field(3, ge=1, le=64)
    """Beams of the search (Cultural Adaptation of Recipes, section 6.1)."""
    repetition_penalty: float = Field(1.2, gt=0)
    """Penalty on words that were written before (section 6.1); 1 is none."""
    no_repeat_ngram: int = Field(5, ge=0)
    """No sequence of this many subwords occurs twice (section 6.1); 0 allows repetition."""
    max_source_tokens: int = Field(512, ge=1)
    """Longer sources are cut."""
    max_tokens: int = Field(512, ge=1)
    """Longest text that is written."""
    chat: Literal["auto", "never"] = "auto"
    """`auto`: a causal model with a prompt is trained and asked through its tokenizer's chat template, if it has one.
    `never`: the model continues the prompt's text.
    """
    shots: Shots = 0
    temperature: float | None = Field(None, gt=0)
    """Draw words at this temperature; null takes the likeliest."""
    batch: int = Field(16, ge=1)
    """Texts at once, of like length."""
    device: Never[Literal["auto", "cpu", "cuda"]] = "auto"
    """Where: `auto` takes a GPU where there is one."""
    gpus: Never[int] = Field(1, ge=1)
    """Backend vllm: GPUs that the model is divided among, and that a job asks for."""
    gpu_memory: GpuMemory = 0.9
    python: Never[Text | None] = None
    """Backend vllm: the Python of an environment that has vLLM, such as /envs/vllm/bin/python; null: the job's
    own.
    """
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic: `auto` takes bfloat16 on a GPU that has it; with vllm, what the model says of itself, in 16
    bits.
    """
    remote_code: bool = False
    """Run code that comes with a model. Only for models that you trust."""
    revision: str | None = None
    """Branch, tag or commit of a model on the hub."""
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs a run. Results do not depend on it."""


class Rewriting(Block):
    """What the steps share whose causal models rewrite base recipes by a decoding of their own."""

    run: str = from_rule()
    model: Model[str] = from_rule()
    """A name on the hub, a folder, or run: and the name of the run that trains it."""
    prompt: Content[str] = from_rule()
    """The file of the run's prompt."""
    chat: Literal["auto", "never"] = from_rule()
    """As generate.decode.chat says, for the run that trains the model if there is one."""
    seed: int = from_rule()
    """The run's."""
    batch: int = Field(16, ge=1)
    """Recipes at once, of like length."""
    max_source_tokens: int = Field(512, ge=1)
    """Longer base recipes are cut after the sentence in which they reach this number of tokens."""
    device: Never[Literal["auto", "cpu", "cuda"]] = "auto"
    """Where: `auto` takes a GPU where there is one."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Arithmetic: `auto` takes bfloat16 on a GPU that has it."""
    remote_code: bool = False
    """Run code that comes with a model. Only for models that you trust."""
    revision: str | None = None
    """Branch, tag or commit of a model on the hub."""
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs a run. Results do not depend on it."""


Counts = Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)]


class DeloreanSettings(Settings, Rewriting):
    """How runs of family delorean write: passes forward, by the model, and backward, towards the base recipe (Qin et
    al. 2020). Defaults are the values of its authors for counterfactual stories; there is a candidate for each
    number of passes with each number of steps. A row of the table of runs may set each key for itself, as
    delorean.mix=0.8.
    """

    mix: float = Field(0.92, ge=0, le=1)
    """Weight of the model's logits in a forward pass; the rest of the weight is of the logits of the backward
    pass.
    """
    step: float = Field(0.0004, ge=0)
    """Length of a step backward, as a share of the norm of the logits."""
    passes: Counts = (5, 10)
    """Forward passes; a backward pass stands before each but the first."""
    backward: Counts = (5, 8, 10, 15)
    """Steps in a backward pass."""
    batch: int = Field(4, ge=1)
    """Recipes at once, of similar length; each is written once for each number of `backward`."""


Odds = Annotated[tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=3, max_length=3)]


class EducatSettings(Settings, Rewriting):
    """How runs of family educat edit: Metropolis-Hastings over the tokens of a recipe, sentence by sentence (Chen et
    al. 2021). Defaults are the values of its authors' program. A row of the table of runs may set each key for
    itself, as educat.steps=200.
    """

    steps: int = Field(100, ge=1)
    """Steps of the chain of each sentence."""
    burn_in: int = Field(60, ge=0)
    """The best of the texts accepted after so many steps, fewer than all, is taken; without one, the last text."""
    candidates: int = Field(100, ge=1)
    """Likeliest tokens that are proposed at a place."""
    odds: Odds = (0.34, 0.33, 0.33)
    """Of replacing, inserting and deleting a token."""
    cooling: float = Field(0.95, gt=0, le=1)
    """Factor of the temperature every five steps; 1 leaves it alone."""
    least: float = Field(0.1, ge=0)
    """A proposal is refused unless its probability is more than this share of the present one; 0 refuses none."""
    shortest: int = Field(2, ge=1)
    """A sentence keeps so many tokens."""
    coherence: Literal["ratio", "sigmoid", "none"] = "sigmoid"
    """The factor of a text's probability after the new dish: `ratio`, this probability divided by the one after the
    old dish (their paper); `sigmoid` of that ratio (their program); `none`.
    """
    corrected: Literal["words", "all"] = "words"
    """Which proposal probabilities acceptance corrects for: `words`, of proposing a token (their program); `all`, of
    the operation and the place too, so that the chain samples from the stated distribution.
    """


class MinedSettings(Settings, Rewriting):
    """How runs of family mined edit: what pivot.mined found is removed, renamed and inserted by rules, and the model
    chooses among the wordings and places that are left. A row of the table of runs may set each key for itself, as
    mined.insertions=5.
    """

    glossary: Text = borrowed("parse.glossary.path")
    pairs: Text = borrowed("pivot.pairs.path")
    insertions: int = Field(3, ge=0)
    """Most actions that are inserted in a recipe, the most frequent first."""


Backend = Literal["vllm", "ollama", "transformers", "command"]  # of the workflow's own server
OWN_SERVER = When("endpoint", None)
BY_COMMAND = When("generate.server.backend", "command")
BY_VLLM = When("generate.server.backend", "vllm")


class PromptSettings(Settings):
    """How models behind an OpenAI-compatible endpoint are asked. A row of the table of runs may set each key for
    itself, as prompt.temperature=0.7.
    """

    run: str = from_rule()
    model: Model[str] = from_rule()
    """What the endpoint calls it; for the workflow's own server, a name on the hub or a folder."""
    lang: str = from_rule()
    """The language that is asked for."""
    languages: tuple[str, str] | None = from_rule()
    """Those of source and target, where they differ."""
    prompt: Content[str] = from_rule()
    """The file of the run's prompt."""
    draw: int = from_rule()
    """The run's seed: runs with different seeds get different answers to the same request."""
    cache: Never[str] = from_rule()
    """The folder in which answers are kept."""
    ledger: Never[str] = from_rule()
    """The file that holds the run's costs."""
    released: Content[str | None] = from_rule()
    """A table of released answers; if given, nothing is asked."""
    # The workflow's own server, where the run asks it:
    backend: Backend | None = borrowed("generate.server.backend", OWN_SERVER)
    command: tuple[Text, ...] | None = borrowed("generate.server.command", OWN_SERVER, BY_COMMAND)
    precision: str | None = borrowed("generate.server.precision", OWN_SERVER, BY_VLLM)
    max_length: int | None = borrowed("generate.server.max_length", OWN_SERVER, BY_VLLM)
    remote_code: bool | None = borrowed("generate.server.remote_code", OWN_SERVER, BY_VLLM)
    revision: str | None = borrowed("generate.server.revision", OWN_SERVER, BY_VLLM)
    endpoint: Text | None = None
    """Base URL, such as https://api.openai.com/v1; null: a server that the workflow starts (generate.server)."""
    key_variable: Never[str | None] = Field(None, pattern="^[A-Z_][A-Z0-9_]*$")
    """Name of the environment variable that holds the key of `endpoint`; the key itself is never in the config. It
    goes to that host alone: a run with an endpoint on another host names its own. Null sends none, but to
    api.openai.com the key in OPENAI_API_KEY.
    """
    mode: Literal["chat", "completion"] = "chat"
    """`completion` is for models that continue texts, such as BLOOM."""
    system: str | None = None
    """Message of the system before the prompt."""
    temperature: AsWritten[float | None] = Field(None, ge=0)
    """Temperature; null leaves it to the endpoint, as for GPT-4 (Cultural Adaptation of Recipes, section 6.1;
    ChatGLM2: 0.7).
    """
    seed: int | None = None
    """Seed of the draw, where the endpoint knows one."""
    max_tokens: int = Field(1024, ge=1)
    """Longest answer; a request always sends it (section 6.1: 1024 of ChatGLM2; GPT-4 had its default)."""
    shots: Shots = 0
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What the endpoint calls it; newer models of OpenAI want the second."""
    parameters: dict[str, Any] = Field({})
    """Further fields of a request, sent as they are."""
    concurrency: Never[int] = Field(8, ge=1, le=1000)
    """Requests at once."""
    timeout_s: Never[float] = Field(300, gt=0)
    """Longest wait for an answer in seconds."""
    tries: Never[int] = Field(8, ge=1)
    """Tries of a request: errors of the server, timeouts and answers that were cut are tried again, after half a
    second to eight, or after the wait that the server asks for, up to two minutes.
    """
    failures: Never[int] = Field(0, ge=0)
    """Requests that may stay without an answer: after all tries, or because the endpoint does not take them."""
    again: int = Field(0, ge=0)
    """Raise it by one to repeat requests that were refused, rejected or failed, or whose answer was empty; other
    answers stay.
    """
    budget: Never[float | None] = Field(None, ge=0)
    """Money that each run, or row of judge.models, may cost over all its starts (results/generate/ledger); it stops
    before that is exceeded. Needs prices. All together may cost as many times as much.
    """
    budget_tokens: Never[int | None] = Field(None, ge=0)
    """Tokens that each run, or row of judge.models, may cost over all its starts."""
    price_in: float | None = Field(None, ge=0)
    """Price of a million tokens of prompts."""
    price_out: float | None = Field(None, ge=0)
    """Price of a million tokens of answers."""


VLLM = When("backend", "vllm")


class ServerSettings(Settings):
    """The server of prompt runs without an endpoint: started for all runs of a model, on a GPU node under Slurm, and
    ended after them. A row of the table of runs, or of that of models (judge.models), may set each key for itself, as
    server.gpus=4; rows that share a server must agree.
    """

    model: Model[str] = from_rule()
    """Of the runs that share the server."""
    backend: Backend = "vllm"
    """Program: an installed vLLM or Ollama, `transformers serve`, or `command`."""
    command: Annotated[tuple[Text, ...], When("backend", "command")] = ()
    """Backend command: an entry a word; {model}, and {socket} (a Unix socket, for servers that can listen on one)
    or {host} and {port} are filled in. The server finds a random key in the environment variables
    WOKFLOW_SERVER_KEY and VLLM_API_KEY.
    """
    precision: Annotated[Literal["auto", "float32", "float16", "bfloat16"], VLLM] = "auto"
    """Backend vllm: arithmetic; `auto` is the model's own."""
    max_length: Annotated[int | None, VLLM] = Field(None, ge=1)
    """Backend vllm: most tokens of a prompt and its answer; null: as many as the model can."""
    remote_code: Annotated[bool, VLLM] = False
    """Backend vllm: run code that comes with a model. Only for models that you trust."""
    revision: Annotated[str | None, VLLM] = None
    """Backend vllm: branch, tag or commit of a model on the hub."""
    gpu_memory: Annotated[GpuMemory, VLLM] = 0.9
    minutes: Never[float] = Field(30, gt=0)
    """Longest time until it answers."""
    gpus: Never[int] = Field(1, ge=0)
    """GPUs that its job asks for; vLLM divides the model among them."""
    memory_mb: RuleOnly[int] = Field(32000, ge=1)
    """Memory that its job asks for."""
