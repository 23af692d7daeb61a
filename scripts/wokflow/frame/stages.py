"""The stages of the workflow, in the order of the data. Each describes itself in its module `stage`.

Such a module has `targets(scope)`, the files that the stage makes. It may have `cutoffs(scope, known)`, its groups of
cutoffs by name, where `known` are those of earlier stages; `problems(config)`, settings that contradict one another;
`run_problems(config, runs)`, the same for the table of runs; `packages(config, runs)`, what must be installed, with
the reason; `included(config)`, whether a run without a target makes them, too; WITHOUT_GPU, the setting with which a
rule asks for no GPU; SLURM_GROUPS, rules whose jobs are submitted together; and, for README.md and docs/rules.md,
ABOUT, what the stage does, and ARROWS, its rules and those that they follow (Mermaid). Tables and reasons of rejects
are in its module `schemas`.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from wokflow.frame.columns import Reason
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
OPTIONAL = (
    "enrich",
    "judge",
    "annotate",
)  # without targets if no items of sentences are known, no models are asked, or there are no studies


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
    """The files that each stage makes; OPTIONAL stages may have none."""
    return {stage: of_stage(scope) for stage, of_stage in _declared("stage", "targets").items()}


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
