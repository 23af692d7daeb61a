"""What the licence of each source allows a release to hold."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wokflow.export.settings import Licence
from wokflow.export.subsets import WIKIDATA, Subset
from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_table
from wokflow.frame.wikidata import ENTITIES

PASSED_ON = (
    "text",
    "attribution",
)  # what may be passed on as text; `ids`: no text, and nothing derived from it
RELEASES = (*PASSED_ON, "ids")
UNKNOWN = "No licence is known of it: if you know one, set export.licences.{name}."
_NO_DERIVATIVES = re.compile(r"(?<![a-z0-9])nd(?![a-z])|no[\W_]*deriv", re.IGNORECASE)  # CC-BY-ND-4.0


@dataclass(frozen=True)
class Source:
    """A corpus, or another source of what is in a release, with what may be passed on of it.

    `release` is `text`, `attribution` (text, if it is attributed) or `ids`; `clause` says where the licence has it.
    `sha256` and `bytes` are those of the file that was read, as ingest/source has them.
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
        """Whether what is derived from its text (predictions, adaptations) may be passed on."""
        return derivable(self.release, self.licence)


def derivable(release: str, licence: str) -> bool:
    return release in PASSED_ON and not _NO_DERIVATIVES.search(licence)


def read_registry(path: str | Path) -> list[dict[str, str]]:
    """The rows of resources/sources.tsv."""
    return [row for _, row in read_table(path, (), quotes=False)]


def known_sources(
    registry: str | Path,
    names: Iterable[str],
    files: Mapping[str, Mapping[str, Any]],
    given: Mapping[str, Licence],
) -> dict[str, Source]:
    """Each source by name: what the config gives, else the row of its very file, else that of its name.

    `files` has the size and checksum of what was read. A source that nothing is known of may only be pointed at. If
    the config speaks of a source whose file is not known, a row of the same name is of another file: it is not read.
    """
    rows = read_registry(registry)
    found = {}
    for name in names:
        file = files.get(name, {})
        same = [row for row in rows if file.get("sha256") and row["sha256"] == file["sha256"]]
        named = [row for row in rows if row["corpus"] == name]
        own = given[name].model_dump() if name in given else {}
        known = next(iter(same + ([] if own else named)), {})
        found[name] = Source(
            name=name,
            version=own.get("version") or known.get("version", "as the makers of this release have it"),
            home_page=own.get("home_page") or known.get("home_page", ""),
            licence=own.get("licence") or known.get("licence", ""),
            release=own.get("release") or known.get("release", "ids"),
            clause=_clause(name, own, known),
            attribution=own.get("attribution") or known.get("attribution", ""),
            sha256=file.get("sha256"),
            bytes=file.get("bytes"),
        )
    return found


def _clause(name: str, own: Mapping[str, Any], known: Mapping[str, str]) -> str:
    if own.get("release"):
        return f"export.licences.{name} of the config says so ({own['licence']})."
    return known.get("clause") or UNKNOWN.format(name=name)


def refuse_text(subsets: Sequence[Subset], sources: Mapping[str, Source], *, full: bool) -> None:
    """Raise UserError if a release of these subsets would hold what may not be passed on.

    What a source that is cited holds is in both forms; text, and what is derived from it, in the full one.
    """
    if cited := _forbidden({each.name: each.cites for each in subsets}, sources, lambda it: it.passed_on):
        raise UserError(
            f"The release would publish what its sources do not allow, in either mode.\n{cited}"
            "Leave these datasets out; or, if you may pass it on, say so in export.licences."
        )
    held = _forbidden({each.name: each.texts for each in subsets}, sources, lambda it: it.passed_on)
    made = _forbidden({each.name: each.derived for each in subsets}, sources, lambda it: it.derivable)
    if full and (held or made):
        derived = f"What is derived from text may not be passed on either:\n{made}" if made else ""
        raise UserError(
            f"export.release.mode: full would publish text that may not be passed on.\n{held}{derived}"
            "Set the mode to standoff: it writes ids, offsets and annotations, from which others with their own "
            "copy of the corpora rebuild the text (wokflow rehydrate). Or leave these datasets out."
        )


def _forbidden(
    drawn: Mapping[str, Collection[str]], sources: Mapping[str, Source], allowed: Callable[[Source], bool]
) -> str:
    """A line for each source that is not `allowed`, with the subsets that draw on it and the clause."""
    lines = []
    for name, source in sources.items():
        held = [subset for subset, names in drawn.items() if name in names]
        if held and not allowed(source):
            lines.append(f"  - {name} (in {', '.join(held)}): {source.clause}\n")
    return "".join(lines)


def licences_held(manifest: Mapping[str, Any]) -> list[str]:
    """The licences of all that a release holds: the annotations' first, then those of sources with content in it."""
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
    """Size and checksum of the files that were read, by source, from the results of ingest/source."""
    found = {Path(path).stem: json.loads(Path(path).read_text(encoding="utf-8")) for path in sources}
    return {WIKIDATA if name == ENTITIES else name: file for name, file in found.items()}
