"""The shards of a run make one table, which has each instance once."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate import schemas
from wokflow.generate.predictions import generate_predictions


def merged(folder: Path, *shards: str, run: str = "r") -> list[tuple[str, str, str]]:
    """Merge shards that hold the instances of these letters, where a, b and c are wanted."""
    tables.write(
        folder / "instances", schemas.INSTANCES, _filled(pl.DataFrame({"instance_id": list("cab")})), {}
    )
    paths = [str(folder / f"{number}.parquet") for number in range(len(shards))]
    for path, ids in zip(paths, shards, strict=True):
        columns = {"instance_id": list(ids), "run": ["r"] * len(ids), "prediction": [f"of {i}" for i in ids]}
        tables.write(path, schemas.PREDICTIONS, pl.DataFrame(columns, dict.fromkeys(columns, pl.String)), {})
    generate_predictions(
        decoded=paths,
        instances=str(folder / "instances"),
        predictions=str(folder / "out"),
        run=run,
        job=Job({"key": "k"}),
    )
    return tables.read(folder / "out").rows()


def _filled(frame: pl.DataFrame) -> pl.DataFrame:
    empty = [name for name in schemas.INSTANCES.names if name not in frame.columns]
    nullable = {name for name in empty if schemas.INSTANCES.field(name).nullable}
    return frame.with_columns(
        pl.lit(None if name in nullable else "", pl.String).alias(name) for name in empty
    )


@pytest.mark.parametrize("shards", [["abc"], ["cb", "a"], ["b", "", "ca"]])
def test_rows_come_by_instance_whatever_the_shards(shards: list[str], tmp_path: Path) -> None:
    assert merged(tmp_path, *shards) == [("a", "r", "of a"), ("b", "r", "of b"), ("c", "r", "of c")]


@pytest.mark.parametrize(
    ("shards", "run", "said"),
    [
        (["a"], "r", "2 missing (c)"),
        (["abc", "d"], "r", "1 unknown (d)"),
        (["ab", "bca"], "r", "2 there twice (a)"),
        (["abc"], "s", "3 of another run (a)"),
        ([""], "r", "3 missing (c)"),
    ],
)
def test_shards_that_do_not_fit_are_told(shards: list[str], run: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        merged(tmp_path, *shards, run=run)
    assert said in str(error.value) and f"run again: {tmp_path / '0.parquet'}" in str(error.value)
    assert not (tmp_path / "out").exists()
