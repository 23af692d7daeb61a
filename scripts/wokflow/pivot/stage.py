"""Stage pivot: its targets and packages, and checks of its config."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.columns import Rejected
from wokflow.frame.config import chinese_corpus
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

ABOUT = "compares two dishes: actions to remove, to insert, to ask people about; causal order; test instances"
ARROWS = (
    "parse_proto --> pivot_candidates --> pivot_questions -. answers of people .-> pivot_pivots --> pivot_orders",
    "ingest_recipes --> pivot_dishes --> pivot_candidates & pivot_instances; pivot_candidates --> pivot_pivots",
    "pivot_dishes & pivot_instances & parse_actions --> pivot_mined",
)
SECTIONS = {"pivot": ("Dish pairs", "pivot/")}
REJECTED = {
    "pivot/rejects/candidates": Rejected("differing actions", "pairs of dishes", kept=("pivot/candidates",)),
    "pivot/rejects/": Rejected("given entries", kept=("pivot/",)),
}
SLURM_GROUPS = {
    "pivot_candidates": "pivots",
    "pivot_questions": "pivots",
    "pivot_pivots": "pivots",
    "pivot_orders": "pivots",
    "pivot_instances": "instances",
}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    if config["pivot"]["pivots"]["given"] and config["pivot"]["pivots"]["answers"]:
        yield "pivot.pivots: `given` replaces the answers to questions: remove `answers`, or `given`."
    yield from chinese_corpus(config, "pivot.dishes.corpus")


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    return {"ahocorasick": "pivot.dishes looks for the names of dishes with it"}


def targets(scope: Scope) -> list[str]:
    tables = ("orders/part-00000.parquet", "questions/questions.tsv", "instances/part-00000.parquet")
    return [f"{scope.results.folder}/pivot/{table}" for table in tables]


def rejects(scope: Scope) -> list[str]:
    pivot = scope.config["pivot"]
    steps = ["pivots" if pivot["pivots"]["given"] else "candidates"]
    steps += ["orders"] if pivot["orders"]["given"] else []
    return [path for step in steps for path in scope.results.parts(f"pivot/rejects/{step}", 1)]
