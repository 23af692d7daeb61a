"""Candidate pairs of recipes, by titles and by contents, and what the recipes of each have in common."""

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.shards import shard_range
from wokflow.match import schemas
from wokflow.match.cooking import NAMES
from wokflow.match.foods import Foods
from wokflow.match.overlaps import Overlaps, Rows, side
from wokflow.match.pair import merge
from wokflow.match.scores import Scores, rescore
from wokflow.match.settings import CompareSettings
from wokflow.match.vectors import Vectors

BLOCK = 2048  # recipes: a shard is a run of whole blocks of both corpora
SLICE = 20_000  # pairs of titles whose vectors are held at once
NONE = (np.empty(0, np.int64), np.empty(0, np.int64))  # pairs of no rows
Ints = NDArray[np.int32]


class Titles(NamedTuple):
    """The row of the text of each recipe's title, and the vectors of texts."""

    text: Rows
    vectors: Vectors


def match_compare(
    *,
    compared: str,
    shard: int,
    shards: int,
    settings: CompareSettings,
    job: Job,
    **inputs: Sequence[str],
) -> None:
    """Write the candidates of the recipes of one shard, of both corpora, with what they have in common.

    `inputs` are the shards of match.search, `searched_zh_en` and `searched_en_zh`, and of match.contents,
    `contents_zh` and `contents_en`; and `eligible`, `translations` and `vectors`, of the Chinese corpus and of the
    English one. A recipe's candidates are the recipes with the nearest titles, as match.pair has them whatever their
    similarity, and those with the most foods in common. A pair that both its recipes find is in the shards of both.
    """
    foods = Foods.load(settings.lexicon, settings.glossary)
    zh, en = (
        side(tables.read(each), len(foods.names), len(NAMES))
        for each in (inputs["contents_zh"], inputs["contents_en"])
    )
    titles = [
        Titles(text_rows(*paths), Vectors.open(folder))
        for *paths, folder in zip(inputs["eligible"], inputs["translations"], inputs["vectors"], strict=True)
    ]
    overlaps = Overlaps(zh, en)
    own = [shard_range(each.foods.shape[0], BLOCK, shard, shards) for each in (zh, en)]
    with tables.PartWriter(compared, schemas.COMPARED, job.metadata) as part:
        for back, searched in ((False, inputs["searched_zh_en"]), (True, inputs["searched_en_zh"])):
            source, target = titles[::-1] if back else titles
            rows = own[int(back)]
            blocks = [
                range(start, min(start + BLOCK, rows.stop)) for start in range(rows.start, rows.stop, BLOCK)
            ]
            titled = by_title(searched, source.text, target.text, rows, settings.titles)
            contents = overlaps.nearest(blocks, settings.contents, settings.postings, back=back)
            for block, found in zip(blocks, contents if settings.contents else repeat(NONE), strict=False):
                pairs = _distinct(_of_block(titled, block), found)
                if not len(pairs):
                    continue
                left, right = (pairs[:, 1], pairs[:, 0]) if back else (pairs[:, 0], pairs[:, 1])
                common = overlaps.features(left, right).with_columns(
                    zh=pl.Series(left, dtype=pl.Int32),
                    en=pl.Series(right, dtype=pl.Int32),
                    title=pl.Series(similarity(titles, left, right), dtype=pl.Float32),
                )
                part.write(common)
                job.progress(int(pairs[-1, 0]) + 1, f"recipe {pairs[-1, 0] + 1} compared")
        if not any(own):
            part.write(tables.frame(schemas.COMPARED))


def text_rows(eligible: str, translations: str) -> Rows:
    """The row of the text of each eligible recipe's title, in the order of the recipes."""
    texts = tables.read(translations, ["title", "text_index"])
    recipes = tables.read(eligible, ["title"]).join(texts, on="title", how="left", maintain_order="left")
    return recipes["text_index"].to_numpy().astype(np.int64)


def by_title(searched: Sequence[str], source: Rows, target: Rows, rows: range, k: int) -> tuple[Ints, Ints]:
    """Pairs of (row, row of the other side) with the k nearest titles of each row, sorted by row.

    `source` and `target` are rows of texts, as text_rows has them.
    """
    recipes = pl.DataFrame({"row": np.arange(rows.start, rows.stop), "text": source[rows.start : rows.stop]})
    recipes = recipes.cast(pl.Int32)
    texts = recipes["text"].unique().implode()
    others = pl.DataFrame({"other": np.arange(len(target)), "target_index": target}).cast(pl.Int32)
    others = others.group_by("target_index", maintain_order=True).head(k)
    parts = [pl.DataFrame(schema={"row": pl.Int32, "other": pl.Int32})]
    for nearest in merge(searched, k):
        expanded = nearest.filter(pl.col("source_index").is_in(texts)).join(others, on="target_index")
        best = expanded.sort("source_index", "score", "other", descending=[False, True, False])
        best = best.filter(pl.int_range(pl.len()).over("source_index") < k).select("source_index", "other")
        pairs = recipes.join(best, left_on="text", right_on="source_index")
        parts.append(pairs.select("row", "other"))
    pairs = pl.concat(parts).sort("row")
    return pairs["row"].to_numpy(), pairs["other"].to_numpy()


def _of_block(pairs: tuple[Ints, Ints], block: range) -> tuple[Rows, Rows]:
    """Those of pairs sorted by row whose rows are in a block."""
    part = slice(*np.searchsorted(pairs[0], np.array([block.start, block.stop], np.int32)))
    return pairs[0][part].astype(np.int64), pairs[1][part].astype(np.int64)


def _distinct(*candidates: tuple[Rows, Rows]) -> Rows:
    """Each pair once, (row, other row), sorted."""
    row, other = (np.concatenate([pairs[at] for pairs in candidates]) for at in (0, 1))
    order = np.lexsort((other, row))
    pairs: Rows = np.stack([row, other], axis=1)[order]
    first = np.append(True, (np.diff(pairs, axis=0) != 0).any(axis=1))[: len(pairs)]
    return np.asarray(pairs[first])


def similarity(titles: Sequence[Titles], left: Rows, right: Rows) -> Scores:
    """The canonical scores of the titles of pairs of recipes."""
    scores = np.empty(len(left), np.float32)
    for start in range(0, len(left), SLICE):
        part = slice(start, start + SLICE)
        taken = []
        for side_of, rows in zip(titles, (left[part], right[part]), strict=True):
            texts, place = np.unique(side_of.text[rows], return_inverse=True)
            taken.append((side_of.vectors.take(texts), place))
        (queries, query), (targets, target) = taken
        scores[part] = rescore(queries, targets, query, target).score
    return scores
