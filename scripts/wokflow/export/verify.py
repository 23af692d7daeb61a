"""Verifies a release, which may come from an untrusted place: checksums, files, schemas, counts."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from wokflow.export.forms import FORMS
from wokflow.export.gate_findings import printable
from wokflow.export.manifest import SIZE, Manifest, one_file, read_manifest, shards
from wokflow.export.release import SUMS, file_digest, files_in
from wokflow.export.release_shards import shard_problems
from wokflow.frame.job import UserError

_LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\\]+)")
SHOWN = 20


def verified(release: str | Path) -> Manifest:
    """The manifest of a release. Raises UserError if a file of the release does not fit it."""
    manifest = read_manifest(release)
    if problems := list(find_problems(release, manifest)):
        more = f"\n  and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        listed = "".join(f"\n  - {printable(problem)}" for problem in problems[:SHOWN])
        raise UserError(
            f"{release} is not the release that was made: {len(problems)} problems.{listed}{more}\n"
            "Get it again, or ask the contact that the card names."
        )
    return manifest


def find_problems(release: str | Path, manifest: Manifest) -> Iterator[str]:
    """A line for each problem with the files of a release. No file outside of its folder is read."""
    folder = Path(release)
    sums = dict(_sums(folder))
    there = set(files_in(folder)) - {SUMS}
    if alike := one_file(sorted({*there, *sums})):
        yield f"{alike[0]} and {alike[1]} are one file where case or the Unicode form of names does not count"
    for path in sorted(there):
        if _leads_out(folder, path):
            yield f"{path} is a link"
        elif path not in sums:
            yield f"{path} is in no line of {SUMS}"
    for path, digest in sums.items():
        if path not in there:
            yield f"{path} is missing"
        elif not _leads_out(folder, path) and file_digest(folder / path) != digest:
            yield f"{path} has another checksum"
    listed = {path: (subset, rows) for subset, _, path, rows in shards(manifest)}
    for path in sorted(path for path in there if path.startswith("data/") and path not in listed):
        yield f"{path} is in no subset"
    for path, (subset, rows) in listed.items():
        if path not in there:
            yield f"{path} is missing: the manifest names it"
        elif not _leads_out(folder, path):
            yield from _shard_problems(folder, path, manifest, subset, rows)


def _sums(folder: Path) -> Iterator[tuple[str, str]]:
    """(path, checksum) of each line. Raises UserError for an invalid file, and for paths that lead out of the
    release.
    """
    file = folder / SUMS
    if file.is_symlink() or not file.is_file():
        raise UserError(f"{folder} has no file {SUMS}, so nothing in it can be checked.")
    if file.stat().st_size > SIZE:
        raise UserError(f"{file} has more than {SIZE >> 20} MiB: it is no list of a release's files.")
    seen = set()
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        parts = PurePosixPath(match[2]).parts if match else ()
        if not match or match[2].startswith("/") or ".." in parts:
            raise UserError(
                f"{file}, line {number}: not the checksum of a file in this release. Wokflow did not write this."
            )
        if match[2] in seen:
            raise UserError(f"{file}, line {number}: {match[2]} is repeated.")
        seen.add(match[2])
        yield match[2], match[1]


def _leads_out(folder: Path, path: str) -> bool:
    """Whether a part of the path is a symbolic link."""
    parts = PurePosixPath(path).parts
    return any(folder.joinpath(*parts[: number + 1]).is_symlink() for number in range(len(parts)))


def _shard_problems(folder: Path, path: str, manifest: Manifest, subset: str, rows: int) -> Iterator[str]:
    form = FORMS[manifest["subsets"][subset]["form"]]
    schema = form.schema(full=manifest["mode"] == "full")
    for _, problem in shard_problems(folder / path, schema, rows, form.group):
        yield f"{path} {problem}"
