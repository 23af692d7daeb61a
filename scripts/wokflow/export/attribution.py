"""ATTRIBUTION.md: whom a release has to name, and what may be done with each source."""

from wokflow.export.manifest import Manifest


def attribution(manifest: Manifest) -> str:
    lines = [
        f"# Sources of {manifest['name']} {manifest['version']}",
        "",
        f"Annotations (pairs, offsets, classes, scores and all else that is in no source): "
        f"{manifest['licence_of_annotations']}.",
        "",
    ]
    for name, source in manifest["sources"].items():
        held = {
            "ids": "Only ids, offsets and digests of its records may be passed on, and no text.",
            "attribution": "Its text may be passed on if this notice goes with it.",
            "text": "Its text may be passed on.",
        }[source["release"]]
        lines += [f"## {name}", ""]
        lines += [f"- {source['attribution']}"] if source["attribution"] else []
        lines += [f"- Home page: {source['home_page']}"] if source["home_page"].startswith("http") else []
        lines += [f"- Licence: {source['licence'] or 'not known'}", f"- {held} {source['clause']}", ""]
    return "\n".join(lines)
