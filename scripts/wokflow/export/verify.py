"""Verifies a release, which may come from an untrusted place: checksums, files, schemas, counts, ids."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import pyarrow as pa
import yaml

from wokflow.export.forms import FORMS
from wokflow.export.gate_checks import repeated_ids
from wokflow.export.gate_findings import counted, printable
from wokflow.export.manifest import SIZE, SUMS, Manifest, one_file, read_manifest, shards
from wokflow.export.release import DOCUMENTS, file_digest, files_in
from wokflow.export.release_shards import lines_path, rows_as_lines, shard_problems
from wokflow.frame.job import UserError

CARD = "README.md"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\\]+)")
SHOWN = 20
BLOCK = 1 << 20  # bytes read at a time


def verified(release: str | Path) -> Manifest:
    """The manifest of a release. Raises UserError if a file of the release does not fit it."""
    manifest = read_manifest(release)
    if problems := list(find_problems(release, manifest)):
        more = f"\n  and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        listed = "".join(f"\n  - {printable(problem)}" for problem in problems[:SHOWN])
        raise UserError(
            f"{release} is not the release that was made: {counted(len(problems), 'problem')}."
            f"{listed}{more}\nDelete files that do not belong to it; for anything else get it again, or ask the "
            "contact that the card names."
        )
    return manifest


def find_problems(release: str | Path, manifest: Manifest) -> Iterator[str]:
    """A line for each problem with the files of a release. No file outside of its folder is read."""
    folder = Path(release)
    sums = dict(checksums(folder))
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
    yield from _content_problems(folder, manifest, there, {*sums})


def _content_problems(folder: Path, manifest: Manifest, there: set[str], summed: set[str]) -> Iterator[str]:
    """Problems with the files that the manifest names, and with others that have a checksum all the same."""
    listed = {path: (subset, rows) for subset, _, path, rows in shards(manifest)}
    lines = {lines_path(path): rows for path, (_, rows) in listed.items() if manifest["jsonl"]}
    wanted = {*DOCUMENTS, *listed, *lines}
    for path in sorted((there & summed) - wanted):
        yield f"{path} is none of the files that this release has"
    for path in sorted(wanted - there - summed):
        yield f"{path} is missing: the manifest names it"
    readable: dict[str, list[Path]] = {}
    there = {path for path in there if not _leads_out(folder, path)}
    for path, (subset, rows) in listed.items():
        if path in there:
            problems = list(_shard_problems(folder, path, manifest, subset, rows))
            yield from problems
            readable.setdefault(subset, []).extend([] if problems else [folder / path])
    for subset, paths in readable.items():
        yield from _repeated(paths, manifest, subset)
    for path, rows in lines.items():
        if path in there and (held := _lines(folder / path)) != rows:
            yield f"{path} has {held} rows; the manifest says {rows}"
    for subset, paths in readable.items() if manifest["jsonl"] else ():
        schema = FORMS[manifest["subsets"][subset]["form"]].schema(full=manifest["mode"] == "full")
        for shard in paths:
            path = lines_path(shard.relative_to(folder).as_posix())
            if path in there and (row := _other_line(folder / path, shard, schema)):
                yield f"{path}, line {row}: not the row that the Parquet shard has"
    if CARD in there:
        yield from _card_problems(folder / CARD, manifest)


def _other_line(lines: Path, shard: Path, schema: pa.Schema) -> int | None:
    """The number of the first line that is not the row of the shard, from 1."""
    with lines.open("rb") as file:
        for number, line in enumerate(rows_as_lines(shard, schema), start=1):
            expected = line.encode()
            if file.readline(len(expected) + 1) != expected:
                return number
    return None


def _card_problems(path: Path, manifest: Manifest) -> Iterator[str]:
    """Splits whose number of rows, in the head of the card, is not that of the manifest."""
    expected = {
        (name, split): sum(rows)
        for name, subset in manifest["subsets"].items()
        for split, rows in subset["splits"].items()
    }
    try:
        with path.open(encoding="utf-8") as file:
            head = yaml.safe_load(file.read(SIZE).split("---\n", 2)[1])
        said = {
            (each["config_name"], split["name"]): split["num_examples"]
            for each in head["dataset_info"]
            for split in each["splits"]
        }
    except (yaml.YAMLError, ValueError, LookupError, TypeError, RecursionError):
        yield f"{path.name} has no head that says how many rows there are"
        return
    for name, split in sorted(expected.keys() | said.keys(), key=str):
        if (one := said.get((name, split), 0)) != (other := expected.get((name, split), 0)):
            yield f"{path.name} says that {name}, {split} has {one} rows; the manifest says {other}"


def checksums(folder: Path) -> Iterator[tuple[str, str]]:
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


def _repeated(paths: Sequence[Path], manifest: Manifest, subset: str) -> Iterator[str]:
    """A problem if ids are repeated, and the release does not say so."""
    said = {each["config"] for each in manifest["findings"] if each["gate"] == "duplicate_ids"}
    form = FORMS[manifest["subsets"][subset]["form"]]
    if subset not in said:
        for found in repeated_ids(paths, subset, form, full=manifest["mode"] == "full"):
            examples = ", ".join(found.examples)
            yield f"{subset} has {counted(found.count, 'id')} that should be there once: {examples}"


def _lines(path: Path) -> int:
    """The line ends in a file, whose lines may be longer than memory."""
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK), b""))


def _shard_problems(folder: Path, path: str, manifest: Manifest, subset: str, rows: int) -> Iterator[str]:
    form = FORMS[manifest["subsets"][subset]["form"]]
    schema = form.schema(full=manifest["mode"] == "full")
    for _, problem in shard_problems(folder / path, schema, rows, form.group):
        yield f"{path} {problem}"
