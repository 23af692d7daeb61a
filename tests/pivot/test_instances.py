"""The draw of base recipes depends on seed and recipe alone; the corpus holds no recipe of a tested dish."""

from pathlib import Path

import polars as pl
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.ingest.schemas import RECIPES
from wokflow.pivot.instances import pivot_instances
from wokflow.pivot.settings import InstancesSettings

HEADER = "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n"


def run(folder: Path, per_dish: dict[str, int], pairs: list[str], count: int = 5, seed: int = 0) -> None:
    """Write tables `instances` and `corpus` of so many recipes a dish."""
    names = [f"{dish}:{number}" for dish, count in per_dish.items() for number in range(count)]
    rows = [
        (name, "x", "zh", name, ["水"], ["洗", "煮。"], None, None, number)
        for number, name in enumerate(names)
    ]
    schema = tables.columns(RECIPES)
    tables.write(folder / "recipes", RECIPES, pl.DataFrame(rows, schema, orient="row"), {})
    of_dish = [(name, name.split(":")[0], "field") for name in names if not name.startswith("无")]
    pl.DataFrame(of_dish, ["recipe_id", "dish", "found_by"], orient="row").write_parquet(folder / "dishes")
    (folder / "pairs").write_text(HEADER + "".join(f"{pair}\n" for pair in pairs))
    files = {name: str(folder / name) for name in ("dishes", "instances", "corpus")}
    settings = InstancesSettings(pairs=str(folder / "pairs"), count=count, seed=seed)
    pivot_instances(recipes=[str(folder / "recipes")], **files, settings=settings, job=Job())


def drawn(folder: Path, pairs: list[str], count: int = 5, seed: int = 0, **per_dish: int) -> pl.DataFrame:
    run(folder, per_dish or {"甲": 9, "乙": 3, "丙": 4, "无": 2}, pairs, count, seed)
    return tables.read(folder / "instances")


ONE, TWO = "甲\t乙\ta\tb", "丙\t乙\t\tb"


def test_instances_of_pairs(tmp_path: Path) -> None:
    rows = drawn(tmp_path, [ONE, TWO])
    assert rows["base_dish"].to_list() == ["甲"] * 5 + ["丙"] * 4, "all, where there are fewer"
    assert rows["instance_id"].n_unique() == 9
    first = rows.row(0, named=True)
    assert first["instance_id"] == f"{first['recipe_id']}:乙" and first["text"] == "洗。煮。"
    assert rows["ingredient_removed"].to_list() == ["a"] * 5 + [None] * 4


def test_a_draw_depends_on_no_other_pair_and_grows_at_its_end(tmp_path: Path) -> None:
    both = drawn(tmp_path, [TWO, ONE]).filter(pl.col("base_dish") == "甲")
    alone = drawn(tmp_path, [ONE])
    assert alone.rows() == both.rows()
    assert drawn(tmp_path, [ONE], count=7)[:5].rows() == alone.rows()
    assert drawn(tmp_path, [ONE], seed=1).rows() != alone.rows()


def test_the_corpus_leaves_out_both_dishes_of_a_pair(tmp_path: Path) -> None:
    run(tmp_path, {"甲": 2, "乙": 2, "丙": 2, "无": 2}, [ONE])
    assert tables.read(tmp_path / "corpus")["recipe_id"].to_list() == ["丙:0", "丙:1", "无:0", "无:1"]
