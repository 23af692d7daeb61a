"""Models that write texts in batches, run by transformers or by vLLM, which keeps one or more GPUs fully busy."""

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

BATCHES = 4  # batches of transformers that make a block
TOGETHER = 1024  # texts that are handed to vLLM at once
PATIENCE = 30  # seconds that vLLM gets to end
QUOTED = 200  # characters shown of an output that is no answer
LONGEST = 1 << 28  # characters of an answer


@dataclass(frozen=True)
class Model:
    """A model in a folder or on the hub, and how it writes.

    `device` is for transformers only; `gpus`, `gpu_memory` (a share of each GPU) and `python` (that of an environment
    with vLLM; None: this one) are for vLLM only.
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
    """A loaded model: its device, its tokenizer, its limit of source tokens, and the number of texts in a block."""

    where: str
    tokenizer: Any
    most: int
    block: int

    def write(self, rows: Sequence[list[int]], seed: int) -> list[str]:
        """The model's output for each text, given as token ids; "" for one without tokens. `seed` is for sampling."""
        ...


@contextmanager
def writer(backend: Literal["transformers", "vllm"], model: Model) -> Iterator[Writer]:
    """The loaded model, until the end of the block. Raises UserError if it cannot be loaded."""
    if backend == "transformers":
        yield _Transformers(model)
        return
    search = model.decoding
    wrong = vllm_problem(model.family, search.beams, search.repetition_penalty, search.no_repeat_ngram)
    if wrong:
        raise UserError(wrong)
    with TemporaryFile() as errors:
        worker = [model.python or sys.executable, str(vllm_worker.__file__)]
        files: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors} | TEXT
        environment = without_secrets(os.environ, hub=not Path(model.place).exists())
        environment["VLLM_NO_USAGE_STATS"] = "1"  # vLLM would send statistics to its makers
        with program(
            worker, patience=PATIENCE, key="generate.decode.python", env=environment, **files
        ) as process:
            yield _Vllm(model, process, errors)


class _Transformers:
    """Beam search or sampling with wokflow.models.decoding."""

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


def vllm_problem(family: str, beams: int, repetition_penalty: float, no_repeat_ngram: int) -> str | None:
    """Which settings vLLM does not support in the same way as transformers, and what to do; None for none."""
    wrong = {
        "family seq2seq": family == "seq2seq",
        f"beams={beams}": beams > 1,
        f"repetition_penalty={repetition_penalty:g}": repetition_penalty != 1,
        f"no_repeat_ngram={no_repeat_ngram}": no_repeat_ngram > 0,
    }
    if not any(wrong.values()):
        return None
    return (
        f"generate.decode.backend: vllm does not support {', '.join(name for name, has in wrong.items() if has)}: it "
        "has causal models only, no beams, no limit on repeated words, and a penalty that counts the prompt's words. "
        "Set beams: 1, repetition_penalty: 1 and no_repeat_ngram: 0, or backend: transformers."
    )


class _Vllm:
    """A process with vLLM. The model's own tokenizer encodes and decodes texts, as it does with transformers."""

    def __init__(self, model: Model, process: "subprocess.Popen[str]", errors: IO[bytes]) -> None:
        self._model, self._process, self._errors = model, process, errors
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
        outputs = self._ask(
            {
                "rows": [cut(rows[place], self.most, self._model.family, special) for place in places],
                "sampling": [common | {"seed": seed + place} for place in places],
            }
        )
        for place, ids in zip(places, outputs, strict=True):
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
                    f"generate.decode.python: {self._model.python} wrote {answer[:QUOTED]!r} in place of an answer. "
                    "Name a Python itself, not a script that prints."
                ) from None
        status = self._process.wait()
        errors = errors_in(self._errors) or ["none that it names"]
        raise UserError(
            "generate.decode.backend: vLLM has ended. It needs an environment of its own, whose Python is "
            "generate.decode.python; if memory is short, change gpus, gpu_memory or max_tokens. Its exit status "
            f"is {status}, and its errors:\n" + "\n".join(errors)
        )


def _described(model: Model) -> tuple[Any, Any]:
    """The model's `config` and `generation_config`, without its weights, and its tokenizer."""
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
