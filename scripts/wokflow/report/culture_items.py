"""Section of the page: sentences with culture-specific items, what these are, and how translations render them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from markupsafe import Markup

from wokflow.frame.language_codes import languages_of
from wokflow.report import inputs
from wokflow.report.adaptation import score
from wokflow.report.charts import Charts, bars
from wokflow.report.coloured import Mark, pieces
from wokflow.report.inputs import Tables
from wokflow.report.published import Published, published
from wokflow.report.render import Cell, Table, interval, percent, shorten

COUNTRIES = 15  # that are shown, as in Figure 6 of the paper
TRANSLATIONS = 3  # names of an item that are shown
EXPLAINED = 160  # characters of an explanation that are shown
INDENT = "\u2003"  # before topics in the chart of categories, so that no name is that of a category
CATEGORIES, ORIGINS = "Categories with their topics", "The commonest countries of origin"
LINKS = {"all": "all links", "kept": "items with category and country"}
SAME = {"words": "words", "item": "words and item"}
HEAD = ["Source", "Sentences", "Mentions", "Items", "Mentions with translation", "Items with translation"]


def section(
    parts: Tables, names: Mapping[str, str], examples: int, papers: str, draw: Charts
) -> dict[str, Any] | None:
    """The section's tables and charts, beside what stands in file `papers`; None without sources of sentences.

    `names` are the corpora with their languages, as en-zh.
    """
    statistics = inputs.rows(parts, "enrich/statistics")
    if statistics.is_empty():
        return None
    counts = [
        [Cell(row["corpus"], row["lang_pair"]), *(row[name] for name in statistics.columns[2:])]
        for row in statistics.iter_rows(named=True)
    ]
    for pair in statistics["lang_pair"].unique(maintain_order=True):
        for corpus, figures in published(papers, f"{pair}/sentences").items():
            shown = (Cell(figures.get(name), digits=0) for name in statistics.columns[2:])
            counts.append([Cell(corpus, f"{pair}, published", kind="published"), *shown])
    shares, sentences = inputs.rows(parts, "enrich/shares"), inputs.rows(parts, "enrich/sentences")
    dictionary, scores = inputs.rows(parts, "enrich/items"), inputs.rows(parts, "evaluate/csi_match")
    corpora = []
    for corpus in statistics["corpus"]:
        own = shares.filter(pl.col("corpus") == corpus)
        of_corpus = sentences.filter(pl.col("sentence_id").str.starts_with(f"{corpus}:"))
        corpora.append(
            {
                "name": corpus,
                "langs": languages_of(names[corpus]),
                "charts": _charts(own, _categories(dictionary), corpus, draw),
                "examples": _examples(of_corpus, dictionary, names[corpus], examples),
                "scores": _scores(scores, corpus, published(papers, f"{names[corpus]}/{corpus}")),
            }
        )
    quality = _quality(inputs.rows(parts, "enrich/link_quality"))
    return {"counts": Table(HEAD, counts), "quality": quality, "corpora": corpora}


def _quality(rows: pl.DataFrame) -> Table | None:
    """Recall and precision of links in annotated sources; None where there are none."""
    cells = [
        [
            Cell(row["corpus"], LINKS[row["links"]]),
            SAME[row["same"]],
            row["annotations"],
            row["linked"],
            row["found"],
            *(_percent(row, name) for name in ("recall", "precision")),
        ]
        for row in rows.iter_rows(named=True)
    ]
    head = ["Source", "The same", "Annotations", "Links", "Links that are annotated", "Recall", "Precision"]
    return Table(head, cells) if cells else None


def _percent(row: Mapping[str, Any], name: str) -> Cell:
    value, low, high = (row[key] and 100 * row[key] for key in (name, f"{name}_low", f"{name}_high"))
    return Cell(value, interval(low, high), digits=1)


def _categories(dictionary: pl.DataFrame) -> dict[str, str]:
    """The category of each topic: an item's first topic has decided it."""
    first = dictionary.select(pl.col("topics").list.first(), "category")
    return dict(first.unique(maintain_order=True).iter_rows())


def _charts(
    rows: pl.DataFrame, category_of: Mapping[str, str], corpus: str, draw: Charts
) -> list[tuple[str, Markup]]:
    """Figures 5 and 6 of the paper: categories with their topics, and the commonest countries of origin."""
    counts = {
        kind: dict(rows.filter(kind=kind).select("name", "count").iter_rows())
        for kind in ("category", "topic", "country")
    }
    whole = max(sum(counts["country"].values()), 1)
    short = Counter(map(_short, counts["topic"]))
    categories = []
    for category, of_category in counts["category"].items():
        categories.append(_bar(category, of_category, whole, True))
        for topic, count in counts["topic"].items():
            if category_of[topic] == category:
                name = _short(topic) if short[_short(topic)] == 1 else topic
                categories.append(_bar(INDENT + name, count, whole, False))
    countries = [
        _bar(name, count, whole, True) for name, count in list(counts["country"].items())[:COUNTRIES]
    ]
    drawn = [(CATEGORIES, categories), (ORIGINS, countries)]
    return [(title, draw.draw(bars(some, "mentions"), f"{title}, {corpus}")) for title, some in drawn if some]


def _bar(name: str, count: int, whole: int, strong: bool) -> dict[str, Any]:
    return {"name": name, "count": count, "text": f"{count:,} ({percent(count / whole)})", "whole": strong}


def _short(name: str) -> str:
    """The last part of a topic: Western Europe of Geography.Regions.Europe.Western Europe."""
    return name.removesuffix(".*").rpartition(".")[2]


def _examples(rows: pl.DataFrame, dictionary: pl.DataFrame, pair: str, count: int) -> list[dict[str, Any]]:
    """Sentences with their mentions marked, and what the dictionary has of the items; spread over the corpus."""
    step = max(1, rows.height // max(count, 1))
    target = dictionary.filter(pl.col("lang") == languages_of(pair)[1])
    known = {row["qid"]: row for row in target.iter_rows(named=True)}
    return [
        {
            "source": pieces(
                row["source"], [Mark(each["start"], each["end"], "food") for each in row["items"]]
            ),
            "target": row["target"],
            "items": [_item(known[qid]) for qid in dict.fromkeys(each["qid"] for each in row["items"])],
        }
        for row in rows.gather_every(step).head(count).iter_rows(named=True)
    ]


def _item(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "names": "; ".join(row["translations"][:TRANSLATIONS]) or "no translation",
        "origin": f"{row['country_of_origin']} · {_short(row['topics'][0])}",
        "explained": shorten(row["explanation"] or row["description"] or "", EXPLAINED),
    }


def _scores(rows: pl.DataFrame, corpus: str, papers: Published) -> Table:
    """A row for each run, with the whole corpus and its regions, then published ones; none if nothing was scored."""
    own = {
        (row["dataset"], row["run"], row["metric"]): row
        for row in rows.iter_rows(named=True)
        if row["dataset"].partition("/")[0] == corpus
    }
    runs = dict.fromkeys(run for _, run, _ in own)
    head = ["Run", "CSI-Match", "Exact", "Source region", "Target region", "Other regions", "Mentions"]
    cells: list[list[object]] = [[run, *_cells(own, corpus, run)] for run in runs]
    for run, figures in papers.items() if runs else ():
        first = Cell(run, "published", kind="published")
        cells.append([first, Cell(figures.get("csi_match"), digits=1), *(Cell("") for _ in head[2:])])
    return Table(head, cells)


def _cells(own: Mapping[tuple[str, str, str], Mapping[str, Any]], corpus: str, run: str) -> Iterator[Cell]:
    yield score(own[corpus, run, "csi_match"])
    yield Cell(own[corpus, run, "csi_exact"]["value"], digits=1)
    for region in ("source", "target", "other"):
        row = own.get((f"{corpus}/region={region}", run, "csi_match"))
        yield Cell(row["value"] if row else None, digits=1)
    yield Cell(own[corpus, run, "csi_match"]["instances"])
