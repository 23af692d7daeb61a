"""The workflow's own server: it starts, answers prompt runs, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.generate import schemas
from wokflow.generate.answers import read_answer
from wokflow.generate.client import Client
from wokflow.generate.costs import Ledger, Prices, Tokens
from wokflow.generate.request import Request
from wokflow.generate.served import COMMANDS, Server, await_server, serves
from wokflow.generate.server import filled

from tests.conftest import ROOT
from tests.generate.asking import asks, written
from tests.generate.own_server import ASGI, PATIENCE, SERVE, alive, answering, pids, serving, small, until


def test_at_sigterm_the_server_and_its_children_end(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path)) as process:
        server = answering(tmp_path)
        assert all(map(alive, pids(tmp_path)))
        process.terminate()
        assert process.wait(PATIENCE) == 0
    until(lambda: not any(map(alive, pids(tmp_path))))
    assert server.models() is None
    with pytest.raises(UserError, match="was ended"):
        await_server(tmp_path / "server.json")
    assert "loading" in (tmp_path / "log.txt.server").read_text()


def test_where_its_file_is_removed_the_server_ends(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path)) as process:
        answering(tmp_path)
        (tmp_path / "server.json").unlink()
        assert process.wait(PATIENCE) == 0
    until(lambda: not any(map(alive, pids(tmp_path))))
    assert not (tmp_path / "server.json").exists()


def test_the_server_ends_with_the_process_that_wanted_it(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", SERVE, str(tmp_path), json.dumps(small(tmp_path)), "m", "2", "command"]
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


DIES = """
import os, sys
names = ("WOKFLOW_SERVER_KEY", "OPENAI_API_KEY", "SLURM_JWT", "HF_TOKEN", "https_proxy")
print("given:", *[name for name in names if name in os.environ])
print("prompt: Title: 麻婆" + "豆腐")  # in the output, and not in the command
print("ERROR 11-25 20:10:01 [core.py:708] RuntimeError: no room on the GPU, key", os.environ["WOKFLOW_SERVER_KEY"])
sys.exit(3)
"""


@pytest.mark.parametrize(
    ("model", "given"),
    [("of/the-hub", "WOKFLOW_SERVER_KEY HF_TOKEN https_proxy"), (".", "WOKFLOW_SERVER_KEY")],
)
def test_a_server_that_dies_says_why_and_tells_no_prompt_and_no_secret_that_it_was_given(
    model: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "SLURM_JWT", "HF_TOKEN"):
        monkeypatch.setenv(name, "a-secret-of-the-user")
    monkeypatch.setenv("https_proxy", "http://me:word@proxy:3128")
    with serving(tmp_path, [sys.executable, "-c", DIES], model) as process:
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
    why = r"(?s)generate\.server: .*exit status 3.*no room on the GPU, key \[secret\]\nIts output is in .*\.server"
    with pytest.raises(UserError, match=why) as caught:
        await_server(tmp_path / "server.json")
    assert str(caught.value) in said.decode()
    assert "麻婆豆腐" not in said.decode() + (tmp_path / "log.txt").read_text()
    assert f"given: {given}\n" in (tmp_path / "log.txt.server").read_text()


def test_a_server_that_is_not_ready_in_time_is_ended(tmp_path: Path) -> None:
    sleeps = [sys.executable, "-c", "import time; print('slow', flush=True); time.sleep(600)"]
    with serving(tmp_path, sleeps, minutes=0.02) as process:
        assert process.wait(PATIENCE) == 1
    with pytest.raises(UserError, match=r"is not ready after 0\.02 minutes.*generate\.server\.minutes"):
        await_server(tmp_path / "server.json")


def test_a_program_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with serving(tmp_path, ["no-such-server", "{model}"]) as process:
        assert process.wait(PATIENCE) == 1
    with pytest.raises(UserError, match="no-such-server cannot be run here: No such file"):
        await_server(tmp_path / "server.json")


def test_the_file_is_there_before_the_server_is_ready(tmp_path: Path) -> None:
    waits = [
        "bash",
        "-c",
        f'while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; exec "$@"',
        "sh",
        *small(tmp_path),
    ]
    with serving(tmp_path, waits):
        until((tmp_path / "server.json").exists)
        before = Server.read(tmp_path / "server.json")
        assert not before.ready and before.models() is None
        (tmp_path / "go").touch()
        assert await_server(tmp_path / "server.json") == replace(before, ready=True)


def test_a_server_gets_a_key_that_nobody_else_can_read(tmp_path: Path) -> None:
    former = os.umask(0)  # which would let anyone read and write new files
    try:
        with serving(tmp_path, small(tmp_path)) as process:
            server = answering(tmp_path)
            seen = [
                Path(f"/proc/{pid}/cmdline").read_bytes().decode() for pid in (process.pid, *pids(tmp_path))
            ]
            files = {
                path.name: path for path in tmp_path.iterdir() if path.name.startswith(("server", "log"))
            }
    finally:
        os.umask(former)
    assert len(server.secret) >= 32 and not any(server.secret in each for each in seen)
    assert (
        files["server.json"].stat().st_mode & 0o777 == files["log.txt.server"].stat().st_mode & 0o777 == 0o600
    )
    assert not any(server.secret in path.read_text() for name, path in files.items() if name != "server.json")
    (tmp_path / "again").mkdir()
    with serving(tmp_path / "again", small(tmp_path / "again")):
        assert answering(tmp_path / "again").secret != server.secret


def test_without_the_key_the_server_is_not_ready_and_gives_no_answer(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path)):
        server = answering(tmp_path)
        assert server.models() == ["m"]
        assert replace(server, secret="guess").models() is None


def test_a_server_of_another_model_is_an_error(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path, "other", "more")) as process:
        assert process.wait(PATIENCE) == 1
    with pytest.raises(UserError, match=r"the server has other, more and not m\."):
        await_server(tmp_path / "server.json")


def test_a_server_that_lists_other_models_than_it_serves_is_ready_where_that_is_known(tmp_path: Path) -> None:
    with serving(tmp_path, small(tmp_path, "other"), backend="transformers"):
        assert answering(tmp_path).models() == ["other"]


@pytest.mark.parametrize(
    ("names", "model", "is_it"),
    [(["a", "b"], "b", True), (["b:latest"], "b", True), (["b:7b"], "b", False), (["b:7b"], "b:7b", True)],
)
def test_ollama_s_names_have_tags(names: list[str], model: str, is_it: bool) -> None:
    assert serves(names, model) == is_it


# Another process takes the port while the server still loads: once, or each time.
THIEF = """
import http.server, json, sys, threading, time
from pathlib import Path
folder, times = Path(sys.argv[1]), int(sys.argv[2])
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        (folder / "fooled").touch()
        body = b'{"data": [{"id": "m"}]}'
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body)
taken = set()
while len(taken) < times:
    for file in folder.glob("port-*"):
        if file not in taken:
            port = int(file.name[5:])
            server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            taken.add(file)
            (folder / f"taken-{port}").touch()
    time.sleep(0.01)
(folder / "done").touch()
time.sleep(600)
"""


@pytest.mark.parametrize("times", [1, 3])
def test_another_process_on_the_port_is_not_taken_for_the_server(times: int, tmp_path: Path) -> None:
    """It gives answers as the server would, without asking for a key, and is asked for none."""
    taken = f"until [ -e {tmp_path}/taken-$1 ] || [ -e {tmp_path}/done ]; do sleep 0.05; done"
    slow = f'touch {tmp_path}/port-$1; {taken}; sleep 1; shift; exec "$@"'
    command = ["bash", "-c", slow, "sh", "{port}", *small(tmp_path)]
    thief = subprocess.Popen([sys.executable, "-c", THIEF, str(tmp_path), str(times)])
    try:
        with serving(tmp_path, command) as process:
            if times == 1:
                server = answering(tmp_path)
                assert server.models() == ["m"] and replace(server, secret="guess").models() is None
            else:
                assert process.wait(PATIENCE) == 1
                with pytest.raises(UserError, match="3 ports in turn were taken by other processes"):
                    await_server(tmp_path / "server.json")
    finally:
        thief.kill()
        thief.wait()
    assert len(list(tmp_path.glob("port-*"))) == min(times + 1, 3)
    assert not (tmp_path / "fooled").exists()


def test_a_server_on_a_unix_socket_is_asked_there(tmp_path: Path) -> None:
    """uvicorn, as vLLM starts it; the socket's folder is its owner's alone."""
    if not find_spec("uvicorn"):
        pytest.skip("uvicorn is not installed")
    (tmp_path / "own.py").write_text(ASGI, encoding="utf-8")
    command = [sys.executable, "-m", "uvicorn", "--app-dir", str(tmp_path), "own:app", "--uds", "{socket}"]
    with serving(tmp_path, command) as process:
        server = answering(tmp_path)
        assert Path(server.socket).is_socket()
        assert Path(server.socket).parent.stat().st_mode & 0o777 == 0o700
        arguments = {"seconds": 5, "tries": 1, "concurrency": 1}
        with Client(server.url, server.key, Ledger(Prices()), socket=server.socket, **arguments) as client:
            asked = Request("x", "/chat/completions", {"model": "m", "messages": []}, 13, Tokens(1, 1))
            assert read_answer(client.ask(asked)).text == "Fry."
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert not Path(server.socket).parent.exists()


@pytest.mark.parametrize(("backend", "commit"), [("vllm", "a" * 40), ("command", "")])
def test_the_file_of_a_server_has_the_commit_that_it_loaded(
    backend: str, commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command of one's own, or Ollama, may load anything under a name that is in the hub's cache, too."""
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    main = tmp_path / "hub" / "models--lab--m" / "refs" / "main"
    main.parent.mkdir(parents=True)
    main.write_text("a" * 40)
    with serving(tmp_path, small(tmp_path), "lab/m", backend=backend):
        assert answering(tmp_path).commit == commit
    said = f": lab/m at commit {commit}" if commit else ""
    assert f" s{said}\n" in (tmp_path / "log.txt").read_text()


def test_places_are_filled_within_arguments_and_no_others() -> None:
    command = ["run", "{model}", "--at={host}:{port}", '{"a": {model}}', "{other}"]
    assert filled(command, model="{port} x; rm", host="127.0.0.1", port="8") == [
        "run",
        "{port} x; rm",
        "--at=127.0.0.1:8",
        '{"a": {port} x; rm}',
        "{other}",
    ]
    assert filled(COMMANDS["ollama"], model="m", host="127.0.0.1", port="8")[1] == "OLLAMA_HOST=127.0.0.1:8"


@pytest.mark.parametrize("model", ["--help", "-m", ""])
def test_a_model_that_looks_like_an_option_is_refused(model: str) -> None:
    with pytest.raises(UserError, match="the table of runs"):
        filled(COMMANDS["vllm"], model=model, socket="s")


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
    # After any token it writes "a", and after that it ends: its layers add nothing to a token's one-hot embedding.
    words, letter = len(tokenizer), tokenizer.convert_tokens_to_ids("a")
    sizes: dict[str, Any] = {
        "hidden_size": 2 * words,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    ends: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=words, max_position_embeddings=2048, **sizes, **ends))
    with torch.no_grad():
        for weights in (
            model.model.layers[0].self_attn.o_proj.weight,
            model.model.layers[0].mlp.down_proj.weight,
        ):
            weights.zero_()
        model.model.embed_tokens.weight.copy_(torch.eye(words, 2 * words))
        model.lm_head.weight.zero_()
        model.lm_head.weight[letter] = 1
        model.lm_head.weight[1, letter] = 2
    model.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def chat_server(chat_model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """transformers' own server with that model, started as the step starts it."""
    program = Path(sys.executable).with_name("transformers")
    if not all(map(find_spec, ("fastapi", "uvicorn", "openai"))) or not program.exists():
        pytest.skip("transformers serve is not installed: pip install transformers[serving]")
    folder = tmp_path_factory.mktemp("server")
    with serving(
        folder,
        [str(program), *COMMANDS["transformers"][1:], "--device", "cpu"],
        chat_model,
        backend="transformers",
    ):
        answering(folder)
        yield folder / "server.json"


@pytest.mark.parametrize("mode", ["chat", "completion"])
def test_a_real_server_answers_a_prompt_run(
    tmp_path: Path, chat_model: str, chat_server: Path, mode: str
) -> None:
    paths = [str(tmp_path / name) for name in ("out.parquet", "calls.parquet")]
    log = (tmp_path / "log.txt").open("w+", encoding="utf-8")
    written(tmp_path, ["Title: 蛋炒饭", "Title: 炒面", "Title: 汤"])

    def run() -> None:
        asked = {"mode": mode, "max_tokens": 12, "temperature": 0, "seed": 1, "languages": ("zh", "en")}
        asked |= {"backend": "transformers", "model": chat_model}
        asked["prompt"] = str(ROOT / "resources" / "prompts" / "adapt-zh-en.txt")
        asks(tmp_path, asked, Progress(log), server=str(chat_server))

    run()
    calls = tables.read(paths[1])
    assert (calls["status"] == "ok").all()
    assert (calls["completion_tokens"] <= 3).all() and (calls["prompt_tokens"] > 100).all()
    assert tables.read(paths[0])["prediction"].to_list() == ["a"] * 3
    first = [Path(path).read_bytes() for path in paths]
    run()
    assert [Path(path).read_bytes() for path in paths] == first
    log.seek(0)
    assert "3 answers are kept from before, 0 are asked for" in log.read()
    assert tables.read(paths[0]).columns == schemas.PREDICTIONS.names
