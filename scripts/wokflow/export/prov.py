"""provenance.jsonld: every step behind a release with its settings, code, packages and inputs, as W3C PROV."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.export.licences import source_of
from wokflow.export.manifest import ROLES, Manifest, shards
from wokflow.export.subsets import RECORDS, WIKIDATA
from wokflow.frame.records import UNFINISHED, first_outputs, kept_inputs, kept_key
from wokflow.frame.tables import strings_digest
from wokflow.frame.wikidata import ENTITIES

STAGE = "export"
_SHARD = re.compile(r"\d{5}-of-\d{5}")
CONTEXT = {
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "sc": "https://schema.org/",
    "wokflow": "urn:wokflow:",
    "label": "rdfs:label",
    "used": {"@id": "prov:used", "@type": "@id"},
    "wasDerivedFrom": {"@id": "prov:wasDerivedFrom", "@type": "@id"},
    "wasGeneratedBy": {"@id": "prov:wasGeneratedBy", "@type": "@id"},
    "wasInformedBy": {"@id": "prov:wasInformedBy", "@type": "@id"},
    "wasAssociatedWith": {"@id": "prov:wasAssociatedWith", "@type": "@id"},
    "sha256": "wokflow:sha256",
    "settings": {"@id": "wokflow:settings", "@type": "@json"},
    "packages": {"@id": "wokflow:packages", "@type": "@json"},
    "resources": {"@id": "wokflow:resources", "@type": "@json"},
    "code": "wokflow:code",
    "version": "sc:version",
}


def lineage(paths: Iterable[str], results: str) -> dict[str, dict[str, Any]]:
    """The jobs behind some results, by the folder or file that they wrote, relative to the folder of results.

    Each has its step, settings, digests of code and resources, versions of packages, and the jobs whose results it
    read. All of it is read from the keys and inputs kept beside the outputs.
    """
    jobs: dict[str, dict[str, Any]] = {}
    firsts = first_outputs(results)
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        name = job_name(path, results)
        if name is None or name in jobs:
            continue
        key = kept_key(path) if Path(path).exists() and _has_key(path) else None
        if key is None or key == UNFINISHED:
            continue
        parts = json.loads(key)
        inputs = (
            kept_inputs(path)
            or kept_inputs(_first(path))
            or inputs_behind(name, firsts.get(key, ()), results)
        )
        waiting += inputs
        jobs[name] = _job(parts, name, inputs, results)
    for job in jobs.values():
        job["inputs"] = [name for name in job["inputs"] if name in jobs]
    return dict(sorted(jobs.items()))


def _job(parts: Mapping[str, Any], name: str, inputs: Iterable[str], results: str) -> dict[str, Any]:
    """A job, from its key. The mode of a release is left out: rehydrated, it has the same history."""
    settings = dict(parts["settings"])
    if name.startswith(f"{STAGE}/"):
        settings.pop("mode", None)
    return {
        "step": parts["step"],
        "settings": settings,
        "resources": parts["resources"],
        "packages": parts["packages"],
        "code": strings_digest([json.dumps(parts["code"], sort_keys=True)]),
        "inputs": sorted(
            {other for each in inputs if (other := job_name(each, results)) not in (None, name)}
        ),
    }


def with_own(
    jobs: Mapping[str, dict[str, Any]], key: str, own: str, inputs: Iterable[str], results: str
) -> dict[str, dict[str, Any]]:
    """The jobs and the one that writes the folder `own` now, whose key is not kept yet."""
    name = job_name(own, results)
    if name is None or key == UNFINISHED:
        return dict(jobs)
    job = _job(json.loads(key), name, inputs, results)
    return dict(
        sorted({**jobs, name: job | {"inputs": [each for each in job["inputs"] if each in jobs]}}.items())
    )


def inputs_behind(name: str, outputs: Sequence[str], results: str) -> list[str]:
    """The inputs of the job behind an output that is not the job's first one.

    `outputs` are first outputs with the same key. If the last part of the name, such as the corpus, is the same for
    some of them, the job is among these.
    """
    own = [each for each in outputs if (job_name(each, results) or "").split("/")[-1] == name.split("/")[-1]]
    return sorted({path for each in own or outputs for path in kept_inputs(each) or ()})


def job_name(path: str, results: str) -> str | None:
    """The name of the job behind a path: its table, or the file that it wrote; None for paths outside of results.

    All shards have the name of their folder, whatever their number.
    """
    try:
        inside = Path(path).relative_to(results)
    except ValueError:
        return None
    if inside.suffix == ".parquet" or _SHARD.fullmatch(inside.stem):
        inside = inside.parent
    return (
        inside.with_suffix("").as_posix()
        if inside.suffix in (".json", ".sha256", ".npy")
        else inside.as_posix()
    )


def _first(path: str) -> str:
    return str(Path(path).with_name("part-00000.parquet")) if path.endswith(".parquet") else path


def _has_key(path: str) -> bool:
    return path.endswith(".parquet") or Path(path).with_name(f".{Path(path).name}.key").exists()


def provenance(manifest: Manifest, sums: dict[str, str]) -> str:
    """PROV in JSON-LD: sources, steps and shards. `sums` has the checksums of the shards by path."""
    agent = "urn:wokflow:software"
    graph: list[dict[str, Any]] = [
        {
            "@id": agent,
            "@type": ["prov:Agent", "prov:SoftwareAgent"],
            "label": "Wokflow",
            "version": manifest["software"]["wokflow"],
            "packages": manifest["software"],
        }
    ]
    for name, source in manifest["sources"].items():
        graph.append(
            {
                "@id": f"urn:wokflow:source:{name}",
                "@type": "prov:Entity",
                "label": name,
                "version": source["version"],
            }
            | ({"sha256": source["sha256"]} if source["sha256"] else {})
        )
    for name, job in manifest["steps"].items():
        source = source_of(name.removeprefix("ingest/source/"))
        names = (source, WIKIDATA) if source == ENTITIES else (source,)
        used = [f"urn:wokflow:source:{each}" for each in names if each in manifest["sources"]]
        graph.append(
            {
                "@id": f"urn:wokflow:job:{name}",
                "@type": "prov:Activity",
                "label": job["step"],
                "settings": job["settings"],
                "resources": job["resources"],
                "packages": job["packages"],
                "code": job["code"],
                "used": used,
                "wasInformedBy": [f"urn:wokflow:job:{each}" for each in job["inputs"]],
                "wasAssociatedWith": agent,
            }
        )
    for name, split, path, _ in shards(manifest):
        subset = manifest["subsets"][name]
        sources = [each for role in ROLES for each in subset[role]]
        if name == RECORDS:  # has a split for each corpus
            sources = [split]
        graph.append(
            {
                "@id": path,
                "@type": "prov:Entity",
                "sha256": sums[path],
                "wasDerivedFrom": [f"urn:wokflow:source:{each}" for each in sources],
                "wasGeneratedBy": [f"urn:wokflow:job:{each}" for each in subset["made_by"]],
            }
        )
    return json.dumps({"@context": CONTEXT, "@graph": graph}, ensure_ascii=False, indent=1) + "\n"
