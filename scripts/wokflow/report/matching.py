"""Sections of the page: recipes and rejects, similarities, pairs, and their splits."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow.parquet as pq

from wokflow.frame import tables
from wokflow.ingest import schemas as ingest
from wokflow.match import schemas as match
from wokflow.match.split import SPLITS
from wokflow.match.statistics import PAPER
from wokflow.report import charts, findings, inputs, pictures
from wokflow.report.charts import Html, number, paragraph, percent, table
from wokflow.report.inputs import Tables, of, to_float
from wokflow.report.pictures import Step

CORPORA = {"zh": "xiachufang", "en": "recipenlg"}
NAMES = {"xiachufang": "XiaChuFang", "recipenlg": "RecipeNLG"}
DIRECTIONS = {"zh-en": "Chinese → English", "en-zh": "English → Chinese"}
STAGES = {
    "Rows in the source": "rows",
    "− rejects": "rejects",
    "= recipes": "recipes",
    "− left out before matching": "left_out",
    "= eligible recipes": "eligible",
    "Their distinct titles": "titles",
    "Their distinct texts": "texts",
}
LOWEST = 12  # accepted pairs of titles shown, nearest to the threshold
AUDITED = 40  # pairs of titles shown of those at the threshold


class Count(NamedTuple):
    """Rows of one corpus, by stage."""

    recipes: int
    rejects: int
    eligible: int
    left_out: int
    titles: int
    texts: int

    @property
    def rows(self) -> int:
        return self.recipes + self.rejects


class Matched(NamedTuple):
    """The data of these sections, by corpus or by direction: small tables whole, large ones as paths."""

    counts: dict[str, Count]
    recipes: dict[str, list[str]]
    rejects: dict[tuple[str, str], list[str]]  # by (corpus, stage)
    pairs: dict[str, pl.DataFrame]
    audit: pl.DataFrame
    scores: dict[str, Any]
    statistics: list[dict[str, str]]
    leaks: dict[str, Any]
    threshold: float


def read(parts: Tables, statistics: str, histogram: str, leaks: str, threshold: float) -> Matched:
    """Read the sections' data from tables, and from the small files of match.statistics and match.split."""
    return Matched(
        counts={
            name: Count(
                recipes=tables.rows(of(parts, f"ingest/recipes/{name}")),
                rejects=tables.rows(of(parts, f"ingest/rejects/{name}")),
                eligible=tables.rows(of(parts, f"match/eligible/{name}")),
                left_out=tables.rows(of(parts, f"match/rejects/{name}")),
                titles=tables.rows(of(parts, f"match/titles/{name}")),
                texts=tables.rows(of(parts, f"match/texts/{name}")),
            )
            for name in NAMES
        },
        recipes={name: of(parts, f"ingest/recipes/{name}") for name in NAMES},
        rejects={
            (name, stage): of(parts, f"{stage}/rejects/{name}")
            for name in NAMES
            for stage in ("ingest", "match")
        },
        pairs={name: pairs_of(name, of(parts, f"match/pairs/{name}")) for name in DIRECTIONS},
        audit=distinct([pairs_of(name, of(parts, f"match/audit/{name}")) for name in DIRECTIONS], "accepted"),
        scores=json.loads(Path(histogram).read_text(encoding="utf-8")),
        statistics=inputs.tsv(statistics),
        leaks=json.loads(Path(leaks).read_text(encoding="utf-8")),
        threshold=threshold,
    )


def sections(shown: Matched, examples: int) -> dict[str, str]:
    """The sections by heading; `examples` pairs of each direction are shown side by side."""
    return {
        "Counts, stage by stage": counts(shown),
        "Rejects": rejects(shown),
        "Similarity of nearest neighbours": scores(shown),
        "Pairs around the threshold": around_threshold(shown),
        "Example pairs": side_by_side(shown, examples),
        "Beside the paper": table_one(shown) + leaks(shown),
    }


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


def top(shown: Matched) -> str:
    glance = {f"recipes in {NAMES[name]}": number(count.recipes) for name, count in shown.counts.items()}
    glance["rejects, both corpora"] = number(sum(count.rejects for count in shown.counts.values()))
    glance |= {f"pairs, {DIRECTIONS[name]}": number(frame.height) for name, frame in shown.pairs.items()}
    glance["threshold of similarity"] = f"{shown.threshold:g}"
    sources = [
        (
            f"{NAMES[name]} ({lang})",
            number(shown.counts[name].rows),
            charts.code(checksum(shown.recipes[name], name)),
        )
        for lang, name in CORPORA.items()
    ]
    return (
        paragraph("What one run read, dropped, paired and compared, and what to look at to judge it.", "lead")
        + charts.glance(glance)
        + "".join(paragraph(text, "warning") for text in warnings(shown))
        + table(["Corpus", "#Rows in the source", "SHA-256 of the source begins"], sources)
    )


def checksum(parts: Sequence[str], corpus: str) -> str:
    """The beginning of the source file's checksum, as the tables have it."""
    metadata = pq.read_metadata(parts[0]).metadata or {}
    return str(json.loads(metadata.get(b"sources", b"{}")).get(corpus, "unknown"))[:16]


def warnings(shown: Matched) -> Iterator[str]:
    for corpus, count in shown.counts.items():
        name = NAMES[corpus]
        if not count.rows:
            yield f"the source of {name} holds no rows. Is it the right file?"
        elif count.rejects > count.rows / 2:
            share = percent(count.rejects / count.rows)
            yield f"{share} of the rows of {name} were rejected. Is it the right file? See Rejects."
        if count.recipes != count.eligible + count.left_out:
            yield f"the counts of {name} do not add up: recipes are missing from the tables of match."
    splits = {name: dict(frame["split"].value_counts().iter_rows()) for name, frame in shown.pairs.items()}
    yield from findings.of_pairs(splits, shown.threshold)


def counts(shown: Matched) -> str:
    words = paragraph(
        "Recipes longer than the models can take are left out before matching. Titles are compared as texts, "
        "in English unless translation is off; titles with the same translation share one text."
    )
    corpora = shown.counts.values()
    stages = {label: [getattr(count, name) for count in corpora] for label, name in STAGES.items()}
    frames = shown.pairs.values()
    ends = {
        "Neighbours of texts": [sum(shown.scores["counts"][name]) for name in DIRECTIONS],
        "Pairs of recipes": [frame.height for frame in frames],
        "Their Chinese recipes": [frame["zh_id"].n_unique() for frame in frames],
        "Their English recipes": [frame["en_id"].n_unique() for frame in frames],
    } | {f"Pairs in {split}": [_in(split, frame) for frame in frames] for split in SPLITS}
    left = charts.numbers(["Corpus", *NAMES.values()], stages)
    return words + charts.beside(
        left + charts.numbers(["Direction", *DIRECTIONS.values()], ends), flow(shown)
    )


def _in(split: str, pairs: pl.DataFrame) -> int:
    return pairs.filter(pl.col("split") == split).height


def flow(shown: Matched) -> Html:
    sides = [
        [
            Step(f"rows of {NAMES[corpus]}", count.rows),
            Step("recipes", count.recipes, count.rejects, "rejected"),
            Step("eligible recipes", count.eligible, count.left_out, "left out"),
            Step("distinct titles", count.titles),
            Step("distinct texts", count.texts),
        ]
        for corpus, count in shown.counts.items()
    ]
    splits = {name: [Step(split, _in(split, shown.pairs[name])) for split in SPLITS] for name in DIRECTIONS}
    ends = [
        [Step(f"pairs, {DIRECTIONS[name]}", shown.pairs[name].height), *splits[name]] for name in DIRECTIONS
    ]
    return pictures.flow(sides, "nearest neighbours of each text, cut at the threshold", ends)


def rejects(shown: Matched) -> str:
    page: str = paragraph(
        "Each row of a source becomes a recipe or a reject. Stage ingest rejects rows that hold no usable "
        "recipe; stage match leaves out recipes before they are matched."
    )
    for corpus, count in shown.counts.items():
        page += f"<h3>{NAMES[corpus]}</h3>\n"
        page += inputs.rejects(shown.rejects[corpus, "ingest"], "ingest", ingest.REASONS, count.rows)
        page += inputs.rejects(shown.rejects[corpus, "match"], "match", match.REASONS, count.recipes)
    return page


def scores(shown: Matched) -> str:
    words = paragraph(
        "Each text has its nearest neighbours in the other language. The bars count them by similarity, the "
        "cosine of the two texts’ vectors; 1 means the same. Those in colour reach the threshold and become "
        "pairs. The scale is logarithmic: each line stands for ten times the count of the line below it."
    )
    return words + pictures.histograms(
        shown.scores["bins"], shown.scores["counts"], shown.threshold, DIRECTIONS
    )


def around_threshold(shown: Matched) -> str:
    accepted = distinct(list(shown.pairs.values())).head(LOWEST)
    nearest = shown.audit.sort((pl.col("score") - shown.threshold).abs(), maintain_order=True).head(AUDITED)
    more = f"; the nearest {AUDITED} follow." if shown.audit.height > AUDITED else "."
    page: str = paragraph(
        "These are the accepted pairs with the lowest similarity, the nearest to the threshold first. If the "
        "threshold is right, most of them name the same dish in both languages. If few do, try a higher one; "
        "if all do, a lower one may find more. Each two titles stand here once, whichever the direction."
    )
    page += charts.titles(accepted.to_dicts(), 4) or paragraph("No pair was accepted.")
    page += paragraph(
        f"{number(shown.audit.height) if shown.audit.height else 'No'} pairs of titles lie within 0.0001 of the "
        f"threshold, so near that another machine may decide otherwise{more}"
    )
    return page + charts.titles(nearest.to_dicts(), 6, verdict=True)


def side_by_side(shown: Matched, examples: int) -> str:
    page: str = paragraph(
        "Pairs from all over the range of similarities, Chinese first; no dish stands here twice."
    )
    ids = [frame["zh_id"] for frame in shown.pairs.values()]
    dishes = _recipes(shown, "zh", pl.concat(ids), "dish").rename({"recipe_id": "zh_id"})
    taken: set[str] = set()
    for name, text in DIRECTIONS.items():
        chosen = choose(shown.pairs[name].join(dishes, on="zh_id", how="left"), examples, taken)
        page += f"<h3>{text}</h3>\n"
        if len(chosen) < examples:
            page += paragraph(f"{len(chosen) or 'No'} pairs here: there are no more of other dishes.")
        page += "".join(_cards(shown, name, chosen))
    return page


def _cards(shown: Matched, direction: str, chosen: list[dict[str, Any]]) -> Iterator[str]:
    found: dict[str, dict[str, Any]] = {}
    for lang in CORPORA:
        ids = pl.Series([row[f"{lang}_id"] for row in chosen], dtype=pl.String)
        recipes = _recipes(shown, lang, ids, "title", "ingredients", "steps")
        found |= {row["recipe_id"]: row for row in recipes.to_dicts()}
    for row in chosen:
        where = f"{row['zh_id']}, {row['en_id']}"
        head = f"similarity {row['score']:.4f} · {DIRECTIONS[direction]} · {row['split']} · {where}"
        note = f"Translation: {row['zh_title_translated']}" if row["zh_title_translated"] else ""
        yield charts.card(head, [("zh", found[row["zh_id"]], note), ("en", found[row["en_id"]], "")])


def _recipes(shown: Matched, lang: str, ids: pl.Series, *columns: str) -> pl.DataFrame:
    wanted = pl.col("recipe_id").is_in(ids.unique().implode())
    return tables.scan(shown.recipes[CORPORA[lang]], ["recipe_id", *columns]).filter(wanted).collect()


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


def table_one(shown: Matched) -> str:
    page: str = paragraph(
        "Table 1 of Cultural Adaptation of Recipes, without its test sets, which were collected by hand. "
        "Tokens are the mean of a recipe: words between spaces in English, words as cut by jieba in Chinese."
    )
    columns = ["#Source recipes", "#Target recipes", "#Source tokens", "#Target tokens", "#Pairs"]
    digits = {"sources": 0, "targets": 0, "source_tokens": 1, "target_tokens": 1, "pairs": 0}
    found: list[dict[str, Any]] = [*PAPER, *shown.statistics]
    for direction, text in DIRECTIONS.items():
        rows = []
        for row in [row for row in found if row["direction"] == direction]:
            split, _, paper = row["split"].partition(" (")
            values = [number(to_float(row.get(name)), places) for name, places in digits.items()]
            rows.append((charts.noted(split, "the paper" if paper else "this run"), *values))
        page += f"<h3>{text}</h3>\n" + table(["Split", *columns], rows)
    return page


def leaks(shown: Matched) -> str:
    names = {
        way: f"{way}, as in this run" if way == shown.leaks["kind"] else way for way in shown.leaks["leaks"]
    }
    words = paragraph(
        "A split leaks where a source recipe of valid or test has a target, or a title, that train has too; "
        "the paper’s way, which draws source recipes one by one, leaks; the grouped way, which keeps all "
        "recipes that pairs connect in one split, leaks no target. Shares are of a split’s source recipes."
    )
    columns = [f"{split}_{what}" for split in SPLITS[1:] for what in ("target", "title")]
    rows = [
        (charts.noted(names[way], DIRECTIONS[direction]), *(percent(shares[column]) for column in columns))
        for way, found in shown.leaks["leaks"].items()
        for direction, shares in found.items()
    ]
    head = ["#Valid, target seen", "#Valid, title seen", "#Test, target seen", "#Test, title seen"]
    return "<h3>Leaks of the two ways to split</h3>\n" + words + table(["Way to split", *head], rows)
