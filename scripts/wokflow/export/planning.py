"""Refuses a release that licences forbid when the run is planned, before hours of other stages."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wokflow.export.licences import Source, known_sources, read_registry, refuse_text
from wokflow.export.settings import Licence
from wokflow.export.subsets import WIKIDATA, Subset
from wokflow.frame.wikidata import ENTITIES

SHA256 = 64  # hexadecimal digits


def refuse_planned(
    config: Mapping[str, Any], subsets: Iterable[Subset], files: Mapping[str, Sequence[str]]
) -> None:
    """Raise UserError if it is certain that export_dataset will refuse one of the subsets for its licences.

    `files` has the files of each source by its name in the rules. None is read: the registry may know a file by its
    checksum, whatever its name, so one that is not there yet, or has the size of a known one, is left to the job.
    """
    release, chosen = config["export"]["release"], list(subsets)
    licences = {name: Licence(**each) for name, each in config["export"]["licences"].items()}
    names = dict.fromkeys(source for each in chosen for source in each.sources)
    known = known_sources(release["registry"], names, {}, licences)
    sizes = {
        row.get("bytes", "") for row in read_registry(release["registry"]) if len(row["sha256"]) == SHA256
    }
    for name, source in known.items():
        paths = files.get(ENTITIES if name == WIKIDATA else name, ())
        if name not in licences and _may_be_known(paths, sizes):
            known[name] = _allowed(source)
    refuse_text(chosen, known, full=release["mode"] == "full")


def _allowed(source: Source) -> Source:
    return replace(source, release="text", licence="")


def _may_be_known(paths: Sequence[str], sizes: Collection[str]) -> bool:
    """Whether the registry may have the checksum of these files; `sizes` are those of its files, or empty."""
    if not all(size.isdecimal() for size in sizes) or not all(Path(path).is_file() for path in paths):
        return True
    return bool(paths) and str(sum(Path(path).stat().st_size for path in paths)) in sizes
