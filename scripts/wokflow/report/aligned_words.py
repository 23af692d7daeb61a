"""Section of the page: words of one kitchen among those of the other, and which have no literal match."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl
from markupsafe import Markup

from wokflow.lexicon.alignment_summary import read_summary
from wokflow.report import inputs
from wokflow.report.charts import Charts, scatter
from wokflow.report.inputs import Tables
from wokflow.report.published import Published, published
from wokflow.report.render import Cell, Table, percent, visible

MEASURES = {"csls": "CSLS", "cosine": "Cosine"}
OF_PAPER = "lexicon/words"
MEASURED = ("words", "found", "precision", "cultural", "accidental")
TABLE_2 = {  # as published, literal ones underlined
    "水果": ("fruit", "<u>fruit</u>, fruits, kiwi, strawberry, seasonal", "match"),
    "沙拉": ("salad", "feta, lebanese, bruschetta, tabbouleh, caesar", "none: accidental"),
    "豆腐": ("tofu", "boiled, ham, sausage, bacon, kielbasi", "none: cultural"),
    "淀粉": ("starch", "flour, beaten, salt, shortening, pwdr", "none: cultural"),
    "筷子": ("chopstick", "fork, spatula, toothpick, wooden, knives", "none: cultural"),
    "蒸": ("steam", "bake, 350, pans, boil, oblong", "none: cultural"),
}
EXAMPLES = 6  # more words, of each kind
MEANINGS = 2  # that are shown


def section(parts: Tables, warnings: Iterable[str], papers: str, draw: Charts) -> dict[str, Any] | None:
    """Precision beside that of file `papers`, Table 2 and the picture; None where the stage is not included.

    `warnings` are of the alignment.
    """
    if not inputs.of(parts, "lexicon/words"):
        return None
    words = inputs.rows(parts, "lexicon/words").to_dicts()
    near = neighbours(inputs.rows(parts, "lexicon/neighbours"))
    points = inputs.rows(parts, "lexicon/picture").to_dicts()
    first = chosen(words)
    return {
        "doubts": [*warnings],
        "precision": _precision(
            inputs.rows(parts, "lexicon/precision").to_dicts(), published(papers, OF_PAPER)
        ),
        "judged": any(row["annotators"] for row in words),
        "words": len(words),
        "table_2": _table([row for row in words if row["word"] in first], near),
        "all": _table(words, near),
        "published": Table(
            ["Word", "Nearest", "Literal match"],
            [(Cell(word, zh, lang="zh"), Markup(names), why) for word, (zh, names, why) in TABLE_2.items()],
        ),
        "picture": draw.draw(scatter(points), "Words of both languages in one space") if points else None,
    }


def doubts(aligned: Iterable[str]) -> list[str]:
    """Why the alignment in a folder failed, or should not be trusted."""
    return [each for folder in aligned for each in read_summary(folder)["doubts"]]


def neighbours(rows: pl.DataFrame) -> dict[tuple[str, str], list[tuple[str, bool]]]:
    """The neighbours of each word by each measure, with whether they are literal by the dictionary."""
    nearest: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for row in rows.iter_rows(named=True):
        nearest.setdefault((row["word_id"], row["measure"]), []).append(
            (row["neighbour"], bool(row["literal"]))
        )
    return nearest


def chosen(words: Iterable[Mapping[str, Any]]) -> set[str]:
    """The words of the published Table 2, and the most frequent of each verdict."""
    by_verdict: dict[str, list[str]] = {}
    for row in words:
        by_verdict.setdefault(verdict(row), []).append(row["word"])
    return {*TABLE_2, *(word for some in by_verdict.values() for word in some[:EXAMPLES])}


def verdict(row: Mapping[str, Any]) -> str:
    """Whether a word has a literal match: by people if they marked it, else by the dictionary."""
    if row["by_people"] is not None:
        return "match" if row["by_people"] else f"none: {row['kind']}"
    return {True: "match", False: "none", None: "not known"}[row["by_dictionary"]]


def _precision(rows: Iterable[Mapping[str, Any]], papers: Published) -> Table:
    cells = []
    for row in rows:
        note = f"alpha of people {row['alpha']:.2f}" if row["alpha"] is not None else ""
        head = Cell(f"{MEASURES[row['measure']]}, by {row['judge']}", note)
        cells.append([head, *_figures([row[name] for name in MEASURED], row["low"], row["high"])])
    for judge, figures in papers.items():
        head = Cell(f"published, by {judge}", kind="published")
        cells.append([head, *_figures(map(figures.get, MEASURED), None, None)])
    return Table(["Neighbours", "Words", "With a literal match", "Precision", *MEASURED[3:]], cells)


def _figures(values: Iterable[Any], low: float | None, high: float | None) -> Iterator[Cell]:
    words, hits, share, *kinds = values
    note = "" if low is None or high is None else f"{percent(low)} to {percent(high)}"
    shown = None if share is None else percent(share)
    yield from (Cell(words), Cell(hits), Cell(shown, note, number=True))
    yield from map(Cell, kinds)


def _table(
    words: Iterable[Mapping[str, Any]], near: Mapping[tuple[str, str], list[tuple[str, bool]]]
) -> Table:
    """A row for each word; literal neighbours are underlined, by people where they marked the word."""
    rows = []
    for row in words:
        own = [near[row["word_id"], measure] for measure in MEASURES]
        by_people = row["by_people"] is not None
        marked = [(name, name in row["literal"] if by_people else literal) for name, literal in own[0]]
        meaning = "; ".join(row["meanings"][:MEANINGS])
        rows.append(
            [
                Cell(row["word"], meaning, lang="zh"),
                row["count"],
                Cell(_underlined(marked)),
                Cell(_underlined(own[1])),
                verdict(row),
            ]
        )
    return Table(["Word", "In the corpus", "Nearest by CSLS", "Nearest by cosine", "Literal match"], rows)


def _underlined(names: Iterable[tuple[str, bool]]) -> Markup:
    texts = ((Markup("<u>{}</u>" if literal else "{}").format(visible(name))) for name, literal in names)
    return Markup(", ").join(texts)
