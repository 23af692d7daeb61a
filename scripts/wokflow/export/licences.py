"""Decides by the licence of each source what a release may hold."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wokflow.export.settings import Licence
from wokflow.export.subsets import WIKIDATA, WIKIPEDIA, Subset
from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_table
from wokflow.frame.wikidata import ENTITIES, PAGES

PASSED_ON = (
    "text",
    "attribution",
)  # kinds of release that pass on text; `ids`: no text, and nothing derived from it
RELEASES = (*PASSED_ON, "ids")
# Columns of a table of sources that are read.
REGISTRY = ("corpus", "version", "home_page", "licence", "release", "clause", "attribution", "sha256")
ALLOWED = {  # what may be passed on of a source, in words
    "text": "its text",
    "attribution": "its text, if it is attributed",
    "ids": "only ids, offsets and digests",
}
UNKNOWN = "No licence is known of it: if you know one, set export.licences.{name}."
IF_ALLOWED = (
    "If you know of a licence that allows it, name it: export.licences.SOURCE: {licence: NAME, release: text} "
    "(docs/release.md)."
)
_NO_DERIVATIVES = re.compile(r"(?<![a-z0-9])nd(?![a-z])|no[\W_]*deriv", re.IGNORECASE)  # CC-BY-ND-4.0


@dataclass(frozen=True)
class Source:
    """A source of a release's content, such as a corpus, with what may be passed on of it.

    `release` is `text`, `attribution` (text, if it is attributed) or `ids`; `clause` says where the licence states
    this. `sha256` and `bytes` are those of the file that was read, from ingest/source.
    """

    name: str
    version: str
    home_page: str
    licence: str
    release: str
    clause: str
    attribution: str
    sha256: str | None = None
    bytes: int | None = None

    @property
    def passed_on(self) -> bool:
        return self.release in PASSED_ON

    @property
    def derivable(self) -> bool:
        """Whether text derived from the source's text (predictions, adaptations) may be passed on."""
        return derivable(self.release, self.licence)


def derivable(release: str, licence: str) -> bool:
    return release in PASSED_ON and not _NO_DERIVATIVES.search(licence)


def read_registry(path: str | Path) -> list[dict[str, str]]:
    """The rows of a table of sources such as resources/sources.tsv.

    Raises UserError, with the line, for a missing column, a corpus that is there twice, and an unknown `release`.
    """
    rows: dict[str, dict[str, str]] = {}
    for line, row in read_table(path, REGISTRY, "the sources and their licences"):
        if not row["corpus"] or row["corpus"] in rows:
            raise UserError(f"{path}, line {line}: the corpus {row['corpus']!r} is empty, or there twice.")
        if row["release"] not in RELEASES:
            raise UserError(
                f"{path}, line {line}: release {row['release']!r} is none of {', '.join(RELEASES)}."
            )
        rows[row["corpus"]] = row
    return list(rows.values())


def known_sources(
    registry: str | Path,
    names: Iterable[str],
    files: Mapping[str, Mapping[str, Any]],
    from_config: Mapping[str, Licence],
) -> dict[str, Source]:
    """Each source by name: as set in the config, else by the registry's row with the file's checksum, else by name.

    `files` has the size and checksum of the files that were read. Of an unknown source, only ids may be passed on. If
    the config describes a source whose file is not in the registry, the registry's row of that name is about another
    file, and is ignored.
    """
    rows = read_registry(registry)
    sources = {}
    for name in names:
        file = files.get(name, {})
        same = [row for row in rows if file.get("sha256") and row["sha256"] == file["sha256"]]
        named = [row for row in rows if row["corpus"] == name]
        own = from_config[name].model_dump() if name in from_config else {}
        known = next(iter(same + ([] if own else named)), {})
        sources[name] = Source(
            name=name,
            version=own.get("version") or known.get("version", "not stated"),
            home_page=own.get("home_page") or known.get("home_page", ""),
            licence=own.get("licence") or known.get("licence", ""),
            release=own.get("release") or known.get("release", "ids"),
            clause=_clause(name, own, known),
            attribution=own.get("attribution") or known.get("attribution", ""),
            sha256=file.get("sha256"),
            bytes=file.get("bytes"),
        )
    return sources


def _clause(name: str, own: Mapping[str, Any], known: Mapping[str, str]) -> str:
    if own.get("release"):
        return f"export.licences.{name} in the config of this release's makers says so ({own['licence']})."
    return known.get("clause") or UNKNOWN.format(name=name)


def refuse_text(subsets: Sequence[Subset], sources: Mapping[str, Source], *, full: bool) -> None:
    """Raise UserError if a release of these subsets would hold content that may not be passed on.

    Content of cited sources is in both forms; text, and content derived from it, only in the full form.
    """
    if cited := _forbidden({each.name: each.cites for each in subsets}, sources, lambda it: it.passed_on):
        raise UserError(
            f"The release would publish content that may not be passed on, in either mode:\n{cited}"
            f"Leave these datasets out of export.release.datasets.\n{IF_ALLOWED}"
        )
    held = _forbidden({each.name: each.texts for each in subsets}, sources, lambda it: it.passed_on)
    made = _forbidden({each.name: each.derived for each in subsets}, sources, lambda it: it.derivable)
    if full and (held or made):
        text = f"Text:\n{held}" if held else ""
        derived = f"What is derived from text (predictions, adaptations):\n{made}" if made else ""
        raise UserError(
            f"export.release.mode: full would publish what may not be passed on.\n{text}{derived}"
            "Write export.release.mode: standoff instead, for ids, offsets and annotations, from which others with "
            "their own copy of the corpora rebuild the text (wokflow rehydrate). Or leave these datasets out of "
            f"export.release.datasets.\n{IF_ALLOWED}"
        )


def _forbidden(
    drawn: Mapping[str, Collection[str]], sources: Mapping[str, Source], allowed: Callable[[Source], bool]
) -> str:
    """A line for each source that is not `allowed`, with the subsets that draw on it, and its clause."""
    lines = []
    for name, source in sources.items():
        held = [subset for subset, names in drawn.items() if name in names]
        if held and not allowed(source):
            lines.append(f"  - {name} (in {', '.join(held)}): {source.clause}\n")
    return "".join(lines)


def licences_held(manifest: Mapping[str, Any]) -> list[str]:
    """The licences of a release's content: first that of annotations, then those of sources with content in it."""
    sources, full = manifest["sources"], manifest["mode"] == "full"
    names: dict[str, None] = {}
    for subset in manifest["subsets"].values():
        names |= dict.fromkeys(subset["cites"]) | (dict.fromkeys(subset["texts"]) if full else {})
        if all(derivable(sources[name]["release"], sources[name]["licence"]) for name in subset["derived"]):
            names |= dict.fromkeys(subset["derived"])
    held = [manifest["licence_of_annotations"], *(sources[name]["licence"] or "not known" for name in names)]
    return list(dict.fromkeys(held))


def as_json(sources: Mapping[str, Source]) -> dict[str, dict[str, Any]]:
    return {name: asdict(source) for name, source in sources.items()}


def read_files(sources: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Size and checksum of the files that were read, by source, from the results of ingest/source. That of entities
    is there as Wikidata's, too, as it may be its dump.

    Several dumps of Wikipedia are one source: the sum of their sizes, and the SHA-256 of their SHA-256s, in the order
    of their languages, as lines of hexadecimal digits (as ingest_source has it of several files).
    """
    by_source: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(map(Path, sources)):
        by_source.setdefault(source_of(path.stem), []).append(json.loads(path.read_text(encoding="utf-8")))
    files = {}
    for name, described in by_source.items():
        digests = [each["sha256"] for each in described]
        lines = "".join(f"{digest}\n" for digest in digests)
        whole = hashlib.sha256(lines.encode()).hexdigest() if len(digests) > 1 else digests[0]
        files[name] = {"bytes": sum(each["bytes"] for each in described), "sha256": whole}
    if ENTITIES in files:
        files[WIKIDATA] = files[ENTITIES]
    return files


def source_of(described: str) -> str:
    """The source that ingest/source has described under a name: wikipedia for pages_en."""
    return WIKIPEDIA if described.startswith(PAGES) else described
