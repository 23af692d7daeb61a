"""The pairs that the authors of CulturalRecipes published go in as training texts and silver set, and come out."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow import cli
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate.instances import generate_instances
from wokflow.generate.schemas import INSTANCES, PREDICTIONS
from wokflow.generate.settings import InstancesSettings
from wokflow.ingest.schemas import RECIPES
from wokflow.match.cultural_recipes import SCORED
from wokflow.match.gold import published_pairs
from wokflow.match.schemas import PAIRS
from wokflow.train.pairs import train_pairs
from wokflow.train.settings import PairsSettings

from tests.train.recipes import write_pairs, write_recipes

GOLD = "source_id\ttitle\tingredients\tsteps\tsource_title\tsource_ingredients\tsource_steps\n"


def recipe(name: str, title: str, translated: str | None = None) -> dict[str, Any]:
    return {
        "id": name,
        "title": title,
        "title_translated": translated,
        "ingredients": [f"{title}a", f"{title}b"],
        "steps": [f"{title}c", f"{title}d"],
        "dish": None,
    }


TEA, ICE = recipe("7", "茶", "tea"), recipe("8", "冰", "ice")
FILES: dict[str, list[dict[str, Any]]] = {
    "train.jsonl": [{"source": TEA, "targets": [recipe("7", "Tea"), recipe("9", "Chai")]}],
    "val.jsonl": [{"source": ICE, "targets": [recipe("10", "Ice")]}],
    "test.jsonl": [
        {"source": recipe("11", "汤", "soup"), "targets": [recipe("12", "Soup"), recipe("13", "Broth")]}
    ],
}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    folder.mkdir()
    for name, pairs in FILES.items():
        text = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_models_learn_from_published_pairs(published: Path, tmp_path: Path) -> None:
    data = str(tmp_path / "examples.parquet")
    given: Any = {"direction": "zh-en", "data": data, "digest": str(tmp_path / "digest"), "job": Job()}
    given |= {"pairs": write_pairs(tmp_path, ("zh:0", "en:0", "train")), "recipes": []}
    train_pairs(**given, settings=PairsSettings(published=str(published)))
    assert tables.read(data).rows() == [
        (
            f"published:{source['id']}>published:{target['id']}",
            split,
            source["title"],
            f"Title: {source['title']}\nIngredients: {'，'.join(source['ingredients'])}\n"
            f"Steps: {source['title']}c。{source['title']}d。\n",
            f"Title: {target['title']}\nIngredients: {', '.join(target['ingredients'])}\n"
            f"Steps: {target['title']}c. {target['title']}d.\n",
        )
        for split, name in (("train", "train.jsonl"), ("valid", "val.jsonl"))
        for pair in FILES[name]
        for source in [pair["source"]]
        for target in pair["targets"]
    ]
    pairs = [
        {"source": recipe("0", "茶"), "targets": [recipe("", "Tea") | {"id": name} for name in names]}
        for names in ([0, 0, None], [0])
    ]
    (published / "val.jsonl").write_text(
        "".join(map(json.dumps, pairs)).replace("}{", "}\n{"), encoding="utf-8"
    )
    train_pairs(**given, settings=PairsSettings(published=str(published)))
    assert [name.split(">")[1] for name in tables.read(data).filter(split="valid")["instance_id"]] == [
        "published:0",
        "val.jsonl:1:2",
        "val.jsonl:1:3",
        "val.jsonl:2:1",
    ]
    (published / "val.jsonl").unlink()
    with pytest.raises(UserError, match=r"train\.published\.zh-en: .* has no val\.jsonl"):
        train_pairs(**given, settings=PairsSettings(published=str(published)))


def test_the_published_silver_set_is_what_models_are_tested_on(published: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"{GOLD}published:11\tGold\tsalt\tStir\t汤\t盐\t煮\n", encoding="utf-8")
    data = str(tmp_path / "instances.parquet")
    generate_instances(
        pairs=write_pairs(tmp_path, ("zh:0", "en:0", "test")),
        silver=[],
        recipes=write_recipes(tmp_path),
        direction="zh-en",
        data=data,
        digest=str(tmp_path / "digest"),
        settings=InstancesSettings(gold=str(gold), published=str(published), simplified=False),
        job=Job(),
    )
    rows = tables.read(data).select("instance_id", "title", "reference", "retrieved").rows()
    soup = "Soup\nSoupa, Soupb\nSoupc. Soupd."
    assert rows == [
        ("silver:published:11", "汤", soup, None),
        ("gold:published:11", "汤", "Gold\nsalt\nStir.", soup),
    ]


@pytest.mark.parametrize("name", [None, 9])
def test_each_published_source_keeps_its_own_reference(
    name: int | None, published: Path, tmp_path: Path
) -> None:
    pairs = [{"source": recipe(text, text), "targets": [recipe("", text) | {"id": name}]} for text in "ab"]
    (published / "test.jsonl").write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
    data = str(tmp_path / "instances.parquet")
    generate_instances(
        pairs=write_pairs(tmp_path, ("zh:0", "en:0", "test")),
        silver=[],
        recipes=write_recipes(tmp_path),
        direction="zh-en",
        data=data,
        digest=str(tmp_path / "digest"),
        settings=InstancesSettings(gold=None, published=str(published), simplified=False),
        job=Job(),
    )
    assert [text[0] for text in tables.read(data)["reference"]] == ["a", "b"]


def test_a_run_comes_out_in_the_published_form_and_goes_in_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    recipes, pairs = [], []
    for split, name in (("train", "train.jsonl"), ("valid", "val.jsonl"), ("test", "test.jsonl")):
        for pair in FILES[name]:
            recipes.append(pair["source"] | {"lang": "zh"})
            for target in pair["targets"]:
                recipes.append(target | {"lang": "en"})
                pairs.append(
                    (f"zh:{pair['source']['id']}", f"en:{target['id']}", pair["source"], target, split)
                )
    rows = [
        {name: one[name] for name in ("lang", "title", "ingredients", "steps", "dish")}
        | {
            "recipe_id": f"{one['lang']}:{one['id']}",
            "corpus": one["lang"],
            "url": None,
            "source_row": number,
        }
        for number, one in enumerate(recipes)
    ]
    (results / "ingest/recipes/x").mkdir(parents=True)
    tables.write(results / "ingest/recipes/x/part-00000.parquet", RECIPES, tables.frame(RECIPES, rows), {})
    for direction in ("zh-en", "en-zh"):
        (results / "match/pairs" / direction).mkdir(parents=True)
        matched = [
            {
                "source_id": source_id,
                "target_id": target_id,
                "score": 0.9,
                "rank": 1,
                "source_title": source["title"],
                "source_title_translated": source["title_translated"],
                "target_title": target["title"],
                "target_title_translated": None,
                "split": split,
            }
            for source_id, target_id, source, target, split in pairs
            if direction == "zh-en"
        ]
        tables.write(
            results / "match/pairs" / direction / "part-00000.parquet",
            PAIRS,
            tables.frame(PAIRS, matched),
            {},
        )
    export = ["papers", "cultural-recipes", "--results", str(results), "--to"]
    assert cli.main([*export, str(tmp_path / "out")]) == 0
    assert cli.main([*export, str(tmp_path / "out")]) == 2, "what is there is not overwritten"
    expected = {str(tmp_path / "out" / side / name) for side in ("zh-en", "en-zh") for name in FILES}
    assert {*capsys.readouterr().out.splitlines()} == expected
    for name, pairs_of in FILES.items():
        path = tmp_path / "out/zh-en" / name
        got = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for pair in got:
            for one in (pair["source"], *pair["targets"]):
                one["id"] = one["id"].split(":")[1]
        assert got == pairs_of
        assert [line for line, _, _ in published_pairs(str(path))] == list(range(1, len(pairs_of) + 1))
    part = results / "ingest/recipes/x/part-00000.parquet"
    shifted = pl.concat([pl.read_parquet(part)["title"][1:], pl.Series("title", ["汤"])])
    tables.write(part, RECIPES, pl.read_parquet(part).with_columns(shifted), {})
    assert cli.main([*export, str(tmp_path / "shifted")]) == 1 and not (tmp_path / "shifted").exists()
    assert "is not the one that ingest has read since. Run snakemake match." in capsys.readouterr().err
    tables.write(part, RECIPES, tables.frame(RECIPES, rows), {})
    (results / "generate/instances/zh-en").mkdir(parents=True)
    asked = dict.fromkeys(("instance_id", "dataset", "source_id", "title", "source"), "silver")
    instances = tables.frame(INSTANCES, [asked | {"instance_id": f"silver:published:{n}"} for n in (11, 12)])
    tables.write(results / "generate/instances/zh-en/part-00000.parquet", INSTANCES, instances, {})
    assert cli.main([*export, str(tmp_path / "others")]) == 0
    said = capsys.readouterr()
    assert [*said.out.splitlines()] == [str(tmp_path / "others/en-zh" / name) for name in FILES]
    assert said.err.startswith("zh-en: nothing is written"), "pairs of zh-en are none that models saw"
    shutil.copytree(results / "generate/instances/zh-en", results / "generate/instances/en-zh")
    assert cli.main([*export, str(tmp_path / "nothing")]) == 1
    capsys.readouterr()
    predicted = results / "generate/predictions/small"
    predicted.mkdir(parents=True)
    answer = {"instance_id": "silver:published:11", "run": "small", "prediction": "Soup"}
    tables.write(predicted / "part-00000.parquet", PREDICTIONS, [answer], {})
    (results / SCORED).parent.mkdir(parents=True)
    pl.DataFrame({"run": ["another"]}).write_parquet(results / SCORED)
    assert cli.main([*export, str(tmp_path / "predicted")]) == 0
    said = capsys.readouterr()
    assert str(tmp_path / "predicted/zh-en/predictions/small.silver.jsonl") in said.out.splitlines()
    *lost, why, _ = said.err.splitlines()
    sides = ("zh-en", "en-zh")
    assert lost[::2] == [f"small: 1 of 2 instances of {side}, silver have no prediction" for side in sides]
    assert all(line.startswith("small is not in evaluate/scores") for line in lost[1::2])
    assert why.startswith("zh-en: predictions alone. There are no pairs, as models learnt from others")
