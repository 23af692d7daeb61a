"""What a cutoff writes, what must wait for it, and which cutoffs concern a job."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.exceptions import IncompleteCheckpointException
from wokflow.frame import stages
from wokflow.frame.cutoffs import Cutoff, digests_before, plain
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

DATA = {"tiny": "zh-en", "dish": "counterfactual", "near": "zh-en"}


def run(name: str, data: str, *, trained: bool = False) -> Run:
    return Run(name, "train" if trained else "none", "seq2seq", "small", data, "")


def scope(
    trained: tuple[str, ...] = ("zh-en", "counterfactual"),
    predicted: tuple[str, ...] = ("zh-en", "counterfactual"),
    method: str = "parser",
    **given: Any,
) -> Scope:
    learning = {f"t-{data}": run(f"t-{data}", data, trained=True) for data in trained}
    usual: dict[str, Any] = {
        "config": {
            "results": "out",
            "parse": {"actions": {"method": method}},
            "pivot": {"dishes": {"corpus": "xiachufang"}},
        },
        "runs": learning | {f"p-{data}": run(f"p-{data}", data) for data in predicted},
        "corpora": {"recipenlg": "en", "xiachufang": "zh"},
        "matched": ("recipenlg", "xiachufang"),
        "sentences": {"camt": "en-es", "opus": "zh-en"},
        "dumps": (),
        "directions": {"zh-en": ("xiachufang", "recipenlg"), "en-zh": ("recipenlg", "xiachufang")},
    }
    return Scope(**usual | given)


def cutoffs(**given: Any) -> SimpleNamespace:
    return SimpleNamespace(**stages.cutoffs(scope(**given)))


def names(found: tuple[Cutoff, ...]) -> list[str]:
    return [cutoff.name for cutoff in found]


def test_a_cutoff_waits_for_itself_and_all_before_it_each_once() -> None:
    assert digests_before([cutoffs().texts["xiachufang"]]) == [
        "out/ingest/source/xiachufang.json",
        "out/match/titles/xiachufang.sha256",
        "out/match/texts/xiachufang.sha256",
    ]
    both = digests_before(cutoffs().vectors.members.values())
    assert len(both) == len(set(both)) == 8
    assert digests_before([cutoffs().instances["zh-en"]]) == [*both, "out/generate/instances/zh-en.sha256"]
    assert digests_before([cutoffs().instances["counterfactual"]]) == [
        "out/ingest/source/xiachufang.json",
        "out/generate/instances/counterfactual.sha256",
    ]


def test_a_name_is_the_same_wherever_results_lie() -> None:
    for results in ("out", "/scratch/match/xiachufang.d/out"):
        config = scope().config | {"results": results}
        found = cutoffs(config=config, corpora={"xiachufang": "zh"}, matched=("xiachufang",))
        assert found.titles["xiachufang"].name == "match/titles/xiachufang", results
        assert found.source["xiachufang"].name == "ingest/source/xiachufang", results
    every = [cutoff for group in stages.cutoffs(scope()).values() for cutoff in group.members.values()]
    assert len({cutoff.name for cutoff in every}) == len(every)


def test_a_job_has_the_cutoffs_of_its_corpus_direction_or_run() -> None:
    found = cutoffs()
    assert names(found.titles.of({"corpus": "xiachufang"}, DATA)) == ["match/titles/xiachufang"]
    assert names(found.titles.of({"corpus": "counterfactual"}, DATA)) == []
    assert len(found.titles.of({"direction": "zh-en"}, DATA)) == 2
    assert len(found.titles.of({}, DATA)) == 2
    assert names(found.instances.of({"run": "dish"}, DATA)) == ["generate/instances/counterfactual"]
    assert names(found.instances.of({"direction": "zh-en"}, DATA)) == ["generate/instances/zh-en"]
    assert names(found.instances.of({"direction": "en-zh"}, DATA)) == []
    assert len(found.instances.of({}, DATA)) == 2
    assert names(cutoffs(trained=()).examples.of({"run": "near"}, DATA)) == []


def test_a_wildcard_of_which_nothing_is_known_makes_no_job_wait_in_silence() -> None:
    assert names(cutoffs().titles.of({"corpus": "xiachufang", "shard": "00000"}, DATA)) == [
        "match/titles/xiachufang"
    ]
    with pytest.raises(ValueError, match="lang_pair"):
        cutoffs().titles.of({"lang_pair": "en-zh"}, DATA)


def test_rewriting_is_another_checkpoint_than_adapting() -> None:
    found = cutoffs()
    assert found.examples["zh-en"].checkpoint == "train_pairs"
    assert found.examples["zh-en"].wildcards == {"direction": "zh-en"}
    assert found.examples["counterfactual"].checkpoint == "train_recipes"
    assert found.examples["counterfactual"].wildcards == {}


def test_translation_waits_for_the_dictionary_of_all_sources_of_sentences() -> None:
    found = cutoffs(predicted=("zh-en", "camt"), dumps=("en",))
    assert found.instances["camt"].checkpoint == "generate_items"
    assert found.instances["camt"].wildcards == {"corpus": "camt"}
    assert digests_before(found.instances.of({"run": "moved"}, {"moved": "camt"})) == [
        "out/ingest/source/camt.json",
        "out/ingest/source/opus.json",
        "out/ingest/source/entities.json",
        "out/enrich/names/en.sha256",
        "out/enrich/names/zh.sha256",
        "out/ingest/source/pages_en.json",
        "out/generate/instances/camt.sha256",
    ]


def test_what_reads_nothing_of_items_has_a_cutoff_of_its_own_behind_the_same_checkpoint() -> None:
    found = cutoffs(predicted=("camt",)).instances
    (whole,), (bare,) = (found.of({"run": "r"}, {"r": name}) for name in ("camt", plain("camt")))
    assert (whole.checkpoint, whole.wildcards, whole.before) == (bare.checkpoint, bare.wildcards, bare.before)
    assert (whole.name, bare.name) == ("generate/instances/camt", "generate/plain/camt")
    assert bare.data == "out/generate/plain/camt/part-00000.parquet"


def test_without_a_parser_no_clauses_are_waited_for() -> None:
    assert cutoffs(method="rules").clauses.of({"corpus": "xiachufang"}, DATA) == ()


class RanBefore:
    """Snakemake's checkpoints, all of whose outputs an earlier run left."""

    def __init__(self, output: str) -> None:
        self.match_titles = self
        self.rule, self.output = "match_titles", [output]

    def get(self, **wildcards: str) -> "RanBefore":
        return self


def test_a_checkpoint_that_runs_again_is_waited_for(tmp_path: Path) -> None:
    """Its outputs are removed when it begins, and Snakemake counts them as there all the same."""
    data, digest = str(tmp_path / "data"), tmp_path / "digest"
    cutoff = Cutoff("match_titles", data, str(digest))
    with pytest.raises(IncompleteCheckpointException) as caught:
        cutoff.await_it(RanBefore(data))
    assert caught.value.targetfile == data
    digest.write_text("1a\n")
    assert cutoff.await_it(RanBefore(data)) is cutoff


def test_names_of_one_language_are_one_cutoff_behind_the_table_of_entities() -> None:
    found = cutoffs(sentences={"camt": "en-es", "opus": "en-hi", "wiki": "zh-en"})
    assert found.names["camt"] is found.names["opus"]
    assert digests_before([found.names["wiki"]]) == [
        "out/ingest/source/entities.json",
        "out/enrich/names/zh.sha256",
    ]
