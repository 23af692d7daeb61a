"""Stage ingest: its cutoffs and targets, checks of its config, and the files of its sources."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wokflow.frame.columns import Rejected
from wokflow.frame.config import files_in
from wokflow.frame.contact import host_of_wikimedia, unusable_contact
from wokflow.frame.cutoffs import Cutoff, CutoffGroup
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope
from wokflow.frame.settings import Counts
from wokflow.frame.stages import SOCKS
from wokflow.frame.wikidata import ENTITIES
from wokflow.ingest.settings import PagesSettings

ABOUT = "reads a corpus, cleans its text, and keeps every row: as a recipe, or as a reject with its reason"
ARROWS = (
    'corpora[/"corpora"/] --> ingest_source --> ingest_recipes & ingest_sentences & ingest_pages',
    "ingest_download --> ingest_source; ingest_dialogues --> ingest_annotations",
)
SECTIONS = {"ingest": ("Recipes and rejects", "ingest/", "match/rejects")}
REJECTED = {
    "ingest/rejects/pages_": Rejected("pages", kept=("ingest/pages/",)),
    "ingest/rejects/dialogues": Rejected("utterances", kept=("ingest/utterances",)),
    "ingest/rejects/annotations": Rejected("marked items", kept=("ingest/annotations",)),
    "ingest/rejects/": Rejected("rows", kept=("ingest/recipes/", "ingest/sentences/")),
}
NEEDED_BY_NAME = {
    "regex": "knows the letters of a script (frame.language_codes, which loads it late)",
    **SOCKS,
}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    for name, source in config["sources"].items():
        if not source.get("path"):
            yield f"sources.{name}: set path, where its file is, or url, where to fetch it."
        elif "fetched" not in source:
            yield from _missing(name, source)
    hosts = {name: host_of_wikimedia(source.get("url", "")) for name, source in config["sources"].items()}
    asked = [f"{host} (sources.{name}.url)" for name, host in hosts.items() if host]
    yield from unusable_contact(config["contact"], asked)
    if config["ingest"]["annotations"]["path"] and not config["ingest"]["dialogues"]["path"]:
        yield "ingest.annotations.path: the marked items stand in dialogues, so set ingest.dialogues.path, too."
    if config["ingest"]["dialogues"]["shortest"] > config["ingest"]["dialogues"]["longest"]:
        yield "ingest.dialogues: shortest is larger than longest."


def _missing(name: str, source: Mapping[str, Any]) -> Iterator[str]:
    """Files of a source that are not there."""
    how = "" if "kind" in source else f" resources/sources.tsv says how to get {name}."
    for path in map(Path, source_files(source)):
        if path.is_dir():
            yield f"sources.{name}.path: {path} is a folder. {files_in(path)}"
        elif not path.is_file():
            yield f"sources.{name}.path: there is no file {path}.{how} Set the key to the path of the file."


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    simplified = config["ingest"]["recipes"]["simplified"]
    return {"opencc": "ingest.recipes.simplified is true"} if simplified else {}


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    """The description of each source, which is both data and digest."""

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
    spoken = [
        f"{scope.results.folder}/ingest/{table}/part-00000.parquet"
        for step, kept in (("dialogues", "utterances"), ("annotations", "annotations"))
        if ingest[step]["path"]
        for table in (kept, f"rejects/{step}")
    ]
    return spoken + [
        path
        for kind, corpora in kinds
        for corpus in corpora
        for table in (kind, "rejects")
        for path in scope.results.parts(f"ingest/{table}/{corpus}", ingest[kind]["parts"])
    ]


def rejects(scope: Scope) -> list[str]:
    parts, ingest = scope.results.parts, scope.config["ingest"]
    tables = [
        table
        for step, kept in (("dialogues", "utterances"), ("annotations", "annotations"))
        if ingest[step]["path"]
        for table in (f"rejects/{step}", kept)
    ]
    tables += [table for lang in scope.dumps for table in (f"pages/{lang}", f"rejects/pages_{lang}")]
    sentences = [
        path
        for corpus in scope.sentences
        for table in ("sentences", "rejects")
        for path in parts(f"ingest/{table}/{corpus}", ingest["sentences"]["parts"])
    ]
    recipes = [
        path
        for corpus in scope.corpora
        for path in parts(f"ingest/rejects/{corpus}", ingest["recipes"]["parts"])
    ]
    return recipes + sentences + [path for table in tables for path in parts(f"ingest/{table}", 1)]


def source_files(source: Mapping[str, Any]) -> list[str]:
    """The files of a source. `path` may name both files of a Moses pair by the beginning of their names."""
    path = source.get("path") or []
    if isinstance(path, list):
        return path
    named = source.get("kind") not in ("moses", "samanantar") or "fetched" in source
    if named or Path(path).is_file():
        return [path]
    both = [f"{path}.{lang}" for lang in source["pair"].split("-", 1)]
    endings = ("", ".gz", ".bz2", ".zst")
    return [next((file for end in endings if Path(file := name + end).is_file()), name) for name in both]


def dumps(config: Mapping[str, Any]) -> dict[str, str]:
    """The search indexes of Wikipedias by language."""
    block, declared = config["ingest"]["pages"], PagesSettings.model_fields.items()
    langs = [name for name, field in declared if Counts("source") in field.metadata]
    return {lang: block[lang] for lang in langs if block.get(lang)}
