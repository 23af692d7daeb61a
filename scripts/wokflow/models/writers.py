"""Models that write texts in batches: by transformers, or by vLLM, which keeps a GPU, or several, busy throughout."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Literal, Protocol

from wokflow.frame.job import UserError
from wokflow.frame.printed import errors_in
from wokflow.frame.processes import TEXT, program
from wokflow.frame.secrets import without_secrets
from wokflow.models import vllm_worker
from wokflow.models.decoding import Decoding, Family, cut, decode_tokens, ends, limits, text_of
from wokflow.models.devices import describe
from wokflow.models.loading import RUN, load, why_not

BATCHES = 4  # batches of transformers in a block
TOGETHER = 1024  # texts that vLLM is given at once
PATIENCE = 30  # seconds that vLLM has to end
SAID = 200  # characters of an answer that is none
LONGEST = 1 << 28  # characters of an answer


@dataclass(frozen=True)
class Model:
    """A model in a folder or on the hub, and how it writes.

    `device` is for transformers alone; `gpus`, `gpu_memory` (a share of each) and `python` (of the environment that
    has vLLM; None: this one) are for vLLM alone.
    """

    place: str
    family: Family
    decoding: Decoding
    revision: str | None
    precision: str
    remote_code: bool
    device: str
    gpus: int
    gpu_memory: float
    python: str | None


class Writer(Protocol):
    """A loaded model: what it runs on, its tokenizer, most tokens of a source, and texts that are written at once."""

    where: str
    tokenizer: Any
    most: int
    block: int

    def write(self, rows: Sequence[list[int]], seed: int) -> list[str]:
        """What the model writes for the token ids of texts; "" for none. Sampling draws by `seed`."""
        ...


@contextmanager
def writer(backend: Literal["transformers", "vllm"], model: Model) -> Iterator[Writer]:
    """The model, loaded, until the end of the block. Raises UserError where it cannot be."""
    if backend == "transformers":
        yield _Transformers(model)
        return
    check(model)
    with TemporaryFile() as said:
        worker = [model.python or sys.executable, str(vllm_worker.__file__)]
        files: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": said} | TEXT
        environment = without_secrets(os.environ, hub=not Path(model.place).exists())
        environment["VLLM_NO_USAGE_STATS"] = "1"  # vLLM tells its makers what it runs on
        with program(
            worker, patience=PATIENCE, key="generate.decode.python", env=environment, **files
        ) as process:
            yield _Vllm(model, process, said)


class _Transformers:
    """Beam search or sampling by wokflow.models.decoding."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._network, self.tokenizer = load(
            model.place,
            model.family,
            revision=model.revision,
            precision=model.precision,
            device=model.device,
            remote_code=model.remote_code,
        )
        self.where = describe(self._network.device)
        self.most, _ = limits(self._network, model.family, model.decoding)
        self.block = model.decoding.batch * BATCHES

    def write(self, rows: Sequence[list[int]], seed: int) -> list[str]:
        import torch

        decoding = self._model.decoding
        if decoding.temperature is not None:
            torch.manual_seed(seed)
        try:
            return decode_tokens(self._network, self.tokenizer, rows, self._model.family, decoding)
        except torch.OutOfMemoryError as error:
            raise UserError(
                f"generate.decode.batch: {decoding.batch} sources at a time, with {decoding.beams} beams, are too "
                "many for the GPU's memory. Lower batch, or max_tokens, or set precision to bfloat16."
            ) from error


def check(model: Model) -> None:
    """Raises UserError for what vLLM cannot do as transformers does it here."""
    decoding = model.decoding
    wrong = [
        *(["family seq2seq"] if model.family == "seq2seq" else []),
        *([f"beams={decoding.beams}"] if decoding.beams > 1 else []),
        *(
            [f"repetition_penalty={decoding.repetition_penalty:g}"]
            if decoding.repetition_penalty != 1
            else []
        ),
        *([f"no_repeat_ngram={decoding.no_repeat_ngram}"] if decoding.no_repeat_ngram else []),
    ]
    if wrong:
        raise UserError(
            f"generate.decode.backend: vllm does not write with {', '.join(wrong)}: it has causal models alone, no "
            "beams, no bound on repeated words, and a penalty that counts the prompt's words. Set beams: 1, "
            "repetition_penalty: 1 and no_repeat_ngram: 0, or backend: transformers."
        )


class _Vllm:
    """A process with vLLM. Texts are cut, and read from tokens, as for transformers, by the model's own tokenizer."""

    def __init__(self, model: Model, process: "subprocess.Popen[str]", said: IO[bytes]) -> None:
        self._model, self._process, self._said = model, process, said
        self.block = TOGETHER
        try:
            described, self.tokenizer = _described(model)
        except Exception as error:  # a broken folder may raise anything
            problem = f"{RUN}: {model.place} cannot be loaded: "
            raise UserError(problem + why_not(model.place, error, remote_code=model.remote_code)) from error
        self.most, self._new = limits(described, model.family, model.decoding)
        end = ends(described, self.tokenizer)
        self._ends = end if isinstance(end, list) else [] if end is None else [end]
        version = self._ask(
            {
                "model": model.place,
                "skip_tokenizer_init": True,
                "revision": None if Path(model.place).is_dir() else model.revision,
                "trust_remote_code": model.remote_code,
                "dtype": model.precision,
                "max_model_len": self.most + self._new,
                "tensor_parallel_size": model.gpus,
                "gpu_memory_utilization": model.gpu_memory,
            }
        )
        self.where = f"vLLM {version}, {model.gpus} GPUs"

    def write(self, rows: Sequence[list[int]], seed: int) -> list[str]:
        special = set(self.tokenizer.all_special_ids)
        places = [place for place, row in enumerate(rows) if row]
        common = {
            "max_tokens": self._new,
            "temperature": self._model.decoding.temperature or 0.0,
            "stop_token_ids": self._ends,
            "detokenize": False,
        }
        texts = [""] * len(rows)
        written = self._ask(
            {
                "rows": [cut(rows[place], self.most, self._model.family, special) for place in places],
                "sampling": [common | {"seed": seed + place} for place in places],
            }
        )
        for place, ids in zip(places, written, strict=True):
            texts[place] = text_of(self.tokenizer, ids)
        return texts

    def _ask(self, question: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        if answer := self._process.stdout.readline(LONGEST):
            try:
                return json.loads(answer)
            except ValueError:
                raise UserError(
                    f"generate.decode.python: {self._model.python} wrote {answer[:SAID]!r} in place of an answer. "
                    "It is to be a Python itself, not a script that prints."
                ) from None
        status = self._process.wait()
        errors = errors_in(self._said) or ["none that it names"]
        raise UserError(
            "generate.decode.backend: vLLM has ended. It wants an environment of its own, whose Python is "
            "generate.decode.python; where memory is short, gpus, gpu_memory and max_tokens help. Its exit status "
            f"is {status}, and its errors:\n" + "\n".join(errors)
        )


def _described(model: Model) -> tuple[Any, Any]:
    """What is said of a model beside its weights (`config` and `generation_config`), and its tokenizer."""
    from types import SimpleNamespace

    from transformers import AutoConfig, AutoTokenizer, GenerationConfig

    options: dict[str, Any] = {
        "revision": None if Path(model.place).is_dir() else model.revision,
        "trust_remote_code": model.remote_code,
    }
    config = AutoConfig.from_pretrained(model.place, **options)
    try:
        generation = GenerationConfig.from_pretrained(model.place, revision=options["revision"])
    except OSError:
        generation = GenerationConfig.from_model_config(config)
    tokenizer = AutoTokenizer.from_pretrained(model.place, **options)
    return SimpleNamespace(config=config, generation_config=generation), tokenizer
