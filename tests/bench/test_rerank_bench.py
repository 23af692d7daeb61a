"""Pairs by what is cooked where titles mislead, and how long they take beside pairs by titles."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from tests.bench import corpora, measure
from tests.bench.corpora import EN, ZH, Ints
from tests.bench.measure import at_least, at_most
from tests.bench.test_real_size import PEAK_MIB, RECIPES, TIMES, TITLES, seconds, taken
from tests.conftest import copy_house, snakemake

ROWS = {"tiny": (2_000, 1_500), "small": (44_000, 31_000), "full": (2_200_000, 1_550_000)}  # English, Chinese
COMPANY, CROSSED = 0.05, 0.2  # share of titles with a second food; of dishes that are renamed, or namesakes
ROUNDS = 2  # in which pairs of which the model is unsure are graded, and it learns anew
GRADED, IDS = "data/graded.tsv", ("zh_id", "en_id")
PRECISION, RECALL = 0.8, 0.6


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
    found = {
        name: judged(house / path, truth) for name, path in zip(("titles", "recipes"), targets, strict=True)
    }
    steps, _ = taken(house, targets)
    graded = 0
    for number in range(ROUNDS + 1):
        graded += grade(house, truth) if number < ROUNDS else 0
        name, least_by = f"recipes, {graded} graded", "labels"
        if number == ROUNDS:
            name, least_by = f"{name}, least by probabilities", "probabilities"
        config["match"]["rerank"] |= {"graded": GRADED, "least_by": least_by}
        (house / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        snakemake(house, targets[1], "--configfile", "mine.yaml", cores=measure.THREADS, quick=False)
        found[name] = judged(house / targets[1], truth)
    spent = {"titles": seconds(steps, TITLES), "recipes": seconds(steps, RECIPES)}
    peak = max(steps[name].peak for name in RECIPES)
    shipped, taught = (
        (at_least(of["precision"], PRECISION), at_least(of["renamed"], RECALL))
        for of in (found["recipes"], [*found.values()][-1])
    )
    spared = at_most(spent["recipes"] / spent["titles"], TIMES), at_most(peak, PEAK_MIB)
    measure.publish(
        "rerank",
        "Pairs by what is cooked",
        f"""{english:,} English and {chinese:,} Chinese recipes, each with three foods of its dish;
        {CROSSED:.0%} of the dishes are renamed (titles differ, ingredients agree) or namesakes (the reverse). A
        pair is right if its contents are of one dish; namesakes are the share of pairs that only have the dish of
        the title in common. Found is the share of Chinese recipes with a right pair, of those whose dish the other
        side has; renamed is that of those whose dish only has other titles there. Graded: pairs of
        match/rerank/unsure.tsv with the grade that the truth gives them, in {ROUNDS} rounds; the last row sets the
        least probability by match.rerank.least_by: probabilities. Pairs of the truth's neighbours, as of garlic beef
        soup and beef soup, count as wrong here, though cooks would take many of them for variants.
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
                for name, of in found.items()
            ],
        ),
        f"""By the shipped model alone: precision {shipped[0]}; renamed dishes found {shipped[1]}. In the last row:
        precision {taught[0]}; renamed dishes found {taught[1]}. Titles take {spent["titles"]:,.0f} s, what is cooked
        {spent["recipes"]:,.0f} s more: as a multiple {spared[0]}. MiB of the largest job for what is cooked:
        {spared[1]}.""",
        targets=(*shipped, *taught, *spared),
    )
    assert all(of["pairs"] for of in found.values())


def grade(house: Path, truth: dict[str, Ints]) -> int:
    """Grade the pairs of the sheet by the truth, and add them to those graded before; how many there are."""
    with (house / "results/match/rerank/unsure.tsv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    made_of = [
        [
            int(truth[f"{corpus}:"][int(number), 1])
            for corpus, number in (row[name].split(":") for name in IDS)
        ]
        for row in rows
    ]
    graded = house / GRADED
    with graded.open("a", encoding="utf-8") as file:
        if not file.tell():
            file.write("\t".join(rows[0]) + "\n")
        for row, (zh, en) in zip(rows, made_of, strict=True):
            file.write("\t".join((row | {"grade": str(2 * (zh == en))}).values()) + "\n")
    return len(rows)


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
