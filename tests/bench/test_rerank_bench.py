"""Pairs by what is cooked where titles mislead, and how long they take beside pairs by titles."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from tests.bench import corpora, measure
from tests.bench.corpora import EN, ZH, Ints
from tests.bench.measure import at_least, at_most
from tests.bench.test_real_size import PEAK_MIB, taken
from tests.conftest import copy_house, snakemake

ROWS = {"tiny": (2_000, 1_500), "small": (44_000, 31_000), "full": (2_200_000, 1_550_000)}  # English, Chinese
COMPANY, CROSSED = 0.05, 0.2  # share of titles with a second food; of dishes that are renamed, or namesakes
TITLES = ("translate", "texts", "embed", "vectors", "search", "pair")
RECIPES = ("contents", "compare", "rerank")
TIMES, PRECISION, RECALL = 1.5, 0.8, 0.6


def test_pairs_by_what_is_cooked(data: Path) -> None:
    english, chinese = ROWS[measure.scale()]
    house = copy_house(data / "house")
    (house / "data").mkdir()
    corpora.recipenlg(house / "data" / "en.csv", english, company=COMPANY, crossed=CROSSED)
    corpora.xiachufang(house / "data" / "zh.json", chinese, company=COMPANY, crossed=CROSSED)
    config: dict[str, Any] = {
        "sources": {"recipenlg": {"path": "data/en.csv"}, "xiachufang": {"path": "data/zh.json"}},
        "match": {"rerank": {"by": "recipes"}},
    }
    (house / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    targets = [f"results/match/{table}/zh-en/part-00000.parquet" for table in ("accepted", "reranked")]
    snakemake(house, *targets, "--configfile", "mine.yaml", cores=measure.THREADS, quick=False)
    truth = {
        f"{corpus}:": made(language, rows)
        for corpus, language, rows in (("xiachufang", ZH, chinese), ("recipenlg", EN, english))
    }
    found = {path.split("/")[2]: judged(house / path, truth) for path in targets}
    steps = taken(house, targets)
    spent = {
        group: sum(step.wall for name, step in steps.items() if name.removeprefix("match_") in rules)
        for group, rules in (("titles", TITLES), ("recipes", RECIPES))
    }
    peak = max(steps[f"match_{name}"].peak for name in RECIPES)
    reranked = found["reranked"]
    targets_met = (
        at_least(reranked["precision"], PRECISION),
        at_least(reranked["renamed"], RECALL),
        at_most(spent["recipes"] / spent["titles"], TIMES),
        at_most(peak, PEAK_MIB),
    )
    measure.publish(
        "rerank",
        "Pairs by what is cooked",
        f"""{english:,} English and {chinese:,} Chinese recipes, each with three foods of its dish;
        {CROSSED:.0%} of the dishes are renamed (titles differ, ingredients agree) or namesakes (the reverse). A
        pair is right if its contents are of one dish; namesakes are the share of pairs that only have the dish of
        the title in common. Found is the share of Chinese recipes with a right pair, of those whose dish the other
        side has; renamed is that of those whose dish only has other titles there.
        {measure.repeat("test_rerank_bench.py")}""",
        measure.machine("scipy", "polars"),
        measure.table(
            ["pairs by", "pairs", "precision", "found", "renamed", "namesakes"],
            [
                [
                    name,
                    f"{of['pairs']:,.0f}",
                    *(f"{of[each]:.3f}" for each in ("precision", "found", "renamed", "namesakes")),
                ]
                for name, of in zip(("titles", "recipes"), found.values(), strict=True)
            ],
        ),
        f"""Precision {targets_met[0]}; renamed dishes found {targets_met[1]}. Titles take
        {spent["titles"]:,.0f} s, what is cooked {spent["recipes"]:,.0f} s more, {targets_met[2]} times as long; its
        largest job has {peak:,.0f} MiB ({targets_met[3]}).""",
        targets=targets_met,
    )
    assert all(of["pairs"] for of in found.values())


def made(language: int, rows: int) -> Ints:
    """For each row the concepts of its title and of its contents."""
    _, concepts = corpora.draws(language, rows, company=COMPANY)
    return np.array([corpora.crossing(language, concept, CROSSED) for concept in concepts.tolist()])


def judged(path: Path, truth: dict[str, Ints]) -> dict[str, float]:
    """How many pairs there are, the share that is right, of one title alone, and the share of dishes found."""
    pairs = pl.read_parquet(path, columns=["source_id", "target_id"])
    (left, zh), (right, en) = (
        (pairs[column].str.strip_prefix(prefix).cast(pl.Int64).to_numpy(), rows)
        for column, (prefix, rows) in zip(("source_id", "target_id"), truth.items(), strict=True)
    )
    good = zh[left, 1] == en[right, 1]
    named = (zh[left, 0] == en[right, 0]) & ~good
    wanted = np.isin(zh[:, 1], en[:, 1])
    both = set(map(tuple, en.tolist()))
    renamed = wanted & np.array([tuple(row) not in both for row in zh.tolist()])
    have = np.zeros(len(zh), bool)
    have[left[good]] = True
    return {
        "pairs": float(len(good)),
        "precision": float(good.mean()) if len(good) else 0.0,
        "namesakes": float(named.mean()) if len(named) else 0.0,
        "found": float(have[wanted].mean()),
        "renamed": float(have[renamed].mean()) if renamed.any() else 0.0,
    }
