"""Training a tiny model in this process."""

import io
import json
import math
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
import yaml
from safetensors.torch import load_file
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.models.decoding import decode
from wokflow.train.model import train_model

from tests.models.tiny import loaded
from tests.train.tiny import DECODING, FIT, UNMOVED, changed, contents, curve, examples, steps_saved, train

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model after three epochs, with validation BLEU."""
    return train(tmp_path_factory.mktemp("model"), metric="bleu")


def test_loss_falls_and_the_best_is_marked(model: Path) -> None:
    rows = curve(model)
    assert rows["epoch"].to_list() == [1, 2, 3]
    assert rows["step"].to_list() == [3, 6, 9]
    assert rows["train_loss"].is_sorted(descending=True)
    assert rows.filter(best=1)["valid_bleu"].to_list() == [rows["valid_bleu"].max()]
    uniform = math.log(AutoModelForSeq2SeqLM.from_pretrained(model).config.vocab_size)
    assert rows["train_loss"][2] < uniform - 0.5


def test_the_same_training_gives_the_same_bytes_and_another_seed_others(model: Path, tmp_path: Path) -> None:
    again = train(tmp_path / "again", metric="bleu")
    assert contents(again) == contents(model)
    other = train(tmp_path / "other", metric="bleu", seed=2)
    assert contents(other)["model.safetensors"] != contents(model)["model.safetensors"]


def test_what_stands_beside_the_model(model: Path) -> None:
    files = contents(model)
    assert {
        "model.safetensors",
        "config.json",
        "generation_config.json",
        "tokenizer.json",
        "README.md",
    } <= set(files)
    assert {"curve.tsv", "run.json", "tokenizer_config.json"} <= set(files)
    folder = str(model.parent).encode()
    assert not [name for name, content in files.items() if folder in content]
    run = json.loads(files["run.json"])
    rows = tables.read(model.parent / "examples.parquet")
    digest = tables.strings_digest(pl.concat([rows[name] for name in ("split", "source", "target")]))
    assert run["examples"] == {"sha256": digest, "train": 24, "valid": 6}
    assert (run["seed"], run["steps"], run["settings"]["small"]["width"]) == (1, 9, 16)
    assert run["packages"]["torch"] == torch.__version__
    assert run["computed"] == {"device": "cpu", "precision": "float32", "processes": 1}


def test_the_card_has_a_header_that_the_hub_reads(model: Path) -> None:
    _, header, text = (model / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    said = yaml.safe_load(header)
    assert said["library_name"] == "transformers"
    assert said["license"] == "other" and said["language"] == ["en", "zh"]
    assert "random weights" in text
    [best] = curve(model).filter(best=1)["epoch"]
    assert f"after epoch {best} of 3 (step {3 * best})" in text


@pytest.mark.parametrize(("family", "epochs"), [("seq2seq", 25), ("causal", 32)])
def test_a_rule_is_learnt_and_not_only_the_commonest_words(tmp_path: Path, family: str, epochs: int) -> None:
    settings = changed(FIT, metric="bleu", epochs=epochs, patience=40, learning_rate=1e-2, dropout=0.0)
    model = train(tmp_path, settings=settings, family=family, small={"width": 32})
    assert curve(model)["valid_bleu"].max() > 90
    network, tokenizer = loaded(str(model), family)
    rows = tables.read(tmp_path / "examples.parquet").filter(split="valid")
    written = decode(network, tokenizer, rows["source"].to_list(), family, DECODING)
    assert written == [text.strip() for text in rows["target"]]


def test_training_ends_when_patience_does(tmp_path: Path) -> None:
    model = train(tmp_path, epochs=9, patience=2, learning_rate=UNMOVED)
    assert curve(model)["best"].to_list() == [1, 0, 0]


def test_with_device_batches_of_another_size_the_same_is_learnt(tmp_path: Path) -> None:
    still = changed(FIT, dropout=0.0)
    models = [train(tmp_path / str(size), settings=still, device_batch=size) for size in (3, 8)]
    losses = [curve(model)["valid_loss"].to_list() for model in models]
    assert losses[1] == pytest.approx(losses[0], abs=1e-4)


def test_a_trained_model_is_the_base_of_another_and_keeps_its_tokenizer(model: Path, tmp_path: Path) -> None:
    log = io.StringIO()
    small = shutil.copytree(model, tmp_path / "small")  # a folder of the name that says: from scratch
    after = train(tmp_path, log, base=str(small))
    assert "Began as: the model in the folder small" in (after / "README.md").read_text(encoding="utf-8")
    assert curve(after)["train_loss"][0] < curve(model)["train_loss"][1]
    assert contents(after)["tokenizer.json"] == contents(model)["tokenizer.json"]
    base = json.loads((after / "run.json").read_text())["base"]
    assert (base["model"], base["kind"], list(base["weights"])) == ("small", "folder", ["model.safetensors"])


def test_adapters_are_merged_into_a_plain_model(model: Path, tmp_path: Path) -> None:
    after = train(tmp_path, lora={"rank": 2, "alpha": 4}, base=str(model))
    before, merged = (load_file(folder / "model.safetensors") for folder in (model, after))
    assert before.keys() == merged.keys()
    changed = {name for name in before if not torch.equal(before[name], merged[name])}
    assert changed
    assert all("proj" in name or "fc" in name for name in changed)
    assert not (after / "adapter_config.json").exists()
    AutoModelForSeq2SeqLM.from_pretrained(after)
    assert AutoTokenizer.from_pretrained(after)("x")["input_ids"]


@pytest.mark.parametrize(
    "values",
    [
        {"label_smoothing": 0.1, "schedule": "constant", "warmup": 0.0},
        {"gradient_checkpointing": True},
        {"precision": "bfloat16"},
    ],
    ids=["smoothing", "checkpointing", "bfloat16"],
)
def test_options_that_change_how_is_learnt(tmp_path: Path, values: dict[str, Any]) -> None:
    rows = curve(train(tmp_path, **values))
    assert rows["train_loss"].is_sorted(descending=True)


def test_the_log_says_how_it_goes(tmp_path: Path) -> None:
    log = io.StringIO()
    train(tmp_path, log, max_tokens=20, metric="bleu")
    said = log.getvalue()
    assert "24 of 24 sources have more than 20 tokens and were cut" in said
    assert "step 9 of 9 at most: loss " in said
    assert "% waiting for data" in said
    assert "validation loss" in said and "BLEU" in said
    assert "operations" in said


def test_the_loss_on_the_target_alone_leaves_out_what_the_source_costs(tmp_path: Path) -> None:
    few = changed(FIT, epochs=1, dropout=0.0, learning_rate=UNMOVED)
    both, target = (
        curve(train(tmp_path / on, settings=few, loss_on=on, family="causal"))["valid_loss"][0]
        for on in ("all", "target")
    )
    assert both != target
    assert both == pytest.approx(target, rel=0.2)  # nothing is learnt: each token is as hard


def test_a_loss_that_is_no_number_stops(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"loss of step \d+ is (nan|inf).*lower learning_rate"):
        train(tmp_path, learning_rate=1e30, warmup=0.0, clip=1e30)


def test_texts_that_are_empty_and_splits_without_examples_are_said(tmp_path: Path) -> None:
    rows = tables.read(examples(tmp_path / "all.parquet"))
    rows.with_columns(target=pl.when(split="valid").then(pl.lit(" \n")).otherwise("target")).write_parquet(
        tmp_path / "examples.parquet"
    )
    with pytest.raises(UserError, match=r"target of a:24>b:24 is empty \(6 such in all\)"):
        train(tmp_path)
    rows.filter(split="valid").write_parquet(tmp_path / "examples.parquet")
    with pytest.raises(UserError, match="no example has split train"):
        train(tmp_path)


def test_without_validation_examples_the_last_epoch_is_kept(tmp_path: Path) -> None:
    rows = tables.read(examples(tmp_path / "all.parquet"))
    rows.filter(split="train").write_parquet(tmp_path / "examples.parquet")
    model = train(tmp_path, epochs=2, patience=1)
    assert curve(model)["best"].to_list() == [0, 1]
    assert "(step 6), the last." in (model / "README.md").read_text(encoding="utf-8")


def test_near_the_end_of_its_time_a_job_saves_and_the_next_goes_on(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole")
    folder = tmp_path / "short"
    for step in (1, 2, 3):
        with pytest.raises(UserError, match=f"saved at step {step} of 9 at most. Run again to go on"):
            train(folder, minutes=0.1)
        assert steps_saved(folder) == [step]
    with pytest.raises(
        UserError, match=r"saved at step 3 .* before one step, or the evaluation .* more time"
    ):
        train(folder, minutes=0.1)  # it comes to the evaluation after step 3, and not through it
    assert steps_saved(folder) == [3]
    log = io.StringIO()
    assert contents(train(folder, log)) == contents(whole)
    assert "continuing from the checkpoint after step 3" in log.getvalue()


SCONTROL = """#!/bin/sh
echo "$@" >> {calls}
{ends}
"""


def test_a_job_of_slurm_whose_time_is_over_is_queued_again_if_it_got_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, calls = tmp_path / "short", tmp_path / "calls"
    scontrol = tmp_path / "bin" / "scontrol"
    scontrol.parent.mkdir()
    monkeypatch.setenv("PATH", str(scontrol.parent), prepend=":")
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("SNAKEMAKE_SLURM_ROBUST", "1")

    def saved_at(step: int, said: str, *, ends: str = "", processes: int = 1) -> None:
        scontrol.write_text(SCONTROL.format(calls=calls, ends=ends))
        scontrol.chmod(0o755)
        with pytest.raises(UserError, match=f"saved at step {step} of 9 .*{said}"):
            train(folder, minutes=0.1, processes=processes)

    saved_at(1, "Slurm queues its job again")
    saved_at(2, "does not queue its job again: not allowed", ends="echo not allowed >&2; exit 1")
    saved_at(3, "queues its job", processes=2)  # which ask once
    with pytest.raises(UserError, match="give its job more time"):
        train(folder, minutes=0.1)
    assert calls.read_text().splitlines() == ["requeue 17"] * 3


def test_a_training_of_another_key_begins_anew_and_if_the_key_comes_back_it_goes_on(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole")
    folder = tmp_path / "short"
    for step in (1, 2):
        with pytest.raises(UserError, match=f"saved at step {step}"):
            train(folder, minutes=0.1)
    [aside] = (folder / "checkpoints").iterdir()
    saved = digests(aside)
    log = io.StringIO()
    train(folder, log, key="other", seed=2)
    assert "continuing" not in log.getvalue()
    assert f"are kept, but not used: {aside}" in log.getvalue()
    assert list((folder / "checkpoints").iterdir()) == [aside]
    assert digests(aside) == saved
    log = io.StringIO()
    assert contents(train(folder, log)) == contents(whole)
    assert "continuing from the checkpoint after step 2" in log.getvalue()
    assert not (folder / "checkpoints").exists()


def digests(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_step_keeps_checkpoints_beside_the_model(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {
        "examples": str(examples(tmp_path / "examples.parquet")),
        "model": str(tmp_path / "model"),
        "run": "tiny",
        "settings": changed(FIT, epochs=1, metric="bleu", valid_beams=2),
        "log": str(tmp_path / "train.log"),
        "job": Job({"key": "one"}),
    }
    with pytest.raises(UserError, match="saved at step 1"):
        train_model(**arguments, minutes=0.1)
    assert len(list((tmp_path / "model.checkpoints").glob("*/checkpoint-*/whole.json"))) == 1
    train_model(**arguments, minutes=None)
    run = json.loads((tmp_path / "model" / "run.json").read_text())
    assert (run["run"], run["languages"], run["steps"]) == ("tiny", ["en", "zh"], 3)
    assert (run["decoding"]["beams"], run["decoding"]["max_tokens"]) == (2, FIT.max_tokens)
