"""The key of a rule: everything that its result depends on, as one canonical string.

Snakemake compares params as a set of values without names, and sees neither imported modules nor config that is
read elsewhere; so each rule has one param that counts, its key: the step's settings, its code, the packages that it
uses, the contents of its resources, and the digests of the cutoffs before it. A job reads its settings from its key,
so no setting can be read that is not in it. wokflow.frame.plan explains differences between two keys.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, Paths
from wokflow.frame.code import FORMAT, code_digests, package_versions, word_list_digests
from wokflow.frame.cutoffs import Cutoff
from wokflow.frame.digests import file_digest, path_digest


def rule_key(step: str, arguments: Arguments, cutoffs: Iterable[Cutoff] = (), **known: str) -> str:
    """Canonical JSON of all that the result of `step` ("match.embed") depends on.

    Resources count by role and content, whatever their path; word lists that the code reads are among them. `known`
    has digests of further resources by role.
    """
    module = f"wokflow.{step}"
    parts = {
        "step": step,
        "settings": arguments.settings,
        "layout": arguments.layout,
        "resources": {role: _digest(paths) for role, paths in arguments.resources.items() if paths}
        | known
        | word_list_digests(module),
        "code": code_digests(module),
        "packages": package_versions(module),
        "cutoffs": {cutoff.name: file_digest(cutoff.digest) for cutoff in cutoffs},
        "format": FORMAT,
    }
    return json.dumps(parts, sort_keys=True, ensure_ascii=False)


def read_key(key: str) -> tuple[str, Mapping[str, Any]]:
    """The step of a key and its settings."""
    parts = json.loads(key)
    return parts["step"], parts["settings"]


def _digest(paths: Paths) -> str | list[str]:
    if isinstance(paths, str):
        return path_digest(paths)
    return [path_digest(path) for path in paths or ()]
