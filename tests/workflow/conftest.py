"""A small house, built once, that tests copy, edit and run again."""

import fcntl
import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT, copy_house, rules_run, snakemake

EVERY = {
    "ingest_source",
    "ingest_recipes",
    "match_eligible",
    "match_titles",
    "match_translate",
    "match_texts",
    "match_embed",
    "match_vectors",
    "match_search",
    "match_pair",
    "match_split",
    "match_statistics",
    "parse_clauses",
    "parse_parser",
    "parse_dependencies",
    "parse_actions",
    "parse_proto",
    "parse_vectors",
    "pivot_dishes",
    "pivot_candidates",
    "pivot_questions",
    "pivot_pivots",
    "pivot_orders",
    "pivot_instances",
    "train_pairs",
    "train_recipes",
    "train_model",
    "generate_baselines",
    "generate_instances",
    "generate_rewrites",
    "generate_decode",
    "generate_predictions",
    "generate_retrieval",
    "evaluate_counterfactual",
    "evaluate_metrics",
    "evaluate_summary",
    "evaluate_correlations",
    "evaluate_literal",
    "export_pairs",
    "report_page",
}
WRITES = {  # folder of results -> the rule that writes there
    "ingest/source": "ingest_source",
    "ingest/recipes": "ingest_recipes",
    "ingest/rejects": "ingest_recipes",
    "match/eligible": "match_eligible",
    "match/rejects": "match_eligible",
    "match/titles": "match_titles",
    "match/translate": "match_translate",
    "match/texts": "match_texts",
    "match/translations": "match_texts",
    "match/embed": "match_embed",
    "match/vectors": "match_vectors",
    "match/search": "match_search",
    "match/neighbours": "match_pair",
    "match/accepted": "match_pair",
    "match/audit": "match_pair",
    "match/pairs": "match_split",
    "match/split": "match_split",
    "match/statistics": "match_statistics",
    "parse/clauses": "parse_clauses",
    "parse/parser": "parse_parser",
    "parse/dependencies": "parse_dependencies",
    "parse/actions": "parse_actions",
    "parse/rejects": "parse_actions",
    "parse/proto": "parse_proto",
    "parse/vectors": "parse_vectors",
    "parse/vectors.sha256": "parse_vectors",
    "pivot/dishes": "pivot_dishes",
    "pivot/candidates": "pivot_candidates",
    "pivot/questions": "pivot_questions",
    "pivot/pivots": "pivot_pivots",
    "pivot/effects": "pivot_orders",
    "pivot/orders": "pivot_orders",
    "pivot/instances": "pivot_instances",
    "pivot/corpus": "pivot_instances",
    "train/examples/counterfactual": "train_recipes",
    "train/examples/counterfactual.sha256": "train_recipes",
    "train/examples": "train_pairs",
    "train/model": "train_model",
    "generate/predictions/copy": "generate_baselines",
    "generate/predictions/substitute": "generate_baselines",
    "generate/predictions/retrieve": "generate_baselines",
    "generate/predictions/near": "generate_retrieval",
    "generate/predictions": "generate_predictions",
    "generate/instances/counterfactual": "generate_rewrites",
    "generate/instances/counterfactual.sha256": "generate_rewrites",
    "generate/instances": "generate_instances",
    "generate/decode": "generate_decode",
    "evaluate/scores/part-00000.parquet": "evaluate_counterfactual",
    "evaluate/scores": "evaluate_summary",
    "evaluate/parts": "evaluate_metrics",
    "evaluate/comparisons": "evaluate_summary",
    "evaluate/summary": "evaluate_summary",
    "evaluate/correlations": "evaluate_correlations",
    "evaluate/literal": "evaluate_literal",
    "export/pairs": "export_pairs",
    "report/page": "report_page",
}
ENGLISH = [
    ("Mapo Tofu", ["1 lb. tofu", "2 Tbsp. chili bean paste"], ["Cut the tofu.", "Simmer in the sauce."]),
    ("Kung Pao Chicken", ["2 chicken breasts", "peanuts"], ["Stir-fry the chicken.", "Add the peanuts."]),
    ("Banana Bread ❤️", ["3 bananas", "2 c. flour"], ["Mash the bananas.", "Bake at 350°."]),
    ("BANANA BREAD", ["2 bananas", "1 c. sugar"], ["Mix.", "Bake for 1 hour."]),
    ("Egg Fried  Rice", ["2 eggs", "3 c. rice"], ["Scramble the eggs.", "Add the rice ★ and fry."]),
    ("Apple Pie", ["6 apples", "1 crust", ""], ["Slice.", "Fill the crust.", "Bake."]),
    ("🎂", ["1 cake mix"], ["Bake."]),
    ("Apple Pie", ["6 apples", "1 crust", ""], ["Slice.", "Fill the crust.", "Bake."]),
    ("Long Stew", ["beef"], ["Stir slowly and taste the broth again. " * 40]),
]
CHINESE = [
    ("麻婆豆腐", "麻婆豆腐", ["豆腐一块", "豆瓣酱两勺"], ["豆腐切块", "下锅烧五分钟"]),
    ("家常麻婆豆腐🔥", "麻婆豆腐", ["嫩豆腐一盒", "肉末少许"], ["炒肉末", "放豆腐"]),
    ("宫保鸡丁", "宫保鸡丁", ["鸡胸肉一块", "花生米一把"], ["鸡肉切丁炒散", "下花生米"]),
    ("香蕉面包", "Unknown", ["香蕉三根", "面粉200克"], ["香蕉压泥", "拌匀入烤箱"]),
    ("蛋炒飯", "蛋炒饭", ["雞蛋两个", "米饭一碗"], ["打散炒熟", "倒入米饭炒匀★"]),
    ("蛋炒饭", "蛋炒饭", ["鸡蛋一个", "剩饭一碗"], ["炒蛋", "炒饭"]),
    ("苹果派", "苹果派", ["苹果三个", "派皮一张"], ["苹果切片", "烤半小时"]),
    ("空空如也", "Unknown", [], ["没有"]),
]

CONFIG = """\
results: results
sources:
  recipenlg: {path: data/en.csv}
  xiachufang: {path: data/zh.json}
ingest:
  recipes: {parts: 2}
match:
  search: {backend: faiss}
parse:
  parser: {treebanks: [data/trees.conllu], max_sentences: 30, epochs: 1, width: 16, depth: 1}
  actions: {method: both}
  vectors: {dimensions: 8, epochs: 1, least_count: 1}
pivot:
  pairs: {path: data/pairs.tsv}
runs: data/runs.tsv
train:
  model: {batch: 4, epochs: 1, max_tokens: 64, small: {width: 16, layers: 1, heads: 2, vocabulary: 300}}
generate:
  decode: {beams: 1, max_tokens: 16}
"""
RUNS = """\
name\tstage\tfamily\tmodel\tdata\tprompt\tsettings\tseed
tiny\ttrain\tseq2seq\tsmall\tzh-en\t\t\t13
near\tnone\tretrieval\t\tzh-en\t\t\t
dish\ttrain\tcausal\tsmall\tcounterfactual\tdish\t\t13
"""
PAIRS = """\
base_dish\ttarget_dish\tingredient_removed\tingredient_added\tbase_english\ttarget_english
麻婆豆腐\t蛋炒饭\t豆腐\t饭\tMapo Tofu\tEgg Fried Rice
"""


def write_corpora(folder: Path) -> None:
    """Two tiny corpora in their own formats, dirt included."""
    import csv

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "en.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", "title", "ingredients", "directions", "link", "source", "NER"])
        for number, (title, ingredients, steps) in enumerate(ENGLISH):
            writer.writerow(
                [number, title, json.dumps(ingredients), json.dumps(steps), "example.org", "Gathered", "[]"]
            )
    with (folder / "zh.json").open("w", encoding="utf-8") as file:
        for title, dish, ingredients, steps in CHINESE:
            row = {"name": title, "dish": dish, "recipeIngredient": ingredients, "recipeInstructions": steps}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def new_house(to: Path) -> Path:
    """A house with tiny corpora and a tiny lexicon, ready to run."""
    house = copy_house(to)
    shutil.rmtree(house / "resources" / "demo")
    write_corpora(house / "data")
    (house / "config" / "config.yaml").write_text(CONFIG, encoding="utf-8")
    (house / "data" / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (house / "data" / "runs.tsv").write_text(RUNS, encoding="utf-8")
    shutil.copy(house / "resources" / "treebank" / "recipes_a.conllu", house / "data" / "trees.conllu")
    lexicon = house / "resources" / "lexicon"
    shutil.rmtree(lexicon)
    lexicon.mkdir()
    words = ["麻婆豆腐\tMapo Tofu\tdish", "宫保鸡丁\tKung Pao Chicken\tdish", "香蕉面包\tBanana Bread\tdish"]
    words += ["蛋炒饭\tEgg Fried Rice\tdish", "苹果派\tApple Pie\tdish", "家常\t\tdecoration"]
    (lexicon / "words.tsv").write_text("\n".join(["zh\ten\tkind", *words]) + "\n", encoding="utf-8")
    return house


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house whose results are all there; the first worker that needs it builds it for all."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    house = shared / "built"
    with (shared / "built.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not house.exists():
            new = new_house(tmp_path_factory.mktemp("built") / "house")
            assert rules_run(snakemake(new, cores=2).stdout) == EVERY
            new.rename(house)
    return house


def digests(house: Path, results: str = "results") -> dict[str, str]:
    """SHA-256 of each file of results, logs and run times aside."""
    folder = house / results
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in ("logs", "benchmarks")
    }


def writer(path: str) -> str:
    """The rule that wrote a file of results: that of the longest folder above it that is known."""
    parts = path.split("/")
    return next(WRITES[folder] for end in (3, 2) if (folder := "/".join(parts[:end])) in WRITES)


__all__ = ["CHINESE", "ENGLISH", "EVERY", "ROOT", "built", "digests", "new_house", "writer"]
