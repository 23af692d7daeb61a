from pathlib import Path

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.train.pairs import train_pairs
from wokflow.train.settings import PairsSettings

from tests.train.recipes import write_pairs, write_recipes


def examples(tmp_path: Path, *pairs: tuple[str, str, str]) -> tuple[list[str], str]:
    """The examples' ids, and the digest."""
    data, digest = str(tmp_path / "examples.parquet"), tmp_path / "digest"
    train_pairs(
        pairs=write_pairs(tmp_path, *pairs),
        recipes=write_recipes(tmp_path),
        direction="zh-en",
        data=data,
        digest=str(digest),
        settings=PairsSettings(published=None),
        job=Job(),
    )
    return tables.read(data)["instance_id"].to_list(), digest.read_text()


def test_pairs_to_learn_from_are_texts(tmp_path: Path) -> None:
    pairs = [("zh:0", "en:1", "train"), ("zh:1", "en:0", "valid"), ("zh:2", "en:2", "test")]
    ids, _ = examples(tmp_path, *pairs)
    assert ids == ["zh:0>en:1", "zh:1>en:0"]
    rows = tables.read(tmp_path / "examples.parquet").rows()
    assert rows[0][1:] == (
        "train",
        "茶0",
        "Title: 茶0\nIngredients: 水0\nSteps: 烧0。\n",
        "Title: tea1\nIngredients: water1\nSteps: Boil1.\n",
    )


def test_the_digest_is_of_what_is_learnt(tmp_path: Path) -> None:
    pair, test = ("zh:0", "en:1", "train"), ("zh:2", "en:2", "test")
    _, one = examples(tmp_path, pair, test)
    assert examples(tmp_path, pair)[1] == one
    assert examples(tmp_path, ("zh:0", "en:1", "valid"))[1] != one
