"""Finds leaks between splits: recipes, titles and connected pairs on two sides, and tests that models trained on.

A side is train, valid or test; each split that is neither train nor valid, such as a silver or a gold set, is test.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from wokflow.export.findings import EXAMPLES, Finding, finding
from wokflow.export.privacy import excerpt
from wokflow.match.edges import components
from wokflow.match.split import SPLITS

_SIDE = {"train": 0, "valid": 1, "validation": 1, "dev": 1}  # numbers of SPLITS
NO_WORD = r"[^\p{L}\p{M}\p{N}]+"
_REGROUP = (
    "Split again with match.split.kind: grouped, which keeps recipes that are connected by pairs together"
)

SLICE = 1 << 21  # rows read at a time
_TWO = ((0, 1), (0, 2), (1, 2))  # pairs of sides


def _code(column: str) -> pl.Expr:
    """A hash of an id (UInt64)."""
    return pl.col(column).hash(seed=0)


def _in_slices(rows: pl.LazyFrame) -> pl.DataFrame:
    """All rows, read SLICE at a time: otherwise polars reads many gigabytes of strings ahead."""
    parts = [rows.head(0).collect()]
    done = 0
    while len(part := rows.slice(done, SLICE).collect(engine="streaming")):
        parts.append(part)
        done += len(part)
    return pl.concat(parts)


def side() -> pl.Expr:
    """The side of a split, as an index of SPLITS (UInt8)."""
    return pl.col("split").replace_strict(_SIDE, default=2, return_dtype=pl.UInt8)


def shared_recipes(splits: pl.LazyFrame) -> list[Finding]:
    """Recipes on two sides. `splits` has recipe_id and split, in one or more rows for each recipe.

    Ids are compared by 64-bit hashes, which takes 9 bytes of memory for each row.
    """
    rows = _in_slices(splits.select(_code("recipe_id"), side=side()))
    codes, own = (rows[name].to_numpy() for name in ("recipe_id", "side"))
    seen = [np.unique(codes[own == number]) for number in range(len(SPLITS))]
    shared = np.unique(np.concatenate([np.intersect1d(seen[one], seen[two]) for one, two in _TWO]))
    some = splits.filter(_code("recipe_id").is_in(pl.Series(shared[:EXAMPLES]).implode()))
    sides = (
        some.select("recipe_id", side=side())
        .group_by("recipe_id")
        .agg(first=pl.col("side").min(), last=pl.col("side").max())
        .sort("recipe_id")
        .collect(engine="streaming")
    )
    examples = (f"{recipe}: in {SPLITS[one]} and in {SPLITS[two]}" for recipe, one, two in sides.iter_rows())
    return finding("shared_recipes", "", len(shared), examples, f"{_REGROUP}.")


def normal(text: pl.Expr) -> pl.Expr:
    """Text normalized for comparison: without case, punctuation, spaces and fullwidth forms."""
    return text.str.normalize("NFKC").str.to_lowercase().str.replace_all(NO_WORD, "")


def shared_titles(titles: pl.LazyFrame, splits: pl.LazyFrame) -> list[Finding]:
    """Recipes of valid and test that share their title with a recipe of an earlier side; counts recipes.

    `titles` has recipe_id and title, `splits` recipe_id and split. A recipe on two sides is not counted here.
    """
    sides = splits.select("recipe_id", side=side()).unique()
    named = (
        titles.select("recipe_id", key=normal(pl.col("title")))
        .filter(pl.col("key") != "")
        .join(sides, on="recipe_id")
        .collect(engine="streaming")
    )
    first = named.group_by("key").agg(first=pl.col("side").min(), other=pl.col("side").max())
    mixed = named.join(first.filter(pl.col("first") < pl.col("other")), on="key")
    source = (
        mixed.filter(pl.col("side") == pl.col("first")).group_by("key").agg(earlier=pl.col("recipe_id").min())
    )
    only = pl.col("side").min().over("recipe_id") == pl.col("side")  # a recipe on two sides is another gate's
    held = mixed.filter(only & (pl.col("side") > pl.col("first"))).unique("recipe_id").sort("recipe_id")
    shown = held.head(EXAMPLES).join(source, on="key", how="left", maintain_order="left")
    examples = (
        f"{row['recipe_id']} in {SPLITS[row['side']]}, {row['earlier']} in {SPLITS[row['first']]}: "
        f"{excerpt(row['key'])}"
        for row in shown.iter_rows(named=True)
    )
    advice = (
        "Recipes of one dish often have one title: accept the gate if models are to be tested on known dishes, or "
        "leave these recipes out of valid and test."
    )
    return finding("shared_titles", "", held.height, examples, advice)


def connected_pairs(pairs: pl.LazyFrame) -> list[Finding]:
    """Pairs of valid and test that are connected with pairs of an earlier side; counts pairs.

    `pairs` has source_id, target_id and split. Two pairs are connected if they share a recipe, directly or through
    other pairs. Ids are compared by 64-bit hashes, which takes 17 bytes of memory a pair, and as much for the graph.
    """
    rows = _in_slices(pairs.select(_code("source_id"), _code("target_id"), side=side()))
    own = rows["side"].to_numpy()
    nodes = np.unique(pl.concat([rows["source_id"].unique(), rows["target_id"].unique()]).to_numpy())
    source, target = (
        np.searchsorted(nodes, rows[name].to_numpy()).astype(np.int32) for name in ("source_id", "target_id")
    )
    component = components(len(nodes), source, target).astype(np.int32)[source]
    sizes = np.zeros((int(component.max(initial=-1)) + 1, len(SPLITS)), np.int64)
    np.add.at(sizes, (component, own), 1)
    first = (sizes > 0).argmax(axis=1).astype(np.uint8)
    leaked = np.flatnonzero(own > first[component])
    shown = {  # by the codes of both ids
        (int(nodes[source[row]]), int(nodes[target[row]])): f"in {SPLITS[own[row]]}, connected with "
        f"{sizes[component[row], first[component[row]]]} pairs of {SPLITS[first[component[row]]]}"
        for row in leaked[np.lexsort((target[leaked], source[leaked]))][:EXAMPLES]
    }
    examples = _named(pairs, shown)
    return finding("connected_pairs", "", len(leaked), examples, f"{_REGROUP}.")


def _named(pairs: pl.LazyFrame, shown: dict[tuple[int, int], str]) -> Iterator[str]:
    """The ids of the pairs with these codes, each with its text in `shown`."""
    codes = pl.DataFrame(list(shown), {"source": pl.UInt64, "target": pl.UInt64}, orient="row")
    ids = (
        pairs.select("source_id", "target_id", source=_code("source_id"), target=_code("target_id"))
        .filter(
            pl.col("source").is_in(codes["source"].implode())
            & pl.col("target").is_in(codes["target"].implode())
        )
        .unique()
        .sort("source_id", "target_id")
        .collect(engine="streaming")
    )
    for row in ids.iter_rows(named=True):
        if text := shown.get((row["source"], row["target"])):
            yield f"{row['source_id']}>{row['target_id']}: {text}"


def trained_on_tests(
    examples: pl.LazyFrame, tests: pl.LazyFrame, texts: pl.LazyFrame, config: str
) -> list[Finding]:
    """Training examples of a model with a recipe, or the text of a recipe, that it is tested on; counts examples.

    `examples` has instance_id ("source>target" or one recipe), split, source and target (train/examples, validation
    included); `tests` has source_id; `texts` has recipe_id and text, in several rows if a recipe has several texts
    (whole, steps only). Texts are compared without case, punctuation and spaces.
    """
    tested = tests.select(id=pl.col("source_id").cast(pl.String)).unique().collect()["id"]
    known = (
        texts.filter(pl.col("recipe_id").is_in(tested.implode()))
        .select(id="recipe_id", key=normal(pl.col("text")))
        .filter(pl.col("key") != "")
        .unique("key", keep="first", maintain_order=True)
    )
    sides = [normal(pl.col(name)).alias(name) for name in ("source", "target")]
    rows = examples.select("instance_id", *sides, recipe=pl.col("instance_id").str.split(">"))
    by_id = pl.col("recipe").list.eval(pl.element().is_in(tested.implode())).list.any()
    leaked = (
        rows.with_columns(by_id=by_id)
        .join(known.rename({"id": "as_source"}), left_on="source", right_on="key", how="left")
        .join(known.rename({"id": "as_target"}), left_on="target", right_on="key", how="left")
        .with_columns(same=pl.coalesce("as_source", "as_target"))
        .filter(pl.col("by_id") | pl.col("same").is_not_null())
        .select("instance_id", "same", "by_id", text=pl.col("source").str.head(60))
        .sort("instance_id")
        .collect(engine="streaming")
    )
    shown = (
        f"{name}: {'the id' if by_id else f'the text of {same}'} is tested: {excerpt(text)}"
        for name, same, by_id, text in leaked.iter_rows()
    )
    advice = (
        "Train again without these examples, or leave the recipes out of the test: its scores are too good."
    )
    return finding("trained_on_tests", config, leaked.height, shown, advice)
