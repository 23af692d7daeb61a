"""The workflow's own server: it starts, answers prompt runs, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from wokflow import tables
from wokflow.generate import schemas
from wokflow.generate.endpoints import Server, answers, await_server
from wokflow.generate.prompt import prompt_run
from wokflow.generate.request import Settings
from wokflow.generate.server import BACKENDS, filled
from wokflow.job import Progress, UserError

from tests.conftest import ROOT
from tests.generate.test_prompt import written

SERVE = """
import json, sys
from pathlib import Path
from wokflow.generate.server import serve
from wokflow.job import job
folder, command, model, minutes = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3], float(sys.argv[4])
with job(str(folder / "log.txt")) as progress:
    files = {"endpoint_file": str(folder / "server.json"), "output": str(folder / "output.txt")}
    serve(command, model, **files, minutes=minutes, progress=progress)
"""
SMALL = """
import http.server, json, os, subprocess, sys, time
from pathlib import Path
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
Path(sys.argv[2]).write_text(f"{os.getpid()} {child.pid}")
print("loading", flush=True)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"{}")
http.server.HTTPServer((sys.argv[3], int(sys.argv[1])), Handler).serve_forever()
"""


def small(folder: Path) -> list[str]:
    """A server that answers and has a child; it writes both their pids."""
    return [sys.executable, "-c", SMALL, "{port}", str(folder / "pids"), "{host}"]


@contextmanager
def serving(
    folder: Path, command: list[str], model: str = "m", minutes: float = 2
) -> Iterator[subprocess.Popen[bytes]]:
    """The step as a process of its own."""
    arguments = [str(folder), json.dumps(command), model, str(minutes)]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


def until(what: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something to come true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def answering(folder: Path) -> Server:
    until((folder / "server.json").exists)
    return await_server(folder / "server.json")


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids(folder: Path) -> list[int]:
    return [int(pid) for pid in (folder / "pids").read_text().split()]


def test_at_sigterm_the_server_and_its_children_end(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path)) as process:
        server = answering(tmp_path)
        assert all(map(alive, pids(tmp_path)))
        process.terminate()
        assert process.wait(30) == 0
    until(lambda: not any(map(alive, pids(tmp_path))))
    assert not answers(server.url)
    with pytest.raises(UserError, match="was ended"):
        await_server(tmp_path / "server.json")
    assert "loading" in (tmp_path / "output.txt").read_text()


def test_where_its_file_is_removed_the_server_ends(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path)) as process:
        answering(tmp_path)
        (tmp_path / "server.json").unlink()
        assert process.wait(30) == 0
    until(lambda: not any(map(alive, pids(tmp_path))))
    assert not (tmp_path / "server.json").exists()


def test_the_server_ends_with_the_process_that_wanted_it(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", SERVE, str(tmp_path), json.dumps(small(tmp_path)), "m", "2"]
    shell = 'trap "" HUP; "$@" & wait'  # as Snakemake starts scripts: a shell of its own, which outlives it
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys; subprocess.run(sys.argv[1:])",
            "bash",
            "-c",
            shell,
            "sh",
            *arguments,
        ],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
    )
    answering(tmp_path)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until(lambda: not any(map(alive, pids(tmp_path))))


def test_a_server_that_dies_says_why_to_its_users(tmp_path: Path) -> None:
    dies = [sys.executable, "-c", "import sys; print('no room on the GPU'); sys.exit(3)"]
    with serving(tmp_path, dies) as process:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 1
    with pytest.raises(
        UserError, match=r"(?s)generate\.server: .*exit status 3.*\nno room on the GPU"
    ) as caught:
        await_server(tmp_path / "server.json")
    assert str(caught.value) in said.decode()


def test_a_server_that_is_not_ready_in_time_is_ended(tmp_path: Path) -> None:
    sleeps = [sys.executable, "-c", "import time; print('slow', flush=True); time.sleep(600)"]
    with serving(tmp_path, sleeps, minutes=0.02) as process:
        assert process.wait(60) == 1
    with pytest.raises(UserError, match=r"does not answer after 0\.02 minutes.*generate\.server\.minutes"):
        await_server(tmp_path / "server.json")


def test_a_program_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with serving(tmp_path, ["no-such-server", "{model}"]) as process:
        assert process.wait(60) == 1
    with pytest.raises(UserError, match="no-such-server cannot be run here: No such file"):
        await_server(tmp_path / "server.json")


def test_the_file_is_there_before_the_server_answers(tmp_path: Path) -> None:
    waits = [
        "bash",
        "-c",
        f'while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; exec "$@"',
        "sh",
        *small(tmp_path),
    ]
    with serving(tmp_path, waits):
        until((tmp_path / "server.json").exists)
        url = json.loads((tmp_path / "server.json").read_text())["url"]
        assert not answers(url)
        (tmp_path / "go").touch()
        assert await_server(tmp_path / "server.json").url == url


def test_places_are_filled_within_arguments_and_no_others() -> None:
    command = ["run", "{model}", "--at={host}:{port}", '{"a": {model}}', "{other}"]
    assert filled(command, "{port} x; rm", 8) == [
        "run",
        "{port} x; rm",
        "--at=127.0.0.1:8",
        '{"a": {port} x; rm}',
        "{other}",
    ]
    assert filled(BACKENDS["ollama"], "m", 8)[1] == "OLLAMA_HOST=127.0.0.1:8"


@pytest.mark.parametrize("model", ["--help", "-m", ""])
def test_a_model_that_looks_like_an_option_is_refused(model: str) -> None:
    with pytest.raises(UserError, match=r"runs\.tsv"):
        filled(BACKENDS["vllm"], model, 8)


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A very small model that chats, with random weights."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("chat")
    letters = Tokenizer(models.BPE())
    letters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>", "<|user|>", "<|assistant|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    letters.train_from_iterator(
        ["蛋炒饭"], trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer: Any = PreTrainedTokenizerFast(
        tokenizer_object=letters, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )
    tokenizer.chat_template = (
        "{% for message in messages %}<|user|>{{ message['content'] }}{% endfor %}<|assistant|>"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    sizes: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    ends: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    model = LlamaForCausalLM(
        LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=2048, **sizes, **ends)
    )
    model.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def chat_server(chat_model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """transformers' own server with that model, started as the step starts it."""
    program = Path(sys.executable).with_name("transformers")
    if not all(map(find_spec, ("fastapi", "uvicorn", "openai"))) or not program.exists():
        pytest.skip("transformers serve is not installed: pip install transformers[serving]")
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, [str(program), *BACKENDS["transformers"][1:], "--device", "cpu"], chat_model):
        answering(folder)
        yield folder / "server.json"


@pytest.mark.parametrize("mode", ["chat", "completion"])
def test_a_real_server_answers_a_prompt_run(
    tmp_path: Path, chat_model: str, chat_server: Path, mode: str
) -> None:
    paths = [str(tmp_path / name) for name in ("out.parquet", "calls.parquet")]
    log = (tmp_path / "log.txt").open("w+", encoding="utf-8")

    def run() -> None:
        prompt_run(
            written(tmp_path, ["Title: 蛋炒饭", "Title: 炒面", "Title: 汤"]),
            *paths,
            run="gpt",
            model=chat_model,
            prompt=str(ROOT / "resources" / "prompts" / "adapt-zh-en.txt"),
            lang="en",
            settings=Settings(mode=mode, max_tokens=12, temperature=0, seed=1),  # type: ignore[arg-type]
            cache=str(tmp_path / "cache"),
            server=str(chat_server),
            metadata={},
            progress=Progress(log),
        )

    run()
    calls = tables.read(paths[1])
    assert calls["status"].is_in(["ok", "cut", "empty"]).all()
    assert (calls["completion_tokens"] <= 12).all() and (calls["prompt_tokens"] > 100).all()
    assert tables.read(paths[0]).height == 3
    first = [Path(path).read_bytes() for path in paths]
    run()
    assert [Path(path).read_bytes() for path in paths] == first
    log.seek(0)
    assert "3 answers are kept from before, 0 are asked for" in log.read()
    assert tables.read(paths[0]).columns == schemas.PREDICTIONS.names
