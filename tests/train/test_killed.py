"""Trainings that are killed, told to stop, and shared by two processes."""

import os
import signal
from pathlib import Path

import pytest

from tests.train.tiny import (
    ALWAYS,
    FIT,
    Strike,
    apart,
    changed,
    contents,
    curve,
    steps_saved,
    train,
    wait_until,
)

OFTEN = changed(FIT, epochs=5, metric="bleu", save_minutes=ALWAYS)  # a checkpoint after each of the 15 steps


def test_killed_again_and_again_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole", settings=OFTEN)
    folder = tmp_path / "killed"
    folder.mkdir()
    for least in (1, 5, 11):
        process = apart(train, folder, None, OFTEN, strike=Strike(least, signal.SIGKILL))
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert not (folder / "model").exists()
    assert contents(train(folder, settings=OFTEN)) == contents(whole)
    assert [path.name for path in sorted(folder.iterdir())] == ["examples.parquet", "model"]


def test_killed_within_an_epoch_it_counts_that_epoch_alone(tmp_path: Path) -> None:
    """What it goes on from was saved at the end of the epoch before, and measured there."""
    epochs = changed(FIT, epochs=5)
    whole = train(tmp_path / "whole", settings=epochs)
    folder = tmp_path / "killed"
    folder.mkdir()
    process = apart(train, folder, None, epochs, strike=Strike(9, signal.SIGKILL))
    process.join()
    assert process.exitcode == -signal.SIGKILL and not (folder / "model").exists()
    assert contents(train(folder, settings=epochs)) == contents(whole)


def test_sigterm_saves_and_what_goes_on_from_there_ends_with_the_same_bytes(tmp_path: Path) -> None:
    seldom = changed(FIT, epochs=5)
    whole = train(tmp_path / "whole", settings=seldom)
    folder = tmp_path / "told"
    folder.mkdir()
    process = apart(train, folder, None, seldom, strike=Strike(1, signal.SIGTERM, times=2))
    process.join()
    assert process.exitcode == 1
    newest = steps_saved(folder)[-1]
    assert f"saved at step {newest} of 15 at most" in (folder / "error.txt").read_text()
    assert contents(train(folder, settings=seldom)) == contents(whole)


def test_two_processes_give_the_metrics_of_one_and_are_stopped_together(tmp_path: Path) -> None:
    settings = changed(FIT, epochs=8, patience=8, dropout=0.0, metric="bleu", device_batch=2)
    one = curve(train(tmp_path / "one", settings=settings))
    folder = tmp_path / "two"
    folder.mkdir()
    process = apart(train, folder, None, settings, processes=2)
    wait_until(lambda: steps_saved(folder))
    assert process.pid
    os.kill(process.pid, signal.SIGTERM)
    process.join(120)
    assert process.exitcode == 1
    newest = steps_saved(folder)[-1]
    assert 3 <= newest < 24
    assert f"saved at step {newest} of 24 at most" in (folder / "error.txt").read_text()
    two = curve(train(folder, settings=settings, processes=2))
    assert two["step"].to_list() == one["step"].to_list()
    for column in ("train_loss", "valid_loss"):
        assert two[column].to_list() == pytest.approx(one[column].to_list(), abs=1e-3)
    assert two["valid_bleu"].to_list() == pytest.approx(one["valid_bleu"].to_list(), abs=0.1)
    assert not (tmp_path / "two" / "checkpoints.launch").exists()
