"""Small tables and a small glossary for the page's tests."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from wokflow.frame import stages, tables
from wokflow.parse.glossary import Glossary
from wokflow.report.arguments import TEMPLATES
from wokflow.report.inputs import input_name
from wokflow.report.render import Table, Templates
from wokflow.report.settings import OrderLimits, PageSettings

from tests.conftest import ROOT

LANGS = {"recipenlg": "en", "xiachufang": "zh", "counterfactual": "zh"}
ENGLISH = {"verb": {"切": "cut", "炒": "stir-fry"}, "ingredient": {"鸡肉": "chicken"}, "tool": {"锅": "wok"}}
ORDERS = OrderLimits(estimate="effect_in_order", effect=0.1, units=5, correct=False)
WORDS = Glossary({"切": "切", "炒": "炒", "煎": "煎"}, {"鸡丁": "鸡肉", "葱": "葱"}, {"锅": "锅"}, ENGLISH)


def table(
    folder: Path, name: str, schema: pa.Schema, rows: Iterable[Mapping[str, Any]], part: int = 0
) -> str:
    """Write rows (whatever else they hold) as a part of a table, such as <folder>/<name>/part-00000.parquet."""
    path = folder / name / f"part-{part:05}.parquet"
    sources = json.dumps(dict.fromkeys(LANGS, "0123456789abcdef" * 4))
    with tables.PartWriter(path, schema, {"sources": sources}) as writer:
        writer.write(pa.Table.from_pylist([{key: row[key] for key in schema.names} for row in rows], schema))
    return str(path)


def by_name(folder: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """Parts of tables that `table` wrote to `folder`, as the rule gives them; predictions go by their runs' data."""
    found: dict[str, list[str]] = {}
    for path in paths:
        name = Path(path).parent.relative_to(folder).as_posix()
        found.setdefault(input_name(name), []).append(path)
    return found


def write_glossary(folder: Path, english: Mapping[str, Mapping[str, str]] = ENGLISH) -> str:
    """The folder, with WORDS as the files of a glossary."""
    for kind in ("verbs", "ingredients", "tools"):
        lines = ["surface\tclass", *("\t".join(pair) for pair in getattr(WORDS, kind).items())]
        tables.write_text(folder / f"{kind}.tsv", "\n".join(lines))
    names = [f"{kind}\t{name}\t{word}" for kind, words in english.items() for name, word in words.items()]
    tables.write_text(folder / "english.tsv", "\n".join(["kind\tclass\tenglish", *names]))
    return str(folder)


def settings(folder: Path, **own: Any) -> PageSettings:
    """Settings of the page, with some of one's own; its files lie in `folder`."""
    known: dict[str, Any] = {
        "threshold": 0.85,
        "annotators": 3,
        "orders": ORDERS,
        "level": 0.95,
        "accepted": (),
    }
    known |= {
        "glossary": str(folder / "glossary"),
        "dish_pairs": str(folder / "pairs.tsv"),
        "prompts": (),
    }
    known |= {
        "item_pairs": (),
        "studies": (),
        "ruled": dict.fromkeys(("generate", "judge", "pta", "spoken"), ()),
        "paper": "",
        "papers": str(ROOT / "resources" / "papers"),
        "other_settings": (),
        "stand_ins": (),
        "demo_pairs": (),
        "published": str(ROOT / "resources" / "published.tsv"),
        "sections": stages.sections(),
        "reasons": [*stages.reasons().items()],
        "rejected": [*stages.rejected().items()],
        "templates": str(TEMPLATES),
        "benchmarks": str(folder / "benchmarks"),
    }
    of_key = json.loads(json.dumps(known | own, sort_keys=True, default=dict))  # as a job reads them
    return PageSettings(**of_key)


def action(recipe: str, position: int, verb: str, start: int, **more: Any) -> dict[str, Any]:
    """A row of parse/actions, of parse/proto, and of the tables of stage pivot that have actions."""
    row = {"recipe_id": recipe, "position": position, "step": 0, "start": start, "end": start + len(verb)}
    row |= {"text": verb, "verb": verb, "verb_class": verb, "inherited": False, "optional": False}
    return row | {name: [] for name in ("ingredients", "ingredient_classes", "tools", "tool_classes")} | more


def parser_scores(held_out: bool = True) -> dict[str, Any]:
    """As parse.parser writes them; UAS on clauses and own words is 87.3."""
    figures = {"words": 95.0, "upos": 94.0, "uas": 80.0, "las": 75.0}
    words = {"own_words": figures, "gold_words": figures}
    clauses = words | {"own_words": figures | {"uas": 87.3}}
    sizes = {"train_sentences": 900, "test_sentences": 100, "held_out": held_out}
    return sizes | {"clauses": clauses, "sentences": words}


def shown(template: str, values: Mapping[str, Any]) -> str:
    """A section of the page as HTML, a line for each tag."""
    text = " ".join(Templates(str(TEMPLATES)).render(f"{template}.html", **values).split())
    return text.replace("> <", "><").replace("><", ">\n<")


def texts(table: Table) -> list[list[str]]:
    """A table's rows as the page has them: text and note of each cell."""
    return [[f"{cell.text} {cell.note}".strip() for cell in row] for row in table.rows]
