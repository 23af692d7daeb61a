"""The heart of the house: edit something, run again, and exactly the rules that the edit touches run."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import rules_run, snakemake
from tests.workflow.conftest import EVERY, digests, writer

Edit = Callable[[Path], None]
pytestmark = pytest.mark.workflow

REPORTED = {"report_page"}
EXPORTED = REPORTED | {"export_pairs"}
SPLIT = EXPORTED | {"match_split", "match_statistics"}
PAIRED = SPLIT | {"match_pair"}
SEARCHED = PAIRED | {"match_search"}
EMBEDDED = SEARCHED | {"match_embed", "match_vectors"}
TRANSLATED = {"match_translate", "match_texts"}  # and nothing more, where no translation changes
ELIGIBLE = PAIRED | {"match_eligible", "match_titles"}
INGESTED = ELIGIBLE | {"ingest_recipes"}
SAME_RECIPES = {
    "ingest_recipes",
    "match_eligible",
    "match_titles",
}  # nothing more, where recipes come out equal
TITLES = INGESTED | TRANSLATED | EMBEDDED


def setting(dotted: str, value: object) -> Edit:
    def edit(house: Path) -> None:
        path = house / "config" / "config.yaml"
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        block = config
        *parents, name = dotted.split(".")
        for parent in parents:
            block = block.setdefault(parent, {})
        block[name] = value
        path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")

    return edit


def replace(path: str, old: str, new: str) -> Edit:
    def edit(house: Path) -> None:
        text = (house / path).read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        (house / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def append(path: str, text: str) -> Edit:
    def edit(house: Path) -> None:
        with (house / path).open("a", encoding="utf-8") as file:
            file.write(text)

    return edit


def then(*edits: Edit) -> Edit:
    def edit(house: Path) -> None:
        for one in edits:
            one(house)

    return edit


def copy(source: str, target: str) -> Edit:
    def edit(house: Path) -> None:
        (shutil.copytree if (house / source).is_dir() else shutil.copy)(house / source, house / target)

    return edit


def bundled_model(house: Path) -> None:
    from wokflow.match.embed import bundled_folder

    shutil.copytree(bundled_folder(), house / "model")


def trained_pipeline(house: Path) -> None:
    shutil.copytree(house / "results" / "parse" / "parser" / "model", house / "pipeline")


def answers(house: Path) -> None:
    sheet = (house / "results" / "pivot" / "questions" / "questions.tsv").read_text(encoding="utf-8")
    (house / "data" / "answers.tsv").write_text(sheet, encoding="utf-8")


def vectors(house: Path) -> None:
    (house / "data" / "vectors.txt").write_text("豆腐 1 0\n炒 0 1\n", encoding="utf-8")


def predictions(house: Path) -> None:
    (house / "data" / "mine.tsv").write_text("instance_id\trun\tprediction\n", encoding="utf-8")


PACKAGE = "scripts/wokflow"
SETTINGS: dict[str, tuple[Edit, set[str]]] = {
    "contact": (setting("contact", "me@example.org"), set()),
    "sources.recipenlg.path": (
        then(copy("data/en.csv", "data/moved.csv"), setting("sources.recipenlg.path", "data/moved.csv")),
        SAME_RECIPES | {"ingest_source"},
    ),
    "sources.xiachufang.path": (
        then(copy("data/zh.json", "data/moved.json"), setting("sources.xiachufang.path", "data/moved.json")),
        SAME_RECIPES | {"ingest_source"},
    ),
    "ingest.recipes.parts": (setting("ingest.recipes.parts", 2), INGESTED - {"match_pair", "match_split"}),
    "ingest.recipes.emoji": (setting("ingest.recipes.emoji", False), TITLES),
    "ingest.recipes.symbols": (setting("ingest.recipes.symbols", False), INGESTED),
    "ingest.recipes.spaces": (
        setting("ingest.recipes.spaces", False),
        TITLES - {"match_search"},
    ),
    "ingest.recipes.simplified": (setting("ingest.recipes.simplified", True), TITLES),
    "ingest.recipes.empty_fields": (setting("ingest.recipes.empty_fields", False), TITLES),
    "ingest.recipes.duplicates": (setting("ingest.recipes.duplicates", False), INGESTED),
    "match.eligible.max_tokens": (
        setting("match.eligible.max_tokens", 400),
        TITLES - {"ingest_recipes"},
    ),
    "match.eligible.tokenizer": (then(bundled_model, setting("match.eligible.tokenizer", "model")), ELIGIBLE),
    "match.translate.backend": (setting("match.translate.backend", "none"), TRANSLATED | EMBEDDED),
    "match.translate.lexicon": (
        then(copy("resources/lexicon", "words"), setting("match.translate.lexicon", "words")),
        TRANSLATED,
    ),
    "match.translate.shards": (setting("match.translate.shards", 2), TRANSLATED),
    "match.translate.model, while another backend is in use": (
        setting("match.translate.model", "x/y"),
        set(),
    ),
    "match.embed.model, the same elsewhere": (
        then(bundled_model, setting("match.embed.model", "model")),
        {"match_embed", "match_vectors"},
    ),
    "match.embed.precision": (setting("match.embed.precision", "bfloat16"), EMBEDDED),
    "match.embed.revision": (setting("match.embed.revision", "main"), {"match_embed", "match_vectors"}),
    "match.embed.shards": (setting("match.embed.shards", 2), {"match_embed", "match_vectors"}),
    "match.search.backend": (setting("match.search.backend", "faiss"), SEARCHED),
    "match.search.device": (setting("match.search.device", "cpu"), SEARCHED),
    "match.search.k": (setting("match.search.k", 2), SEARCHED),
    "match.search.memory_mb": (setting("match.search.memory_mb", 2000), set()),
    "match.search.shards": (setting("match.search.shards", 2), SEARCHED),
    "match.pair.threshold": (setting("match.pair.threshold", 0.8), PAIRED),
    "match.split.kind": (setting("match.split.kind", "paper"), SPLIT),
    "match.split.seed": (setting("match.split.seed", 14), SPLIT),
    "export.pairs.shards": (setting("export.pairs.shards", 2), EXPORTED),
    "report.page.examples": (setting("report.page.examples", 3), REPORTED),
}
PLANNED: dict[str, tuple[Edit, set[str]]] = {  # no frontier lies behind them: a dry run says it all
    "sources.counterfactual.path": (
        then(
            append("data/base.tsv", "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"),
            setting("sources.counterfactual.path", "data/base.tsv"),
        ),
        set(),
    ),
    "parse.glossary.path": (
        then(copy("resources/glossary", "words"), setting("parse.glossary.path", "words")),
        set(),
    ),
    "parse.parser.treebanks": (
        then(
            copy("data/trees.conllu", "data/more.conllu"),
            setting("parse.parser.treebanks", ["data/more.conllu"]),
        ),
        set(),
    ),
    "parse.parser.test": (setting("parse.parser.test", ["data/trees.conllu"]), set()),
    "parse.parser.simplify": (setting("parse.parser.simplify", True), set()),
    "parse.parser.max_sentences": (setting("parse.parser.max_sentences", 40), set()),
    "parse.parser.epochs": (setting("parse.parser.epochs", 2), set()),
    "parse.parser.width": (setting("parse.parser.width", 24), set()),
    "parse.parser.depth": (setting("parse.parser.depth", 2), set()),
    "parse.parser.dropout": (setting("parse.parser.dropout", 0.1), set()),
    "parse.parser.learning_rate": (setting("parse.parser.learning_rate", 0.01), set()),
    "parse.parser.batch_words": (setting("parse.parser.batch_words", 50), set()),
    "parse.parser.seed": (setting("parse.parser.seed", 14), set()),
    "parse.dependencies.backend": (
        then(
            trained_pipeline,
            setting("parse.dependencies.backend", "pipeline"),
            setting("parse.dependencies.model", "pipeline"),
        ),
        set(),
    ),
    "parse.dependencies.model, while another backend is in use": (
        setting("parse.dependencies.model", "another"),
        set(),
    ),
    "parse.dependencies.device, while another backend is in use": (
        setting("parse.dependencies.device", "cpu"),
        set(),
    ),
    "parse.dependencies.batch": (setting("parse.dependencies.batch", 8), set()),
    "parse.dependencies.shards": (setting("parse.dependencies.shards", 2), set()),
    "parse.actions.method": (setting("parse.actions.method", "rules"), set()),
    "parse.actions.style": (setting("parse.actions.style", "paper"), set()),
    "parse.actions.max_characters": (setting("parse.actions.max_characters", 50), set()),
    "parse.vectors.corpus, another": (
        then(
            append("data/base.tsv", "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"),
            setting("sources.counterfactual.path", "data/base.tsv"),
            setting("parse.vectors.corpus", "counterfactual"),
        ),
        set(),
    ),
    "parse.vectors.model": (setting("parse.vectors.model", "cbow"), set()),
    "parse.vectors.dimensions": (setting("parse.vectors.dimensions", 10), set()),
    "parse.vectors.window": (setting("parse.vectors.window", 3), set()),
    "parse.vectors.epochs": (setting("parse.vectors.epochs", 2), set()),
    "parse.vectors.least_count": (setting("parse.vectors.least_count", 2), set()),
    "parse.vectors.recipes": (setting("parse.vectors.recipes", 5), set()),
    "parse.vectors.seed": (setting("parse.vectors.seed", 14), set()),
    "pivot.pairs.path": (
        then(copy("data/pairs.tsv", "data/mine.tsv"), setting("pivot.pairs.path", "data/mine.tsv")),
        set(),
    ),
    "pivot.dishes.corpus, another": (
        then(
            append("data/base.tsv", "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"),
            setting("sources.counterfactual.path", "data/base.tsv"),
            setting("pivot.dishes.corpus", "counterfactual"),
        ),
        set(),
    ),
    "pivot.dishes.least": (setting("pivot.dishes.least", 1), set()),
    "pivot.candidates.alpha": (setting("pivot.candidates.alpha", 4), set()),
    "pivot.candidates.tau_remove": (setting("pivot.candidates.tau_remove", 0.02), set()),
    "pivot.candidates.tau_insert": (setting("pivot.candidates.tau_insert", 0.2), set()),
    "pivot.candidates.least": (setting("pivot.candidates.least", 0.1), set()),
    "pivot.questions.ask_all": (setting("pivot.questions.ask_all", True), set()),
    "pivot.pivots.answers": (then(answers, setting("pivot.pivots.answers", ["data/answers.tsv"])), set()),
    "pivot.pivots.annotators": (setting("pivot.pivots.annotators", 2), set()),
    "pivot.pivots.overrule": (setting("pivot.pivots.overrule", True), set()),
    **{
        f"pivot.orders.{name}": (setting(f"pivot.orders.{name}", value), set())
        for name, value in {
            "effect": 0.2,
            "level": 0.1,
            "correct": True,
            "units": 1,
            "frequent": 0.1,
            "confounders": 3,
            "ridge": 2,
            "caliper": 0.3,
            "strata": 5,
            "overlap": 0.4,
            "balance": 0.3,
        }.items()
    },
    "pivot.instances.count": (setting("pivot.instances.count", 1), set()),
    "pivot.instances.seed": (setting("pivot.instances.seed", 14), set()),
    "generate.baselines.seed": (setting("generate.baselines.seed", 14), set()),
    "evaluate.counterfactual.predictions": (
        then(predictions, setting("evaluate.counterfactual.predictions", ["data/mine.tsv"])),
        set(),
    ),
    "evaluate.counterfactual.vectors": (
        then(vectors, setting("evaluate.counterfactual.vectors", "data/vectors.txt")),
        set(),
    ),
    "evaluate.counterfactual.tau": (setting("evaluate.counterfactual.tau", 0.8), set()),
    "evaluate.counterfactual.bertscore.layers": (
        setting("evaluate.counterfactual.bertscore.layers", 1),
        set(),
    ),
    "evaluate.counterfactual.bertscore.batch": (setting("evaluate.counterfactual.bertscore.batch", 8), set()),
    "evaluate.counterfactual.bertscore.device": (
        setting("evaluate.counterfactual.bertscore.device", "cpu"),
        set(),
    ),
    "evaluate.counterfactual.bootstrap.samples": (
        setting("evaluate.counterfactual.bootstrap.samples", 500),
        set(),
    ),
    "evaluate.counterfactual.bootstrap.level": (
        setting("evaluate.counterfactual.bootstrap.level", 0.9),
        set(),
    ),
    "evaluate.counterfactual.bootstrap.seed": (setting("evaluate.counterfactual.bootstrap.seed", 14), set()),
}
EDITS: dict[str, tuple[Edit, set[str]]] = {
    "nothing": (lambda house: None, set()),
    "a source file touched": (lambda house: os.utime(house / "data/en.csv"), set()),
    "a source row whose title stays": (
        replace("data/en.csv", "Scramble the eggs.", "Beat the eggs."),
        INGESTED | {"ingest_source"},
    ),
    "a source row with a new title": (
        append(
            "data/zh.json", '{"name": "豆腐汤", "recipeIngredient": ["豆腐"], "recipeInstructions": ["煮"]}\n'
        ),
        TITLES | {"ingest_source"},
    ),
    "a word of the lexicon that no title has": (
        append("resources/lexicon/words.tsv", "鱼\tfish\tingredient\n"),
        TRANSLATED,
    ),
    "a word of the lexicon that a title has": (
        replace("resources/lexicon/words.tsv", "Apple Pie", "Deep Dish Apple Pie"),
        TRANSLATED | EMBEDDED,
    ),
    "a word, a setting before it and settings behind it, at once": (
        then(
            replace("resources/lexicon/words.tsv", "Apple Pie", "Deep Dish Apple Pie"),
            setting("match.eligible.max_tokens", 450),
            setting("match.split.seed", 14),
            setting("match.embed.revision", "main"),
        ),
        ELIGIBLE | TRANSLATED | EMBEDDED,
    ),
    "a source row with a new title, and settings behind it, at once": (
        then(
            append(
                "data/zh.json",
                '{"name": "豆腐汤", "recipeIngredient": ["豆腐"], "recipeInstructions": ["煮"]}\n',
            ),
            setting("match.pair.threshold", 0.8),
            setting("export.pairs.shards", 2),
        ),
        TITLES | {"ingest_source"},
    ),
    "a comment": (append(f"{PACKAGE}/match/embed.py", "# a thought\n"), set()),
    "a docstring": (
        replace(f"{PACKAGE}/match/pair.py", '"""Neighbours of texts', '"""The neighbours of texts'),
        set(),
    ),
    "code of the step's own module": (
        replace(f"{PACKAGE}/match/pair.py", "SLICE = 200_000", "SLICE = 100_000"),
        PAIRED,
    ),
    "code of a module that the step imports": (
        append(f"{PACKAGE}/match/lexicon.py", "NEW = 1\n"),
        TRANSLATED,
    ),
    "code of a module that all share": (append(f"{PACKAGE}/tables.py", "NEW = 1\n"), EVERY),
    "code of another stage": (append(f"{PACKAGE}/export/pairs.py", "NEW = 1\n"), EXPORTED),
    "code that no step runs": (append(f"{PACKAGE}/plan.py", "NEW = 1\n"), set()),
}


@pytest.mark.parametrize("name", [*EDITS, *SETTINGS])
def test_edit_runs_exactly(name: str, built: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    shutil.copytree(built, house, symlinks=True)
    before = digests(house)
    edit, expected = (EDITS | SETTINGS)[name]
    edit(house)
    assert rules_run(snakemake(house).stdout) == expected
    after = digests(house)
    untouched = {path for path in before if writer(path) not in expected}
    assert {path: after.get(path) for path in untouched} == {path: before[path] for path in untouched}
    assert rules_run(snakemake(house).stdout) == set(), "a second run has nothing to do"


@pytest.mark.parametrize("name", PLANNED)
def test_edit_would_run_exactly(name: str, built: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    shutil.copytree(built, house, symlinks=True)
    edit, expected = PLANNED[name]
    edit(house)
    assert rules_run(snakemake(house, "--dry-run").stdout) == expected


def test_another_results_folder_is_filled_and_the_old_one_stays(built: Path, tmp_path: Path) -> None:
    house = tmp_path / "house"
    shutil.copytree(built, house, symlinks=True)
    before = digests(house)
    setting("results", "elsewhere/run 2")(house)
    assert rules_run(snakemake(house, cores=2).stdout) == EVERY
    assert digests(house) == before
    moved = digests(house, "elsewhere/run 2")
    assert {path: digest for path, digest in moved.items() if writer(path) != "report_page"} == {
        path: digest for path, digest in before.items() if writer(path) != "report_page"
    }


def test_the_table_holds_every_key_of_the_config(built: Path) -> None:
    schema = yaml.safe_load((built / "config" / "config.schema.yaml").read_text(encoding="utf-8"))

    def keys(block: dict, prefix: str = "") -> set[str]:
        if "properties" not in block:
            return {prefix}
        return {
            key
            for name, inner in block["properties"].items()
            for key in keys(inner, f"{prefix}.{name}" if prefix else name)
        }

    hub_only = {"match.translate.revision", "match.translate.beams", "match.translate.batch"}
    tested = {name.split(",")[0] for name in SETTINGS | PLANNED} | {"results"} | hub_only
    assert tested == keys(schema)
