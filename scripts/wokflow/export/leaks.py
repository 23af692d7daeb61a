"""Leakage between splits: recipes, titles and connected pairs on two sides; models that were trained on tests."""

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from wokflow.export.gate_findings import EXAMPLES, Finding, finding
from wokflow.export.privacy import excerpt
from wokflow.export.split_sides import Sides, side
from wokflow.match.split import SPLITS

NO_WORD = r"[^\p{L}\p{M}\p{N}]+"
_REGROUP = (
    "Split again with match.split.kind: grouped, which keeps recipes that are connected by pairs together"
)
_TWO = np.array([bits.bit_count() > 1 for bits in range(1 << len(SPLITS))])  # whether flags are of two sides


def shared_recipes(sides: Sides) -> list[Finding]:
    """Recipes that stand on two sides."""
    shared = np.flatnonzero(_TWO[sides.flags])
    shown = shared[:EXAMPLES]
    examples = (
        f"{name}: {' and '.join(f'in {split}' for at, split in enumerate(SPLITS) if flags >> at & 1)}"
        for name, flags in zip(sides.names(shown), sides.flags[shown].tolist(), strict=True)
    )
    return finding("shared_recipes", "", len(shared), examples, f"{_REGROUP}.")


def normal(text: pl.Expr) -> pl.Expr:
    """Text normalized for comparison: without case, punctuation, spaces and fullwidth forms."""
    return text.str.normalize("NFKC").str.to_lowercase().str.replace_all(NO_WORD, "")


def shared_titles(recipes: Iterable[pl.DataFrame]) -> list[Finding]:
    """Recipes of valid and test whose title a recipe of an earlier side has too; the count is of recipes.

    `recipes` are frames of recipe_id, title, split, and whether it is the recipe's first side; a recipe on two sides
    is not counted for that. They are read twice if titles are shared. Titles are compared by hashes of 64 bits, so
    that 40 bytes a recipe are in memory.
    """
    keys, own = [np.empty(0, np.uint64)], [np.empty(0, np.uint8)]
    for frame in recipes:
        some = _named(frame)
        keys.append(some["key"].hash(seed=0).to_numpy())
        own.append(some["side"].to_numpy())
    key, at = np.concatenate(keys), np.concatenate(own)
    del keys, own
    order = np.argsort(key, kind="stable")  # of equal titles the first that was read is the first
    at, same = at[order], np.diff(key[order], prepend=key[order][:1] + np.uint64(1)) == 0
    del key
    begins = np.flatnonzero(~same)
    sizes = np.diff(np.append(begins, len(at)))
    first = np.minimum.reduceat(at, begins) if len(at) else at
    held = np.flatnonzero(at > np.repeat(first, sizes))
    shown = held[np.argsort(order[held], kind="stable")[:EXAMPLES]]
    group = np.searchsorted(begins, shown, side="right") - 1
    earlier = [
        begins[each] + int((at[begins[each] : begins[each] + sizes[each]] == first[each]).argmax())
        for each in group.tolist()
    ]
    places = {int(order[place]) for place in (*shown.tolist(), *earlier)}
    names = dict(_rows_at(recipes, places))
    examples = (
        f"{names[order[one]][0]} in {SPLITS[at[one]]}, {names[order[two]][0]} in {SPLITS[at[two]]}: "
        f"{excerpt(names[order[one]][1])}"
        for one, two in zip(shown.tolist(), earlier, strict=True)
    )
    advice = (
        "Recipes of one dish often have one title: accept the gate if models are to be tested on known dishes, or "
        "leave these recipes out of valid and test."
    )
    return finding("shared_titles", "", len(held), examples, advice)


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    """recipe_id, key and side of the recipes with a title on their first side."""
    keyed = frame.filter("first").select("recipe_id", key=normal(pl.col("title")), side=side())
    return keyed.filter(pl.col("key") != "")


def _rows_at(recipes: Iterable[pl.DataFrame], places: set[int]) -> Iterator[tuple[int, tuple[str, str]]]:
    """recipe_id and key of the recipes at some places among all that are named."""
    done = 0
    for frame in recipes if places else ():
        some = _named(frame)
        for place in sorted(each for each in places if done <= each < done + len(some)):
            yield place, some.row(place - done)[:2]
        done += len(some)


def connected_pairs(sides: Sides) -> list[Finding]:
    """Pairs of valid and test that are connected with pairs of an earlier side; the count is of pairs.

    Two pairs are connected if they share a recipe, or through others. 20 bytes a recipe are in memory.
    """
    component = sides.components()
    first = np.full(len(component), len(SPLITS), np.uint8)  # side of each component
    for some in sides.pairs():
        np.minimum.at(first, component[some["source"]], some["side"])
    count = 0
    shown: list[tuple[int, int, int]] = []
    for some in sides.pairs():
        leaked = some[some["side"] > first[component[some["source"]]]]
        count += len(leaked)
        shown += leaked[: EXAMPLES - len(shown)].tolist()
    with_them = dict.fromkeys((component[source] for source, _, _ in shown), 0)
    for some in sides.pairs() if shown else ():
        own = component[some["source"]]
        for each in with_them:
            with_them[each] += int(((own == each) & (some["side"] == first[each])).sum())
    ends = iter(sides.names(np.array([each[:2] for each in shown], np.int64).reshape(-1)))
    examples = (
        f"{next(ends)}>{next(ends)}: in {SPLITS[own]}, connected with {with_them[component[source]]} pairs of "
        f"{SPLITS[first[component[source]]]}"
        for source, _, own in shown
    )
    return finding("connected_pairs", "", count, examples, f"{_REGROUP}.")


def trained_on_tests(
    examples: pl.LazyFrame, tests: pl.LazyFrame, texts: pl.LazyFrame, config: str
) -> list[Finding]:
    """Training examples of a model with a recipe, or the text of a recipe, that it is tested on; counts examples.

    `examples` has instance_id ("source>target" or one recipe), split, source and target (train/examples, validation
    included); `tests` has source_id, also of references; `texts` has recipe_id and text, in several rows if a recipe
    has several texts (its own, and that of the reference it is tested with). Texts are compared without case,
    punctuation and spaces.
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
        f"{name}: {'the id' if by_id else f'a text of {same}'} is tested: {excerpt(text)}"
        for name, same, by_id, text in leaked.iter_rows()
    )
    advice = (
        "Train again without these examples, or leave the recipes out of the test: its scores are too good."
    )
    return finding("trained_on_tests", config, leaked.height, shown, advice)
