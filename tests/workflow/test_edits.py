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
    tested = {name.split(",")[0] for name in SETTINGS} | {"results"} | hub_only
    assert tested == keys(schema)
