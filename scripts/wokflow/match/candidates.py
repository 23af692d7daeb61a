"""Candidates of the silver test set: names of dishes in both languages, looked up in both corpora.

Cultural Adaptation of Recipes, section 3.3, Test Set, and figure 2, right: names that people gave in both languages
replace machine translation. A person then decides which candidates name the same dish.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.tsv_sheets import read_sheet, write_sheet
from wokflow.match import schemas
from wokflow.match.directions import direction_of
from wokflow.match.dish_names import normal
from wokflow.match.settings import CandidatesSettings

CELLS = 10_000_000  # scores held at once
LANGS = ("zh", "en")
OPTIONAL = ("direction", "source")  # columns that may be missing
SIDES = [f"{lang}_{column}" for lang in LANGS for column in ("id", "title", "recipes", "score")]
HEADER = ["dish_zh", "dish_en", "direction", "source", "score", *SIDES, "accepted"]
SHOWN = 200  # characters of a row of the table, in its reject

Row = dict[str, Any]


def match_candidates(
    *,
    recipenlg: str,
    xiachufang: str,
    candidates: str,
    rejects: str,
    sheet: str,
    settings: CandidatesSettings,
    job: Job,
) -> None:
    """Write the best pairs of titles for each dish as a table (match/candidates) and as a `sheet` for people.

    `recipenlg` and `xiachufang` are the eligible recipes of a corpus. Dishes without candidates in one of the
    languages, and rows that name no dish, are rejects. The most alike stand first; the column accepted is empty.
    """
    if settings.titles is None:
        raise ValueError("match.candidates without match.candidates.titles: the rules run no such job")
    dishes, unusable = read_titles(settings.titles)
    cutoff, count = settings.cutoff, settings.count
    by_lang = {
        lang: look_up(
            pl.Series([dish[lang] for dish in dishes], dtype=pl.String),
            path,
            lang,
            cutoff,
            count,
            job.threads,
        )
        for lang, path in zip(LANGS, (xiachufang, recipenlg), strict=True)
    }
    rows: list[list[Row]] = []
    for number, dish in enumerate(dishes):
        zh, en = (by_lang[lang].get(number, []) for lang in LANGS)
        if zh and en:
            rows.append(list(_pairs(dish, zh, en))[:count])
        else:
            missing = " and ".join(
                corpus for corpus, side in (("xiachufang", zh), ("recipenlg", en)) if not side
            )
            unusable.append(_reject(dish["line"], "no_candidate", f"in {missing}", dish))
    ordered = [
        row
        for group in sorted(rows, key=lambda group: (-group[0]["score"], group[0]["line"]))
        for row in group
    ]
    tables.write(candidates, schemas.CANDIDATES, ordered, job.metadata)
    unusable.sort(key=lambda row: row["source_row"])
    tables.write(rejects, schemas.SHEET_REJECTS, unusable, job.metadata)
    write_sheet(sheet, HEADER, ([_cell(row.get(name)) for name in HEADER] for row in ordered))
    job.progress.say(f"{settings.titles}: candidates for {len(rows)} dishes, none for {len(unusable)} rows")


def read_titles(path: str) -> tuple[list[Row], list[Row]]:
    """The dishes of a table of names (line, zh, en, direction, source), and the rows that name none, as rejects.

    The table is a TSV with the columns zh and en, and optionally direction and source. Raises UserError if zh or en
    is missing, or for an unknown direction.
    """
    dishes: dict[tuple[str, str, str | None], Row] = {}
    unusable: list[Row] = []
    for line, row in read_sheet(path, LANGS, OPTIONAL, copied=False):
        direction = direction_of(f"{path}, row {line}", row.get("direction", ""))
        dish: Row = {"line": line, **{lang: row.get(lang, "") for lang in LANGS}}
        dish |= {"direction": direction, "source": row.get("source") or None}
        if not all(dish[lang] for lang in LANGS):
            unusable.append(_reject(line, "no_name", None, dish))
        elif (first := dishes.setdefault((dish["zh"], dish["en"], direction), dish)) is not dish:
            unusable.append(_reject(line, "repeated", f"row {first['line']}", dish))
    return list(dishes.values()), unusable


def look_up(
    names: pl.Series, eligible: str, lang: str, cutoff: float, count: int, threads: int
) -> dict[int, list[Row]]:
    """The `count` titles most similar to each name, by the name's number, the best first; some names may have none.

    Titles with the same normal form count once: the first recipe with it stands for all. Equally similar titles are
    in the order of the corpus. All names are compared with a part of the titles at a time.
    """
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import cdist

    corpus = distinct(eligible, lang)
    wanted = normal(names, lang).to_list()
    best = pl.DataFrame(schema={"name": pl.Int64, "row": pl.Int64, "score": pl.Float32})
    step = CELLS // max(len(wanted), 1) + 1
    for start in range(0, corpus.height if wanted else 0, step):
        forms = corpus["form"].slice(start, step).to_list()
        scores = cdist(wanted, forms, scorer=ratio, score_cutoff=cutoff, dtype=np.float32, workers=threads)
        name, row = np.nonzero(scores)
        new = pl.DataFrame({"name": name, "row": row + start, "score": scores[name, row]}, best.schema)
        best = pl.concat([best, new]).sort("name", "score", "row", descending=[False, True, False])
        best = best.group_by("name", maintain_order=True).head(count)
    titles: dict[int, list[Row]] = {}
    for title in best.join(corpus, on="row", how="left", maintain_order="left").iter_rows(named=True):
        titles.setdefault(title["name"], []).append(title)
    return titles


def distinct(eligible: str, lang: str) -> pl.DataFrame:
    """The distinct normal forms of titles in the corpus's order: row, form, first recipe's id and title, recipes."""
    titles = (
        tables.scan(eligible, ["recipe_id", "title"])
        .group_by("title", maintain_order=True)
        .agg(pl.col("recipe_id").first(), recipes=pl.len())
        .collect()
    )
    forms = titles.with_columns(form=normal(titles["title"], lang)).filter(pl.col("form") != "")
    return (
        forms.group_by("form", maintain_order=True)
        .agg(pl.col("title").first(), pl.col("recipe_id").first(), pl.col("recipes").sum())
        .with_row_index("row")
        .with_columns(pl.col("row").cast(pl.Int64))
    )


def _pairs(dish: Row, zh: Sequence[Row], en: Sequence[Row]) -> Iterator[Row]:
    """All pairs of candidates of a dish, by the mean of their scores."""
    pairs = [(left, right) for left in range(len(zh)) for right in range(len(en))]
    pairs.sort(key=lambda pair: (-zh[pair[0]]["score"] - en[pair[1]]["score"], sum(pair), pair))
    for left, right in pairs:
        row = {"line": dish["line"], "dish_zh": dish["zh"], "dish_en": dish["en"]}
        row |= {"direction": dish["direction"], "source": dish["source"]}
        row["score"] = (zh[left]["score"] + en[right]["score"]) / 2
        for lang, side in (("zh", zh[left]), ("en", en[right])):
            row |= {f"{lang}_id": side["recipe_id"]}
            row |= {f"{lang}_{column}": side[column] for column in ("title", "recipes", "score")}
        yield row


def _reject(line: int, reason: str, detail: str | None, dish: Row) -> Row:
    raw = " | ".join(str(dish[name] or "") for name in (*LANGS, *OPTIONAL))
    return {"source_row": line, "reason": reason, "detail": detail, "raw": raw[:SHOWN]}


def _cell(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else "" if value is None else str(value)
