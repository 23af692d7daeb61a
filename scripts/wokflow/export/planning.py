"""Refuses a release that licences forbid when the run is planned, before hours of other stages."""

import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wokflow.export.licences import Source, known_sources, read_registry, refuse_text
from wokflow.export.settings import Licence
from wokflow.export.subsets import WIKIDATA, Subset
from wokflow.frame.job import Job, Progress
from wokflow.frame.wikidata import ENTITIES

SHA256 = 64  # hexadecimal digits


def refuse_planned(
    config: Mapping[str, Any], subsets: Iterable[Subset], files: Mapping[str, Sequence[str]]
) -> None:
    """Raise UserError if export_dataset would refuse one of the subsets for its licences.

    `files` has the files of each source by its name in the rules. The registry knows some files by their checksums:
    a file is read here only if it has the size of one of them, and the licence of its name forbids something. A file
    that is still to be downloaded counts by name.
    """
    release, chosen = config["export"]["release"], list(subsets)
    licences = {name: Licence(**each) for name, each in config["export"]["licences"].items()}
    names = dict.fromkeys(source for each in chosen for source in each.sources)
    by_name = known_sources(release["registry"], names, {}, licences)
    sizes = {
        row.get("bytes", "") for row in read_registry(release["registry"]) if len(row["sha256"]) == SHA256
    }
    read = {
        name: described
        for name, source in by_name.items()
        if name not in licences and _forbids(source)
        for described in _described(files.get(ENTITIES if name == WIKIDATA else name, ()), sizes)
    }
    known = known_sources(release["registry"], names, read, licences)
    refuse_text(chosen, known, full=release["mode"] == "full")


def _forbids(source: Source) -> bool:
    return not (source.passed_on and source.derivable)


def _described(paths: Sequence[str], sizes: Collection[str]) -> list[dict[str, Any]]:
    """What ingest/source will say of these files; nothing if their size is none of `sizes`, which may be unknown."""
    if not paths or not all(Path(path).is_file() for path in paths):
        return []
    size = str(sum(Path(path).stat().st_size for path in paths))
    if size not in sizes and all(each.isdecimal() for each in sizes):
        return []
    from wokflow.ingest.source import ingest_source  # with polars, which a plan would wait for

    with TemporaryDirectory() as folder:
        data = Path(folder, "source.json")
        raw = list(paths) if len(paths) > 1 else paths[0]
        ingest_source(raw=raw, data=str(data), job=Job(progress=Progress(io.StringIO())))
        return [json.loads(data.read_text(encoding="utf-8"))]
