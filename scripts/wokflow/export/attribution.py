"""ATTRIBUTION.md: the attributions that a release owes, and what may be passed on of each source."""

from typing import Any

from wokflow.export.manifest import Manifest


def attribution(manifest: Manifest) -> str:
    lines = [
        f"# Sources of {manifest['name']} {manifest['version']}",
        "",
        f"Annotations (pairs, offsets, classes, scores and all else that is in no source): "
        f"{plain(manifest['licence_of_annotations'])}.",
        "",
    ]
    for name, source in manifest["sources"].items():
        allowed = {
            "ids": "Only ids, offsets and digests of its records may be passed on, and no text.",
            "attribution": "Its text may be passed on if this notice goes with it.",
            "text": "Its text may be passed on.",
        }[source["release"]]
        shown = {member: plain(value) for member, value in source.items()}
        lines += [f"## {name}", ""]
        lines += [f"- {shown['attribution']}"] if shown["attribution"] else []
        lines += [f"- Home page: {shown['home_page']}"] if shown["home_page"].startswith("http") else []
        lines += [f"- Licence: {shown['licence'] or 'not known'}", f"- {allowed} {shown['clause']}", ""]
    return "\n".join(lines)


def plain(value: Any) -> Any:
    """Text on one line, with markup of Markdown and tables escaped; other values unchanged."""
    if not isinstance(value, str):
        return value
    line = " ".join(value.split()).replace("\\", "\\\\").replace("|", "\\|").replace("[", "\\[")
    return line.replace("<", "&lt;").replace("`", "'")
