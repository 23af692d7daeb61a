"""The gates before a release: its manifest, and what a person should know before it is published."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from wokflow.export import gate_checks
from wokflow.export.dataset import record_rows, write_subset
from wokflow.export.forms import FORMS
from wokflow.export.gate_findings import FINDINGS, Finding, read_findings, report, write_findings
from wokflow.export.licences import as_json, known_sources, read_files, refuse_text
from wokflow.export.manifest import FORMAT, NAME, Manifest, dump
from wokflow.export.prov import job_name, lineage, with_own
from wokflow.export.row_gates import accounts, unlicensed
from wokflow.export.settings import GatesSettings
from wokflow.export.source_texts import Texts, open_texts
from wokflow.export.subsets import RECORDS, Subset, subset_of
from wokflow.frame import tables
from wokflow.frame.code import package_versions
from wokflow.frame.job import Job
from wokflow.frame.records import UNFINISHED
from wokflow.frame.version import VERSION


def export_gates(
    *,
    datasets: Sequence[str],
    texts: Sequence[str],
    sources: Sequence[str],
    counted: Sequence[str],
    models: Sequence[str],
    gates: str,
    settings: GatesSettings,
    job: Job,
) -> None:
    """Write the manifest of the release, the digests of its records and the findings to the folder `gates`.

    `datasets` are the folders of the subsets by export_dataset, in the order of the settings; `texts` the parts of
    the corpora that they point at; `sources` the descriptions by ingest/source of the files that were read; `counted`
    the parts of the tables of all subsets, and of those between source and pairs; `models` the parts of
    train/examples and generate/instances for released predictions. Raises UserError only for text that may not be
    passed on: other findings stop export_release, so that the report can show them.
    """
    full = settings.mode == "full"
    described = [subset_of(each) for each in settings.subsets]
    names = dict.fromkeys(source for each in described for source in each.sources)
    known = known_sources(settings.registry, names, read_files(sources), settings.licences)
    refuse_text(described, known, full=full)
    results = str(Path(datasets[0]).parents[2])
    read = [*datasets, *texts, *sources, *counted, *models]
    steps = lineage(read, results)
    steps = with_own(steps, job.metadata.get("key", UNFINISHED), gates, read, results)
    manifest: Manifest = {
        "format": FORMAT,
        "name": settings.name,
        "version": settings.version,
        "contact": settings.contact,
        "home_page": settings.home_page,
        "licence_of_annotations": settings.licence_of_annotations,
        "software": {"wokflow": VERSION} | package_versions("wokflow.export.dataset"),
        "mode": settings.mode,
        "jsonl": settings.jsonl,
        "sources": as_json(known),
        "ingest": {corpus: each for corpus, each in settings.ingest.items() if corpus in names},
        "steps": steps,
        "subsets": {},
    }

    def makers(folder: str) -> list[str]:
        return [name for name in (job_name(folder, results),) if name in steps]

    with tables.atomic_folder(gates) as work:
        findings: list[Finding] = []
        for subset, folder in zip(described, datasets, strict=True):
            counts = json.loads(Path(folder, "counts.json").read_text(encoding="utf-8"))["rows"]
            form = FORMS[subset.form]
            findings += gate_checks.of_shards(Path(folder), subset.name, form, counts, full=full)
            manifest["subsets"][subset.name] = _described(subset, counts, makers(folder))
        with TemporaryDirectory(dir=work) as temporary:
            opened = open_texts(texts, Path(temporary))
            places = {subset.name: Path(folder) for subset, folder in zip(described, datasets, strict=True)}
            if not findings:  # such shards cannot be read, and no release contains them
                findings = gate_checks.of_splits(
                    places, manifest["subsets"], opened, Path(temporary), full=full
                )
            records = _records(work, datasets, opened, jsonl=settings.jsonl)
        of_steps = gate_checks.counted(counted, _exported(datasets, described), results)
        findings = [
            *(each for folder in datasets for each in read_findings(Path(folder, FINDINGS))),
            *findings,
            *gate_checks.of_models(models),
            *accounts(of_steps),
            *unlicensed(manifest["sources"]),
        ]
        manifest["accounts"] = [asdict(account) for account in of_steps]
        manifest["findings"] = gate_checks.without_examples(findings)
        if records:
            manifest["subsets"][RECORDS] = _described(_records_subset(records), records, makers(gates))
        write_findings(work / FINDINGS, findings)
        (work / NAME).write_text(dump(manifest), encoding="utf-8", newline="\n")
    job.progress.say(report(findings, ()))


def _exported(datasets: Sequence[str], described: Sequence[Subset]) -> dict[str, tuple[str, int]]:
    """For each subset that is made of a table, this table and the number of its rows in the shards."""
    exported = {}
    for folder, subset in zip(datasets, described, strict=True):
        if subset.table:
            counts = json.loads(Path(folder, "counts.json").read_text(encoding="utf-8"))
            rows = sum(map(sum, counts["rows"].values()))
            exported[subset.name] = subset.table, counts["pointed"] if subset.form == "pairs" else rows
    return exported


def _described(subset: Subset, counts: Mapping[str, list[int]], makers: Collection[str]) -> dict[str, Any]:
    described = asdict(subset)
    del described["name"], described["table"]
    lists = {name: list(value) for name, value in described.items() if isinstance(value, tuple)}
    return described | lists | {"splits": dict(counts), "made_by": list(makers)}


def _records_subset(records: Collection[str]) -> Subset:
    return Subset(
        RECORDS,
        RECORDS,
        RECORDS,
        "Digests of the recipes and sentences that the other subsets point at, a split for each corpus.",
        (),
        counts_of=tuple(records),
    )


def _records(
    work: Path, datasets: Sequence[str], texts: Mapping[str, Texts], *, jsonl: bool
) -> dict[str, list[int]]:
    """Write the digests of all records that the subsets point at; return the rows of each shard, by corpus."""
    pointed: dict[str, Any] = {}
    for folder in datasets:
        for corpus, rows in record_rows(folder).items():
            pointed[corpus] = np.union1d(pointed.get(corpus, rows[:0]), rows)
    digests = (
        frame.with_columns(split=pl.lit(corpus))
        for corpus in sorted(pointed)
        for frame in texts[corpus].digests(pointed[corpus])
    )
    return write_subset(work, RECORDS, FORMS[RECORDS], digests, {}, sorted(pointed), full=False, jsonl=jsonl)
