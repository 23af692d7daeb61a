"""Runs that rewrite by a causal model: the same whatever the shards, and a prompt that names the dish."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate.delorean import generate_delorean
from wokflow.generate.educat import generate_educat
from wokflow.generate.mined import generate_mined
from wokflow.generate.predictions import generate_predictions
from wokflow.generate.settings import DeloreanSettings, EducatSettings, MinedSettings
from wokflow.pivot import schemas

from tests.generate.rewriting import instances, model_in

pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = ["abc de. fg.", "hij. kl m.", "蛋炒饭。", "", "no."]
GIVEN = {"run": "r", "model": "run:a", "prompt": "resources/prompts/dish.txt", "chat": "auto", "seed": 1}
PAIRS = "base_dish\ttarget_dish\tingredient_removed\tingredient_added\n蛋饭\t鸡饭\t蛋\t鸡\n"
HERE: dict[str, Any] = GIVEN | {"device": "cpu", "precision": "float32", "batch": 2}
FRY = ("蛋饭", "鸡饭", "insert", "炒", ["鸡"], [], 0, 9, 9, 9, 0.0, ["炒鸡", "鸡炒"], [], [])
MINED = [FRY]
KINDS: dict[str, tuple[Callable[..., None], Any]] = {
    "delorean": (generate_delorean, DeloreanSettings(**HERE, passes=(1, 2), backward=(2,))),
    "mined": (
        generate_mined,
        MinedSettings(**HERE, glossary="resources/glossary", pairs="pairs.tsv", insertions=2),
    ),
    "educat": (generate_educat, EducatSettings(**HERE, steps=6, burn_in=2)),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return model_in(tmp_path_factory.mktemp("gpt2"))


def predicted(folder: Path, model: str, shards: int, kind: str, **own: Any) -> pl.DataFrame:
    write, settings = KINDS[kind]
    settings = settings.model_copy(update=own)
    source, parts = instances(folder, TEXTS), [str(folder / f"{n}-of-{shards}") for n in range(shards)]
    common: dict[str, Any] = {"instances": source, "trained": model, "job": Job({"key": "k"})}
    if kind == "mined":
        settings = settings.model_copy(update={"pairs": str(folder / "pairs.tsv")})
        (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
        common["mined"] = str(folder / "mined.parquet")
        tables.write(
            common["mined"], schemas.MINED, pl.DataFrame(MINED, schemas.MINED.names, orient="row"), {}
        )
    for shard, part in enumerate(parts):
        write(predictions=part, shard=shard, shards=shards, settings=settings, **common)
    out = str(folder / "out.parquet")
    generate_predictions(decoded=parts, instances=source, predictions=out, run="r", job=Job({"key": "k"}))
    return tables.read(out)


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_do_not_depend_on_shards(kind: str, model: str, tmp_path: Path) -> None:
    whole = predicted(tmp_path, model, 1, kind)
    assert predicted(tmp_path, model, 3, kind).equals(whole)
    texts = dict(whole.select("instance_id", "prediction").iter_rows())
    assert texts["i3"] == "" and all(texts[f"i{n}"] for n in (0, 1, 2, 4))


def test_what_is_drawn_is_drawn_by_the_runs_seed(model: str, tmp_path: Path) -> None:
    one, other = (predicted(tmp_path, model, 1, "educat", seed=seed) for seed in (1, 2))
    assert not one.equals(other)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_without_the_dish_is_refused(kind: str, model: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("{source}", encoding="utf-8")
    with pytest.raises(UserError, match="must name the dish to make"):
        predicted(tmp_path, model, 1, kind, prompt=str(prompt))
