"""Each rule names what its function takes: inputs, outputs, settings, resources and options, and no more."""

import hashlib
import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from wokflow.frame import keys, step
from wokflow.frame.cutoffs import Cutoff
from wokflow.frame.plan import dry_workflow
from wokflow.frame.runs import REWRITING
from wokflow.frame.stages import declared_tables
from wokflow.frame.step import RuleJob, arguments, read_key, step_function

from tests.conftest import ROOT
from tests.workflow.changes import MARKING, MODELS, RATERS, STUDIES

EVERYTHING = """\
runs: {runs}
judge: {{models: {folder}/models.tsv}}
annotate: {{studies: {folder}/studies.tsv}}
match:
  candidates: {{titles: {folder}/titles.tsv}}
  rerank: {{by: recipes}}
  silver: {{accepted: {folder}/accepted.tsv}}
parse:
  actions: {{method: parser}}
sources:
  mine: {{kind: tsv, pair: en-zh, path: {folder}/mine.tsv}}
  theirs: {{kind: moses, pair: en-zh, url: "https://example.org/theirs.zip"}}
ingest:
  pages: {{en: {folder}/pages.json}}
  dialogues: {{path: {folder}/spoken.jsonl}}
  annotations: {{path: {folder}/marked.jsonl}}
enrich:
  entities: {{path: {folder}/entities.jsonl}}
  pages: {{backend: api}}
contact: me@example.org
evaluate:
  bertscore: {{zh: {{model: x}}, en: {{model: y}}}}
  smatch: {{parsers: {{zh: [parse], en: [parse]}}}}
  comet: {{command: [comet], device: cpu}}
  bleurt: {{command: [bleurt]}}
"""
ASKED = (
    "asked\tnone\tprompt\tgpt-9\tzh-en\tadapt-zh-en\tserver.gpus=4; server.memory_mb=9000\t\t\n"
    "cued\tnone\tprompt\tgpt-9\tmine\tcsi_bi\tserver.gpus=4; server.memory_mb=9000\t\t\n"
    "spoken\tnone\tprompt\tgpt-9\tdialogues\tdialogue\tserver.gpus=4; server.memory_mb=9000\t\t\n"
)
ASKED += "".join(f"{family}\tnone\t{family}\tgpt2\tcounterfactual\tdish\t\t\t\n" for family in REWRITING)
OWN = "own\tevaluator\tgpt-9\t\tserver.gpus=2\t\t\t\nchooser\tcomparer\tgpt-9\t\t\t\t\t\n"
OWN += "".join(
    f"{role}s\t{role}\tgpt-9\t\t\t\t\t\n" for role in ("dialogue_rater", "editor", "edit_rater", "strategist")
)
VALUES = {
    "corpus": "xiachufang",
    "direction": "zh-en",
    "part": "00000",
    "shard": "00000",
    "shards": "00001",
    "lang": "en",
    "file": "theirs.zip",
    "subset": "pairs-zh-en",
    "asked": "rater",
    "study": "rated",
    "server": "gpt-9-" + hashlib.sha256(b"gpt-9").hexdigest()[:8],
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Snakemake's rules by name, with every step switched on; cutoffs count as done."""
    folder = tmp_path_factory.mktemp("rules")
    demo = (ROOT / "config" / "demo_runs.tsv").read_text(encoding="utf-8")
    (folder / "runs.tsv").write_text(demo + ASKED, encoding="utf-8")
    (folder / "models.tsv").write_text(MODELS + OWN, encoding="utf-8")
    (folder / "raters.tsv").write_text(RATERS, encoding="utf-8")
    studies = f"{STUDIES}\n{MARKING}".replace("data/", f"{folder}/")
    (folder / "studies.tsv").write_text(studies, encoding="utf-8")
    for name in (
        "mine.tsv",
        "entities.jsonl",
        "pages.json",
        "spoken.jsonl",
        "marked.jsonl",
        "titles.tsv",
        "accepted.tsv",
    ):
        (folder / name).touch()
    config = EVERYTHING.format(runs=folder / "runs.tsv", folder=folder)
    with rules_with(config, folder / "all.yaml") as found:
        yield found


@contextmanager
def rules_with(config: str, path: Path) -> Iterator[dict[str, Any]]:
    """The rules of a config, which is written to `path`."""
    path.write_text(config, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(Cutoff, "await_it", lambda cutoff, checkpoints: cutoff)
        patch.setattr(keys, "file_digest", lambda path: "digest")
        patch.setattr(step, "provenance", lambda key, tables: {"key": key})
        workflow = dry_workflow(["--list-rules", "--configfile", str(path)])
        yield {rule.name: rule for rule in workflow.rules if rule.script}


def wildcards(rule: Any) -> dict[str, str]:
    """Values for a rule's wildcards; of `run` one that the rule is for."""
    found = {name: VALUES[name] for name in rule.wildcard_names if name != "run"}
    if rule.name in (
        "ingest_sentences",
        "enrich_link",
        "enrich_assemble",
        "enrich_link_quality",
        "evaluate_csi_match",
        "generate_items",
    ):
        found["corpus"] = "mine"
    studies = {"annotate_written": "written", "annotate_marked": "marked", "evaluate_marks": "marked"}
    studies["evaluate_best_worst"] = "compared"
    if rule.name in studies:
        found["study"] = studies[rule.name]
    if rule.name == "judge_edits":
        found["asked"] = "editors"
    if rule.name == "judge_server":
        found["server"] = f"evaluator-{VALUES['server']}"
    if rule.name == "ingest_download":
        found["corpus"] = "theirs"
    if "run" in rule.wildcard_names:
        runs = {
            "generate_adaptations": "spoken",
            "generate_delorean": "delorean",
            "generate_educat": "educat",
            "generate_mined": "mined",
            "generate_prompt": "asked",
            "generate_retrieval": "retrieval-zh-en",
        }
        found["run"] = runs.get(rule.name, "small-zh-en")
    return found


def job(rule: Any) -> RuleJob:
    values = SimpleNamespace(**wildcards(rule))
    values.items = lambda: wildcards(rule).items()
    return RuleJob(
        key=rule.params["key"](values),
        unkeyed=rule.params["unkeyed"](values, None),
        inputs={name: f"{name}.parquet" for name, _ in rule.input.items()},
        outputs={name: f"{name}.parquet" for name, _ in rule.output.items()},
        wildcards=wildcards(rule),
        threads=1,
        minutes_left=lambda: None,
        log="log",
    )


def test_every_rule_names_what_its_function_takes(rules: dict[str, Any]) -> None:
    problems = []
    for name, rule in rules.items():
        described = job(rule)
        function = step_function(read_key(described.key)[0])
        assert function.__name__ == name
        try:
            inspect.signature(function).bind(**arguments(function, described, None))
        except (TypeError, ValueError) as error:
            problems.append(f"{name}: {error}")
    assert problems == []


def test_no_rule_has_a_file_twice_in_one_input(rules: dict[str, Any]) -> None:
    """As a rule would that took one side of its direction for both."""
    twice = []
    for name, rule in rules.items():
        for argument, files in rule.expand_input(wildcards(rule))[0].items():
            listed = [files] if isinstance(files, str) else list(files)
            if len(set(listed)) < len(listed):
                twice.append(f"{name}: {argument} is {', '.join(listed)}")
    assert not twice, "\n".join(twice)


def test_the_key_alone_of_a_rule_s_params_counts_for_reruns(rules: dict[str, Any]) -> None:
    """Snakemake compares params without names, and ignores those whose function takes `input`."""
    for name, rule in rules.items():
        assert set(rule.params.keys()) == {"key", "unkeyed"}, name
        assert list(inspect.signature(rule.params["key"]).parameters) == ["wildcards"], name
        assert "input" in inspect.signature(rule.params["unkeyed"]).parameters, name


def test_rule_log_benchmark_and_environment_share_one_name(rules: dict[str, Any]) -> None:
    for name, rule in rules.items():
        assert Path(rule.script).name == "step.py"
        assert rule.log and all(f"/logs/{name}/" in path for path in rule.log), name
        if name not in ("generate_server", "judge_server"):  # a service is ended and not measured
            assert f"/benchmarks/{name}/" in rule.benchmark, name
        assert Path(rule.conda_env).stem == name.split("_")[0], name


def test_a_cutoff_writes_what_is_declared(rules: dict[str, Any]) -> None:
    checkpoints = {name for name, rule in rules.items() if rule.is_checkpoint}
    assert checkpoints == {
        *("ingest_source", "match_titles", "match_texts", "match_vectors", "parse_clauses"),
        *(
            "train_pairs",
            "train_recipes",
            "generate_instances",
            "generate_rewrites",
            "enrich_names",
            "generate_items",
            "generate_dialogues",
        ),
    }


def test_a_retry_of_any_rule_has_twice_the_memory_and_time(rules: dict[str, Any]) -> None:
    """Otherwise a job that wants for either would be ended in the same way at each attempt."""
    kept = {}
    for name, rule in rules.items():
        values = SimpleNamespace(**wildcards(rule))
        for resource in ("mem_mb", "runtime"):
            first, second = (
                rule.resources[resource]
                .evaluate(values, input=[], attempt=attempt, threads=1, rulename=name)
                .value
                for attempt in (1, 2)
            )
            if second != 2 * first:
                kept[name, resource] = (first, second)
    assert kept == {}


def test_a_server_s_job_asks_for_what_its_rows_set(rules: dict[str, Any]) -> None:
    asked = {}
    for name in ("generate_server", "judge_server"):
        rule = rules[name]
        values = SimpleNamespace(**wildcards(rule))
        asked[name] = {
            resource: rule.resources[resource]
            .evaluate(values, input=[], attempt=1, threads=1, rulename=name)
            .value
            for resource in ("gpu", "mem_mb")
        }
        assert job(rule).unkeyed["gpus"] == asked[name]["gpu"]
    assert asked == {
        "generate_server": {"gpu": 4, "mem_mb": 9000},
        "judge_server": {"gpu": 2, "mem_mb": 32000},
    }


def test_programs_that_run_on_a_cpu_ask_for_no_gpu(rules: dict[str, Any]) -> None:
    """COMET does so here."""
    asked = {name: rules[f"evaluate_{name}"].resources["gpu"].value for name in ("smatch", "comet", "bleurt")}
    assert asked == {"smatch": 1, "comet": 0, "bleurt": 1}


def test_the_page_counts_every_table_of_rejects_that_a_rule_writes(
    rules: dict[str, Any], tmp_path: Path
) -> None:
    """Of each rule that writes one, and in each table that the schemas declare as one."""
    (tmp_path / "given.json").write_text("[]", encoding="utf-8")
    given = "pivot: {{pivots: {{given: {0}}}, orders: {{given: {0}}}}}\n".format(tmp_path / "given.json")
    declared = [name for name, schema in declared_tables().items() if {"reason", "raw"} <= {*schema.names}]
    assert all("/rejects/" in name for name in declared)
    with rules_with(given, tmp_path / "given.yaml") as with_given:
        counted = [
            str(path)
            for some in (rules, with_given)
            for path in some["report_page"].input
            if not callable(path) and "/rejects/" in path
        ]
        writers = {
            name: rule for name, rule in rules.items() if any("/rejects/" in path for path in rule.output)
        }
        assert [name for name, rule in writers.items() if not any(map(rule.is_producer, counted))] == []
    patterns = [re.compile(rf"results/{re.sub('{[a-z]+}', '[^/]+', name)}/part-.*") for name in declared]
    assert [one.pattern for one in patterns if not any(map(one.fullmatch, counted))] == []


def test_no_handler_takes_the_place_of_another() -> None:
    """Of those of one kind, in all files together, Snakemake calls the last alone."""
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "Snakefile", *ROOT.glob("rules/*.smk")))
    handlers = re.findall(r"^\s*(onstart|onsuccess|onerror)\b", text, re.M)
    assert sorted(handlers) == ["onstart", "onsuccess"]


def test_no_file_of_rules_gives_another_meaning_to_a_name_of_another() -> None:
    """All files share their names, so that the last meaning of one holds everywhere."""
    meanings: dict[str, set[str]] = {}
    for path in (ROOT / "Snakefile", *ROOT.glob("rules/*.smk")):
        text = path.read_text("utf-8")
        for name in re.findall(r"^(\w+)(?:: [^=\n]+)? = |^def (\w+)|^ +([A-Z_]+) = ", text, re.M):
            meanings.setdefault("".join(name), set()).add(path.name)
        for module, names in re.findall(r"^from (\S+) import (?:\(\n)?((?:.*,\n)+|.*)", text, re.M):
            for name in re.findall(r"(\w+),?$|(\w+),", names, re.M):
                meanings.setdefault("".join(name), set()).add(module)
    assert len(meanings) > 100
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}
