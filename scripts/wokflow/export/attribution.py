"""ATTRIBUTION.md: whom a release has to name, and what may be done with each source."""

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
        held = {
            "ids": "Only ids, offsets and digests of its records may be passed on, and no text.",
            "attribution": "Its text may be passed on if this notice goes with it.",
            "text": "Its text may be passed on.",
        }[source["release"]]
        said = {member: plain(value) for member, value in source.items()}
        lines += [f"## {name}", ""]
        lines += [f"- {said['attribution']}"] if said["attribution"] else []
        lines += [f"- Home page: {said['home_page']}"] if said["home_page"].startswith("http") else []
        lines += [f"- Licence: {said['licence'] or 'not known'}", f"- {held} {said['clause']}", ""]
    return "\n".join(lines)


def plain(value: Any) -> Any:
    """Text on one line, without what Markdown or a table would take for markup; anything else as it is."""
    if not isinstance(value, str):
        return value
    line = " ".join(value.split()).replace("\\", "\\\\").replace("|", "\\|").replace("[", "\\[")
    return line.replace("<", "&lt;").replace("`", "'")
