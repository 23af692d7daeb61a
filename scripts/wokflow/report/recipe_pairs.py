"""Sections of the page: recipes and rejects, similarities, pairs, and their splits."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.ingest import schemas as ingest
from wokflow.match import schemas as match
from wokflow.match.split import SPLITS
from wokflow.report import charts, cooked, inputs, shortfalls
from wokflow.report.charts import Charts
from wokflow.report.inputs import Tables, of, to_float
from wokflow.report.published import published
from wokflow.report.render import Cell, Table, percent

CORPORA = {"zh": "xiachufang", "en": "recipenlg"}
NAMES = {"xiachufang": "XiaChuFang", "recipenlg": "RecipeNLG"}
DIRECTIONS = {"zh-en": "Chinese → English", "en-zh": "English → Chinese"}
STAGES = {  # tables by corpus; of the first, rows are those of the next two
    "Rows in the source": "",
    "− rejects": "ingest/rejects",
    "= recipes": "ingest/recipes",
    "− left out before matching": "match/rejects",
    "= eligible recipes": "match/eligible",
    "Their distinct titles": "match/titles",
    "Their distinct texts": "match/texts",
}
LOWEST = 12  # accepted pairs of titles shown, nearest to the threshold
AUDITED = 40  # pairs of titles shown of those at the threshold
Pairs = Mapping[str, pl.DataFrame]  # by direction, as pairs_of gives them


def read_counts(parts: Tables) -> dict[str, dict[str, int]]:
    """Rows of each table of STAGES, by corpus and table."""
    by_corpus = {
        corpus: {table: tables.rows(of(parts, f"{table}/{corpus}")) for table in STAGES.values() if table}
        for corpus in NAMES
    }
    return {
        corpus: {"": rows["ingest/rejects"] + rows["ingest/recipes"], **rows}
        for corpus, rows in by_corpus.items()
    }


def read_pairs(parts: Tables) -> Pairs:
    return {name: pairs_of(name, of(parts, f"match/pairs/{name}")) for name in DIRECTIONS}


def pairs_of(direction: str, parts: Sequence[str]) -> pl.DataFrame:
    """A table of pairs with its columns named by language, not by side."""
    names = {
        f"{side}_{column}": f"{lang}_{column}"
        for side, lang in zip(("source", "target"), direction.split("-"), strict=True)
        for column in ("id", "title", "title_translated")
    }
    return tables.read(parts).rename(names).drop("en_title_translated")


def distinct(frames: Sequence[pl.DataFrame], *more: str) -> pl.DataFrame:
    """Each pair of titles once, whatever the direction, with its number of recipe pairs; lowest similarity first."""
    titles = ["zh_title", "zh_title_translated", "en_title", *more]
    pairs = pl.concat([frame.select("zh_id", "en_id", "score", *titles) for frame in frames])
    grouped = pairs.group_by(titles).agg(pl.col("score").max(), pairs=pl.struct("zh_id", "en_id").n_unique())
    return grouped.sort("score", *titles)


def warnings(
    counts: Mapping[str, Mapping[str, int]], pairs: Pairs, threshold: float, precision: float | None
) -> Iterator[str]:
    """Warnings about the sources, and about pairs and splits that are empty (shortfalls.of_pairs)."""
    for corpus, name in NAMES.items():
        count = counts[corpus]
        if not count[""]:
            yield f"the source of {name} holds no rows. Is it the right file?"
        if count["ingest/recipes"] != count["match/eligible"] + count["match/rejects"]:
            yield f"the counts of {name} do not add up: recipes are missing from the tables of match."
    splits = {name: dict(frame["split"].value_counts().iter_rows()) for name, frame in pairs.items()}
    recipes = {}
    for name, frame in pairs.items():
        source, target = (frame[f"{lang}_id"].n_unique() for lang in name.split("-", 1))
        recipes[name] = (source, target)
    yield from shortfalls.of_pairs(splits, threshold, recipes, precision)


def counts(parts: Tables, counts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """What was left of each corpus after each stage, and what was rejected."""
    stages = [
        [label, *(Cell(count[table], share=count[table] / max(count[""], 1)) for count in counts.values())]
        for label, table in STAGES.items()
    ]
    rejects = {
        name: [
            inputs.rejects(
                of(parts, f"ingest/rejects/{corpus}"), "ingest", ingest.REASONS, counts[corpus][""]
            ),
            inputs.rejects(
                of(parts, f"match/rejects/{corpus}"), "match", match.REASONS, counts[corpus]["ingest/recipes"]
            ),
        ]
        for corpus, name in NAMES.items()
    }
    return {"stages": Table(["Corpus", *NAMES.values()], stages), "rejects_of": rejects}


def compared(
    parts: Tables, pairs: Pairs, threshold: float, examples: int, papers: str, draw: Charts
) -> dict[str, Any]:
    """Similarities, titles around the threshold, `examples` pairs of each direction, and the table of `papers`."""
    cooked_by = cooked.section(of(parts, "match/rerank"), draw)
    [statistics], [histogram], [leaked] = (
        of(parts, f"match/{name}") for name in ("statistics", "scores", "leaks")
    )
    scores = json.loads(Path(histogram).read_text(encoding="utf-8"))
    ends = [
        ("Neighbours of texts", *(sum(scores["counts"][name]) for name in DIRECTIONS)),
        ("Pairs of recipes", *(frame.height for frame in pairs.values())),
        ("Their Chinese recipes", *(frame["zh_id"].n_unique() for frame in pairs.values())),
        ("Their English recipes", *(frame["en_id"].n_unique() for frame in pairs.values())),
        *((f"Pairs in {name}", *(_in(name, frame) for frame in pairs.values())) for name in SPLITS),
    ]
    audit = distinct([pairs_of(name, of(parts, f"match/audit/{name}")) for name in DIRECTIONS], "accepted")
    nearest = audit.sort((pl.col("score") - threshold).abs(), maintain_order=True).head(AUDITED)
    return {
        "ends": Table(["Direction", *DIRECTIONS.values()], ends),
        "histograms": dict(histograms(scores["bins"], scores["counts"], threshold, draw)),
        "lowest": titles(distinct(list(pairs.values())).head(LOWEST), 4),
        "audit": titles(nearest, 6),
        "audited": audit.height,
        "shown_audited": AUDITED,
        "cooked": cooked_by,
        "examples": side_by_side(parts, pairs, examples),
        "wanted": examples,
        "paper": table_one(inputs.tsv(statistics), papers),
        "leaks": leaks(json.loads(Path(leaked).read_text(encoding="utf-8"))),
    }


def _in(split: str, pairs: pl.DataFrame) -> int:
    return pairs.filter(pl.col("split") == split).height


def histograms(
    bins: Sequence[float], counts: Mapping[str, Sequence[int]], threshold: float, draw: Charts
) -> Iterator[tuple[str, Any]]:
    """Neighbours by similarity of each direction; None where there are none."""
    seen = [score for each in counts.values() for score, count in zip(bins, each, strict=False) if count]
    low = math.floor(10 * min(max(0.0, threshold), 0.9, *seen)) / 10
    for direction, name in DIRECTIONS.items():
        chart = None
        if any(counts[direction]):
            described = charts.histogram(bins, counts[direction], threshold, low)
            chart = draw.draw(described, f"Neighbours by similarity, {name}")
        yield name, chart


def titles(rows: pl.DataFrame, digits: int) -> Table:
    """Titles and their similarity, and whether they were accepted if that is known."""
    head = ["Chinese title", "Its translation", "English title", "Similarity", "Pairs"]
    cells = [
        [
            *(Cell(row["zh_title"], lang="zh"), row["zh_title_translated"] or "–", row["en_title"]),
            *(Cell(row["score"], digits=digits), row["pairs"]),
            *(["yes" if row["accepted"] else "no"] if "accepted" in row else []),
        ]
        for row in rows.iter_rows(named=True)
    ]
    return Table([*head, "Accepted"] if "accepted" in rows.columns else head, cells)


def side_by_side(parts: Tables, pairs: Pairs, examples: int) -> dict[str, list[dict[str, Any]]]:
    """Pairs of each direction, with their recipes, from all over the range of similarities; no dish comes twice."""
    ids = pl.concat([frame["zh_id"] for frame in pairs.values()])
    dishes = _recipes(parts, "zh", ids, "dish").rename({"recipe_id": "zh_id"})
    taken: set[str] = set()
    examples_of = {}
    for name, text in DIRECTIONS.items():
        chosen = choose(pairs[name].join(dishes, on="zh_id", how="left"), examples, taken)
        recipes: dict[str, dict[str, Any]] = {}
        for lang in CORPORA:
            wanted = pl.Series([row[f"{lang}_id"] for row in chosen], dtype=pl.String)
            rows = _recipes(parts, lang, wanted, "title", "ingredients", "steps").to_dicts()
            recipes |= {row["recipe_id"]: row for row in rows}
        examples_of[text] = [row | {lang: recipes[row[f"{lang}_id"]] for lang in CORPORA} for row in chosen]
    return examples_of


def first(examples: Mapping[str, Sequence[Mapping[str, Any]]]) -> Mapping[str, Any] | None:
    """The pair that a reader sees first: of those that are shown, the most similar one of recipes of usual length."""
    pairs = [pair for shown in examples.values() for pair in shown]
    usual = [pair for pair in pairs if all(len(pair[lang]["ingredients"]) > 2 for lang in CORPORA)]
    return max(usual or pairs, key=lambda pair: float(pair["score"]), default=None)


def _recipes(parts: Tables, lang: str, ids: pl.Series, *columns: str) -> pl.DataFrame:
    recipes = tables.scan(of(parts, f"ingest/recipes/{CORPORA[lang]}"), ["recipe_id", *columns])
    return recipes.filter(pl.col("recipe_id").is_in(ids.unique().implode())).collect()


def choose(pairs: pl.DataFrame, examples: int, taken: set[str]) -> list[dict[str, Any]]:
    """`examples` pairs, in turn from equal bands of similarity; each dish comes once and is added to `taken`."""
    if pairs.is_empty() or not examples:
        return []
    low, high = pl.col("score").min(), pl.col("score").max()
    place = ((pl.col("score") - low) / (high - low) * examples).fill_nan(0).floor().clip(0, examples - 1)
    ordered = pairs.with_columns(band=place).sort("band", "zh_id", "en_id")
    turns = [band.iter_rows(named=True) for band in ordered.partition_by("band", maintain_order=True)]
    chosen: list[dict[str, Any]] = []
    while turns and len(chosen) < examples:
        for rows in turns[: examples - len(chosen)]:
            row = next((row for row in rows if not taken & _dishes(row)), None)
            if row is None:
                turns = [other for other in turns if other is not rows]
            else:
                taken |= _dishes(row)
                chosen.append(row)
    return sorted(chosen, key=lambda row: (-row["score"], row["zh_id"], row["en_id"]))


def _dishes(row: dict[str, Any]) -> set[str]:
    """All names of the pair's dish: its titles, and the dish that the corpus gives."""
    names = (row[name] for name in ("zh_title", "zh_title_translated", "en_title", "dish"))
    return {re.sub(r"\W+", " ", name).strip().casefold() for name in names if name}


def table_one(statistics: Sequence[Mapping[str, Any]], papers: str) -> dict[str, Table]:
    """Table 1 of Cultural Adaptation of Recipes, section 3: by direction, this run's rows and those of `papers`."""
    head = ["Split", "Source recipes", "Target recipes", "Source tokens", "Target tokens", "Pairs"]
    digits = {"sources": 0, "targets": 0, "source_tokens": 1, "target_tokens": 1, "pairs": 0}
    rows: dict[str, list[list[Cell]]] = {}
    for name in DIRECTIONS:
        of_paper = published(papers, f"{name}/recipes")
        lines: list[tuple[Mapping[str, Any], Cell]] = [
            *((row, Cell(split, "the paper", kind="published")) for split, row in of_paper.items()),
            *((row, Cell(row["split"], "this run")) for row in statistics if row["direction"] == name),
        ]
        rows[name] = [
            [first, *(Cell(to_float(row.get(column)), digits=places) for column, places in digits.items())]
            for row, first in lines
        ]
    return {DIRECTIONS[name]: Table(head, cells) for name, cells in rows.items()}


def leaks(measured: Mapping[str, Any]) -> Table:
    """Shares of source recipes whose target or title is also in train, for both ways to split."""
    columns = [f"{split}_{what}" for split in SPLITS[1:] for what in ("target", "title")]
    rows = []
    for way, directions in measured["leaks"].items():
        name = f"{way}, as in this run" if way == measured["kind"] else way
        for direction, shares in directions.items():
            rows.append(
                [
                    Cell(name, DIRECTIONS[direction]),
                    *(Cell(percent(shares[each]), number=True) for each in columns),
                ]
            )
    head = ["Valid, target seen", "Valid, title seen", "Test, target seen", "Test, title seen"]
    return Table(["Way to split", *head], rows)
