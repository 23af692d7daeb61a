"""Shards of vectors read as one matrix, and are gathered without copying."""

import hashlib
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.frame.job import UserError
from wokflow.match.vectors import Vectors, match_vectors

MATRIX = np.arange(40, dtype=np.float32).reshape(20, 2)


def saved(folder: Path, lengths: list[int], matrix: np.ndarray = MATRIX) -> list[str]:
    """The matrix cut into shards of these lengths, as files."""
    folder.mkdir()
    cuts = np.split(matrix, np.cumsum(lengths)[:-1])
    paths = [folder / f"{number:05}-of-{len(lengths):05}.npy" for number in range(len(lengths))]
    for path, rows in zip(paths, cuts, strict=True):
        np.save(path, rows)
    return [str(path) for path in paths]


@settings(deadline=None)
@given(
    cuts=st.lists(st.integers(0, 20), max_size=5).map(sorted),
    start=st.integers(0, 20),
    count=st.integers(0, 20),
    rows=st.lists(st.integers(0, 19), max_size=30),
)
def test_rows_and_take_read_across_shards_of_any_length(
    cuts: list[int], start: int, count: int, rows: list[int]
) -> None:
    stop, wanted = min(start + count, 20), np.array(rows, np.int64)
    lengths = np.diff([0, *cuts, 20]).tolist()
    with TemporaryDirectory() as folder:
        saved(Path(folder, "shards"), lengths)
        for vectors in (Vectors(np.split(MATRIX, cuts)), Vectors.open(Path(folder, "shards"))):
            assert (len(vectors), vectors.dimensions) == (20, 2)
            np.testing.assert_array_equal(vectors.rows(start, stop), MATRIX[start:stop])
            np.testing.assert_array_equal(vectors.take(wanted), MATRIX[wanted])


def test_rows_are_a_copy_in_memory(tmp_path: Path) -> None:
    saved(tmp_path / "shards", [8, 12])
    rows = Vectors.open(tmp_path / "shards").rows(0, 20)
    rows[:] = 0
    assert rows.flags.c_contiguous and rows.dtype == np.float32
    np.testing.assert_array_equal(Vectors.open(tmp_path / "shards").rows(0, 20), MATRIX)


def test_shards_open_in_the_order_of_their_names(tmp_path: Path) -> None:
    saved(tmp_path / "shards", [1] * 12 + [8])
    np.testing.assert_array_equal(Vectors.open(tmp_path / "shards").rows(0, 20), MATRIX)


def test_a_shard_that_was_cut_off_is_named(tmp_path: Path) -> None:
    (shard,) = saved(tmp_path / "shards", [20])
    vectors = Vectors.open(tmp_path / "shards")
    os.truncate(shard, Path(shard).stat().st_size - 4)
    np.testing.assert_array_equal(vectors.rows(0, 19), MATRIX[:19])
    with pytest.raises(UserError, match=r"00000-of-00001\.npy was cut off: run again"):
        vectors.take(np.array([19]))


@pytest.mark.parametrize("other", [MATRIX.astype(np.float64), np.asfortranarray(MATRIX), MATRIX[0]])
def test_only_rows_of_float32_are_read(tmp_path: Path, other: np.ndarray) -> None:
    np.save(tmp_path / "00000-of-00001.npy", other)
    with pytest.raises(ValueError, match=r"00001\.npy is no matrix of float32 by rows"):
        Vectors.open(tmp_path)


def test_a_folder_that_lost_a_shard_is_refused(tmp_path: Path) -> None:
    """Else the rows behind it would be those of other texts."""
    for shard in saved(tmp_path / "shards", [5, 5, 10]):
        Path(shard).unlink()
        with pytest.raises(UserError, match="shards is not whole: it has"):
            Vectors.open(tmp_path / "shards")


def test_the_folder_holds_links_to_the_shards(tmp_path: Path) -> None:
    shards = saved(tmp_path / "shards", [8, 12])
    match_vectors(vectors=shards, data=str(tmp_path / "all"), digest=str(tmp_path / "all.sha256"))
    links = sorted((tmp_path / "all").iterdir())
    assert [link.name for link in links] == ["00000-of-00002.npy", "00001-of-00002.npy"]
    assert all(link.samefile(shard) for link, shard in zip(links, shards, strict=True))
    np.testing.assert_array_equal(Vectors.open(tmp_path / "all").rows(0, 20), MATRIX)


def test_the_digest_is_of_the_numbers_and_not_of_the_sharding(tmp_path: Path) -> None:
    digests = set()
    for number, lengths in enumerate(([20], [8, 12], [0, 19, 1], [5, 5, 5, 5])):
        digest = tmp_path / f"{number}.sha256"
        shards = saved(tmp_path / str(number), lengths)
        match_vectors(vectors=shards, data=str(tmp_path / f"all-{number}"), digest=str(digest))
        digests.add(digest.read_text())
    assert digests == {hashlib.sha256(MATRIX.tobytes()).hexdigest() + "\n"}
    shards = saved(tmp_path / "other", [20], MATRIX + 1)
    match_vectors(vectors=shards, data=str(tmp_path / "x"), digest=str(tmp_path / "x.sha256"))
    assert (tmp_path / "x.sha256").read_text() not in digests


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(tmp_path: Path, number: float) -> None:
    matrix = MATRIX.copy()
    matrix[13, 1] = number
    shards = saved(tmp_path / "shards", [8, 12], matrix)
    with pytest.raises(UserError, match=r"00001-of-00002\.npy: a vector is not finite; embed again"):
        match_vectors(vectors=shards, data=str(tmp_path / "all"), digest=str(tmp_path / "all.sha256"))
    assert [path.name for path in tmp_path.iterdir()] == ["shards"], "nothing half-done is left"


def test_an_older_folder_of_more_shards_is_replaced(tmp_path: Path) -> None:
    for number, lengths in enumerate(([5, 5, 5, 5], [20])):
        shards = saved(tmp_path / str(number), lengths)
        match_vectors(vectors=shards, data=str(tmp_path / "all"), digest=str(tmp_path / "all.sha256"))
    assert [path.name for path in (tmp_path / "all").iterdir()] == ["00000-of-00001.npy"]
    assert len(Vectors.open(tmp_path / "all")) == 20
