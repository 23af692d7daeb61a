"""What a cutoff writes, what must wait for it, and which cutoffs concern a job."""

from pathlib import Path

import pytest
from snakemake.exceptions import IncompleteCheckpointException
from wokflow.frame.cutoffs import Cutoff, Cutoffs, declare, digests_before, plain

DATA = {"tiny": "zh-en", "dish": "counterfactual", "near": "zh-en"}


def cutoffs(**given: object) -> Cutoffs:
    usual = {
        "corpora": ("recipenlg", "xiachufang"),
        "matched": ("recipenlg", "xiachufang"),
        "parsed": ("xiachufang",),
        "dish_corpus": "xiachufang",
        "directions": ("zh-en", "en-zh"),
        "trained": ("zh-en", "counterfactual"),
        "predicted": ("zh-en", "counterfactual"),
        "sentences": {"camt": "en", "opus": "zh"},
        "entities": "entities",
        "pages": (),
    }
    return declare("out", **usual | given)  # type: ignore[arg-type]


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
        found = cutoffs(corpora=("xiachufang",), matched=("xiachufang",))
        assert found.titles["xiachufang"].name == "match/titles/xiachufang", results
        assert found.source["xiachufang"].name == "ingest/source/xiachufang", results
    assert len({cutoff.name for cutoff in cutoffs().all()}) == len(cutoffs().all())


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
    found = cutoffs(predicted=("zh-en", "camt"), pages=("pages_en",))
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
    assert cutoffs(parsed=()).clauses.of({"corpus": "xiachufang"}, DATA) == ()


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
    found = cutoffs(sentences={"camt": "en", "opus": "en", "wiki": "zh"})
    assert found.names["camt"] is found.names["opus"]
    assert digests_before([found.names["wiki"]]) == [
        "out/ingest/source/entities.json",
        "out/enrich/names/zh.sha256",
    ]
