"""Predictions of a model: the same whatever the shards, and whenever a job was killed."""

import io
import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.generate import schemas
from wokflow.generate.decode import generate_decode
from wokflow.generate.predictions import generate_predictions
from wokflow.models.decoding import decode

from tests.conftest import ROOT
from tests.generate.asking import decode_settings
from tests.models import tiny
from tests.models.test_writers import STANDIN

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("one_thread")
HOW: dict[str, Any] = {"max_tokens": 12, "batch": 2, "beams": 2}  # blocks of 8 instances
KINDS = {"bart": "seq2seq", "gpt2": "causal"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of two random models, and of a causal one that has learnt a recipe."""
    tokenizer = tiny.tokenizer()
    made = {kind: tiny.model(kind, len(tokenizer)) for kind in KINDS}
    made["learnt"] = tiny.model("gpt2", len(tokenizer), width=32)
    tiny.learn(made["learnt"], tokenizer, "eggs.\nTitle: rice\nIngredients: oil\nSteps: fry.")
    folders = {name: tmp_path_factory.mktemp(name) for name in made}
    for name, folder in folders.items():
        made[name].save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return {name: str(folder) for name, folder in folders.items()}


def instances(folder: Path, sources: list[str]) -> str:
    columns = {
        "instance_id": [f"i{number:03}" for number in range(len(sources))],
        "source": sources,
        "title": ["rice"] * len(sources),
    }
    frame = pl.DataFrame(columns, dict.fromkeys(columns, pl.String)).with_columns(
        dataset=pl.lit("silver"),
        source_id=pl.lit("x:1"),
        base=pl.lit(None, pl.String),
        reference=pl.lit(None, pl.String),
        reference_id=pl.lit(None, pl.String),
        retrieved=pl.lit(None, pl.String),
    )
    tables.write(folder / "instances.parquet", schemas.INSTANCES, frame, {})
    return str(folder / "instances.parquet")


def mixed(count: int) -> list[str]:
    draw = random.Random(2)
    return ["".join(draw.choices(tiny.LETTERS, k=draw.randint(1, 30))) + "." for _ in range(count)]


def decoded(
    folder: Path,
    source: str,
    model: str,
    *,
    shards: int = 1,
    key: str = "a key",
    progress: Progress | None = None,
    trained: bool = False,
    **own: Any,
) -> pl.DataFrame:
    """All predictions, shard by shard and merged; each shard's folder of blocks is gone."""
    settings = decode_settings(**HOW | {"model": "run:a" if trained else model} | own)
    job = Job({"key": key}, progress or Progress())
    parts = [str(folder / f"{shard}-of-{shards}.parquet") for shard in range(shards)]
    for shard, part in enumerate(parts):
        generate_decode(
            instances=source,
            exemplars=[],
            trained=model if trained else [],
            predictions=part,
            shard=shard,
            shards=shards,
            settings=settings,
            job=job,
        )
    out = folder / f"of-{shards}.parquet"
    generate_predictions(decoded=parts, instances=source, predictions=str(out), run="r", job=job)
    assert not list(folder.glob("*.blocks"))
    return tables.read(out)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("temperature", [None, 1.0])
def test_predictions_do_not_depend_on_shards(
    kind: str, temperature: float | None, models: dict[str, str], tmp_path: Path
) -> None:
    source = instances(tmp_path, mixed(27))
    how = {"family": KINDS[kind], "temperature": temperature}
    for shards in (1, 3, 7):
        decoded(tmp_path, source, models[kind], shards=shards, **how)
    whole = (tmp_path / "of-1.parquet").read_bytes()
    assert (tmp_path / "of-3.parquet").read_bytes() == (tmp_path / "of-7.parquet").read_bytes() == whole


def test_each_instance_has_what_its_source_alone_gives(models: dict[str, str], tmp_path: Path) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    sources = [*mixed(10), ""]
    found = decoded(tmp_path, instances(tmp_path, sources), models["bart"])
    tokenizer = AutoTokenizer.from_pretrained(models["bart"])
    model = AutoModelForSeq2SeqLM.from_pretrained(models["bart"])
    alone = [decode(model, tokenizer, [text], "seq2seq", tiny.search(**HOW))[0] for text in sources]
    assert found["prediction"].to_list() == alone and alone[-1] == ""
    assert found["instance_id"].to_list() == [f"i{number:03}" for number in range(11)]


def test_the_model_of_another_rule_is_taken_where_it_lies(models: dict[str, str], tmp_path: Path) -> None:
    source = instances(tmp_path, mixed(5))
    own = decoded(tmp_path, source, models["bart"])
    assert decoded(tmp_path, source, models["bart"], trained=True).equals(own)


def test_a_model_that_was_trained_here_writes_by_vllm_what_it_writes_by_transformers(
    models: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in computes for vLLM; tests/models/test_writers.py has vLLM itself, where it is installed."""
    monkeypatch.setenv("PYTHONPATH", STANDIN)
    source = instances(tmp_path, [*mixed(9), ""])
    how = {"family": "causal", "beams": 1, "repetition_penalty": 1, "no_repeat_ngram": 0}
    one, other = (
        decoded(tmp_path, source, models["learnt"], trained=True, backend=backend, **how)
        for backend in ("transformers", "vllm")
    )
    assert one.equals(other) and one["prediction"].n_unique() > 2


def test_headings_go(models: dict[str, str], tmp_path: Path) -> None:
    how = {"family": "causal", "max_source_tokens": 10, "max_tokens": 50}
    found = decoded(tmp_path, instances(tmp_path, ["eggs.\n"]), models["learnt"], **how)
    assert found["prediction"].to_list() == ["rice\noil\nfry."]


def test_a_long_source_leaves_its_prompt_whole(models: dict[str, str], tmp_path: Path) -> None:
    """32 of GPT-2's 64 positions are for the prompt, 15 of them for what is around the source."""
    (tmp_path / "prompt").write_text("cook {title}: {source} eggs.\n\n")
    prompt = str(tmp_path / "prompt")
    sources = ["abc", "a" * 15 + "b" * 40]
    how = {"family": "causal", "max_tokens": 32}
    log = io.StringIO()
    found, short, plain = (
        decoded(tmp_path, instances(tmp_path, texts), models["gpt2"], prompt=asked, progress=progress,
                **how)["prediction"].to_list()
        for texts, asked, progress in (
            (sources, prompt, Progress(log)),
            (["abc", "a" * 15], prompt, None),
            (["cook rice: abc eggs.", "cook rice: " + "a" * 15 + " eggs."], None, None),
        )
    )  # fmt: skip
    assert found == short == plain
    assert "1 of 2 sources are cut to fit 32 tokens" in log.getvalue()


def test_a_source_that_is_cut_behind_an_answer_is_told_of(
    models: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second question holds the answer to the first, so that less room is left."""
    (tmp_path / "prompt").write_text("{title} eggs.\n{answer}\n{source} eggs.\n")
    source, prompt = instances(tmp_path, ["a" * 24]), str(tmp_path / "prompt")
    how = {"family": "causal", "max_tokens": 30, "max_source_tokens": 34}
    decoded(tmp_path, source, models["learnt"], prompt=prompt, progress=Progress(log := io.StringIO()), **how)
    assert "0 of 1 sources are cut" in log.getvalue()
    assert "in 1 of 1 further questions the source is cut to fit 34 tokens" in capsys.readouterr().err


def test_no_instances_give_an_empty_table(models: dict[str, str], tmp_path: Path) -> None:
    found = decoded(tmp_path, instances(tmp_path, []), models["bart"], shards=2)
    assert found.columns == schemas.PREDICTIONS.names and found.height == 0


def test_sampling_draws_by_the_seed(models: dict[str, str], tmp_path: Path) -> None:
    source = instances(tmp_path, mixed(10))
    how = {"family": "causal", "temperature": 1.0}
    one, same, other = (decoded(tmp_path, source, models["gpt2"], seed=s, **how) for s in (1, 1, 2))
    assert one.equals(same) and not one.equals(other)


class KilledError(Exception):
    pass


class Dying(Progress):
    """A log whose job dies when it has said that two blocks are decoded."""

    def __call__(self, done: int, text: str, *, of: int | None = None) -> None:
        if done == 2:
            raise KilledError


@pytest.mark.parametrize("changed", ["nothing", "key", "source", "model", "broken"])
def test_only_blocks_of_the_same_making_are_taken_up(
    changed: str, models: dict[str, str], tmp_path: Path
) -> None:
    sources = mixed(32)
    told: dict[str, Any] = {"model": models["bart"], "key": "a key"}
    with pytest.raises(KilledError):
        decoded(tmp_path, instances(tmp_path, sources), **told, progress=Dying(io.StringIO()))
    (resume,) = tmp_path.glob("*.blocks")
    assert len(list(resume.iterdir())) == 2
    (resume / ".torn.parquet.123.part").write_bytes(b"half")

    match changed:
        case "model":
            again = tmp_path / "model"
            again.mkdir()
            tokenizer = tiny.tokenizer()
            tiny.model("bart", len(tokenizer), seed=1).save_pretrained(again)
            tokenizer.save_pretrained(again)
            told["model"] = str(again)
        case "source":
            longest = max(range(32), key=lambda number: len(sources[number]))
            sources[longest] = sources[longest][::-1]
        case "broken":
            next(resume.glob("[!.]*")).write_bytes(b"")
        case "key":
            told["key"] = "another"
    log = io.StringIO()
    found = decoded(tmp_path, instances(tmp_path, sources), **told, progress=Progress(log))
    kept = {"nothing": 2, "source": 1, "broken": 1}.get(changed, 0)
    assert (f"{kept} of 4 blocks were decoded before" in log.getvalue()) == bool(kept)
    assert f"{4 - kept} of {4 - kept} blocks decoded" in log.getvalue()
    assert found.equals(decoded(tmp_path, instances(tmp_path, sources), **told))


# It kills itself as soon as three blocks are kept.
WORKER = """
import json, os, signal, sys
sys.path[:0] = sys.argv[3:]
import torch
from wokflow.frame.job import Job, Progress
from wokflow.generate.decode import generate_decode
from wokflow.generate.settings import DecodeSettings
torch.set_num_threads(1)
class Killing(Progress):
    def __call__(self, done, text, *, of=None):
        if done == 3:
            os.kill(os.getpid(), signal.SIGKILL)
settings = DecodeSettings(**json.loads(sys.argv[2]))
generate_decode(**json.loads(sys.argv[1]), settings=settings, job=Job({"key": "a key"}, Killing(sys.stderr)))
"""


def test_a_killed_shard_goes_on_after_its_last_block(models: dict[str, str], tmp_path: Path) -> None:
    source, part = instances(tmp_path, mixed(96)), tmp_path / "0-of-1.parquet"
    resume = Path(f"{part}.blocks")
    told = {"instances": source, "exemplars": [], "trained": [], "predictions": str(part)}
    arguments = json.dumps(told | {"shard": 0, "shards": 1})
    settings = decode_settings(model=models["bart"], **HOW).model_dump_json()
    job = subprocess.run([sys.executable, "-c", WORKER, arguments, settings, str(ROOT / "scripts")])
    assert job.returncode == -signal.SIGKILL and not part.exists()
    assert len(list(resume.glob("[!.]*.parquet"))) == 3

    log = io.StringIO()
    found = decoded(tmp_path, source, models["bart"], progress=Progress(log))
    assert "3 of 12 blocks were decoded before" in log.getvalue()
    assert "9 of 9 blocks decoded" in log.getvalue()
    undisturbed = decoded(tmp_path, source, models["bart"])
    assert found.equals(undisturbed)
