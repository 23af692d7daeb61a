"""Stage lexicon: its targets, and what it needs."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

ABOUT = (
    "aligns word vectors of both corpora, and tells which words of one kitchen have no literal match in the other's: "
    "`docs/lexicon.md`"
)
ARROWS = (
    "ingest_recipes --> lexicon_vectors --> lexicon_align --> lexicon_neighbours",
    "lexicon_neighbours -. marked by people .-> lexicon_precision",
)
SECTIONS = {"lexicon": ("Words across kitchens", "lexicon/")}
NEEDED_BY_NAME = {
    "gensim": "trains word vectors (parse.vectors)",
    "jieba": "cuts texts into words",
    "openpyxl": "reads workbooks",
}


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    return {"gensim": "lexicon.included is true"} if config["lexicon"]["included"] else {}


def included(config: Mapping[str, Any]) -> bool:
    return bool(config["lexicon"]["included"])


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/lexicon"
    return [
        f"{folder}/precision/part-00000.parquet",
        f"{folder}/sheet/sheet.tsv",
        f"{folder}/concepts/concepts.tsv",
    ]
