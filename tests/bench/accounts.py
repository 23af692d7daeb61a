"""What a run made of made-up corpora, held against what these were written with: rows, rejects and pairs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tests.bench import corpora
from tests.bench.corpora import DUPLICATE, EN, KINDS, ZH, Ints

CORPORA = {"recipenlg": EN, "xiachufang": ZH}
DIRECTIONS = {"zh-en": ("xiachufang", "recipenlg"), "en-zh": ("recipenlg", "xiachufang")}
K, THRESHOLD = 10, 0.85  # match.search.k and match.pair.threshold
GOOD = ("clean", "newline", "crlf")  # kinds of rows that are recipes
# Why the others are none; of half a line of JSON the last character may be half, too.
REASONS = {
    "broken": ("broken_record", "invalid_utf8"),
    "bad_utf8": ("invalid_utf8",),
    "nul": ("nul_byte",),
    "empty_title": ("empty_title",),
    "not_list": ("bad_list",),
    "wrong_type": ("bad_list",),
    "empty_ingredients": ("empty_ingredients",),
    "empty_steps": ("empty_steps",),
    "emoji_title": ("empty_title",),
}
CHECKED = """Checked, and the same to the row: of the rows of each file, which are recipes and which are rejects, for
which reason; that each recipe is eligible or a reject of match; that each distinct title, translation and text is
there once, with a vector, and each text with its neighbours; that accepted pairs are as many as neighbours and
recipes make, and that each is in a split and, in that split, in the release; that each Chinese recipe has actions or
is a reject of parse; that each action is compared; that each recipe with a dish keeps it, and that the recipes that
models may learn from and those of the pairs of dishes are all there are."""


@dataclass(frozen=True)
class Truth:
    """What each row of a corpus was written as: its index into KINDS, and its concept."""

    kinds: Ints
    concepts: Ints

    @cached_property
    def _written(self) -> Ints:
        """The kind of each row; of a duplicate, that of the row that it repeats."""
        rows = np.arange(len(self.kinds))
        return self.kinds[np.maximum.accumulate(np.where(self.kinds == DUPLICATE, 0, rows))]

    @cached_property
    def dishes(self) -> Ints:
        """The concept of each row that is a recipe, -1 of the others."""
        good = np.isin(self._written, [KINDS.index(name) for name in GOOD]) & (self.kinds != DUPLICATE)
        return np.where(good, self.concepts, -1)

    def rejected(self) -> dict[int, tuple[str, ...]]:
        """The rows that are no recipes, with the reasons that they may be rejected for."""
        return {
            int(row): REASONS.get(KINDS[self._written[row]], ("duplicate",))
            for row in np.flatnonzero(self.dishes < 0)
        }


def truths(rows: Mapping[str, int], company: float) -> dict[str, Truth]:
    """The truth on corpora of so many rows."""
    return {
        corpus: Truth(*corpora.draws(CORPORA[corpus], count, company=company))
        for corpus, count in rows.items()
    }


def numbers(ids: pl.Series) -> Ints:
    """The rows in the source of recipes with these ids."""
    return ids.str.splitn(":", 2).struct.field("field_1").cast(pl.Int64).to_numpy()


def same_rows(what: str, rows: Ints, *parts: Ints) -> None:
    """Assert that each of the rows is in one of the parts, once, and that nothing else is."""
    found, wanted = np.sort(np.concatenate(parts)), np.sort(rows)
    counts = " + ".join(f"{len(part):,}" for part in parts)
    assert len(found) == len(wanted), f"{what}: {len(wanted):,} rows in, {counts} out"
    assert np.array_equal(found, wanted), f"{what}: other rows out than in, or one twice"


def check_rejects(what: str, rejects: pl.DataFrame, truth: Truth) -> dict[str, int]:
    """Assert that the rejects are the rows that were spoilt, each for its reason; the number of each kind."""
    wanted = truth.rejected()
    found = dict(rejects.select("source_row", "reason").iter_rows())
    wrong = sorted(row for row in wanted.keys() | found.keys() if found.get(row) not in wanted.get(row, ()))
    shown = ", ".join(f"{row} ({KINDS[truth.kinds[row]]}): {found.get(row, 'a recipe')}" for row in wrong[:5])
    assert not wrong, f"{what}: {len(wrong):,} rows with another end than they were written for: {shown}"
    kinds, counts = np.unique(truth.kinds[list(wanted)], return_counts=True)
    return {KINDS[kind]: int(count) for kind, count in zip(kinds, counts, strict=True)}


def expected_pairs(near: pl.DataFrame, sources: pl.DataFrame, targets: pl.DataFrame) -> int:
    """The number of pairs that neighbours at or above THRESHOLD make: K a recipe at most.

    `sources` and `targets` have the number of recipes (`len`) of each text (`text_index`).
    """
    reached = (
        near.join(targets, left_on="target_index", right_on="text_index")
        .group_by("source_index")
        .agg(pl.col("len").sum().clip(upper_bound=K).alias("each"))
        .join(sources, left_on="source_index", right_on="text_index")
    )
    return int(reached.select((pl.col("each").cast(pl.Int64) * pl.col("len")).sum()).item())


def judged(source: Ints, target: Ints, sources: Truth, targets: Truth) -> dict[str, float]:
    """How good pairs of rows are.

    `paired`: of the sources whose dish the other corpus has, the share with a pair; `right`: with a pair of that
    dish. `precision`: of the pairs, the share whose sides are the same dish.
    """
    good = (sources.dishes[source] == targets.dishes[target]) & (sources.dishes[source] >= 0)
    known = np.isin(sources.dishes, targets.dishes[targets.dishes >= 0])
    shares = {"precision": float(good.mean()) if len(good) else 0.0}
    for name, rows in (("paired", source), ("right", source[good])):
        have = np.zeros(len(sources.dishes), bool)
        have[rows] = True
        shares[name] = float(have[known].mean())
    return shares


class Account:
    """The tables of a run below `results`, whose corpora are known, and the file of its pairs of dishes."""

    def __init__(self, results: Path, truths: Mapping[str, Truth], pairs: Path) -> None:
        self._results, self._truths = results, truths
        compared = pl.read_csv(pairs, separator="\t")
        self._compared = {*compared["base_dish"], *compared["target_dish"]}

    def _table(self, *names: str) -> pl.LazyFrame:
        return pl.scan_parquet(self._results.joinpath(*names) / "**" / "*.parquet")

    def _column(self, name: str, *names: str) -> pl.Series:
        return self._table(*names).select(name).collect().to_series()

    def _height(self, *names: str) -> int:
        return int(self._table(*names).select(pl.len()).collect().item())

    def checked(self, missing: Collection[str] = ()) -> dict[str, Any]:
        """Numbers of each corpus and direction; raises AssertionError if rows are lost, or too many, on the way.

        Tables of rules that are `missing`, since the run was stopped before, are not looked at.
        """
        found: dict[str, Any] = {corpus: self._corpus(corpus) for corpus in self._truths}
        self._parsed()
        self._pivoted()
        if "match_pair" in missing:
            return found
        whole = not {"match_split", "export_release"} & {*missing}
        found |= {direction: self._pairs(direction, found, whole=whole) for direction in DIRECTIONS}
        if "match_rerank" in missing:
            return found
        return found | {f"{direction}, by recipes": self._reranked(direction) for direction in DIRECTIONS}

    def _corpus(self, corpus: str) -> dict[str, Any]:
        truth = self._truths[corpus]
        recipes = self._column("source_row", "ingest", "recipes", corpus).to_numpy()
        rejects = self._table("ingest", "rejects", corpus).select("source_row", "reason").collect()
        same_rows(
            f"ingest of {corpus}", np.arange(len(truth.kinds)), recipes, rejects["source_row"].to_numpy()
        )
        spoilt = check_rejects(f"ingest of {corpus}", rejects, truth)
        self._titled(corpus)
        eligible = self._table("match", "eligible", corpus).select("recipe_id", "title").collect()
        refused = numbers(self._column("raw", "match", "rejects", corpus))
        same_rows(f"eligible of {corpus}", recipes, numbers(eligible["recipe_id"]), refused)
        titles = eligible["title"].unique().sort()
        translated = self._table("match", "translations", corpus).collect()
        for name, some in (
            ("titles", self._column("title", "match", "titles", corpus)),
            ("translations", translated["title"]),
        ):
            assert some.sort().equals(titles), f"{name} of {corpus}: not each distinct title once"
        texts = self._column("text", "match", "texts", corpus)
        assert texts.sort().equals(translated["text"].unique().sort()), f"texts of {corpus}"
        vectors = sorted((self._results / "match" / "vectors" / corpus).glob("*.npy"))
        assert sum(len(np.load(shard, mmap_mode="r")) for shard in vectors) == len(texts), corpus
        of_text = eligible.join(translated, on="title").group_by("text_index").len()
        assert of_text["len"].sum() == eligible.height, f"translations of {corpus}: not of all recipes"
        return {
            "rows": len(truth.kinds),
            "recipes": len(recipes),
            "rejects": rejects.height,
            "spoilt": spoilt,
            "titles": len(titles),
            "texts": len(texts),
            "too_long": len(refused),
            "of_text": of_text,
        }

    def _titled(self, corpus: str) -> None:
        """Some recipes have the titles that they were written with."""
        truth, language = self._truths[corpus], CORPORA[corpus]
        table = self._table("ingest", "recipes", corpus).select("source_row", "title").collect()
        for row, title in table.sample(min(1000, table.height), seed=0).iter_rows():
            written = corpora.titles(int(truth.concepts[row]))[language == EN]
            assert truth.kinds[row] or written.casefold() in title.casefold(), f"{corpus}:{row}: {title}"

    def _parsed(self) -> None:
        recipes = self._column("source_row", "ingest", "recipes", "xiachufang").to_numpy()
        acting = numbers(self._column("recipe_id", "parse", "actions", "xiachufang").unique())
        refused = self._column("source_row", "parse", "rejects", "xiachufang").to_numpy()
        same_rows("parse of xiachufang", recipes, acting, refused)
        actions, proto = (self._height("parse", name, "xiachufang") for name in ("actions", "proto"))
        assert actions == proto, f"proto-actions of xiachufang: {actions:,} actions in, {proto:,} out"

    def _pivoted(self) -> None:
        recipes = self._table("ingest", "recipes", "xiachufang").select("source_row", "dish").collect()
        dishes = self._table("pivot", "dishes", "xiachufang").collect()
        named = numbers(dishes.filter(pl.col("found_by") == "field")["recipe_id"])
        same_rows("dishes of xiachufang", recipes.drop_nulls("dish")["source_row"].to_numpy(), named)
        tested = dishes.filter(pl.col("dish").is_in(self._compared))
        learnt = numbers(self._column("recipe_id", "pivot", "corpus"))
        same_rows(
            "recipes of the pairs of dishes, and others",
            recipes["source_row"].to_numpy(),
            numbers(tested["recipe_id"]),
            learnt,
        )

    def _pairs(self, direction: str, found: Mapping[str, Any], *, whole: bool) -> dict[str, Any]:
        source, target = DIRECTIONS[direction]
        near = self._table("match", "neighbours", direction).collect()
        assert near.height == found[source]["texts"] * min(K, found[target]["texts"]), (
            f"neighbours {direction}"
        )
        wanted = expected_pairs(
            near.filter(pl.col("score") >= THRESHOLD), found[source]["of_text"], found[target]["of_text"]
        )
        ids = ["source_id", "target_id"]
        accepted = self._table("match", "accepted", direction).select(ids).collect()
        assert accepted.height == wanted, f"pairs {direction}: {wanted:,} by neighbours, {accepted.height:,}"
        if not whole:
            return self._judged(direction, accepted)
        split = self._table("match", "pairs", direction).select(*ids, "split").collect()
        assert split.select(ids).equals(accepted), f"split {direction}: other pairs out than in"
        by_split = dict(split["split"].value_counts().iter_rows())
        released = self._results / "export" / "release" / "recipes-0.1.0" / "data" / f"pairs-{direction}"
        exported = {
            name: pl.scan_parquet(released / f"{name}-*.parquet")
            .select(pl.col("target_ids").list.len().sum())
            .collect()
            .item()
            for name in by_split
        }
        assert exported == by_split, f"release {direction}: {by_split} pairs in, {exported} out"
        return self._judged(direction, split)

    def _reranked(self, direction: str) -> dict[str, Any]:
        pairs = self._table("match", "reranked", direction).select("source_id", "target_id").collect()
        assert pairs.n_unique() == pairs.height, f"pairs by recipes {direction}: one twice"
        most = pairs["source_id"].value_counts()["count"].to_numpy().max(initial=0)
        assert most <= K, f"pairs by recipes {direction}: {most} of one recipe"
        for corpus, column in zip(DIRECTIONS[direction], pairs.columns, strict=True):
            eligible = self._column("recipe_id", "match", "eligible", corpus)
            assert pairs[column].is_in(eligible.implode()).all(), (
                f"pairs by recipes {direction}: others of {corpus}"
            )
        return self._judged(direction, pairs)

    def _judged(self, direction: str, pairs: pl.DataFrame) -> dict[str, Any]:
        source, target = (self._truths[corpus] for corpus in DIRECTIONS[direction])
        rows = numbers(pairs["source_id"]), numbers(pairs["target_id"])
        return {"pairs": pairs.height} | judged(*rows, source, target)
