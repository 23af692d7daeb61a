from dataclasses import replace
from pathlib import Path

import pytest
from wokflow.train.checkpoints import CURVE, WHOLE, Checkpoints, Evaluation, Saved, best_of

ROW = Evaluation(epoch=1, step=3, train_loss=2.5, valid_loss=2.0, valid_bleu=10.0, learning_rate=0.1)
TENSORS = "model.safetensors"


def saved(folder: Path, *steps: int, key: str = "one", curve: list[Evaluation] | None = None) -> Checkpoints:
    checkpoints = Checkpoints(folder, key)
    for step in steps:
        (checkpoints.path(step) / "optimizer_0").mkdir(parents=True)  # as the trainer writes it
        (checkpoints.path(step) / TENSORS).write_bytes(b"weights")
        (checkpoints.path(step) / "optimizer_0" / "part.distcp").write_bytes(b"moments")
        checkpoints.finish(step, 0.1 + step, 7)
    if curve:
        checkpoints.note(curve)
    return checkpoints


def names(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"*/*/{WHOLE}"))


def test_the_newest_comes_back_with_the_curve_so_far(tmp_path: Path) -> None:
    later = replace(ROW, epoch=2, step=6)
    saved(tmp_path, 1, 3, 5, curve=[ROW, later])
    assert Checkpoints(tmp_path, "one").newest("bleu") == Saved(5, 5.1, 7, (ROW,))
    assert names(tmp_path) == ["checkpoint-3", "checkpoint-5"]  # the best one and the newest


def test_newest_and_best_are_kept_alone(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 3, 6, 7, 8)
    checkpoints.keep(8, ROW)
    assert names(tmp_path) == ["checkpoint-3", "checkpoint-8"]


@pytest.mark.parametrize("what", ["half the tensors", "no mark", "half the mark", "no tensors", "no part"])
def test_a_torn_checkpoint_is_not_taken(tmp_path: Path, what: str) -> None:
    checkpoints = saved(tmp_path, 1, 2)
    torn = checkpoints.path(2)
    name = {"mark": WHOLE, "part": "optimizer_0/part.distcp"}.get(what.split()[-1], TENSORS)
    if what.startswith("half"):
        content = (torn / name).read_bytes()
        (torn / name).write_bytes(content[: len(content) // 2])
    else:
        (torn / name).unlink()
    assert not checkpoints.is_whole(2)
    assert checkpoints.newest("loss").step == 1
    assert not torn.exists()


def test_without_its_best_a_checkpoint_is_not_whole(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 1, 4, curve=[ROW])
    assert checkpoints.newest("bleu").step == 1


def test_a_torn_curve_counts_as_none(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path, 3, curve=[ROW])
    (checkpoints.folder / CURVE).write_text('[{"epoch":')
    assert checkpoints.newest("bleu") == Saved(3, 3.1, 7)


def test_checkpoints_of_another_key_are_set_aside_and_never_deleted(tmp_path: Path) -> None:
    other = saved(tmp_path, 1, 2, key="other")
    (tmp_path / "step-00000007").mkdir()  # as an older version has left it
    own = saved(tmp_path, 5, 6)
    assert own.set_aside == sorted([other.folder, tmp_path / "step-00000007"])
    own.keep(6, None)
    (own.path(6) / WHOLE).unlink()
    assert own.newest("loss") == Saved()
    own.remove()
    assert names(tmp_path) == ["checkpoint-1", "checkpoint-2"]
    assert (tmp_path / "step-00000007").is_dir()
    assert Checkpoints(tmp_path, "other").newest("loss") == Saved(2, 2.1, 7)


def test_the_folder_goes_with_the_last_key(tmp_path: Path) -> None:
    checkpoints = saved(tmp_path / "checkpoints", 2)
    checkpoints.remove()
    assert not (tmp_path / "checkpoints").exists()


def test_the_best_is_the_first_of_the_highest_bleu_and_of_equal_ones_that_of_the_lower_loss() -> None:
    rows = [
        replace(ROW, epoch=number, valid_bleu=bleu, valid_loss=loss)
        for number, (bleu, loss) in enumerate([(0.0, 5.0), (0.0, 4.0), (7.0, 6.0), (7.0, 6.0), (6.0, 1.0)], 1)
    ]
    found = [best_of(rows[:count], "bleu") for count in range(6)]
    assert [row and row.epoch for row in found] == [None, 1, 2, 3, 3, 3]
    best = best_of(rows, "loss")
    assert best and best.epoch == 5
