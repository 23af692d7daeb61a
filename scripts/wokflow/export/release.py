"""Writes a release: its subsets, a card, and checksums of everything; or reports the findings that stop it."""

import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from wokflow.export.attribution import attribution
from wokflow.export.croissant import croissant
from wokflow.export.dataset_card import card
from wokflow.export.gate_findings import FINDINGS, Finding, read_findings, report, standing
from wokflow.export.manifest import NAME, SUMS, Manifest, dump
from wokflow.export.prov import provenance
from wokflow.export.release_shards import rows_size
from wokflow.export.settings import ReleaseSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError

DOCUMENTS = (NAME, "README.md", "croissant.json", "provenance.jsonld", "ATTRIBUTION.md")
NOT_OURS = (
    ".snakemake_timestamp",
    ".cache",
    ".git",
    ".gitattributes",
)  # of Snakemake, of hubs and their programs


def export_release(
    *, datasets: Sequence[str], gates: str, release: str, settings: ReleaseSettings, job: Job
) -> None:
    """Write the release to the folder `release`, which is replaced as a whole.

    `datasets` are the folders of the subsets by export_dataset, `gates` is the folder of export_gates. Raises
    UserError for findings of gates that the settings do not accept.
    """
    stop(read_findings(Path(gates, FINDINGS)), settings.accept, job.progress)
    manifest: Manifest = json.loads(Path(gates, NAME).read_text(encoding="utf-8"))
    with tables.atomic_folder(release) as work:
        for folder in (*datasets, gates):
            for kind in ("data", "jsonl"):
                if Path(folder, kind).is_dir():
                    shutil.copytree(Path(folder, kind), work / kind, copy_function=_link, dirs_exist_ok=True)
        finish(work, manifest)
    job.progress.say(f"{manifest['name']} {manifest['version']}: {', '.join(manifest['subsets'])}")


def stop(findings: Sequence[Finding], accept: Collection[str], progress: Progress) -> None:
    """Log the findings; raise UserError if one of them stops the release."""
    text = report(findings, accept)
    if not standing(findings, accept):
        progress.say(text)
        return
    stopping = ", ".join(dict.fromkeys(each.gate for each in standing(findings, accept)))
    raise UserError(
        f"{text}Nothing was released. What you have read and want to publish all the same, name in "
        f"export.release.accept (here: [{stopping}]); the card then says it."
    )


def finish(work: Path, manifest: Manifest) -> None:
    """Write all files beside the shards: manifest, card, Croissant, provenance, attribution, checksums."""
    shards = list(files_in(work))
    sums = {path: file_digest(work / path) for path in shards}
    sizes = {path: (work / path).stat().st_size for path in shards}
    loaded = {path: rows_size(work / path) for path in shards if path.endswith(".parquet")}
    texts = (
        dump(manifest),
        card(manifest, sizes, loaded),
        croissant(manifest, sizes, sums),
        provenance(manifest, sums),
        attribution(manifest),
    )
    for name, text in zip(DOCUMENTS, texts, strict=True):
        (work / name).write_text(text, encoding="utf-8", newline="\n")
        sums[name] = file_digest(work / name)
    lines = [f"{digest}  {path}\n" for path, digest in sorted(sums.items())]
    (work / SUMS).write_text("".join(lines), encoding="utf-8")


def files_in(folder: Path) -> Iterator[str]:
    """The files of a release as relative paths, sorted, without those that a program has put beside them."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    yield from sorted(path.as_posix() for path in paths if path.parts[0] not in NOT_OURS)


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _link(source: str, target: str) -> None:
    """A hard link to the file; a copy if the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
