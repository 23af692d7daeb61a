"""What stage ingest is of the workflow: its cutoffs and targets, and what it asks of a config."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wokflow.frame.cutoffs import Cutoff, CutoffGroup
from wokflow.frame.runs import Run
from wokflow.frame.scope import ENTITIES, Scope


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    for name, source in config["sources"].items():
        if not source.get("path"):
            yield f"sources.{name}: say where it lies (path), or where it is fetched from (url)."


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    simplified = config["ingest"]["recipes"]["simplified"]
    return {"opencc": "ingest.recipes.simplified is true"} if simplified else {}


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    """What is known of each source: its description, which is the digest as well."""

    def described(names: Iterable[str]) -> CutoffGroup:
        paths = {name: f"{scope.results.folder}/ingest/source/{name}.json" for name in names}
        members = {
            name: Cutoff("ingest_source", path, path, {"corpus": name}) for name, path in paths.items()
        }
        return CutoffGroup("corpus", members)

    return {
        "source": described(scope.corpora),
        "sentences": described(scope.sentences),
        "entities": described([ENTITIES]),
        "pages": described(scope.described_pages),
    }


def targets(scope: Scope) -> list[str]:
    ingest = scope.config["ingest"]
    kinds = (("recipes", scope.corpora), ("sentences", scope.sentences))
    return [
        path
        for kind, corpora in kinds
        for corpus in corpora
        for table in (kind, "rejects")
        for path in scope.results.parts(f"ingest/{table}/{corpus}", ingest[kind]["parts"])
    ]
