"""croissant.json: describes the release's tables and columns in Croissant 1.0 (MLCommons), as JSON-LD."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from wokflow.export.forms import FORMS
from wokflow.export.licences import licences_held
from wokflow.export.manifest import Manifest, shards

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(manifest: Manifest, sizes: Mapping[str, int], sums: Mapping[str, str]) -> str:
    """The description of a release, with a record set for each shard. `sizes` (bytes) and `sums` are by shard."""
    files: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    every_shard = list(shards(manifest))
    for _, _, path, _ in every_shard:
        files.append(
            {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path.replace("/", "-"),
                "contentUrl": path,
                "contentSize": f"{sizes[path]} B",
                "encodingFormat": "application/x-parquet",
                "sha256": sums[path],
            }
        )
    for name, subset in manifest["subsets"].items():
        schema = FORMS[subset["form"]].schema(full=manifest["mode"] == "full")
        for split in subset["splits"]:
            own = [path for known, of, path, _ in every_shard if (known, of) == (name, split)]
            for number, path in enumerate(own):
                record = f"{name}/{split}" + (f"/{number}" if len(own) > 1 else "")
                records.append(
                    {
                        "@type": "cr:RecordSet",
                        "@id": record,
                        "name": record.replace("/", "-"),
                        "description": subset["description"],
                        "field": [_field(record, field, path) for field in schema],
                    }
                )
    described = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest["name"],
        "version": manifest["version"],
        "description": " ".join(
            f"{name}: {each['description']}" for name, each in manifest["subsets"].items()
        ),
        "license": licences_held(manifest),
        "citeAs": f"{manifest['name']} {manifest['version']}, made with Wokflow {manifest['software']['wokflow']}",
        "isLiveDataset": False,
        "distribution": files,
        "recordSet": records,
    }
    if manifest.get("home_page"):
        described["url"] = manifest["home_page"]
    if manifest["contact"]:
        described["creator"] = {"@type": "sc:Organization", "name": manifest["contact"]}
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _field(record: str, field: pa.Field, path: str) -> dict[str, Any]:
    """The description of a column. Each member of a struct, or of a list of structs, is a field of its own."""
    inner, repeated = _element(field.type)
    described: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{record}/{field.name}",
        "name": field.name,
        "description": _description(field),
    }
    source = {"fileObject": {"@id": path}, "extract": {"column": field.name}}
    if pa.types.is_struct(inner):
        described["subField"] = [
            _member(described["@id"], member, source | {"transform": {"jsonPath": member.name}})
            for member in inner
        ]
    else:
        described |= {"dataType": _data_type(inner), "source": source}
    return described | ({"repeated": True} if repeated else {})


def _member(parent: str, member: pa.Field, source: Mapping[str, Any]) -> dict[str, Any]:
    inner, repeated = _element(member.type)
    described = {
        "@type": "cr:Field",
        "@id": f"{parent}/{member.name}",
        "name": member.name,
        "description": _description(member),
        "dataType": _data_type(inner),
        "source": source,
    }
    return described | ({"repeated": True} if repeated else {})


def _element(kind: pa.DataType) -> tuple[pa.DataType, bool]:
    """(type, False), or for a list (type of its elements, True)."""
    return (kind.value_type, True) if pa.types.is_list(kind) else (kind, False)


def _description(field: pa.Field) -> str:
    return str((field.metadata or {}).get(b"description", b""), "utf-8")


def _data_type(kind: pa.DataType) -> str:
    """Croissant's name for the type of single values."""
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
