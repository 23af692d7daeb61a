"""The key and the inputs of each job, kept with its outputs, from which lost records of Snakemake are restored.

A Parquet file has its key in its footer. Any other output has it in a hidden file beside it: .index.html.key beside
index.html. The paths of a job's inputs lie beside its first output (.index.html.inputs), or beside the folder of the
table that it belongs to. They count as well, since a key does not say how many shards, or which runs or corpus, a job
has read. Snakemake keeps all this only in the folder .snakemake, and takes an output without a record for up to date.
`restore` writes the missing records anew; Snakemake then compares keys and inputs as ever. An output that has neither
record nor key is made anew.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError

RECORD_FORMATS = (6,)  # of snakemake.persistence, that `restore` was tested with
LOOKS = 16  # files that are examined at once
UNFINISHED = "{}"  # stands for the key until the job is done; it differs from every key


def keep_inputs(inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """Before a job: write its inputs beside its first output, and invalidate the keys of outputs that are no Parquet.

    Snakemake has removed the outputs themselves by then. So no output of a job that is killed has the key or the
    inputs of an earlier job.
    """
    from wokflow.frame.tables import write_text

    outputs = list(outputs)
    keep_keys(UNFINISHED, outputs)
    for first in outputs[:1]:
        near: list[str] = []
        far: list[str] = []
        for path in inputs:
            (near if _share_a_folder(path, first) else far).append(path)
        seen = sorted(os.path.relpath(path, Path(first).parent) for path in near)
        kept = {"near": seen, "far": sorted(far)}  # Snakemake's order differs from run to run
        write_text(_beside(Path(first), "inputs"), json.dumps(kept, ensure_ascii=False))


def keep_keys(key: str, outputs: Iterable[str]) -> None:
    """Write the key beside each output that is no Parquet file."""
    from wokflow.frame.tables import write_text

    for path in map(Path, outputs):
        if path.suffix != ".parquet":
            write_text(_beside(path, "key"), key)


def restore(results: str, patterns: Iterable[Sequence[str]]) -> list[str]:
    """Write Snakemake's records of the outputs below `results` that have none; return those that must be made anew.

    Those are outputs whose key is lost, and damaged tables, as after an interrupted copy: their records get a key
    that differs from every other. Missing outputs that a rule gained after its others were made get such a record,
    too: Snakemake would not compare their keys. `patterns` are the outputs of each rule. Raises UserError if this
    version of Snakemake keeps records in another format than was tested.
    """
    if not Path(results).is_dir():
        return []
    from snakemake.persistence.file import FilePersistence

    store = FilePersistence()  # in the working folder, as that of the run

    def has_record(path: str) -> bool:
        return Path(store._record_path(str(store.path / "metadata"), path)).exists()

    rules = [list(rule) for rule in patterns]
    paths = list(outputs(results, chain(*rules)))
    with ThreadPoolExecutor(LOOKS) as pool:  # a file system of a cluster takes its time for each file
        keys = dict(zip(paths, pool.map(_believed, paths), strict=True))
    missing = {path for path in paths if not has_record(path)}
    missing |= {path for path, key in keys.items() if key is None and path.endswith(".parquet")}
    absent = [path for path in _absent(paths, rules) if not has_record(path)]
    if missing or absent:
        known = {path: keys[path] or UNFINISHED for path in paths if path in missing}
        _write(store, known | dict.fromkeys(absent, UNFINISHED))
    return [path for path in paths if path in missing and keys[path] is None]


def _absent(paths: Sequence[str], rules: Sequence[Sequence[str]]) -> Iterator[str]:
    """Missing outputs of jobs that have made other outputs of their rule."""
    from snakemake.io import apply_wildcards, regex_from_filepattern

    there = set(paths)
    for rule in rules:
        for pattern in rule if len(rule) > 1 else ():
            start, matches = pattern.partition("{")[0], re.compile(regex_from_filepattern(pattern)).match
            for match in filter(None, (matches(path) for path in paths if path.startswith(start))):
                of_job = (apply_wildcards(other, match.groupdict()) for other in rule)
                yield from (path for path in of_job if path not in there)


def _believed(path: str) -> str | None:
    """The key of an output; None if it is lost, or if the file with its inputs is damaged."""
    try:
        kept_inputs(path)
    except UserError:
        return None
    return kept_key(path)


def outputs(results: str, patterns: Iterable[str]) -> Iterator[str]:
    """Paths below a folder that match patterns of outputs, in order. Nothing below an output is searched.

    Nor is a folder that no pattern leads to, such as a cache of many answers.
    """
    from snakemake.io import regex_from_filepattern

    starts: dict[str, list[re.Pattern[str]]] = {}  # by the folder before a pattern's first wildcard
    for pattern in sorted(set(patterns)):
        folder = pattern.partition("{")[0].rpartition("/")[0]
        starts.setdefault(folder, []).append(re.compile(regex_from_filepattern(pattern)))
    above = {str(parent) for folder in starts for parent in (Path(folder), *Path(folder).parents)}

    def below(folder: str, known: list[re.Pattern[str]]) -> Iterator[str]:
        known = known + starts.get(folder, [])
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        for entry in listed:
            path = f"{folder}/{entry.name}"
            if any(pattern.match(path) for pattern in known):
                yield path
            elif entry.is_dir() and (known or path in above):
                yield from below(path, known)

    return below(results, [])


def kept_key(path: str) -> str | None:
    """The key that an output was made with; None where none can be read."""
    if not path.endswith(".parquet"):
        try:
            return _beside(Path(path), "key").read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        footer = pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowException):
        return None
    return str(footer[b"key"], "utf-8") if b"key" in footer else None


def kept_inputs(path: str) -> list[str] | None:
    """The inputs of the job that wrote an output, if that is the job's first one. Raises UserError if damaged."""
    file = _beside(Path(path), "inputs")
    try:
        kept = json.loads(file.read_bytes())
        near = (os.path.normpath(Path(path).parent / relative) for relative in kept["near"])
        return sorted([*near, *kept["far"]])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file} is damaged. Delete it, and give the same command again.") from error


def demand(
    workflow: Any, files: Mapping[str, Sequence[str]], digests: Collection[str], default: Sequence[str]
) -> None:
    """Once the targets are known, behind the Snakefile: add the digests that are lost before them (`forgotten`).

    `workflow` is Snakemake's object; `files` are those of targets that are rules, `default` the targets where none is
    given. As inputs of a target, digests would not do: where anything else is to run, Snakemake looks at no job
    behind it.
    """
    prepare_dag = workflow._prepare_dag

    def prepare(*args: Any, **options: Any) -> Any:
        asked = [*workflow.dag_settings.targets] or default
        if lost := forgotten(chain(*(files.get(target, [target]) for target in asked)), digests):
            workflow.dag_settings.targets = [*asked, *lost]
        return prepare_dag(*args, **options)

    workflow._prepare_dag = prepare


def forgotten(targets: Iterable[str], digests: Collection[str]) -> list[str]:
    """The `digests` of cutoffs that are there no more, though jobs that made targets waited for them.

    Somebody deleted them with an intermediate folder, say. Until such a digest is made anew, Snakemake compares no
    key behind it, and nothing else asks for it.
    """
    absent = {path for path in digests if not Path(path).exists()}
    there = (path for path in targets if Path(path).exists()) if absent else ()
    return sorted({digest for path in there for digest in kept_inputs(path) or () if digest in absent})


def first_outputs(results: str) -> dict[str, list[str]]:
    """The first outputs of jobs below a folder of results, by key: only these name their job's inputs."""
    by_key: dict[str, list[str]] = {}
    for pattern in ("*/.*.inputs", "*/*/.*.inputs"):
        for path in map(first_output, sorted(Path(results).glob(pattern))):
            by_key.setdefault(kept_key(path) or "", []).append(path)
    return by_key


def first_output(kept: Path) -> str:
    """The output beside which a file of inputs lies: index.html of .index.html.inputs, or a part of a table."""
    name = kept.name.removeprefix(".").removesuffix(".inputs")
    if not name.endswith(".parquet"):
        return str(kept.with_name(name))
    folder, _, part = name.removesuffix(".parquet").rpartition(".")
    return str(kept.parent / folder / f"{part}.parquet")


def _share_a_folder(path: str, output: str) -> bool:
    """Whether two paths may be moved together; the path of such an input is kept relative to the output's folder."""
    if Path(path).is_absolute() != Path(output).is_absolute():
        return False
    return os.path.commonpath([path, output]) not in ("", "/")


def _beside(path: Path, kind: str) -> Path:
    """The hidden file of an output. That of a table's part lies beside the table: readers take whole folders."""
    if path.suffix == ".parquet":
        return path.parent.with_name(f".{path.parent.name}.{path.name}.{kind}")
    return path.with_name(f".{path.name}.{kind}")


def _write(store: Any, keys: dict[str, str]) -> None:
    from snakemake.persistence import RECORD_FORMAT_VERSION, MetadataRecord

    if RECORD_FORMAT_VERSION not in RECORD_FORMATS:
        raise UserError(
            f"Snakemake's records of {len(keys)} results are lost. This version of Snakemake keeps records of format "
            f"{RECORD_FORMAT_VERSION}; Wokflow can restore those of format {', '.join(map(str, RECORD_FORMATS))}. "
            "Install the version that constraints.txt pins, or set another folder for results."
        )
    for path, key in keys.items():
        record = MetadataRecord(
            params=[repr(key)],
            input=kept_inputs(path) if key != UNFINISHED else None,
            record_format_version=RECORD_FORMAT_VERSION,
            incomplete=False,
        )
        store._write_record(path, record)
