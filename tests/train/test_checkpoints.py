from dataclasses import replace
from pathlib import Path

import pytest
import torch
from wokflow.frame.leftovers import temporary_name
from wokflow.train.checkpoints import STATE, TENSORS, Checkpoints, Evaluation, State

ROW = Evaluation(epoch=1, step=3, train_loss=2.5, valid_loss=2.0, valid_bleu=10.0, learning_rate=0.1)


def saved(folder: Path, *steps: int, key: str = "one", curve: list[Evaluation] | None = None) -> Checkpoints:
    checkpoints = Checkpoints(folder, key)
    for step in steps:
        checkpoints.save(State(step, 0.1 + step, 7, curve or []), {"weights": torch.full((2,), step)})
    return checkpoints


def names(folder: Path, pattern: str) -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


def test_the_newest_comes_back_as_it_was(tmp_path: Path) -> None:
    saved(tmp_path, 1, 2, curve=[ROW])
    checkpoints = saved(tmp_path, 3, curve=[ROW])
    state = Checkpoints(tmp_path, "one").newest("bleu")
    assert state == State(3, 3.1, 7, [ROW])
    assert checkpoints.tensors(3)["weights"].tolist() == [3, 3]


def test_newest_and_best_are_kept_alone(tmp_path: Path) -> None:
    worse = replace(ROW, epoch=2, step=6, valid_bleu=9.0)
    checkpoints = saved(tmp_path, 3, 6, 7, 8)
    checkpoints.keep(State(8, curve=[ROW, worse]), "bleu")
    assert names(tmp_path, "*/*") == ["step-00000003", "step-00000008"]


@pytest.mark.parametrize("what", ["half the tensors", "no state", "half the state", "no tensors"])
def test_a_torn_checkpoint_is_not_taken(tmp_path: Path, what: str) -> None:
    checkpoints = saved(tmp_path, 1, 2)
    torn = checkpoints.folder / "step-00000002"
    name = TENSORS if "tensors" in what else STATE
    if what.startswith("half"):
        content = (torn / name).read_bytes()
        (torn / name).write_bytes(content[: len(content) // 2])
    else:
        (torn / name).unlink()
    state = checkpoints.newest("loss")
    assert state and state.step == 1
    assert not torn.exists()


def test_without_its_best_a_checkpoint_is_not_whole(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    checkpoints = saved(tmp_path, 4, curve=[ROW])
    state = checkpoints.newest("bleu")
    assert state and state.step == 1


def test_what_a_killed_save_left_goes(tmp_path: Path) -> None:
    temporary_name(Checkpoints(tmp_path, "one").folder / "step-00000002").mkdir(parents=True)
    checkpoints = saved(tmp_path, 2)
    assert names(tmp_path, "*/*") == ["step-00000002"]
    checkpoints.remove()
    assert not tmp_path.exists()


def test_checkpoints_of_another_key_are_set_aside_and_never_deleted(tmp_path: Path) -> None:
    other = saved(tmp_path, 1, 2, key="other")
    (tmp_path / "step-00000007").mkdir()  # as an older version has left it
    own = saved(tmp_path, 5, 6)
    assert own.set_aside == sorted([other.folder, tmp_path / "step-00000007"])
    own.keep(State(6), "loss")
    assert names(own.folder, "*") == ["step-00000006"]
    (own.folder / "step-00000006" / STATE).unlink()
    assert own.newest("loss") is None
    own.remove()
    assert names(other.folder, "*") == ["step-00000001", "step-00000002"]
    assert (tmp_path / "step-00000007").is_dir()
    assert Checkpoints(tmp_path, "other").newest("loss") == State(2, 2.1, 7)


def test_an_evaluation_comes_into_the_checkpoint_that_is_there(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 3)
    checkpoints.update(State(3, curve=[ROW]), "bleu")
    assert Checkpoints(tmp_path, "one").newest("bleu") == State(3, curve=[ROW])


def test_the_best_is_the_first_of_the_highest_bleu_and_of_equal_ones_that_of_the_lower_loss() -> None:
    rows = [
        replace(ROW, epoch=number, valid_bleu=bleu, valid_loss=loss)
        for number, (bleu, loss) in enumerate([(0.0, 5.0), (0.0, 4.0), (7.0, 6.0), (7.0, 6.0), (6.0, 1.0)], 1)
    ]
    found = [State(curve=rows[:count]).best("bleu") for count in range(6)]
    assert [row and row.epoch for row in found] == [None, 1, 2, 3, 3, 3]
    best = State(curve=rows).best("loss")
    assert best and best.epoch == 5
