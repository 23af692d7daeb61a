"""The files that a paper's tables and figures need, by resources/papers/exhibits.tsv."""

import re
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase

from wokflow.frame.runs import ROOT
from wokflow.frame.text_files import read_table

EXHIBITS = ROOT / "resources" / "papers" / "exhibits.tsv"
SHEETS = "annotate/sheets"
OWN = ("resources/", "docs/")  # begin outputs that are not made
WILDCARD = re.compile(r"\{\w+\}")
ON_THE_WAY = {  # tables that no target has: the beginning of their names, and the tables made of them
    "annotate/tasks": SHEETS,
    "enrich": "enrich/statistics",
    "evaluate/people/calibration": "evaluate/people/means",
    "evaluate/summary": "evaluate/scores",
    "judge/dialogues": "judge/ratings",
    "judge/instructions": "judge/tasks",
    "lexicon": "lexicon/precision",
    "pivot": "pivot/orders",
}


def exhibits(paper: str) -> list[dict[str, str]]:
    """The tables and figures of a paper, by its short name."""
    needed = ("paper", "item", "outputs", "needs")
    return [row for _, row in read_table(EXHIBITS, needed, "exhibits") if row["paper"] == paper]


def files_of(paper: str, results: str, targets: Mapping[str, Iterable[str]]) -> list[str]:
    """The files of `targets`, those of all stages, that a paper's tables and figures need, and sheets for people.

    Tables that the config has nothing for, as ratings without models, are among no targets, and so not here.
    """
    names = {name for row in exhibits(paper) for name in row["outputs"].split("; ") if name} | {SHEETS}
    known = [path for files in targets.values() for path in files]
    chosen = {path for name in names for path in _made(results, name, known)}
    return [path for path in known if path in chosen]


def without_files(short: str, results: str, files: Collection[str]) -> list[str]:
    """The tables and figures of a paper of which none of `files` has anything.

    Those that are shown by a file of the workflow's own are not among them, nor those that are on the page alone.
    """
    items = []
    for row in exhibits(short):
        names = [name for name in row["outputs"].split("; ") if name and not name.startswith("page: ")]
        if names and not any(name.startswith(OWN) or _made(results, name, files) for name in names):
            items.append(row["item"])
    return items


def _made(results: str, name: str, known: Collection[str]) -> list[str]:
    """The files of an output of an exhibit or, if it is made on the way, those that are made of it."""
    wanted = "report/page" if name.startswith("page: ") else name
    begins = [made for begin, made in ON_THE_WAY.items() if wanted.startswith(begin)]
    return _below(results, wanted, known) or [
        path for made in begins for path in _below(results, made, known)
    ]


def _below(results: str, name: str, known: Iterable[str]) -> list[str]:
    """The files of a table, whose name may have wildcards."""
    own = f"{results}/{WILDCARD.sub('*', name)}".split("/")
    return [
        path
        for path in known
        if len(parts := path.split("/")) >= len(own) and all(map(fnmatchcase, parts, own))
    ]
