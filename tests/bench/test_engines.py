"""Engines that find a verb's ingredients and tools, on the same labelled recipes: rules, and parsers.

A user's own: WOKFLOW_ENGINES="hanlp=CTB9_DEP_ELECTRA_SMALL spacy=zh_core_web_trf" adds a row for each.
"""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock, isolated
from tests.bench.test_labels import COLUMNS, LABELS, SETS, read_labels, row, score
from tests.bench.test_parse import EPOCHS, TREEBANKS, write_parses

GLOSSARY = str(measure.ROOT / "resources" / "glossary")
TRAINED, PROJECT = "spaCy, trained on ", "the project's treebank"
OWN = TRAINED + PROJECT


def test_engines(shared: Path, tmp_path: Path) -> None:
    recipes = shared / "real" / "counterfactual" / "base_recipes.tsv"
    general = sorted((shared / "real" / "treebanks").glob("zh_gsdsimp*.conllu"))
    if not recipes.exists() or not general:
        pytest.skip(f"there is no {recipes}, or no treebank beside it")
    own = sorted(TREEBANKS.glob("*.conllu"))
    trained = {PROJECT: own, "GSDSimp": general, "both treebanks": [*own, *general]}
    if measure.scale() == "tiny":
        trained = {PROJECT: own}
    engines: dict[str, dict[str, Any] | None] = {"rules": None}
    engines |= {
        f"{TRAINED}{name}": {"backend": "trained", "treebanks": list(map(str, treebanks))}
        for name, treebanks in trained.items()
    }
    for named in os.environ.get("WOKFLOW_ENGINES", "").split():
        backend, _, model = named.partition("=")
        engines[f"{backend}, {model}"] = {"backend": backend, "model": model}
    rows, attached = [], dict[str, dict[str, dict[str, float]]]()
    for number, (name, engine) in enumerate(engines.items()):
        parses = str(tmp_path / f"{number}.json") if engine else ""
        if engine:
            done = isolated(Call(make_parses, {"recipes": str(recipes), "out": parses, **engine}))
            attached[name] = done.outcome
        given = {"labels": SETS["held back"], "recipes": str(recipes), "parses": parses}
        counts = Counter(isolated(Call(score, given)).outcome)
        rows.append([name, *row("", counts)[1:]])
    measure.publish(
        "engines",
        "Parsers and rules",
        f"""The held-back recipes of "Labelled actions", read by rules and by dependency trees
        (parse.actions.method: parser). The general treebank is UD_Chinese-GSDSimp, development and test sets, for
        measuring only: it is not part of the project. HanLP's and spaCy's own models could not be had here:
        WOKFLOW_ENGINES="hanlp=CTB9_DEP_ELECTRA_SMALL spacy=zh_core_web_trf" before the command adds a row of each.
        {measure.repeat("test_engines.py")}""",
        measure.machine("jieba", "spacy"),
        measure.table(["engine", *COLUMNS], rows),
        """The parser that a run trains (parse.parser), on the clauses of every tenth sentence of the project's
        treebank, which it was not trained on; in percent. UAS: heads are right. LAS: so are relations, without their
        subtypes. With the treebank's own words this is accuracy; with the workflow's, by jieba with the glossary, it
        is F1, and that is what counts in a run.""",
        measure.table(
            ["words", "UPOS", "UAS", "LAS"],
            [
                [words, *(f"{attached[OWN][key][score]:.1f}" for score in ("upos", "uas", "las"))]
                for words, key in (("the treebank's", "gold_words"), ("the workflow's", "own_words"))
            ],
        ),
    )


def make_parses(
    clock: Clock, recipes: str, out: str, backend: str, model: str = "", treebanks: list[str] | None = None
) -> dict[str, dict[str, float]]:
    """Train on the treebanks, if any, and write words, heads and roles of the clauses of labelled recipes.

    Returns the trained parser's scores on clauses, by whose words these are cut into.
    """
    from wokflow.frame.job import Job
    from wokflow.parse.dependencies import load_backend
    from wokflow.parse.glossary import read_glossary
    from wokflow.parse.parser import parse_parser
    from wokflow.parse.segment import Segmenter
    from wokflow.parse.settings import ParserSettings

    scores: dict[str, dict[str, float]] = {}
    if treebanks:
        model = str(Path(out).with_suffix(".model"))
        parse_parser(
            model=model,
            scores=f"{model}.json",
            settings=ParserSettings(
                treebanks=treebanks, glossary=GLOSSARY, epochs=EPOCHS[measure.scale()], seed=0
            ),
            job=Job(),
        )
        scores = json.loads(Path(f"{model}.json").read_text("utf-8"))["clauses"]
    texts = [line.split("\t", 2)[2] for line in Path(recipes).read_text("utf-8").splitlines()]
    labelled = [texts[line] for line, _ in read_labels(LABELS / f"{SETS['held back']}.tsv", texts)]
    segment = Segmenter(read_glossary(GLOSSARY))
    parser = load_backend(backend, model, segment, batch=256, device="auto")  # type: ignore[arg-type]
    write_parses(parser, segment, labelled, out)
    return scores
