"""What rules are written with: paths, inputs of jobs behind cutoffs, params."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from wokflow.frame import stages
from wokflow.frame.rules import Results, Steps
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

CONFIG = {"match": {"pair": {"threshold": 0.5, "words": "words.tsv", "device": "cpu"}}}
RULES = {"threshold": {}, "words": {"counts": "content"}, "device": {"counts": "never"}}
SCHEMA = {"properties": {"match": {"properties": {"pair": {"properties": RULES}}}}}
TINY = Run("tiny", "train", "seq2seq", "small", "en-zh", "")
RUNS = {"tiny": TINY, "lent": Run("lent", "none", "seq2seq", "run:tiny", "zh-en", "", lender=TINY)}


class IncompleteError(Exception):
    """What Snakemake raises while a checkpoint has not run."""


class Checkpoint:
    """Stands for Snakemake's, of which only `get` is called."""

    done = True

    def get(self, **wildcards: str) -> None:
        if not self.done:
            raise IncompleteError(wildcards)


def wildcards(**values: str) -> Any:
    return SimpleNamespace(items=values.items)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A folder with two cutoffs' digests, and the steps of a workflow with two directions."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.tsv").write_text("粥")
    scope = Scope(
        config={
            "results": "out",
            "parse": {"actions": {"method": "rules"}},
            "pivot": {"dishes": {"corpus": "xiachufang"}},
        },
        runs=RUNS,
        corpora={"recipenlg": "en", "xiachufang": "zh"},
        matched=("recipenlg", "xiachufang"),
        sentences={},
        dumps=(),
        directions={"zh-en": ("xiachufang", "recipenlg"), "en-zh": ("recipenlg", "xiachufang")},
    )
    cutoffs = SimpleNamespace(**stages.cutoffs(scope))
    every = [cutoff for group in vars(cutoffs).values() for cutoff in group.members.values()]
    for cutoff in every:
        Path(cutoff.digest).parent.mkdir(parents=True, exist_ok=True)
        Path(cutoff.digest).write_text(cutoff.name)
        Path(cutoff.data).parent.mkdir(parents=True, exist_ok=True)
        Path(cutoff.data).touch()
    checkpoint = Checkpoint()
    checkpoints = SimpleNamespace(
        match_titles=checkpoint, match_texts=checkpoint, generate_instances=checkpoint
    )
    steps = Steps(CONFIG, SCHEMA, RUNS, {"zh-en": ("xiachufang", "recipenlg")}, checkpoints)
    return SimpleNamespace(steps=steps, cutoffs=cutoffs, checkpoint=checkpoint)


def test_paths_of_tables_shards_logs_and_benchmarks() -> None:
    results = Results("out")
    assert results.parts("a/b", 2) == ["out/a/b/part-00000.parquet", "out/a/b/part-00001.parquet"]
    assert results.shards("a/b", "npy", 2) == ["out/a/b/00000-of-00002.npy", "out/a/b/00001-of-00002.npy"]
    assert results.log("match_pair", "direction", "shard") == "out/logs/match_pair/{direction}.{shard}.log"
    assert results.benchmark("match_split") == "out/benchmarks/match_split/all.tsv"


def test_a_job_waits_for_the_cutoffs_of_its_wildcards_and_all_before_them(house: SimpleNamespace) -> None:
    waits = house.steps.after(house.cutoffs.titles)["after"].callable
    assert waits(wildcards(corpus="recipenlg")) == [
        "out/ingest/source/recipenlg.json",
        "out/match/titles/recipenlg.sha256",
    ]
    assert len(waits(wildcards(direction="zh-en"))) == 4
    source = house.steps.after(house.steps.of_source(house.cutoffs.source))["after"].callable
    assert source(wildcards(direction="zh-en")) == ["out/ingest/source/xiachufang.json"]


def test_a_job_reads_the_data_of_some_cutoffs_and_waits_for_these_too(house: SimpleNamespace) -> None:
    titles = house.cutoffs.titles
    inputs = house.steps.after(house.cutoffs.examples["en-zh"], titles=titles, both=[titles, titles])
    assert list(inputs) == ["after", "titles", "both"] and all(
        "ancient" in each.flags for each in inputs.values()
    )
    found = {name: each.callable(wildcards(corpus="xiachufang")) for name, each in inputs.items()}
    assert found["titles"] == "out/match/titles/xiachufang/part-00000.parquet"
    assert found["both"] == [found["titles"]] * 2
    assert {"out/train/examples/en-zh.sha256", "out/match/titles/xiachufang.sha256"} <= {*found["after"]}


def test_a_run_that_borrows_a_model_waits_for_what_that_model_learnt_from(house: SimpleNamespace) -> None:
    waits = house.steps.after(house.steps.of_model(house.cutoffs.examples))["after"].callable
    assert waits(wildcards(run="lent"))[-1] == "out/train/examples/en-zh.sha256"


def test_data_of_a_cutoff_is_known_once_it_has_run(house: SimpleNamespace) -> None:
    target = house.steps.data(house.steps.of_target(house.cutoffs.titles))
    assert target(wildcards(direction="zh-en")) == "out/match/titles/recipenlg/part-00000.parquet"
    instances = house.steps.data(house.cutoffs.instances)
    assert instances(wildcards(run="lent")) == "out/generate/instances/zh-en/part-00000.parquet"
    house.checkpoint.done = False
    with pytest.raises(IncompleteError):
        target(wildcards(direction="zh-en"))


def test_the_digest_of_data_that_were_deleted_still_counts(house: SimpleNamespace) -> None:
    house.checkpoint.done = False
    Path("out/match/titles/recipenlg/part-00000.parquet").unlink()
    house.steps.after(titles=house.cutoffs.titles)
    params = house.steps.params("match.pair")
    key = json.loads(params["key"](wildcards(corpus="recipenlg")))
    assert list(key["cutoffs"]) == ["match/titles/recipenlg"]


def test_params_are_the_key_and_what_does_not_count(house: SimpleNamespace) -> None:
    house.steps.after(house.cutoffs.examples, titles=[house.cutoffs.titles])
    params = house.steps.params("match.pair", more=lambda found: "digest")
    key = json.loads(params["key"](wildcards(corpus="recipenlg")))
    assert key["settings"] == {"threshold": 0.5}
    assert set(key["resources"]) == {"words", "more"}
    assert list(key["cutoffs"]) == ["match/titles/recipenlg"]
    unkeyed = params["unkeyed"](wildcards(corpus="recipenlg"), None)
    assert unkeyed == {"words": "words.tsv", "device": "cpu"}
    house.checkpoint.done = False
    with pytest.raises(IncompleteError):
        params["key"](wildcards(corpus="recipenlg"))


def test_what_a_rule_reads_is_in_its_own_key_alone_or_it_is_said(house: SimpleNamespace) -> None:
    house.steps.after(titles=house.cutoffs.titles)
    house.steps.params("match.pair")
    house.steps.after(house.cutoffs.titles)
    of_next = house.steps.params("match.pair")["key"](wildcards(corpus="recipenlg"))
    assert json.loads(of_next)["cutoffs"] == {}
    house.steps.after(titles=house.cutoffs.titles)
    with pytest.raises(ValueError, match="has no params"):
        house.steps.after(house.cutoffs.titles)
