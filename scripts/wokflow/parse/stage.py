"""Stage parse: its cutoffs and targets, and checks of its config."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wokflow.frame.code import installed_version
from wokflow.frame.columns import Rejected
from wokflow.frame.config import chinese_corpus
from wokflow.frame.cutoffs import CutoffGroup, by_corpus
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

ABOUT = (
    "finds the actions of Chinese recipes: verb, ingredients, tools, by a glossary, clause rules and a parser"
)
ARROWS = (
    "ingest_recipes --> parse_clauses & parse_parser --> parse_dependencies --> parse_actions --> parse_proto",
    "ingest_recipes --> parse_actions; ingest_recipes --> parse_vectors --> parse_induce",
)
SECTIONS = {"parse": ("Actions", "parse/")}
REJECTED = {
    "parse/rejects/": Rejected("recipes", whole=("ingest/recipes/",)),
}
NEEDED_BY_NAME = {"jieba": "cuts texts into words"}

WITHOUT_GPU = {"parse_dependencies": "parse.dependencies.device: cpu"}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    parse = config["parse"]
    backend, model = parse["dependencies"]["backend"], parse["dependencies"]["model"]
    if backend != "trained" and not model:
        yield f"parse.dependencies.model: backend {backend} needs a model's name or folder."
    if backend == "trained" and model:
        yield (
            f"parse.dependencies.model: backend trained uses the workflow's own parser, and not {model}. Set "
            "parse.dependencies.backend to spacy or hanlp, or remove the model."
        )
    if parse["actions"]["style"] == "paper" and parse["actions"]["method"] == "rules":
        yield (
            "parse.actions.style: the paper's actions are read from dependency parses: set parse.actions.method to "
            "parser, and parse.dependencies to the parser that you want."
        )
    yield from chinese_corpus(config, "parse.vectors.corpus")


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    needed = {}
    if not config["evaluate"]["counterfactual"]["vectors"]:
        needed["gensim"] = "parse.vectors trains word vectors, as evaluate.counterfactual.vectors names none"
    if config["parse"]["actions"]["method"] != "rules":
        parser = config["parse"]["dependencies"]["backend"]
        needed["hanlp" if parser == "hanlp" else "spacy"] = f"parse.dependencies.backend is {parser}"
    return needed


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    """The clauses of each corpus, if a parser is used."""
    parsed = scope.chinese if scope.parser_used else ()
    group = by_corpus(scope.results.folder, "parse_clauses", "parse/clauses", parsed, known["source"])
    return {"clauses": group}


def targets(scope: Scope) -> list[str]:
    parts = scope.config["ingest"]["recipes"]["parts"]
    proto = [path for corpus in scope.chinese for path in scope.results.parts(f"parse/proto/{corpus}", parts)]
    return proto + ([f"{scope.results.folder}/parse/parser/scores.json"] if scope.parser_trained else [])


def model_package(block: Mapping[str, Any]) -> str:
    """The version of the package that holds the spaCy pipeline of parse.dependencies; empty for other models."""
    name = block["model"]
    if block["backend"] != "spacy" or not name or Path(name).exists():
        return ""
    return installed_version(name.replace("_", "-")) or ""
