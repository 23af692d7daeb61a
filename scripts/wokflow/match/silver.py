"""The silver test set: candidates that people accepted (Cultural Adaptation of Recipes, section 3.3, Test Set)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.columns import RejectedError
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.tsv_sheets import read_sheet
from wokflow.match import schemas
from wokflow.match.directions import direction_of
from wokflow.match.dish_names import normal, similarity
from wokflow.match.settings import SilverSettings

LANGS = ("zh", "en")
GIVEN = ("dish_zh", "dish_en", "zh_id", "zh_title", "en_id", "en_title", "accepted")
ANSWERS = {
    **dict.fromkeys(("yes", "y", "true", "1", "x", "是"), True),
    **dict.fromkeys(("", "no", "n", "false", "0", "否"), False),
}
PASSED_OVER = ("not_accepted", "other_direction")  # rejects that are no faults

Row = dict[str, str]
Titles = Mapping[str, str]  # of eligible recipes, by id


def match_silver(
    *,
    recipenlg: str,
    xiachufang: str,
    silver: str,
    rejects: str,
    direction: str,
    settings: SilverSettings,
    job: Job,
) -> None:
    """Write the accepted rows of a sheet that are for `direction` (schema match/silver), ordered by source.

    `recipenlg` and `xiachufang` are the eligible recipes of a corpus. Ids may be replaced by those of other recipes,
    with their titles. Every other row of the sheet is a reject. Raises UserError if rows are accepted for the
    direction and none of them can be used, and for a direction that is none.
    """
    accepted = settings.accepted
    if accepted is None:
        raise ValueError("match.silver without match.silver.accepted: the rules run no such job")
    rows = read_rows(accepted)
    titles = {
        lang: _titles(path, [row.get(f"{lang}_id", "") for _, row in rows])
        for lang, path in zip(LANGS, (xiachufang, recipenlg), strict=True)
    }
    source, target = direction.split("-")
    used: list[dict[str, Any]] = []
    unused: list[dict[str, Any]] = []
    taken: dict[str, int] = {}
    for line, row in rows:
        try:
            _check(row, direction, titles)
            for lang in LANGS:
                if recipe := taken.get(row[f"{lang}_id"]):
                    raise RejectedError("taken", f"{row[f'{lang}_id']} in row {recipe}")
            taken |= {row[f"{lang}_id"]: line for lang in LANGS}
            used.append(_chosen(row, source, "source", titles) | _chosen(row, target, "target", titles))
        except RejectedError as error:
            raw = " | ".join(row.get(name, "") for name in GIVEN)
            unused.append({"source_row": line, "reason": error.reason, "detail": error.detail, "raw": raw})
    _explain(accepted, direction, used, unused, job.progress)
    used.sort(key=lambda row: int(row["source_id"].rsplit(":", 1)[1]))
    for path, schema, table in ((silver, schemas.SILVER, used), (rejects, schemas.SHEET_REJECTS, unused)):
        tables.write(path, schema, table, job.metadata)


def read_rows(path: str) -> list[tuple[int, Row]]:
    """The rows of a sheet with their lines; `direction` is empty where they are for both."""
    return [
        (line, row | {"direction": direction_of(f"{path}, row {line}", row.get("direction", "")) or ""})
        for line, row in read_sheet(path, GIVEN, optional=("direction",))
    ]


def _check(row: Row, direction: str, titles: Mapping[str, Titles]) -> None:
    """Raise RejectedError for a row that is not accepted, is for the other direction, or names no known recipes."""
    answer = row.get("accepted", "")
    if answer.casefold() not in ANSWERS:
        raise RejectedError("no_answer", answer)
    if not ANSWERS[answer.casefold()]:
        raise RejectedError("not_accepted")
    if row["direction"] not in ("", direction):
        raise RejectedError("other_direction", row["direction"])
    for lang in LANGS:
        recipe, title = row.get(f"{lang}_id", ""), row.get(f"{lang}_title", "")
        known = titles[lang].get(recipe)
        if known is None:
            raise RejectedError("unknown_recipe", recipe)
        first, second = normal(pl.Series([known, title]), lang)
        if first != second:
            raise RejectedError("other_title", f"{recipe}: {known}")


def _chosen(row: Row, lang: str, side: str, titles: Mapping[str, Titles]) -> dict[str, Any]:
    """The columns of one side. Its score is computed anew, since the sheet's may belong to another title."""
    recipe, dish = row[f"{lang}_id"], row[f"dish_{lang}"]
    title = titles[lang][recipe]
    score = similarity()(*normal(pl.Series([title, dish]), lang))
    return {
        f"{side}_{name}": value
        for name, value in (("id", recipe), ("title", title), ("dish", dish), ("score", score))
    }


def _titles(eligible: str, ids: list[str]) -> Titles:
    wanted = pl.LazyFrame({"recipe_id": ids}, {"recipe_id": pl.String}).unique()
    titles = tables.scan(eligible, ["recipe_id", "title"]).join(wanted, on="recipe_id", how="semi")
    return dict(titles.collect(engine="streaming").iter_rows())


def _explain(
    path: str, direction: str, used: list[Any], unused: list[dict[str, Any]], progress: Progress
) -> None:
    """Say in the log how many rows are used, and why others are not. Raises UserError if all fail."""
    reasons = Counter(row["reason"] for row in unused)
    failed = [row for row in unused if row["reason"] not in PASSED_OVER]
    words = "".join(
        f"; {reason} ({count}): {schemas.REASONS[reason].meaning}"
        for reason, count in sorted(reasons.items())
    )
    if failed and not used:
        first = failed[0]
        raise UserError(
            f"{path}: no row can be used for {direction}{words} The first: row {first['source_row']}, "
            f"{first['detail']}. Was the sheet made from other corpora? Make it anew from "
            "match/candidates/candidates.tsv, or leave it out (match.silver.accepted: null)."
        )
    progress.say(f"{path}: {len(used)} rows used for {direction}{words}")
