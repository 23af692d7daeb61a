"""The stages of the workflow, in the order of the data. Each describes itself in its module `stage`.

Such a module has `targets(scope)`, the files that the stage makes, or None if the config leaves the stage without a
target. It may have:

- `cutoffs(scope, known)`: its groups of cutoffs by name, where `known` are those of earlier stages;
- `problems(config)`: settings that contradict one another; `run_problems(config, runs)`: the same, of the table of
  runs;
- `packages(config, runs)`: the modules that must be installed, each with the reason;
- `included(config)`: whether a run without a target makes the stage's files, too;
- `rejects(scope)`: its tables of rejects, and the tables that the rejects were left out of, which the report counts;
- REJECTED: what its tables of rejects hold, by how their names begin; the first that fits counts;
- SECTIONS: its sections of the report's page, by template: the heading, then how names of the tables behind it begin;
- WITHOUT_GPU: the setting with which a rule asks for no GPU; SLURM_GROUPS: rules whose jobs are submitted together;
- NEEDED_BY_NAME: packages that its environment needs and no module of it imports, each with the reason;
- ABOUT and ARROWS, for README.md and docs/rules.md: what it does, its rules and those that they follow (Mermaid).

Tables and reasons of rejects are in its module `schemas`, settings in `settings`, rules in rules/<stage>.smk and
rules/<stage>_*.smk, its environment in envs/<stage>.yaml.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from wokflow.frame.columns import Reason, Rejected
from wokflow.frame.cutoffs import CutoffGroup
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

STAGES = (
    "ingest",
    "match",
    "parse",
    "pivot",
    "enrich",
    "lexicon",
    "train",
    "generate",
    "judge",
    "annotate",
    "evaluate",
    "export",
    "report",
)

# Packages of NEEDED_BY_NAME that several stages share.
SOCKS = {"socksio": "httpx speaks to SOCKS proxies by it"}
TOKENIZERS = {
    "sentencepiece": "transformers loads it for opus-mt and mT5",
    "sacremoses": "transformers loads it for opus-mt",
    "protobuf": "transformers loads it for SentencePiece tokenizers such as mT5's",
}


def rule_files(root: Path, stage: str) -> list[str]:
    """The files of a stage's rules, relative to the project: rules/<stage>.smk, then rules/<stage>_*.smk."""
    further = sorted(path.name for path in root.glob(f"rules/{stage}_*.smk"))
    return [f"rules/{name}" for name in (f"{stage}.smk", *further)]


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    """Settings that contradict one another."""
    for of_stage in _declared("stage", "problems").values():
        yield from of_stage(config)


def run_problems(config: Mapping[str, Any], runs: Mapping[str, Run]) -> Iterator[str]:
    """Runs that the rest of the config does not allow."""
    for of_stage in _declared("stage", "run_problems").values():
        yield from of_stage(config, runs)


def cutoffs(scope: Scope) -> dict[str, CutoffGroup]:
    """All cutoffs of the workflow, by the names of their groups."""
    known: dict[str, CutoffGroup] = {}
    for of_stage in _declared("stage", "cutoffs").values():
        known |= of_stage(scope, known)
    return known


def targets(scope: Scope) -> dict[str, list[str]]:
    """The files that each stage makes; a stage without a target is left out."""
    files = {stage: of_stage(scope) for stage, of_stage in _declared("stage", "targets").items()}
    return {stage: paths for stage, paths in files.items() if paths is not None}


def rejects(scope: Scope) -> list[str]:
    """The tables of rejects of all stages, and the tables that these were left out of."""
    return [path for of_stage in _declared("stage", "rejects").values() for path in of_stage(scope)]


def sections() -> list[tuple[str, str, tuple[str, ...]]]:
    """The sections of the report's page: template, heading, and how the names of the tables behind each begin."""
    return [
        (template, heading, tuple(begins))
        for of_stage in _declared("stage", "SECTIONS").values()
        for template, (heading, *begins) in of_stage.items()
    ]


def rejected() -> dict[str, Rejected]:
    """What the tables of rejects hold, by how their names begin; the first that fits counts."""
    by_stage = _declared("stage", "REJECTED")
    return {begin: held for of_stage in by_stage.values() for begin, held in of_stage.items()}


def included(config: Mapping[str, Any]) -> list[str]:
    """The stages that a run without a target is for."""
    asked = _declared("stage", "included")
    return [stage for stage in STAGES if stage not in asked or asked[stage](config)]


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    """Modules that must be installed, each with the reason."""
    needed: dict[str, str] = {}
    for of_stage in _declared("stage", "packages").values():
        needed |= of_stage(config, runs)
    return needed


def needed_by_name(stage: str) -> dict[str, str]:
    """Packages that a stage's environment needs and no module of it imports, each with the reason."""
    return dict(_declared("stage", "NEEDED_BY_NAME").get(stage, {}))


def without_gpu() -> dict[str, str]:
    """The setting with which each rule asks for no GPU."""
    return {
        rule: setting
        for rules in _declared("stage", "WITHOUT_GPU").values()
        for rule, setting in rules.items()
    }


def slurm_groups() -> dict[str, str]:
    """The group of each rule whose jobs go to Slurm as one job with those of other rules."""
    by_stage = _declared("stage", "SLURM_GROUPS")
    return {rule: group for groups in by_stage.values() for rule, group in groups.items()}


def descriptions() -> dict[str, str]:
    """A description of each stage, in words."""
    return _declared("stage", "ABOUT")


def arrows() -> dict[str, tuple[str, ...]]:
    """The rules of each stage and those that they follow, as lines of Mermaid's language."""
    return _declared("stage", "ARROWS")


def declared_tables() -> dict[str, Any]:
    """The schema of each table, by its name in results."""
    by_stage = _declared("schemas", "SCHEMAS")
    return {table: schema for tables in by_stage.values() for table, schema in tables.items()}


def reasons() -> dict[str, dict[str, Reason]]:
    """The reasons of rejects with their meanings, by stage."""
    return _declared("schemas", "REASONS")


def _declared(module: str, name: str) -> dict[str, Any]:
    """The member `name` of each stage's module, by stage; stages without it are left out."""
    declared = {}
    for stage in STAGES:
        try:
            imported = import_module(f"wokflow.{stage}.{module}")
        except ModuleNotFoundError as error:
            if error.name != f"wokflow.{stage}.{module}":
                raise
            continue
        if hasattr(imported, name):
            declared[stage] = getattr(imported, name)
    return declared
