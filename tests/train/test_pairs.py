import io
from pathlib import Path

import pytest
from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.train.pairs import train_pairs

from tests.train.recipes import write_pairs, write_recipes

GOLD = "source_id\tsource_title\ttitle\tingredients\tsteps\nzh:1\t茶1\tA tea\ta cup | water\tBoil\n"


def examples(tmp_path: Path, *pairs: tuple[str, str, str], gold: str | None = None) -> tuple[list[str], str]:
    """The examples' ids, and the digest."""
    data, digest = str(tmp_path / "examples.parquet"), tmp_path / "digest"
    train_pairs(
        pairs=write_pairs(tmp_path, *pairs),
        recipes=write_recipes(tmp_path),
        gold=gold,
        simplified=False,
        data=data,
        digest=str(digest),
        metadata={},
        progress=Progress(io.StringIO()),
    )
    return tables.read(data)["instance_id"].to_list(), digest.read_text()


def test_pairs_to_learn_from_are_texts(tmp_path: Path) -> None:
    pairs = [("zh:0", "en:1", "train"), ("zh:1", "en:0", "valid"), ("zh:2", "en:2", "test")]
    ids, _ = examples(tmp_path, *pairs)
    assert ids == ["zh:0>en:1", "zh:1>en:0"]
    rows = tables.read(tmp_path / "examples.parquet").rows()
    assert rows[0][1:] == (
        "train",
        "Title: 茶0\nIngredients: 水0\nSteps: 烧0。\n",
        "Title: tea1\nIngredients: water1\nSteps: Boil1.\n",
    )


def test_what_the_gold_set_tests_is_not_learnt(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(GOLD, encoding="utf-8")
    pairs = [("zh:0", "en:1", "train"), ("zh:1", "en:0", "train")]
    ids, _ = examples(tmp_path, *pairs, gold=str(tmp_path / "gold.tsv"))
    assert ids == ["zh:0>en:1"]
    (tmp_path / "gold.tsv").write_text(GOLD.replace("茶1", "汤"), encoding="utf-8")
    with pytest.raises(UserError, match="line 2: the title of zh:1 is '茶1' in the corpus"):
        examples(tmp_path, *pairs, gold=str(tmp_path / "gold.tsv"))


def test_the_digest_is_of_what_is_learnt(tmp_path: Path) -> None:
    pair, test = ("zh:0", "en:1", "train"), ("zh:2", "en:2", "test")
    _, one = examples(tmp_path, pair, test)
    assert examples(tmp_path, pair)[1] == one
    assert examples(tmp_path, ("zh:0", "en:1", "valid"))[1] != one
