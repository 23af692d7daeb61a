"""`wokflow papers`: forms of the papers' authors, tables made of their files, and comparisons with them."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from wokflow.frame.secrets import shown
from wokflow.frame.usage import UsageError, refuse_absent, require_tables


def add_forms(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add a command for each form; `add` is that of wokflow.cli, among the forms."""
    one = add(
        "cultural-recipes",
        _cultural_recipes,
        "Pairs and predictions in the form of Cultural Adaptation of Recipes: JSON lines (docs/runs.md).",
        "papers cultural-recipes --to pairs",
    )
    _add_folders(one)
    one = add(
        "ash",
        _ash,
        "Recipes that models wrote, and their scores, in the form of ASH: two CSV files (docs/judge.md).",
        "papers ash --to ash",
    )
    _add_folders(one)
    one = add(
        "testbed",
        _testbed,
        "The testbed of Counterfactual Recipe Generation, with a run's predictions (docs/pivot.md).",
        "papers testbed --glossary data/glossary_dict.pkl --to predicted",
    )
    _add_folders(one)
    one.add_argument(
        "--glossary", required=True, metavar="PATH", help="what parse.glossary.path of the run names"
    )
    one = add(
        "testbed-orders",
        _testbed_orders,
        "How many orders of actions that the testbed's authors released the results have, too (docs/pivot.md).",
        "papers testbed-orders testbed/expert_pivots.json",
    )
    one.add_argument(
        "file", metavar="FILE", help="the released orders: .pkl, .json, .parquet or a table with tabs"
    )
    _add_results(one)
    one = add(
        "camt-entities",
        _camt_entities,
        "A table of entities (enrich.entities.path) made of the items in the files of CAMT (docs/items.md).",
        "papers camt-entities en-zh.json en-es.json --to entities.jsonl",
    )
    one.add_argument("files", nargs="+", metavar="FILE", help="a file of CAMT")
    one.add_argument(
        "--to", required=True, metavar="FILE", help="where the table goes; no file is overwritten"
    )


def _add_folders(one: argparse.ArgumentParser) -> None:
    one.add_argument("--to", required=True, metavar="FOLDER", help="where the files go; none is overwritten")
    _add_results(one)


def _add_results(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--results", default="results", metavar="FOLDER", help="where the workflow wrote its results"
    )


def _say(text: str) -> None:
    print(shown(text), file=sys.stderr)


def _cultural_recipes(given: argparse.Namespace) -> int:
    from wokflow.match.cultural_recipes import NAMES, write_cultural_recipes
    from wokflow.match.directions import DIRECTIONS

    made = write_cultural_recipes(given.results, given.to, _say)
    _name(given.to, made)
    for direction in DIRECTIONS:
        if f"{direction}/{NAMES['train']}" not in made:
            some = any(name.startswith(f"{direction}/") for name in made)
            print(
                f"{direction}: {'predictions alone' if some else 'nothing is written'}. There are no pairs, as "
                "models learnt from others than those of match, or were tested on others.",
                file=sys.stderr,
            )
    return 0 if made else 1


def _ash(given: argparse.Namespace) -> int:
    from wokflow.judge.ash_files import write_ash

    _name(given.to, write_ash(given.results, given.to, _say))
    return 0


def _testbed(given: argparse.Namespace) -> int:
    from wokflow.pivot.testbed import FIXED, write_testbed

    require_tables(given.results, "pivot", "instances", "pivots", "orders")
    refuse_absent(given.glossary)
    made = write_testbed(given.results, given.glossary, given.to, _say)
    _name(given.to, made)
    if not {*made} - FIXED:
        print("There are no predictions of its base recipes: run snakemake generate.", file=sys.stderr)
    return 0


def _testbed_orders(given: argparse.Namespace) -> int:
    from wokflow.pivot.released import MEANINGS, compared_results

    require_tables(given.results, "pivot", "effects", "orders")
    refuse_absent(given.file)
    for name, number in compared_results(given.results, given.file).items():
        print(f"{number:6,}  {MEANINGS[name]}")
    return 0


def _camt_entities(given: argparse.Namespace) -> int:
    from wokflow.enrich.published_annotations import entities
    from wokflow.frame import tables

    refuse_absent(*given.files)
    if os.path.lexists(given.to):
        raise UsageError(
            f"--to {given.to} exists already, and is not overwritten. Name another file, or delete it."
        )
    lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in entities(given.files)]
    tables.write_text(given.to, "".join(lines))
    print(f"{shown(given.to)}: {len(lines):,} entities")
    return 0


def _name(folder: str, made: Iterable[str]) -> None:
    for name in made:
        print(shown(str(Path(folder, name))))
