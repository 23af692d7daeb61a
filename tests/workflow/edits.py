"""Edits of a built house, each with the rules that it touches; those of single settings are in setting_edits.

An edit whose effect lies behind an early cutoff is carried out, since only the data that come out decide what runs
there. All other edits are planned: a dry run says what they touch.
"""

import os

from tests.workflow.changes import (
    DISH_PAIR,
    Edit,
    Settings,
    append,
    deleted,
    older,
    replace,
    setting,
    then,
    touched,
    without_record,
    without_records,
    written,
)
from tests.workflow.conftest import EVERY
from tests.workflow.setting_edits import MOVED, SETTINGS
from tests.workflow.touched_rules import (
    ACTED,
    ADAPTED,
    DECIDED,
    EMBEDDED,
    EXPORTED,
    INGESTED,
    LEARNT,
    NAMED,
    PAIRED,
    POSED,
    READ,
    REPORTED,
    SPLIT,
    TITLES,
    TRAINED,
    TRANSLATED,
)

PACKAGE = "scripts/wokflow"
NEW_TITLE = append(
    "data/zh.json", '{"name": "豆腐汤", "recipeIngredient": ["豆腐"], "recipeInstructions": ["煮"]}\n'
)
BUILT_ANEW = "a source row with a new title, and settings behind it"
EDITS: dict[str, tuple[Edit, set[str]]] = {
    "a source row whose title stays": (
        replace("data/en.csv", "Scramble the eggs.", "Beat the eggs."),
        INGESTED | LEARNT | {"ingest_source"},
    ),
    f"a word of the lexicon that no title has, code of a module, and {MOVED}": (
        then(
            append("resources/lexicon/words.tsv", "鱼\tfish\tingredient\n"),
            append(f"{PACKAGE}/match/lexicon.py", "NEW = 1\n"),  # which the step imports
            SETTINGS[MOVED][0],
        ),
        SETTINGS[MOVED][1],
    ),
    BUILT_ANEW: (
        then(NEW_TITLE, Settings({"match.pair.threshold": 0.8, "export.release.jsonl": True})),
        TITLES | LEARNT | {"ingest_source", "parse_dependencies"} | READ,
    ),
}
EDIT_OF_ALL = replace(f"{PACKAGE}/frame/code.py", "FORMAT = 3", "FORMAT = 4")
PLANNED_EDITS: dict[str, tuple[Edit, set[str]]] = {
    "a row of the pairs of dishes": (
        append("data/pairs.tsv", DISH_PAIR),
        NAMED,
    ),
    "a word of the glossary": (
        append("resources/glossary/tools.tsv", "麻花锅\t锅\n"),
        {"generate_baselines", "parse_vectors"} | TRAINED,
    ),
    "a word of the kitchen": (replace("resources/grammar/kitchen.tsv", "DRY\t炒 煎", "DRY\t炒 烙 煎"), ACTED),
    "a word of the clause rules": (
        replace("resources/grammar/verbs.tsv", "ADDING\t加 放", "ADDING\t加 搁 放"),
        ACTED,
    ),
    "an entry of the noise": (
        append("resources/grammar/noise.tsv", "tools\t锅\t麻花锅\tno pan\n"),
        ACTED,
    ),
    "code of the rules that find actions": (append(f"{PACKAGE}/parse/clause_rules.py", "NEW = 1\n"), ACTED),
    "code of the step's own module": (
        replace(f"{PACKAGE}/match/pair.py", "SLICE = 250_000", "SLICE = 500_000"),
        PAIRED,
    ),
    "a template of the report": (append(f"{PACKAGE}/report/templates/train.html", "<p>New.</p>\n"), REPORTED),
    "code of another stage": (append(f"{PACKAGE}/export/standoff.py", "NEW = 1\n"), EXPORTED),
    "a source replaced by an older file with other rows": (
        older("data/en.csv", "Scramble the eggs.", "Beat the eggs."),
        {"ingest_source"},
    ),
    "a source replaced by an older file with the same rows": (older("data/en.csv", "", ""), set()),
    "all code touched, as by git switch there and back": (touched("scripts", "rules", "Snakefile"), set()),
    "a new clone around the old results": (
        then(touched("scripts", "rules", "config", "resources", "Snakefile"), without_records),
        set(),
    ),
    "Snakemake's records lost": (without_records, set()),
    "Snakemake's records lost, and a setting changed meanwhile": (
        then(without_records, Settings({"match.pair.threshold": 0.8})),
        PAIRED,
    ),
    "Snakemake's records lost, and the key of an output": (
        then(without_records, deleted("results/match/near/.zh-en.tsv.key")),
        PAIRED,
    ),
    "one of Snakemake's records lost, and code changed meanwhile": (
        then(without_record("match/pairs/zh-en"), append(f"{PACKAGE}/match/split.py", "NEW = 1\n")),
        SPLIT,
    ),
    "the data of a cutoff deleted": (deleted("results/match/titles/xiachufang/part-00000.parquet"), set()),
    "the data of a cutoff deleted, and a word of the lexicon changed": (
        then(
            deleted("results/match/titles/xiachufang/part-00000.parquet"),
            append("resources/lexicon/words.tsv", "鱼\tfish\tingredient\n"),
        ),
        TRANSLATED | {"match_titles", "report_page"},
    ),
    "the digest of a cutoff deleted, and a setting behind it": (
        then(
            deleted("results/match/texts/xiachufang/part-00000.parquet"),
            deleted("results/match/texts/xiachufang.sha256"),
            setting("match.embed.precision", "bfloat16"),
        ),
        # All behind it is planned: whether keys change is known only when the digest is there again.
        EMBEDDED | {"match_texts", "train_model", "generate_decode"},
    ),
    "a package that a step uses upgraded": (
        replace("constraints.txt", "rouge-score==", "rouge-score==9."),
        ADAPTED - {"evaluate_literal", "evaluate_outputs"},
    ),
    "the type of a column": (
        replace(
            f"{PACKAGE}/pivot/schemas.py", 'column("n_control", pa.int32()', 'column("n_control", pa.int64()'
        ),
        DECIDED | EXPORTED,  # given pivots and orders are read in one module; a release has both tables
    ),
}
# Edits with no effect on any result: nothing runs after all of them.
WITHOUT_EFFECT: dict[str, Edit] = {
    "a source file touched": lambda house: os.utime(house / "data/en.csv"),
    "a comment of the word lists": replace(
        "resources/grammar/verbs.tsv", "\tverbs of adding\n", "\tto add\n"
    ),
    "a lock of an office program in a folder of tables": written(
        "resources/glossary/.~lock.tools.tsv#", "anna\n"
    ),
    "a backup of an editor in a folder of tables": written("resources/lexicon/words.tsv~", "鱼\tfish\n"),
    "a comment": append(f"{PACKAGE}/match/embed.py", "# a thought\n"),
    "a docstring": replace(f"{PACKAGE}/match/pair.py", '"""Pairs of recipes', '"""The pairs of recipes'),
    "code that no step runs": append(f"{PACKAGE}/frame/plan.py", "NEW = 1\n"),
    "a package that no step uses upgraded": replace("constraints.txt", "mypy==", "mypy==9."),
    "a line of a log": replace(f"{PACKAGE}/match/embed.py", "texts embedded", "texts encoded"),
    "a line of every log": replace(f"{PACKAGE}/frame/job.py", 'START = "start "', 'START = "begin "'),
    "the description of a column": replace(
        f"{PACKAGE}/match/schemas.py", "Title, cleaned.", "The cleaned title."
    ),
    "a table that is declared anew": append(f"{PACKAGE}/match/schemas.py", "NEW = pa.schema([])\n"),
    "the launch of a training": append(f"{PACKAGE}/train/launch.py", "NEW = 1\n"),
    "the card of a model": append(f"{PACKAGE}/train/model_card.py", "NEW = 1\n"),
}


# Where a rule's input is made anew with the same bytes, Snakemake runs the rule only if it looked before that was so.
# In this house no pair is in test, so that the instances of adaptation are none before and after each edit.
BEHIND_INSTANCES = POSED - REPORTED - {"generate_instances"}
EQUAL: dict[str, set[str]] = {
    "ingest.recipes.parts, and enrich.entities.path, moved": POSED - REPORTED,
}


def sometimes(name: str) -> set[str]:
    """The rules that may or may not run after an edit that is carried out; both are right."""
    _, expected = (EDITS | SETTINGS)[name]
    return EQUAL.get(name, set() if expected == EVERY else expected & BEHIND_INSTANCES)
