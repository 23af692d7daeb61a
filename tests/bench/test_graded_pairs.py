"""What graded pairs of recipes have in common, computed anew, and how well they are judged by it.

Features of `resources/rerank/labels.tsv` are those of the default translator and encoder: whoever changes what the
features are of runs this, which writes them there. All pairs of recipes of a corpus are candidates here.
"""

from pathlib import Path
from typing import Any

import polars as pl
import yaml
from wokflow.frame import tables
from wokflow.match import rerank
from wokflow.match.labels import MANDATORY, read_labels
from wokflow.match.schemas import FEATURES

from tests.bench import measure
from tests.bench.measure import at_least
from tests.conftest import ROOT, copy_house, snakemake

LABELS = ROOT / "resources" / "rerank" / "labels.tsv"
PRECISION, THRESHOLD, RECALL = 0.8, 0.85, 0.6
ALL = 1000  # neighbours: more than either side has recipes
LONG = 100_000  # tokens: the graded pairs also have recipes that are longer than those that are matched
IDS = ("zh_id", "en_id")
NAMES = ("zh_id", "zh_title", "en_id", "en_title")
RANKED = ("title", "foods")  # by what candidates are chosen
WIDTHS = ((10, 0), (0, 10), (10, 10), (30, 10), (10, 30), (30, 30))  # candidates by titles, and by contents


def test_graded_pairs(shared: Path, data: Path) -> None:
    real = shared / "real" / "recipes"
    sources = {
        "recipenlg": {"path": str(real / "full_dataset.csv")},
        "xiachufang": {"path": str(real / "recipe_corpus_full.json")},
    }
    cookbooks = features(data / "cookbooks", {"sources": sources})
    demo = features(data / "demo", {}, "config/demo.yaml")
    graded, unusable = read_labels(str(LABELS))
    assert not unusable.height
    own = pl.concat(
        rows.with_columns(corpus=pl.lit(name)) for name, rows in (("cookbooks", cookbooks), ("demo", demo))
    )
    rows = graded.select("source_row", "corpus", *IDS, "grade").join(
        own, on=["corpus", *IDS], how="left", maintain_order="left"
    )
    assert rows["title"].null_count() == 0, rows.filter(pl.col("title").is_null()).rows()
    renamed = sum((rows[name] != graded[name]).sum() for name in NAMES)
    changed = {name: int((~rows[name].round(4).eq_missing(graded[name].round(4))).sum()) for name in FEATURES}
    print(f"  {renamed} titles and these features were others in {LABELS.name}: {changed}", flush=True)
    if measure.scale() != "tiny":
        write(rows)
    judged = rerank.report(read_labels(str(LABELS))[0].with_columns(sampled=True), PRECISION, THRESHOLD)
    figures = judged["measured"]
    recall = at_least(figures["all"]["cookbooks"]["recall"], RECALL)
    counts = rows.group_by("corpus").len().sort("corpus")
    measure.publish(
        "graded-pairs",
        "Graded pairs",
        f"""{counts["len"][0]} pairs of recipes of two public cookbooks and {counts["len"][1]} of the demo, graded by
        hand (`resources/rerank/README.md`). Model and least probability, for a wanted precision of {PRECISION}, come
        from pairs that have no recipe in common with those judged (five folds of dishes, five ways to divide them).
        Right is grade 1 or 2, recall is of grade 2, intervals are of 95 %. More is the recall beyond that of titles
        at a threshold of their own. {measure.repeat("test_graded_pairs.py")}""",
        measure.machine("scipy", "sentence-transformers"),
        *(
            _table(corpus, {name: of[corpus] for name, of in figures.items()})
            for corpus in ("cookbooks", "demo")
        ),
        f"Recall on the cookbooks, all parts: {recall}.",
        """What a probability means: of graded pairs with such a one, their mean probability and the share that is
        right, both by models of other dishes. Brier is the mean squared difference; beside it stands that of one
        probability for all pairs, the share that is right.""",
        *(_calibration(corpus, of) for corpus, of in judged["calibration"].items()),
        """Of the pairs of the same dish, the share that are candidates, by how many nearest recipes each recipe of
        either side has by its title, and by its foods:""",
        measure.table(
            ["by titles, by foods", *counts["corpus"]],
            [[f"{titles}, {foods}", *_reached(rows, titles, foods)] for titles, foods in WIDTHS],
        ),
        targets=[recall],
    )


def features(folder: Path, config: dict[str, Any], *under: str) -> pl.DataFrame:
    """What each two recipes have in common, with their ids and titles."""
    house = copy_house(folder)
    match = {
        "rerank": {"by": "recipes"},
        "eligible": {"tokenizer": "estimate", "max_tokens": LONG},
        "compare": {"titles": ALL, "contents": ALL},
    }
    (house / "mine.yaml").write_text(yaml.safe_dump(config | {"match": match}), encoding="utf-8")
    target = "results/match/compare/00000-of-00001.parquet"
    snakemake(house, target, "--configfile", *under, "mine.yaml", cores=measure.THREADS, quick=False)
    pairs = pl.read_parquet(house / target)
    for lang, corpus in (("zh", "xiachufang"), ("en", "recipenlg")):
        recipes = tables.read(str(house / f"results/match/eligible/{corpus}/part-00000.parquet"))
        named = recipes.select(pl.col("recipe_id", "title").name.prefix("x_")).rename(
            {"x_recipe_id": f"{lang}_id", "x_title": f"{lang}_title"}
        )
        pairs = pairs.hstack(named[pairs[lang]])
    pairs = pairs.unique(["zh", "en"])
    ranks = {
        by: pl.min_horizontal(pl.col(by).rank("ordinal", descending=True).over(lang) for lang in ("zh", "en"))
        for by in RANKED
    }
    return pairs.with_columns(rank.alias(f"{by}_rank") for by, rank in ranks.items()).select(
        *NAMES, *FEATURES, *(f"{by}_rank" for by in RANKED)
    )


def write(rows: pl.DataFrame) -> None:
    """Write the graded pairs with their features, in the order that they have."""
    columns = ["corpus", *MANDATORY, *FEATURES]
    shown = [
        ["" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value) for value in row]
        for row in rows.sort("source_row").select(columns).iter_rows()
    ]
    tables.write_text(str(LABELS), "".join("\t".join(row) + "\n" for row in [columns, *shown]))


def _table(corpus: str, figures: dict[str, dict[str, Any]]) -> str:
    def shown(of: dict[str, Any], name: str) -> str:
        low, high = of[f"{name}_interval"] or ("", "")
        return f"{of[name]:.2f} ({low:.2f} to {high:.2f})" if low != "" else f"{of[name]}"

    return measure.table(
        [corpus, "accepted", "precision", "recall", "more"],
        [
            [name, f"{of['accepted']:.1f}", *(shown(of, each) for each in ("precision", "recall", "more"))]
            for name, of in figures.items()
        ],
    )


def _calibration(corpus: str, of: dict[str, Any]) -> str:
    rows = [
        [
            f"{some['low']:.1f} to {some['high']:.1f}",
            f"{some['pairs']}",
            f"{some['said']:.2f}",
            f"{some['right']:.2f} ({' to '.join(f'{end:.2f}' for end in some['right_interval'] or ())})",
        ]
        for some in of["bins"]
    ]
    brier = f"Brier {of['brier']:.3f}, {of['brier_of_share']:.3f}"
    return measure.table([corpus, "pairs", "said", "right"], [*rows, [brier, "", "", ""]])


def _reached(rows: pl.DataFrame, titles: int, foods: int) -> list[str]:
    candidate = (pl.col("title_rank") <= titles) | (pl.col("foods_rank") <= foods)
    same = rows.filter(pl.col("grade") == 2).group_by("corpus").agg(share=candidate.mean()).sort("corpus")
    return [f"{share:.2f}" for share in same["share"]]
