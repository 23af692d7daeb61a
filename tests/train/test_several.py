"""Trainings in two processes: the same steps as in one, uneven ends, and models that are shared out between them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from wokflow.frame.job import UserError

from tests.models.tiny import loaded
from tests.train.attack import listeners, plant, reached
from tests.train.bases import base_model
from tests.train.tiny import (
    ALWAYS,
    FIT,
    apart,
    changed,
    contents,
    curve,
    examples,
    steps_saved,
    train,
    wait_until,
)

pytestmark = pytest.mark.usefixtures("one_thread")


def test_mbart_learns_the_same_in_two_processes_where_one_has_nothing_to_do_at_the_end(
    tmp_path: Path,
) -> None:
    """Of 25 examples the fourth step has one: a process without it reads an example whose loss does not count."""
    base = base_model(tmp_path, "mbart")
    found = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        folder.mkdir()
        examples(folder / "examples.parquet", train=25, valid=5)
        settings = changed(FIT, dropout=0.0, epochs=2)
        found.append(train(folder, settings=settings, processes=processes, base=str(base)))
    said = [json.loads((model / "run.json").read_text())["computed"]["processes"] for model in found]
    assert said == [1, 2]
    one, two = map(curve, found)
    assert two["step"].to_list() == one["step"].to_list() == [4, 8]
    for column in ("train_loss", "valid_loss"):
        assert two[column].to_list() == pytest.approx(one[column].to_list(), abs=1e-4)
    weights = [dict(loaded(str(model), "seq2seq")[0].named_parameters()) for model in found]
    for name, value in weights[0].items():
        assert torch.allclose(value, weights[1][name], atol=1e-3), name


def test_a_model_that_is_shared_out_is_saved_continued_and_written_whole(tmp_path: Path) -> None:
    base = base_model(tmp_path, "llama")
    settings = changed(FIT, epochs=6, patience=6, dropout=0.0, shard=True, metric="auto", save_minutes=ALWAYS)
    settings = changed(settings, family="causal", base=str(base))
    settings = changed(settings, gradient_checkpointing=True)  # what FSDP does itself
    plain = train(tmp_path / "plain", settings=settings, shard=False)
    folder = tmp_path / "told"
    folder.mkdir()
    process = apart(train, folder, None, settings, processes=2)
    wait_until(lambda: len(steps_saved(folder)) > 1 or not process.is_alive())
    assert process.pid
    os.kill(process.pid, signal.SIGTERM)
    process.join(120)
    newest = steps_saved(folder)[-1]
    assert f"saved at step {newest} of 18 at most" in (folder / "error.txt").read_text()
    [checkpoint] = (folder / "checkpoints").glob(f"*/checkpoint-{newest}")
    assert {"pytorch_model_fsdp_0", "optimizer_0"} <= {path.name for path in checkpoint.iterdir()}
    whole = train(folder, settings=settings, processes=2)
    for column in ("train_loss", "valid_loss"):
        assert curve(whole)[column].to_list() == pytest.approx(curve(plain)[column].to_list(), abs=1e-4)
    assert set(contents(whole)) == set(contents(plain))
    weights = [dict(loaded(str(model), "causal")[0].named_parameters()) for model in (plain, whole)]
    assert all(torch.allclose(value, weights[1][name], atol=1e-3) for name, value in weights[0].items())


def test_the_size_of_a_device_batch_is_not_tried_by_several_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that runs out of memory would begin anew, while the others wait for its gradients."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match=r"device_batch: auto .* Give a number"):
        train(tmp_path, device_batch="auto")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "there is only one: set processes or nodes"),
        ({"family": "causal", "metric": "bleu"}, "neither with lora.rank nor"),
        ({"family": "seq2seq"}, "is for causal models"),
    ],
)
def test_what_cannot_be_shared_out_is_said(
    values: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if values:
        monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match=said):
        train(tmp_path, shard=True, **values)


def test_the_attack_runs_code_where_torchrun_s_rendezvous_unpickles_its_store(tmp_path: Path) -> None:
    """So that the tests of ours can fail: what they plant does run there."""
    made = tmp_path / "made"
    command = ["torch.distributed.run", "--nnodes", "1:2", "--rdzv-backend", "c10d", "--rdzv-id", "known"]
    command += ["--rdzv-endpoint", "127.0.0.1:0", "--no-python", "true"]
    process = subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None and not made.exists():
            for place in listeners(process.pid):
                if store := reached(*place):
                    plant(store, made, ["known"], everywhere=False)
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    assert made.exists()


def test_processes_of_a_node_draw_their_own_dropout_and_no_store_of_theirs_answers_others(
    tmp_path: Path,
) -> None:
    """As docs/runs.md says, losses are near those of one process, and not the same.

    torchrun's rendezvous unpickles what others write into a store that listens on every address.
    """
    process = apart(train, tmp_path / "two", None, FIT, processes=2)
    seen, stores = set(), []
    while process.is_alive():
        for host, port in listeners(process.pid) - seen:
            seen.add((host, port))
            stores += filter(None, [reached(host, port)])
        time.sleep(0.01)
    process.join()
    assert process.exitcode == 0
    assert not stores
    assert {host for host, _ in seen} == {"127.0.0.1"}
    models = train(tmp_path / "one"), tmp_path / "two" / "model"
    one, two = (curve(model)["valid_loss"].to_list() for model in models)
    assert two != one
    assert two == pytest.approx(one, abs=0.15)
