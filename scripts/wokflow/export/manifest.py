"""release.json, the manifest of a release, from which all its other files except the shards are made."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

from wokflow.export.forms import FORMS
from wokflow.export.gate_findings import printable
from wokflow.export.licences import RELEASES
from wokflow.export.release_shards import shard_paths
from wokflow.export.subsets import DATASETS, RECORDS
from wokflow.frame.job import UserError
from wokflow.frame.usage import UsageError

NAME = "release.json"
SUMS = "SHA256SUMS"
FORMAT = 1
SIZE = 64 << 20  # most bytes of a manifest, or of a list of checksums
VALUES = 1_000_000  # most values in a manifest
ROWS = 1 << 50  # most rows of a shard
ROLES = ("texts", "derived", "cites", "counts_of")  # the ways in which a subset draws on sources
Manifest = dict[str, Any]

_NAME = {
    "type": "string",
    "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z",
}  # `$` would also match before a line break at the end
_ROWS = {
    "type": "array",
    "minItems": 1,
    "maxItems": 99_999,
    "items": {"type": "integer", "minimum": 1, "maximum": ROWS},
}
_SUBSET = {
    "type": "object",
    "required": [
        *("dataset", "form", "description", "languages", "splits", "made_by"),
        *ROLES,
    ],
    "properties": {
        "dataset": {"enum": [*DATASETS, RECORDS]},
        "form": {"enum": list(FORMS)},
        "description": {"type": "string"},
        "made_by": {"type": "array", "items": {"type": "string"}},
        "languages": {"type": "array", "items": {"type": "string", "pattern": r"^[A-Za-z_]{2,20}\Z"}},
        **{role: {"type": "array", "items": _NAME} for role in ROLES},
        "splits": {"type": "object", "propertyNames": _NAME, "additionalProperties": _ROWS},
    },
}
_INGEST = {
    "type": "object",
    "required": ["step", "settings"],
    "properties": {"step": {"enum": ["recipes", "sentences"]}, "settings": {"type": "object"}},
}
_TEXT, _COUNT = {"type": "string"}, {"type": "integer", "minimum": 0, "maximum": ROWS}
_SOURCE = {
    "type": "object",
    "required": ["name", "version", "home_page", "licence", "release", "clause", "attribution", "sha256"],
    "properties": {
        **dict.fromkeys(("name", "version", "home_page", "licence", "clause", "attribution"), _TEXT),
        "release": {"enum": list(RELEASES)},
        "sha256": {"type": ["string", "null"]},
    },
}
_STEP = {
    "type": "object",
    "required": ["step", "settings", "resources", "packages", "code", "inputs"],
    "properties": {
        "step": _TEXT,
        "settings": {"type": "object"},
        "resources": {"type": "object"},
        "code": _TEXT,
        "inputs": {"type": "array", "items": _TEXT},
    },
}
_ACCOUNT = {
    "type": "object",
    "required": ["step", "rows_in", "rows_out", "rejects"],
    "properties": {"step": _TEXT} | dict.fromkeys(("rows_in", "rows_out", "rejects"), _COUNT),
}
_FINDING = {
    "type": "object",
    "required": ["gate", "config", "count", "advice"],
    "properties": dict.fromkeys(("gate", "config", "advice"), _TEXT) | {"count": _COUNT},
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": [
        *("format", "name", "version", "contact", "licence_of_annotations", "software", "mode"),
        *("jsonl", "sources", "ingest", "steps", "subsets", "accounts", "findings"),
    ],
    "properties": {
        "format": {"const": FORMAT},
        "name": _NAME,
        "version": _NAME,
        "contact": {"type": "string"},
        "home_page": {"type": "string", "pattern": r'^(https?://[^\s<>"]+)?\Z'},
        "licence_of_annotations": {"type": "string"},
        "software": {
            "type": "object",
            "required": ["wokflow"],
            "additionalProperties": {"type": ["string", "null"]},
        },
        "mode": {"enum": ["standoff", "full"]},
        "jsonl": {"type": "boolean"},
        "subsets": {"type": "object", "propertyNames": _NAME, "additionalProperties": _SUBSET},
        "sources": {"type": "object", "propertyNames": _NAME, "additionalProperties": _SOURCE},
        "ingest": {"type": "object", "propertyNames": _NAME, "additionalProperties": _INGEST},
        "steps": {"type": "object", "additionalProperties": _STEP},
        "accounts": {"type": "array", "items": _ACCOUNT},
        "findings": {"type": "array", "items": _FINDING},
    },
}


def dump(manifest: Manifest) -> str:
    return json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"


def _has_checksum(path: Path) -> bool:
    sums = path.with_name(SUMS)
    if sums.is_symlink() or not sums.is_file():
        return False
    with sums.open("rb") as file:
        return f"  {path.name}\n".encode() in file.read(SIZE)


def read_manifest(release: str | Path) -> Manifest:
    """The manifest of a release, which may come from an untrusted place.

    Raises UsageError for a place that is no release, and UserError if the manifest is invalid, as paths of shards are
    made from its content, or missing although the list of checksums has it.
    """
    from jsonschema import Draft202012Validator

    path = Path(release) / NAME
    if path.is_symlink() or not path.is_file():
        if _has_checksum(path):
            raise UserError(f"{release} is damaged: it has no file {NAME}. Get it again.")
        raise UsageError(f"{release} is not a release of Wokflow: it has no file {NAME}.")
    if path.stat().st_size > SIZE:
        raise UserError(f"{path} has more than {SIZE >> 20} MiB: it is not the manifest of a release.")
    try:
        text = path.read_text(encoding="utf-8")
        if text.count(",") > VALUES:
            raise ValueError(f"it has more than {VALUES:,} values")
        manifest = json.loads(text, object_pairs_hook=_once)
        dump(manifest).encode()  # raises for lone surrogates, which no file in UTF-8 can hold
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is damaged: {error}") from error
    errors = sorted(Draft202012Validator(SCHEMA).iter_errors(manifest), key=str)
    if errors:
        where = "/".join(map(str, errors[0].absolute_path)) or "the whole"
        raise UserError(printable(f"{path} is not what Wokflow writes: {where}: {errors[0].message[:300]}"))
    listed = [manifest["subsets"], *(subset["splits"] for subset in manifest["subsets"].values())]
    if alike := next((names for each in listed if (names := one_file(each))), None):
        raise UserError(
            f"{path} is not what Wokflow writes: {alike[0]} and {alike[1]} are the same name on some systems."
        )
    for name, subset in manifest["subsets"].items():
        drawn = {corpus for role in ROLES for corpus in subset[role]}
        if unknown := sorted(
            (drawn - set(manifest["sources"])) | (set(subset["texts"]) - set(manifest["ingest"]))
        ):
            raise UserError(f"{path} is not what Wokflow writes: subset {name} draws on {unknown}.")
    return dict(manifest)


def one_file(paths: Iterable[str]) -> tuple[str, str] | None:
    """The first two paths that are the same if case or Unicode normalization does not count, as on macOS."""
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(normalize("NFC", normalize("NFC", path).casefold()), path)
        if other != path:
            return other, path
    return None


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Raises ValueError for a repeated name, since programs differ in which value they take."""
    values = dict(members)
    if len(values) < len(members):
        raise ValueError("a name occurs twice in one object")
    return values


def shards(manifest: Manifest) -> Iterator[tuple[str, str, str, int]]:
    """Subset, split, path in the release, and rows of each Parquet shard."""
    for name, subset in manifest["subsets"].items():
        for split, rows in subset["splits"].items():
            for path, count in zip(shard_paths(name, split, len(rows)), rows, strict=True):
                yield name, split, path, count


def rows_of(subset: Mapping[str, Any]) -> int:
    return sum(sum(rows) for rows in subset["splits"].values())
