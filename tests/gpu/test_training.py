"""Trainings on a GPU: what a CPU learns too, options that only GPUs have, memory that is really full."""

import io
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from wokflow.frame.job import UserError
from wokflow.models.decoding import decode

from tests.models.tiny import loaded
from tests.train.bases import base_model
from tests.train.tiny import ALWAYS, DECODING, FIT, Strike, apart, changed, curve, examples, train

SEVERAL = torch.cuda.device_count() > 1
STILL = changed(FIT, device="cuda", precision="float32", dropout=0.0)
QUICK = changed(FIT, device="cuda", learning_rate=5e-3)


@pytest.fixture
def little_memory() -> Iterator[None]:
    """PyTorch may take 64 MiB more of the GPU than it holds."""
    torch.cuda.empty_cache()
    most = torch.cuda.memory_reserved() + 64 * 2**20
    torch.cuda.set_per_process_memory_fraction(most / torch.cuda.get_device_properties(0).total_memory)
    yield
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()


def losses(model: Path) -> list[float]:
    rows = curve(model)
    return [*rows["train_loss"], *rows["valid_loss"]]


@pytest.mark.parametrize("family", ["seq2seq", "causal"])
def test_in_32_bits_a_gpu_learns_what_a_cpu_learns(family: str, tmp_path: Path) -> None:
    log = io.StringIO()
    here = train(tmp_path / "gpu", log, STILL, family=family)
    there = train(tmp_path / "cpu", settings=STILL, family=family, device="cpu")
    assert losses(here) == pytest.approx(losses(there), abs=1e-3)
    assert torch.cuda.get_device_name() in log.getvalue()


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"family": "causal"},
        {"gradient_checkpointing": True},
        {"family": "causal", "gradient_checkpointing": True, "packing": True},
        {"label_smoothing": 0.1},
    ],
    ids=["seq2seq", "causal", "checkpointing", "packing", "smoothing"],
)
def test_in_bfloat16_loss_falls_and_the_model_is_saved_in_32_bits(
    values: dict[str, Any], tmp_path: Path
) -> None:
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    model = train(tmp_path, settings=QUICK, **values)
    assert torch.cuda.max_memory_allocated() > before  # it was the GPU that computed
    rows = curve(model)
    assert rows["train_loss"].is_sorted(descending=True)
    assert {value.dtype for value in load_file(model / "model.safetensors").values()} == {torch.float32}


def test_a_rule_is_learnt_in_bfloat16_and_written(tmp_path: Path) -> None:
    settings = changed(QUICK, epochs=60, patience=60, learning_rate=1e-2, dropout=0.0, metric="bleu")
    model = train(tmp_path, settings=settings, small={"width": 32})
    assert curve(model)["valid_bleu"].max() > 90
    written = {}
    for device in ("cpu", "cuda"):
        network, tokenizer = loaded(str(model), "seq2seq", device=device)
        sources = [f"Title: dish {n}\nIngredients: egg, salt\nSteps: stir {n} times.\n" for n in range(6)]
        written[device] = decode(network, tokenizer, sources, "seq2seq", DECODING)
    assert written["cuda"] == written["cpu"]
    assert len(set(written["cuda"])) == 6


@pytest.mark.parametrize("base", ["auto", "float32", "nf4"])
@pytest.mark.parametrize("kind", ["mbart", "llama"])
def test_adapters_learn_on_weights_of_each_precision(kind: str, base: str, tmp_path: Path) -> None:
    if base == "nf4":
        pytest.importorskip("bitsandbytes")
    whole = base_model(tmp_path, kind, width=64)
    settings = changed(QUICK, family="causal" if kind == "llama" else "seq2seq", base=str(whole), epochs=5)
    settings = changed(settings, lora={"rank": 4, "alpha": 8, "base": base}, gradient_checkpointing=True)
    model = train(tmp_path, settings=settings)
    learnt = curve(model)["train_loss"].to_list()
    assert learnt[-1] < learnt[0]
    weights = [load_file(folder / "model.safetensors") for folder in (whole, model)]
    assert weights[0].keys() == weights[1].keys()
    assert any(not torch.equal(value.float(), weights[1][name].float()) for name, value in weights[0].items())


def test_a_compiled_model_learns_the_same(tmp_path: Path) -> None:
    plain, compiled = (train(tmp_path / str(which), settings=STILL, compile=which) for which in (False, True))
    assert losses(compiled) == pytest.approx(losses(plain), abs=1e-3)
    assert load_file(plain / "model.safetensors").keys() == load_file(compiled / "model.safetensors").keys()


def test_on_a_full_gpu_parts_are_tried_that_fit(tmp_path: Path, little_memory: None) -> None:
    """The step holds 512 examples; so many do not fit into the memory, and the losses are those of parts that do."""
    large = changed(STILL, batch=512, epochs=2, small={"width": 64})
    for name in ("found", "given"):
        (tmp_path / name).mkdir()
        examples(tmp_path / name / "examples.parquet", train=1024, valid=8)
    log = io.StringIO()
    found = train(tmp_path / "found", log, large, device_batch="auto")
    given = train(tmp_path / "given", settings=large, device_batch=16)
    assert losses(found) == pytest.approx(losses(given), abs=1e-3)
    with pytest.raises(UserError, match=r"does not suffice for device_batch 512"):
        train(tmp_path / "given", settings=large, device_batch=512, key="two")


@pytest.mark.parametrize("struck", [signal.SIGTERM, signal.SIGKILL], ids=["told to end", "killed"])
def test_a_training_that_was_ended_goes_on_from_its_checkpoint(
    struck: signal.Signals, tmp_path: Path
) -> None:
    settings = changed(STILL, save_minutes=ALWAYS)
    whole = train(tmp_path / "whole", settings=settings)
    (tmp_path / "ended").mkdir()
    process = apart(train, tmp_path / "ended", None, settings, strike=Strike(4, struck))
    process.join(300)
    assert process.exitcode
    if struck == signal.SIGTERM:
        assert "saved at step" in (tmp_path / "ended" / "error.txt").read_text()
    log = io.StringIO()
    again = train(tmp_path / "ended", log, settings)
    assert "continuing from the checkpoint after step" in log.getvalue()
    assert losses(again) == pytest.approx(losses(whole), abs=1e-4)


def test_more_processes_than_gpus_are_refused_by_name(tmp_path: Path) -> None:
    processes = torch.cuda.device_count() + 1
    with pytest.raises(UserError, match=rf"processes.* {processes}.* {processes - 1} GPU"):
        train(tmp_path, settings=QUICK, processes=processes)


@pytest.mark.skipif(not SEVERAL, reason="there is one GPU")
def test_two_gpus_learn_what_one_learns(tmp_path: Path) -> None:
    one, two = (train(tmp_path / str(count), settings=STILL, processes=count) for count in (1, 2))
    assert losses(two) == pytest.approx(losses(one), abs=1e-3)


@pytest.mark.skipif(not SEVERAL, reason="there is one GPU")
def test_a_model_that_is_shared_out_among_gpus_learns_the_same(tmp_path: Path) -> None:
    settings = changed(STILL, family="causal", base=str(base_model(tmp_path, "llama")))
    one = train(tmp_path / "one", settings=settings)
    two = train(tmp_path / "two", settings=settings, processes=2, shard=True)
    assert losses(two) == pytest.approx(losses(one), abs=1e-3)


def test_the_log_says_how_fast_steps_were(tmp_path: Path) -> None:
    log = io.StringIO()
    train(tmp_path, log, QUICK)
    assert re.search(r"[\d,]+ tokens/s, [\d.]+ % waiting", log.getvalue())
