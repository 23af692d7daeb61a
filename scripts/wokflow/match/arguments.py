"""Overrides of config blocks, settings and GPUs for jobs of stage match, by language or direction."""

from collections.abc import Mapping
from typing import Any

from wokflow.match.bundled import BUNDLED

PIVOT_LANG = "en"  # titles are compared in this language


def translate_overrides(config: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """Overrides of match.translate for titles of a language: those in PIVOT_LANG are not translated."""
    return {"backend": translate_backend(config, lang)}


def translate_backend(config: Mapping[str, Any], lang: str) -> str:
    """The backend that translates titles of a language."""
    return "none" if lang == PIVOT_LANG else str(config["match"]["translate"]["backend"])


def translate_gpus(config: Mapping[str, Any], lang: str) -> int:
    """GPUs of a job of match_translate: one if it loads a model, unless the config puts that on the CPU."""
    return int(translate_backend(config, lang) == "hub" and config["match"]["translate"]["device"] != "cpu")


def embed_gpus(config: Mapping[str, Any]) -> int:
    """GPUs of a job of match_embed; the encoder that comes with the installation needs none."""
    block = config["match"]["embed"]
    return int(block["device"] == "cuda" or (block["device"] == "auto" and block["model"] != BUNDLED))


def pair_given(config: Mapping[str, Any], direction: str) -> dict[str, bool]:
    """Settings of match.pair that depend on the direction: which side's titles are translated."""
    source, target = (translate_backend(config, lang) != "none" for lang in direction.split("-"))
    return {"source_translated": source, "target_translated": target}


def search_overrides(config: Mapping[str, Any]) -> dict[str, int]:
    """Overrides of match.search: where recipes are compared, as many neighbours as match.compare takes, at least."""
    block = config["match"]
    compared = block["compare"]["titles"] if block["rerank"]["by"] == "recipes" else 0
    return {"k": max(block["search"]["k"], compared)}
