"""vLLM writes what transformers writes: its worker with a stand-in, and with vLLM itself where that is installed.

$WOKFLOW_VLLM may name the Python of an environment that has vLLM; else it is looked for here.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.job import UserError
from wokflow.models.decoding import encode
from wokflow.models.writers import Model, writer

from tests.models import tiny
from tests.models.standin import vllm as standin

pytestmark = pytest.mark.usefixtures("one_thread")
STANDIN = str(Path(standin.__file__).parent)
GREEDY = tiny.search(beams=1, repetition_penalty=1, no_repeat_ngram=0, max_source_tokens=20, max_tokens=12)
TEXTS = ["rice", "", "an egg.", "Title: oil and 盐", "a" * 40]
PYTHON = os.environ.get("WOKFLOW_VLLM") or (sys.executable if find_spec("vllm") else "")
needs_vllm = pytest.mark.skipif(not PYTHON, reason="vLLM is not installed, here or where $WOKFLOW_VLLM says")
NAMES = """
import dataclasses, inspect, json, vllm
from vllm.engine.arg_utils import EngineArgs
names = {"SamplingParams": list(inspect.signature(vllm.SamplingParams).parameters)}
names["generate"] = list(inspect.signature(vllm.LLM.generate).parameters)
names["LLM"] = [*inspect.signature(vllm.LLM.__init__).parameters, *(f.name for f in dataclasses.fields(EngineArgs))]
print("\\n" + json.dumps(names))
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A small causal model in a folder. Its heads have the 32 numbers that vLLM wants on a CPU."""
    folder, tokenizer = tmp_path_factory.mktemp("gpt2"), tiny.tokenizer()
    network = tiny.model("gpt2", len(tokenizer), width=64)
    network.generation_config.suppress_tokens = None
    for part in (network, tokenizer):
        part.save_pretrained(folder)
    return Model(str(folder), "causal", GREEDY, None, "float32", False, "cpu", 1, 0.05, None)


@pytest.fixture
def stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", STANDIN)


def written(model: Model, backend: Any, seeds: tuple[int, ...] = (1,)) -> list[list[str]]:
    with writer(backend, model) as loaded:
        rows = encode(loaded.tokenizer, TEXTS, "causal")
        return [loaded.write(rows, seed) for seed in seeds]


@pytest.mark.usefixtures("stands_in")
def test_the_worker_writes_what_transformers_does(model: Model) -> None:
    (texts,) = written(model, "vllm")
    assert [texts] == written(model, "transformers")
    assert texts[1] == "" and len(set(texts)) == len(TEXTS)


@pytest.mark.usefixtures("stands_in")
def test_sampling_draws_by_the_seed(model: Model) -> None:
    warm = replace(model, decoding=replace(GREEDY, temperature=1.0))
    one, same, other = written(warm, "vllm", (1, 1, 9))
    assert one == same != other


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"beams": 3}, "beams=3"),
        ({"repetition_penalty": 1.2}, "repetition_penalty=1.2"),
        ({"no_repeat_ngram": 5}, "no_repeat_ngram=5"),
    ],
)
def test_what_vllm_would_do_in_another_way_is_refused(model: Model, change: Any, said: str) -> None:
    with pytest.raises(UserError, match=rf"does not support {said}: .*backend: transformers"):
        written(replace(model, decoding=replace(GREEDY, **change)), "vllm")


def test_models_that_translate_are_refused(model: Model) -> None:
    with pytest.raises(UserError, match="family seq2seq"):
        written(replace(model, family="seq2seq"), "vllm")


@pytest.mark.usefixtures("stands_in")
def test_what_ends_vllm_is_told(model: Model) -> None:
    with pytest.raises(UserError, match=r"(?s)gpus, gpu_memory.*no room on the GPU"):
        written(replace(model, gpus=2), "vllm")


def test_of_what_vllm_printed_only_errors_are_told(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_API_KEY", "a-key-of-the-lab")
    failing = tmp_path / "python"
    failing.write_text("#!/bin/sh\necho '麻婆豆腐\nValueError: no room, a-key-of-the-lab\nbye' >&2; exit 3\n")
    failing.chmod(0o755)
    with pytest.raises(
        UserError, match=r"Its exit status is 3, and its errors:\nValueError: no room, \[secret\]$"
    ):
        written(replace(model, python=str(failing)), "vllm")


def test_an_environment_without_vllm_is_told_of(model: Model, tmp_path: Path) -> None:
    if find_spec("vllm"):
        pytest.skip("vLLM is installed")
    with pytest.raises(UserError, match=r"(?s)environment of its own.*No module named 'vllm'"):
        written(model, "vllm")
    with pytest.raises(UserError, match="cannot be run here"):
        written(replace(model, python=str(tmp_path / "python")), "vllm")


def test_a_program_that_is_no_python_is_told_of_whatever_bytes_it_prints(
    model: Model, tmp_path: Path
) -> None:
    printing = tmp_path / "python"
    printing.write_text("#!/bin/sh\nprintf 'loaded \\351t\\351\\n'; exec cat >/dev/null\n")
    printing.chmod(0o755)
    with pytest.raises(UserError, match=r"python wrote 'loaded \ufffdt\ufffd\\n' in place of an answer"):
        written(replace(model, python=str(printing)), "vllm")


@pytest.mark.usefixtures("stands_in")
def test_its_processes_end_with_it(model: Model) -> None:
    with writer("vllm", model) as loaded:
        process: Any = getattr(loaded, "_process")  # noqa: B009
        assert process.poll() is None
    assert process.poll() == 0


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, list[str]]]:
    done = subprocess.run([PYTHON, "-c", NAMES], capture_output=True, text=True, check=True)
    yield json.loads(done.stdout.strip().splitlines()[-1])


@needs_vllm
@pytest.mark.parametrize("called", ["LLM", "SamplingParams", "generate"])
def test_vllm_knows_all_that_it_is_called_with(called: str, names: dict[str, list[str]]) -> None:
    own = {"LLM": standin.LLM, "SamplingParams": standin.SamplingParams, "generate": standin.LLM.generate}
    assert set(inspect.signature(own[called]).parameters) <= set(names[called])


@needs_vllm
def test_vllm_itself_writes_what_transformers_does(model: Model) -> None:
    assert written(replace(model, python=PYTHON), "vllm") == written(model, "transformers")


@needs_vllm
def test_vllm_itself_draws_by_the_seed(model: Model) -> None:
    warm = replace(model, python=PYTHON, decoding=replace(GREEDY, temperature=1.0))
    one, same, other = written(warm, "vllm", (1, 1, 9))
    assert one == same != other
