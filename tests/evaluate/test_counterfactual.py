"""The whole evaluation from tables to scores."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from wokflow.evaluate import schemas
from wokflow.evaluate.counterfactual import Reader, evaluate_counterfactual, write_scores
from wokflow.evaluate.expected import Pivots, read_pivots
from wokflow.evaluate.settings import Bootstrap, CounterfactualSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.parse.glossary import Glossary
from wokflow.pivot import schemas as pivot_schemas

from tests.evaluate.notation import actions, extract
from tests.report.parts import write_glossary

GLOSSARY = Glossary({}, {"五花肉": "猪肉", "鲫鱼": "鱼", "豆腐": "豆腐", "皮蛋": "皮蛋"}, {})
FISH, EGG = ("红烧肉", "红烧鲫鱼"), ("凉拌豆腐", "凉拌皮蛋豆腐")
BASES = {
    "1": (*FISH, "洗/猪肉=五花肉/ 焯/猪肉=五花肉/ 炒/糖/", "五花肉", "鲫鱼"),
    "2": (*FISH, "焯/猪肉=五花肉/ 煮/水/", "五花肉", "鲫鱼"),
    "3": (*EGG, "切/豆腐/ 淋/油/", None, "皮蛋"),
}
PERFECT = {
    "1": "洗/鱼=鲫鱼/ 划/鱼=鲫鱼/ 炒/糖/",
    "2": "划/鱼=鲫鱼/ 煮/水/",
    "3": "切/豆腐/ 剥/皮蛋/ 淋/油/",
}
PIVOT_ROWS = [
    (*FISH, "焯", ["猪肉"], [], "remove"),
    (*FISH, "划", ["鱼"], [], "insert"),
    (*EGG, "剥", ["皮蛋"], [], "insert"),
]
ORDER_ROWS = [(*FISH, "划/鱼/", "洗/鱼/", "划/鱼/"), (*FISH, "划/鱼/", "划/鱼/", "煮/水/")]


def table(path: Path, schema: Any, rows: pl.DataFrame) -> str:
    """Write rows; columns that they lack are null, 0 or empty."""
    full = tables.frame(schema)
    filled = pl.concat([full, rows.cast({name: full.schema[name] for name in rows.columns})], how="diagonal")
    types = {pl.String: "", pl.Float64: 0.0, pl.Int32: 0, pl.List(pl.String): []}
    fields = [name for name in full.columns if not schema.field(name).nullable]
    filled = filled.with_columns(
        pl.col(name).fill_null(pl.lit(types[full.schema[name]], full.schema[name])) for name in fields
    )
    tables.write(path, schema, filled, {})
    return str(path)


@pytest.fixture
def inputs(tmp_path: Path) -> dict[str, str]:
    columns = ["base_dish", "target_dish", "text", "ingredient_removed", "ingredient_added"]
    instances = pl.DataFrame(list(BASES.values()), columns, orient="row")
    of_pivots = ["base_dish", "target_dish", "verb_class", "ingredient_classes", "tool_classes", "kind"]
    of_orders = ["base_dish", "target_dish", "pivot", "before", "after"]
    return {
        "instances": table(
            tmp_path / "instances",
            pivot_schemas.INSTANCES,
            instances.with_columns(instance_id=pl.Series(list(BASES))),
        ),
        "pivots": table(
            tmp_path / "pivots",
            pivot_schemas.PIVOTS,
            pl.DataFrame(PIVOT_ROWS, of_pivots, orient="row"),
        ),
        "orders": table(
            tmp_path / "orders",
            pivot_schemas.ORDERS,
            pl.DataFrame(ORDER_ROWS, of_orders, orient="row"),
        ),
    }


def settings(glossary: str = "none", **more: Any) -> CounterfactualSettings:
    bootstrap = Bootstrap(samples=100)
    return CounterfactualSettings(
        glossary=glossary, method="rules", style="house", bootstrap=bootstrap, **more
    )


def evaluated(
    folder: Path,
    inputs: dict[str, str],
    predictions: pl.DataFrame,
    *,
    candidates: str | None = None,
    vectors: str | None = None,
    progress: Progress | None = None,
) -> pl.DataFrame:
    files = [str(folder / "predictions.parquet")]
    predictions.write_parquet(files[0])
    out, pivots = str(folder / "scores"), [inputs["pivots"], inputs["orders"]]
    pivots += [candidates] if candidates else []
    reader, job = Reader(GLOSSARY, extract, vectors), Job(progress=progress or Progress())
    write_scores(out, inputs["instances"], pivots, files, reader, settings(), job)
    return tables.read(out)


def runs(**texts: dict[str, str]) -> pl.DataFrame:
    rows = [(instance, run, text) for run, of_run in texts.items() for instance, text in of_run.items()]
    return pl.DataFrame(rows, ["instance_id", "run", "prediction"], orient="row")


def value(scores: pl.DataFrame, run: str, metric: str, dataset: str = "counterfactual") -> Any:
    chosen = scores.filter(run=run, metric=metric, dataset=dataset)
    return chosen.select("value", "instances").row(0)


def test_a_perfect_run_and_a_copy(tmp_path: Path, inputs: dict[str, str]) -> None:
    copy = {name: row[2] for name, row in BASES.items()}
    scores = evaluated(tmp_path, inputs, runs(perfect=PERFECT, copy=copy))
    assert scores.columns == schemas.SCORES.names
    expected = {
        "coverage_added": ((100, 3), (0, 3)),
        "coverage_replaced": ((0, 2), (100, 2)),
        **dict.fromkeys(("hard_precision", "hard_recall", "hard_f1", "hard_f1_insert"), ((100, 3), (0, 3))),
        "hard_f1_remove": ((100, 2), (0, 2)),
        "order_accuracy": ((100, 3), (None, 0)),
        "soft_f1": ((None, 0), (None, 0)),
        "bertscore": ((None, 0), (None, 0)),
    }
    for metric, (perfect, copied) in expected.items():
        assert value(scores, "perfect", metric) == perfect, metric
        assert value(scores, "copy", metric) == copied, metric
    assert value(scores, "copy", "bleu") == value(scores, "copy", "bleu_sentence") == (100, 3)
    assert 0 < value(scores, "perfect", "bleu")[0] < 100
    notes = scores.filter(pl.col("value").is_null())["note"]
    assert notes.null_count() == 0


def test_the_step_takes_the_users_predictions_beside_the_workflows(
    tmp_path: Path, inputs: dict[str, str]
) -> None:
    """Texts are read by rules here, with a glossary of one word of each kind."""
    files = []
    for run in ("ours", "theirs"):
        files.append(str(tmp_path / f"{run}.parquet"))
        runs(**{run: {"1": "洗鲫鱼"}}).write_parquet(files[-1])
    candidates = table(tmp_path / "candidates", pivot_schemas.CANDIDATES, pl.DataFrame({"phrases": []}))
    (tmp_path / "words.txt").write_text("洗\n", encoding="utf-8")
    np.save(tmp_path / "vectors.npy", np.eye(1, dtype=np.float32))
    evaluate_counterfactual(
        instances=inputs["instances"],
        pivots=[inputs["pivots"], inputs["orders"], candidates],
        predictions=files[:1],
        trained_vectors=[str(tmp_path)],
        trained_parser=[],
        scores=str(tmp_path / "scores"),
        settings=settings(write_glossary(tmp_path / "glossary"), predictions=files[1:]),
        job=Job(),
    )
    scores = tables.read(tmp_path / "scores")
    assert set(scores["run"]) == {"ours", "theirs"}
    assert (
        value(scores, "ours", "coverage_added") == value(scores, "theirs", "coverage_added") == (33.3333, 3)
    )
    assert value(scores, "ours", "soft_f1")[0] is not None


def test_each_dish_pair_is_a_dataset_too(tmp_path: Path, inputs: dict[str, str]) -> None:
    scores = evaluated(tmp_path, inputs, runs(a=PERFECT | {"3": BASES["3"][2]}))
    fish, egg = (f"counterfactual/{base}/{target}" for base, target in (FISH, EGG))
    assert value(scores, "a", "hard_f1") == (66.6667, 3)
    assert value(scores, "a", "hard_f1", fish) == (100, 2)
    assert value(scores, "a", "hard_f1", egg) == (0, 1)
    assert value(scores, "a", "coverage_replaced", egg) == (None, 0)


def test_missing_predictions_count_and_are_said(tmp_path: Path, inputs: dict[str, str]) -> None:
    with (tmp_path / "log").open("w+") as log:
        scores = evaluated(tmp_path, inputs, runs(a={"1": PERFECT["1"]}), progress=Progress(log))
        log.seek(0)
        assert "a: 2 of 3 instances have no prediction" in log.read()
    assert value(scores, "a", "coverage_added") == (33.3333, 3)


def test_the_order_of_rows_does_not_matter(tmp_path: Path, inputs: dict[str, str]) -> None:
    texts = runs(b=PERFECT, a={name: row[2] for name, row in BASES.items()})
    evaluated(tmp_path, inputs, texts)
    first = (tmp_path / "scores").read_bytes()
    for path in inputs.values():
        pl.read_parquet(path).reverse().write_parquet(path)
    evaluated(tmp_path, inputs, texts.sample(fraction=1, shuffle=True, seed=3))
    assert (tmp_path / "scores").read_bytes() == first


def test_soft_scores_by_the_phrases_of_the_candidates(tmp_path: Path, inputs: dict[str, str]) -> None:
    (tmp_path / "words.txt").write_text("斜刀\n剖\n剥\n", encoding="utf-8")
    np.save(tmp_path / "vectors.npy", np.eye(3, dtype=np.float32))
    rows = [
        (*row[:5], [phrase])
        for row, phrase in zip(PIVOT_ROWS, ("焯/猪肉/", "炒/糖/ 划=斜刀/鱼/", "剥/"), strict=True)
    ]
    columns = ["base_dish", "target_dish", "verb_class", "ingredient_classes", "tool_classes", "phrases"]
    candidates = table(
        tmp_path / "candidates", pivot_schemas.CANDIDATES, pl.DataFrame(rows, columns, orient="row")
    )
    texts = runs(a=PERFECT | {"2": "切=斜刀/鱼/ 煮/水/"})
    without = evaluated(tmp_path, inputs, texts, vectors=str(tmp_path))
    scores = evaluated(tmp_path, inputs, texts, vectors=str(tmp_path), candidates=candidates)
    fish = "/".join(("counterfactual", *FISH))
    assert (
        value(scores, "a", "hard_f1_insert", fish) == value(without, "a", "soft_f1_insert", fish) == (50, 2)
    )
    assert value(scores, "a", "soft_f1_insert", fish) == (100, 2)


def test_the_words_of_what_a_phrase_leaves_to_its_recipe_are_the_classes(
    tmp_path: Path, inputs: dict[str, str]
) -> None:
    """Alone, 斜刀切 has no fish, and 斜刀用盐切 no other food than salt."""
    columns = ["base_dish", "target_dish", "verb_class", "ingredient_classes", "tool_classes", "phrases"]
    rows = [
        (*FISH, "划", ["葱", "鱼"], ["刀"], ["划=斜刀/盐/ 洗/鱼/", "划=剖/葱=葱花/"]),
        (*FISH, "焯", ["猪肉"], [], ["焯=焯水/猪肉=肉/ 焯//"]),
    ]
    candidates = table(
        tmp_path / "candidates", pivot_schemas.CANDIDATES, pl.DataFrame(rows, columns, orient="row")
    )
    files = [inputs["pivots"], inputs["orders"], candidates]
    pair = dict(zip(("ingredient_removed", "ingredient_added"), ("五花肉", "鲫鱼"), strict=True))
    named = pl.DataFrame([dict(zip(columns[:2], FISH, strict=True)) | pair])
    words = read_pivots(named, files, GLOSSARY, extract, Progress())[FISH].words
    assert list(words.values()) == [
        ("斜刀", "葱", "鱼", "刀", "剖", "葱花", "鱼", "刀"),
        ("焯水", "肉"),  # said in full: what only resembles it is not read
    ]


def test_pairs_without_pivots_or_with_unknown_ingredients_are_said(
    tmp_path: Path, inputs: dict[str, str]
) -> None:
    strange = pl.DataFrame(
        {
            "base_dish": ["A", *FISH[:1]],
            "target_dish": ["B", *FISH[1:]],
            "ingredient_removed": ["龙", "五花肉"],
            "ingredient_added": ["鲫鱼"] * 2,
        }
    )
    with (tmp_path / "log").open("w+") as log:
        files = [inputs["pivots"], inputs["orders"]]
        found = read_pivots(strange, files, GLOSSARY, extract, Progress(log))
        log.seek(0)
        said = log.read()
    assert found["A", "B"] == Pivots()
    assert found[FISH].remove == actions("焯/猪肉/") and found[FISH].replaced == ("猪肉", "鱼")
    assert "1 of 2 pairs have no pivot actions" in said and "level 2: A to B\n" in said
    assert "A to B: 龙 is not in the glossary" in said
