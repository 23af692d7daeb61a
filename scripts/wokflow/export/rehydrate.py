"""Makes the full release, byte for byte, from a stand-off release and a user's own copy of the corpora."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wokflow.export.dataset import write_subset
from wokflow.export.forms import FORMS
from wokflow.export.gate_checks import of_subset, without_examples
from wokflow.export.gate_findings import counted, printable
from wokflow.export.manifest import NAME, SUMS, Manifest, read_manifest
from wokflow.export.release import finish
from wokflow.export.release_shards import shard_paths
from wokflow.export.source_texts import Texts, numbers
from wokflow.export.subsets import RECORDS
from wokflow.export.verify import checksums, verified
from wokflow.frame import tables
from wokflow.frame.code import package_versions
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.temporary import temporary_folder
from wokflow.frame.tsv_sheets import written
from wokflow.frame.usage import UsageError
from wokflow.frame.version import VERSION
from wokflow.ingest.first_rejects import REFUSED
from wokflow.ingest.settings import RecipesSettings, SentencesSettings
from wokflow.ingest.stage import source_files

CHANGED = "changed.tsv"  # beside the full release, as REFUSED is
NAMED = 10  # changed records that a message names
LISTED = 10_000  # elements that a list of a release may have


def rehydrate(release: str, sources: Mapping[str, str], to: str, progress: Progress) -> None:
    """Write the full form of the stand-off release to the folder `to`; an earlier full release there is replaced.

    `sources` are the user's own files by corpus, read with the settings of the run that made the release. Raises
    UserError for a release that fails verification, a corpus that is missing or unknown, a folder `to` with other
    content, and records whose text differs from the one that the release points at; changed.tsv beside `to` names
    all of these.
    """
    refuse_place(release, to)
    place = Path(to).resolve() if Path(to).is_symlink() else Path(to)  # a link stays, and is followed
    manifest = verified(release)
    if manifest["mode"] != "standoff":
        raise UsageError(f"{release} is a full release: it has its text already.")
    needed = {corpus for each in manifest["subsets"].values() for corpus in each["texts"]}
    missing, unknown = sorted(needed - set(sources)), sorted(set(sources) - needed)
    if missing or unknown:
        wanted = " ".join(f"--source {corpus}=FILE" for corpus in sorted(needed))
        what = f"lacks {', '.join(missing)}" if missing else f"has no source {', '.join(unknown)}"
        raise UsageError(f"The release needs {wanted}; the command {what}.")
    warn_of_versions(manifest, progress)
    with temporary_folder() as temporary, tables.atomic_folder(place) as work:
        beside = f"{place.name}.{{}}"
        texts = {
            corpus: read_corpus(
                corpus,
                manifest,
                path,
                temporary,
                place.with_name(beside.format(f"{corpus}.{REFUSED}")),
                progress,
            )
            for corpus, path in sources.items()
        }
        refuse_changes(changes(release, manifest, texts), place.with_name(beside.format(CHANGED)))
        full = manifest | {"mode": "full"}
        for name, subset in manifest["subsets"].items():
            progress.say(f"writing {name}")
            own = {corpus: texts[corpus] for corpus in subset["texts"]}
            try:
                counts = write_subset(
                    work,
                    name,
                    FORMS[subset["form"]],
                    stored_rows(release, name, subset),
                    own,
                    list(subset["splits"]),
                    full=True,
                    jsonl=manifest["jsonl"],
                )
            except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
                raise UserError(
                    f"{name}: its rows do not fit the text that they point at: Wokflow did not make them ({error!r})."
                ) from error
            full["subsets"] = full["subsets"] | {name: subset | {"splits": counts}}
        full["findings"] = _findings(work, full)
        finish(work, full)


def refuse_place(release: str, to: str) -> None:
    """Raise UserError if writing the full release to `to` would destroy something else there."""
    place, own = Path(to).resolve(), Path(release).resolve()
    if place == Path.cwd():
        raise UsageError(f"--to {to} is the working folder, and cannot be replaced. Name another one.")
    if place == own or own in place.parents or place in own.parents:
        raise UsageError(f"--to {to}: it is, holds or lies in the release itself. Name another folder.")
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return
    there = read_manifest(place) if place.is_dir() and (place / NAME).is_file() else {"mode": ""}
    if there["mode"] != "full" or there["name"] != read_manifest(release)["name"]:
        raise UsageError(
            f"--to {to} exists already and is no full release of this name. Name a folder that does not exist yet."
        )
    own_files = {SUMS, ".snakemake_timestamp", *(path for path, _ in checksums(place))}
    inside = (path.relative_to(place).as_posix() for path in place.rglob("*") if not path.is_dir())
    if other := next((path for path in sorted(inside) if path not in own_files), None):
        raise UsageError(
            f"--to {to}: it has {other}, which is no file of the release and would be deleted. Name another folder."
        )


def _findings(work: Path, full: Manifest) -> list[dict[str, Any]]:
    """The findings in the full tables, and those about the whole release from its manifest."""
    subsets = {name: each for name, each in full["subsets"].items() if name != RECORDS}
    findings = [
        each
        for name, subset in subsets.items()
        for each in of_subset(work, name, FORMS[subset["form"]], full=True)
    ]
    return [
        *without_examples(findings),
        *(each for each in full["findings"] if each["config"] not in subsets),
    ]


def warn_of_versions(manifest: Manifest, progress: Progress) -> None:
    """Warn of packages whose versions differ from those that made the release: bytes, and even text, may differ."""
    own = package_versions("wokflow.export.dataset")
    others = [
        f"{name} {version} (here {own[name]})"
        for name, version in manifest["software"].items()
        if name in own and own[name] != version
    ]
    if others:
        versions = printable(", ".join(others))
        progress.warn(f"The release was made with {versions}: bytes may differ, the text may not.")


def read_corpus(
    corpus: str, manifest: Manifest, path: str, folder: Path, refused: Path, progress: Progress
) -> Texts:
    """Read the user's own file of a corpus in the same way as the run that made the release.

    Raises UserError for a file that is not this corpus, whose first rejects are then in the file `refused`, and for
    settings in the release that this version does not know.
    """
    from wokflow.ingest.recipes import ingest_recipes
    from wokflow.ingest.sentences import ingest_sentences
    from wokflow.ingest.source import ingest_source

    progress.say(f"reading {corpus} from {path}")
    table, settings = manifest["ingest"][corpus]["step"], dict(manifest["ingest"][corpus]["settings"])
    maker = printable(str(manifest["software"].get("wokflow", "unknown")))
    advice = f"It was made with Wokflow {maker}, and this is {VERSION}: rehydrate it with that."
    if maker == VERSION:
        advice = "It was made with this version, so they were changed since: get the release again."
    of_recipes = table == "recipes"
    declared = RecipesSettings if of_recipes else SentencesSettings
    known = declared.model_fields.keys() - {"raw", "parts"}
    if unknown := sorted(settings.keys() ^ known):
        names = printable(", ".join(unknown))
        raise UserError(
            f"The release reads {corpus} with other settings than this version ({names}). {advice}"
        )
    files = source_files({**settings, "path": path})
    if absent := [file for file in files if not Path(file).is_file()]:
        several = f" The corpus has {len(files)} files, and --source takes the beginning of their names."
        raise UsageError(
            f"--source {corpus}={path}: there is no file {absent[0]}.{several if len(files) > 1 else ''} Name your "
            "copy of the file that the card has among its sources."
        )
    source = folder / f"{corpus}.json"
    part, rejects = (folder / kind / corpus / "part-00000.parquet" for kind in (table, "rejects"))
    job = Job(progress=progress, threads=os.cpu_count() or 1)
    step: Any = ingest_recipes if of_recipes else ingest_sentences
    try:
        ingest_source(raw=files, data=str(source), job=job)
        step(
            source=str(source),
            rejects=[str(rejects)],
            corpus=corpus,
            settings=declared.of_job(settings | {"raw": files[0] if of_recipes else files}),
            job=job,
            **{table: [str(part)]},
        )
    except (LookupError, TypeError, ValueError) as error:
        what = _first_problem(error)
        raise UserError(
            f"The release reads {corpus} with settings that this version cannot use ({what}). {advice}"
        ) from error
    except UserError as error:
        sheet = rejects.with_name(REFUSED)
        if sheet.exists():
            shutil.copyfile(sheet, refused)
        raise UserError(
            f"--source {corpus}={path} is not the corpus that the release was made of, or cannot be read: "
            f"{str(error).replace(str(sheet), str(refused))}\n"
            "The card has the version and the checksum of the right file among its sources. Settings that this "
            "message names are those of the release, and cannot be changed here."
        ) from error
    return Texts(corpus, table, [str(part)], folder)


def _first_problem(error: Exception) -> str:
    """The first problem of some settings, in short."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return printable(repr(error))
    first = error.errors(include_url=False)[0]
    return printable(f"{'.'.join(map(str, first['loc']))}: {first['input']!r}; {first['msg']}")


def changes(release: str, manifest: Manifest, texts: Mapping[str, Texts]) -> Iterator[tuple[str, str]]:
    """Each record whose text differs from the one that the release points at, with the reason."""
    splits = manifest["subsets"].get(RECORDS, {"splits": {}})["splits"]
    for corpus, shards in splits.items():
        for path in shard_paths(RECORDS, corpus, len(shards)):
            stored = pl.read_parquet(Path(release, path), columns=["record_id", "sha256"], glob=False)
            rows = numbers(stored["record_id"])
            if rows.null_count() or corpus not in texts:
                raise UserError(f"{path} has ids that are none of {corpus}.")
            own = pl.concat(texts[corpus].digests(rows.to_numpy().astype(np.int64)))
            both = pl.DataFrame(
                [
                    stored["record_id"],
                    own["record_id"].alias("id"),
                    stored["sha256"],
                    own["sha256"].alias("there"),
                ]
            )
            wrong = both.filter(
                (pl.col("record_id") != pl.col("id")) | pl.col("sha256").ne_missing(pl.col("there"))
            )
            for record, there in wrong.select("record_id", "there").iter_rows():
                yield record, "missing" if there is None else "another text"


def refuse_changes(changed: Iterator[tuple[str, str]], path: Path) -> None:
    """Raise UserError if any record has changed; the file `path` names all of them."""
    path.unlink(missing_ok=True)
    named = []
    with ExitStack() as stack:
        file = None
        for number, (record, what) in enumerate(changed):
            if file is None:
                file = stack.enter_context(path.open("x", encoding="utf-8"))
                file.write("record_id\twhat\n")
            file.write(f"{written(record)}\t{what}\n")  # a release may come from anybody
            if number < NAMED:
                named.append(printable(f"{record} ({what})"))
            total = number + 1
    if named:
        raise UserError(
            f"Your copy differs from what the release points at in {counted(total, 'record')}: {', '.join(named)}"
            f"{' and more' if total > NAMED else ''}. All are in {path}. If it is most of them, the copy is another "
            "version of the corpus; the card has the checksum of the file that was read."
        )


def stored_rows(release: str, name: str, subset: Mapping[str, Any]) -> Iterator[pl.DataFrame]:
    """The rows of a subset, with their split.

    Raises ValueError for lists that are longer than any that Wokflow writes: each element would become a text.
    """
    for split, shards in subset["splits"].items():
        for path in shard_paths(name, split, len(shards)):
            with tables.opened(Path(release, path)) as file:
                for group in range(file.num_row_groups):
                    frame = pl.from_arrow(file.read_row_group(group))
                    assert isinstance(frame, pl.DataFrame)
                    for column in frame.select(pl.col(pl.List)):
                        longest = max(column.list.len().drop_nulls().to_list(), default=0)
                        if longest > LISTED:
                            raise ValueError(f"a row has {longest:,} elements in {column.name}")
                    yield frame.with_columns(split=pl.lit(split))
