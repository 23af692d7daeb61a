"""A small house, built once, that tests copy, edit and run again."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, copy_house, rules_run, snakemake
from tests.enrich.facts import entity
from tests.workflow.changes import add_alternatives
from tests.workflow.planner import Planner

# Rules that a small house does not run: nothing asks for them unless a setting does.
OPTIONAL = {
    "ingest_download",
    "ingest_pages",
    "ingest_dialogues",
    "ingest_annotations",
    "match_contents",
    "match_compare",
    "match_rerank",
    "match_candidates",
    "match_silver",
    "enrich_pages",
    "enrich_link_quality",
    "generate_items",
    "generate_dialogues",
    "generate_adaptations",
    "parse_induce",
    "generate_prompt",
    "generate_server",
    "lexicon_vectors",
    "lexicon_align",
    "lexicon_neighbours",
    "lexicon_precision",
    "generate_delorean",
    "generate_educat",
    "generate_mined",
    "pivot_mined",
    "judge_instructions",
    "judge_prompt",
    "judge_server",
    "judge_pta",
    "judge_dialogues",
    "judge_edits",
    "judge_edit_tasks",
    "judge_tasks",
    "judge_ratings",
    "evaluate_pta",
    "evaluate_dialogues",
    "evaluate_adaptations",
    "annotate_tasks",
    "annotate_sheets",
    "annotate_ratings",
    "annotate_written",
    "annotate_marked",
    "evaluate_ratings",
    "evaluate_people",
    "evaluate_best_worst",
    "evaluate_marks",
    "evaluate_biases",
    "evaluate_words",
    "evaluate_bertscore",
    "evaluate_comet",
    "evaluate_bleurt",
    "evaluate_smatch",
}
STEPS = {
    rule
    for path in (ROOT / "rules").glob("*.smk")
    for rule in re.findall(r"^(?:rule|checkpoint) (\w+_\w+):", path.read_text(encoding="utf-8"), re.M)
}
EVERY = STEPS - OPTIONAL
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
  lines: {kind: moses, pair: en-zh, path: data/lines}
ingest:
  recipes: {parts: 2}
  sentences: {parts: 1}
enrich:
  entities: {path: data/entities.jsonl}
match:
  search: {backend: faiss}
parse:
  parser: {treebanks: [data/trees.conllu], max_sentences: 30, epochs: 1, width: 16, depth: 1}
  actions: {method: parser}
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
LINES = [
    ("Mapo tofu is a dish of Sichuan.", "麻婆豆腐是一道川菜。"),
    ("They eat hot pot in winter, and mooncakes in autumn.", "他们冬天吃火锅，秋天吃月饼。"),
    ("Nobody ate anything.", "谁也没吃东西。"),
    ("", "空"),
]
ITEMS = [
    ("Q90000001", "mapo tofu", "麻婆豆腐"),
    ("Q90000002", "hot pot", "火锅"),
    ("Q90000003", "mooncake", "月饼"),
]
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


def write_sentences(folder: Path) -> None:
    """Pairs of sentences as Moses has them, and a table of entities as Wikidata has it."""
    for side, lang in enumerate(("en", "zh")):
        text = "".join(f"{pair[side]}\n" for pair in LINES)
        (folder / f"lines.{lang}").write_text(text, encoding="utf-8")
    china = entity("Q148", {"en": "China", "zh": "中国"})
    items = [
        entity(qid, {"en": en, "zh": zh}, origins=["Q148"]) | {"topics": ["Culture.Food and drink"]}
        for qid, en, zh in ITEMS
    ]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (*items, china))
    (folder / "entities.jsonl").write_text(lines, encoding="utf-8")


def new_house(to: Path) -> Path:
    """A house with tiny corpora and a tiny lexicon, ready to run."""
    house = copy_house(to)
    shutil.rmtree(house / "resources" / "demo")
    write_corpora(house / "data")
    write_sentences(house / "data")
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
    """A house whose results are all there, with files for edits; the first worker that needs it builds it for all.

    Tests must leave it as it is: those that change a file take a copy (`copy_of`). The tiers of a night share it
    ($WOKFLOW_BUILT).
    """
    own = tmp_path_factory.getbasetemp()
    shared = Path(os.environ.get("WOKFLOW_BUILT", own.parent if "PYTEST_XDIST_WORKER" in os.environ else own))
    house = shared / "built"
    with (shared / "built.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not house.exists():
            new = new_house(tmp_path_factory.mktemp("built") / "house")
            assert rules_run(snakemake(new, cores=2).stdout) == EVERY
            add_alternatives(new)
            new.rename(house)
    return house


def copy_of(house: Path, to: Path) -> Path:
    """A copy of a house, as quick as the file system makes it, with the times of its files."""
    subprocess.run(["cp", "-a", "--reflink=auto", house, to], check=True)
    return to


@pytest.fixture(scope="session")
def planner(built: Path) -> Iterator[Planner]:
    """Dry runs of the built house."""
    with Planner(built) as planner:
        yield planner


@pytest.fixture(scope="session")
def writer(planner: Planner) -> Callable[[str], str]:
    """A function that gives the rule that wrote a file of results, by its path below results/."""
    outputs = {path.removeprefix("results/"): rule for path, rule in planner.unedited.outputs.items()}
    outputs["match/pairs/README.md"] = "match_split"  # a card, which is no output of the rule

    def rule(path: str) -> str:
        candidates = [path, *(str(parent) for parent in Path(path).parents)]
        found = next((outputs[each] for each in candidates if each in outputs), None)
        if found is None and path.endswith(
            (".key", ".inputs")
        ):  # of an output beside it, or in a table beside it
            folder, name = Path(path).parent, Path(path).stem[1:]
            cuts = [index for index, letter in enumerate(name) if letter == "."]
            named = [folder / name, *(folder / name[:cut] / name[cut + 1 :] for cut in cuts)]
            found = next((outputs[str(each)] for each in named if str(each) in outputs), None)
        assert found, f"no rule of the built house writes {path}"
        return found

    return rule


def digests(house: Path, results: str = "results") -> dict[str, str]:
    """SHA-256 of each file of results, logs and run times aside."""
    folder = house / results
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in ("logs", "benchmarks")
    }
