"""Every gate stops a release that has its fault, and none stops a clean one."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from wokflow.export.gate_checks import of_models
from wokflow.export.gate_findings import GATES
from wokflow.frame.job import UserError
from wokflow.generate.schemas import INSTANCES, PREDICTIONS
from wokflow.pivot.schemas import INSTANCES as REWRITTEN
from wokflow.train.schemas import EXAMPLES

from tests.export.made import FREE, PAIRS, export, make_results, write

RECIPE = {
    "name": "红烧肉",
    "dish": "红烧肉",
    "recipeIngredient": ["五花肉", "冰糖", "酱油", "料酒", "八角", "姜"],
}
STEPS = [
    "五花肉切成小块，焯水后捞出备用。",
    "锅中放少许油，加冰糖小火炒出糖色。",
    "放入肉块翻炒上色，加酱油和料酒。",
    "加水没过肉，小火慢炖一个小时，大火收汁。",
]


def predicted(text: str) -> Callable[[Path], None]:
    """Put text into a prediction."""

    def change(results: Path) -> None:
        write(
            results / "generate/predictions/tiny/part-00000.parquet",
            PREDICTIONS,
            [("silver:xiachufang:0", "tiny", text)],
        )

    return change


def paired(*more: tuple[str, str, float, str]) -> Callable[[Path], None]:
    """Add pairs."""

    def change(results: Path) -> None:
        make_results(results.parent, sorted([*PAIRS, *more], key=lambda pair: int(pair[0].split(":")[1])))

    return change


def twice(results: Path) -> None:
    path = results / "pivot/instances/part-00000.parquet"
    rows = pl.read_parquet(path).rows()
    write(path, REWRITTEN, rows * 2)


def nearly_the_same(results: Path) -> None:
    """Two recipes of different names, one of train and one of test, that differ in a word."""
    import json

    data = results.parent / "data/zh.json"
    more = [
        RECIPE | {"recipeInstructions": STEPS},
        RECIPE | {"name": "东坡肉", "recipeInstructions": [*STEPS[:3], STEPS[3] + "趁热吃。"]},
    ]
    grown = data.read_text(encoding="utf-8") + "".join(
        json.dumps(row, ensure_ascii=False) + "\n" for row in more
    )
    pairs = [
        *PAIRS,
        ("xiachufang:8", "recipenlg:4", 0.9, "train"),
        ("xiachufang:9", "recipenlg:5", 0.9, "test"),
    ]
    make_results(results.parent, pairs, chinese=grown)


def learnt(
    results: Path, example: str = "xiachufang:5>recipenlg:0", target: str = "b", reference: str | None = None
) -> None:
    write(
        results / "train/examples/zh-en/part-00000.parquet",
        EXAMPLES,
        [(example, "train", "t", "a", target)],
    )
    values = {
        "instance_id": "silver:xiachufang:5",
        "dataset": "silver",
        "source_id": "xiachufang:5",
        "title": "t",
        "source": "s",
        "reference": reference,
        "reference_id": "recipenlg:3",
    }
    write(
        results / "generate/instances/zh-en/part-00000.parquet",
        INSTANCES,
        [tuple(values.get(name) for name in INSTANCES.names)],
    )


def lost(results: Path) -> None:
    """Drop a reject."""
    for path in sorted((results / "ingest/rejects/recipenlg").glob("*.parquet")):
        pl.read_parquet(path).clear().write_parquet(path)


FAULTS: dict[str, Callable[[Path], None]] = {
    "duplicate_ids": twice,
    "shared_recipes": paired(("xiachufang:3", "recipenlg:0", 0.9, "test")),
    "connected_pairs": paired(("xiachufang:3", "recipenlg:0", 0.9, "test")),
    "shared_titles": paired(("xiachufang:3", "recipenlg:3", 0.9, "test")),
    "near_duplicates": nearly_the_same,
    "trained_on_tests": learnt,
    "rows": lost,
    "licences": lambda results: None,
    "mail_addresses": predicted("Write to cook@example.org for more."),
    "phone_numbers": predicted("订餐电话 13812345678。"),
    "links": predicted("See https://example.org/recipes for more."),
    "user_names": predicted("关注我的微信公众号 yummyfood88。"),
    "replacement_characters": predicted("Cr\ufffdme."),
    "control_characters": predicted("Stir\x85 it."),
    "private_characters": predicted("Stir \ue000 it."),
    "mojibake": predicted("CrÃ¨me brÃ»lÃ©e."),
    "markup": predicted("Salt &amp; pepper."),
}


def test_a_reference_in_training_examples_is_found(tmp_path: Path) -> None:
    learnt(tmp_path, "xiachufang:7>recipenlg:9", "Fry the eggs.", "Fry the eggs")
    parts = [
        str(tmp_path / table / "zh-en/part-00000.parquet")
        for table in ("train/examples", "generate/instances")
    ]
    (found,) = of_models(parts)
    assert found.examples == ("xiachufang:7>recipenlg:9: a text of xiachufang:5 is tested: a",)
    learnt(tmp_path, "xiachufang:7>recipenlg:3", "Fry the egg.", "Fry the eggs")
    (found,) = of_models(parts)
    assert found.examples == ("xiachufang:7>recipenlg:3: the id is tested: a",)


def test_an_adaptation_like_a_training_recipe_is_found(tmp_path: Path) -> None:
    """Whether its own source is in a corpus or came with the set, whose text is then compared, too."""
    results = make_results(tmp_path)
    gold = tmp_path / "gold.tsv"
    learnt = pl.read_parquet(results / "ingest/recipes/recipenlg").row(0, named=True)
    assert learnt["recipe_id"] == "recipenlg:0", "of train"
    head, row = gold.read_text(encoding="utf-8").splitlines()
    head += "\tsource_ingredients\tsource_steps"
    lists = ["|".join(learnt["ingredients"]), "|".join(learnt["steps"])]
    for mode, source, title, own in (
        ("full", "xiachufang:4", row.split("\t")[1], ["", ""]),
        ("standoff", "xiachufang:99", "Egg", ["Egg", "Fry."]),
        ("full", "xiachufang:99", learnt["title"], lists),
    ):
        changed = [source, title, learnt["title"], *lists, *own]
        gold.write_text("\n".join([head, "\t".join(changed)]) + "\n", encoding="utf-8")
        with pytest.raises(UserError) as stopped:
            export(results, "pairs", "gold", mode=mode, licences=FREE | {"given_gold": FREE["lines"]})
        for gate in ("shared_titles", "near_duplicates"):
            assert re.search(
                rf"- {gate}: {1 + (own == lists)}\.(?:(?!\n- )[\s\S])*the adaptation of {source} in test",
                str(stopped.value),
            )


def train(datasets: Path) -> Path:
    return datasets / "pairs-zh-en/data/pairs-zh-en/train-00000-of-00001.parquet"


def other_columns(datasets: Path) -> None:
    shard = train(datasets)
    pl.read_parquet(shard).with_columns(more=pl.lit(1)).write_parquet(shard)


def fewer_rows(datasets: Path) -> None:
    shard = train(datasets)
    table = pq.read_table(shard)
    pq.write_table(table.slice(1), shard)


MEDDLED: dict[str, tuple[str, Callable[[Path], None]]] = {
    "other columns": ("schema", other_columns),
    "fewer rows": ("counts", fewer_rows),
    "cut off": ("counts", lambda datasets: os.truncate(train(datasets), 500)),
    "missing": ("counts", lambda datasets: train(datasets).unlink()),
    "one too many": (
        "counts",
        lambda datasets: shutil.copy(
            train(datasets), train(datasets).with_name("more-00000-of-00001.parquet")
        ),
    ),
}


def test_there_is_a_fault_for_each_gate() -> None:
    assert {*FAULTS, *(gate for gate, _ in MEDDLED.values())} == set(GATES)


@pytest.mark.parametrize("fault", MEDDLED)
def test_shards_that_are_not_as_counted_stop_a_release_for_good(tmp_path: Path, fault: str) -> None:
    gate, meddle = MEDDLED[fault]
    results = make_results(tmp_path)
    with pytest.raises(UserError, match=f"- {gate} in pairs-zh-en: 1"):
        export(results, "pairs", meddle=meddle, accept=list(FAULTS))
    assert not (results / "export/release").exists() or not list((results / "export/release").iterdir())


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            "parse/actions/xiachufang",
            r"recipes of xiachufang with actions: (\d+) rows in, \d+ out and 0 rejects",
        ),
        ("enrich/rejects/lines", r"sentences of lines with items: \d+ rows in, 1 out and \d+ rejects"),
    ],
)
def test_rows_are_counted_on_every_way_from_source_to_shard(tmp_path: Path, table: str, words: str) -> None:
    results = make_results(tmp_path)
    path = results / table / "part-00000.parquet"
    rows = pl.read_parquet(path)
    first = rows.columns[0] if "recipe_id" in rows.columns else "source_row"
    rows.filter(pl.col(first) != rows[first][0]).write_parquet(path)
    with pytest.raises(UserError, match=rf"- rows: 1\.(.|\n)*{words} \(1 missing\)"):
        export(results, "actions", "items")


def test_rows_lost_from_the_end_are_missed(tmp_path: Path) -> None:
    """Nothing behind them shows that they were there: what was read is noted in each part."""
    results = make_results(tmp_path)
    path = results / "ingest/rejects/xiachufang/part-00000.parquet"
    rows = pl.read_parquet(path)
    assert rows["source_row"].to_list() == [7], "behind all recipes"
    rows.clear().write_parquet(path)
    with pytest.raises(
        UserError, match=r"- rows: 1\.\s.*\n *ingest xiachufang: \d+ rows in, .* \(1 missing\)"
    ):
        export(results, "pairs")


@pytest.mark.parametrize(
    ("table", "subset"),
    [
        ("enrich/items", "items"),
        ("pivot/instances", "instances"),
        ("evaluate/scores", "scores"),
        ("generate/predictions/near", "predictions"),
    ],
)
def test_rows_that_other_shards_lack_are_counted(tmp_path: Path, table: str, subset: str) -> None:
    def more(datasets: Path) -> None:
        path = datasets.parents[1] / table / "part-00000.parquet"
        rows = pl.read_parquet(path)
        pl.concat([rows, rows]).write_parquet(path)

    with pytest.raises(
        UserError, match=rf"shards of {subset}: \d rows in, \d out and 0 rejects \(1 missing\)"
    ):
        export(make_results(tmp_path), "items", "pivots", "predictions", meddle=more)


def test_rows_that_a_shard_lacks_are_counted(tmp_path: Path) -> None:
    results = make_results(tmp_path)

    def more(datasets: Path) -> None:
        path = results / "parse/actions/xiachufang/part-00000.parquet"
        rows = pl.read_parquet(path)
        pl.concat([rows, rows[:2]]).write_parquet(path)

    with pytest.raises(UserError, match=r"shards of actions-xiachufang: 16 rows in, 14 out and 0 rejects"):
        export(results, "actions", meddle=more)


def test_a_clean_release_passes_all_gates(tmp_path: Path) -> None:
    assert export(make_results(tmp_path), mode="full").is_dir()


@pytest.mark.parametrize("gate", FAULTS)
def test_a_gate_stops_its_fault_until_it_is_accepted(tmp_path: Path, gate: str) -> None:
    results = make_results(tmp_path)
    FAULTS[gate](results)
    licences = {name: each for name, each in FREE.items() if name != "lines"} if gate == "licences" else FREE
    mode = "standoff" if gate == "licences" else "full"
    with pytest.raises(UserError, match=rf"- {gate}( in [^:]+)?: \d+\.") as stopped:
        export(results, mode=mode, licences=licences)
    assert not (results / "export/release").exists() or not list((results / "export/release").iterdir())
    assert "cook@example.org" not in str(stopped.value) and "13812345678" not in str(stopped.value), "masked"
    accepted = [name for name in FAULTS if f"- {name}" in str(stopped.value)]
    card = (export(results, mode=mode, licences=licences, accept=accepted) / "README.md").read_text(
        encoding="utf-8"
    )
    assert f": {gate}, " in card
