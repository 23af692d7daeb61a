"""What steps of match are given of the config, where that depends on more than their block."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, model_arguments
from wokflow.match.bundled import BUNDLED

PIVOT_LANG = "en"  # titles are compared in this language


def match_translate(config: Mapping[str, Any], lang: str) -> Arguments:
    """What the backend that translates titles of language `lang` reads; titles in PIVOT_LANG stay as they are."""
    block = config["match"]["translate"]
    backend = translate_backend(config, lang)
    if backend == "lexicon":
        return Arguments({"backend": backend}, {"lexicon": block["lexicon"]})
    if backend == "none":
        return Arguments({"backend": backend})
    named, local = model_arguments(model=block["model"])
    hub = {name: block[name] for name in ("revision", "beams", "batch")}
    return Arguments({"backend": backend, **hub, **named}, local, {"device": block["device"]})


def translate_gpus(config: Mapping[str, Any], lang: str) -> int:
    """GPUs of a job of match_translate: one if it loads a model, unless that is to run on the CPU."""
    return int(translate_backend(config, lang) == "hub" and config["match"]["translate"]["device"] != "cpu")


def embed_gpus(config: Mapping[str, Any]) -> int:
    """GPUs of a job of match_embed; the encoder that comes with the installation needs none."""
    block = config["match"]["embed"]
    return int(block["device"] == "cuda" or (block["device"] == "auto" and block["model"] != BUNDLED))


def translate_backend(config: Mapping[str, Any], lang: str) -> str:
    """The backend that translates titles of language `lang`."""
    return "none" if lang == PIVOT_LANG else str(config["match"]["translate"]["backend"])


def match_pair(config: Mapping[str, Any], direction: str) -> Arguments:
    """What match_pair is given: also the number of neighbours, and which side's titles are translated."""
    source, target = (translate_backend(config, lang) != "none" for lang in direction.split("-"))
    return Arguments(
        {
            "k": config["match"]["search"]["k"],
            "threshold": config["match"]["pair"]["threshold"],
            "source_translated": source,
            "target_translated": target,
        }
    )


def match_split(config: Mapping[str, Any]) -> Arguments:
    """What match_split is given: also the gold sets, of which no model may learn."""
    gold = match_statistics(config)
    return Arguments({**config["match"]["split"], **gold.settings}, gold.resources)


def match_statistics(config: Mapping[str, Any]) -> Arguments:
    """What match_statistics is given: the gold sets by content, and whether the corpora are simplified."""
    gold = {f"gold_{data.replace('-', '_')}": path for data, path in config["train"]["gold"].items()}
    return Arguments({"simplified": config["ingest"]["recipes"]["simplified"]}, gold)


def gold_arguments(config: Mapping[str, Any], direction: str) -> Arguments:
    """Arguments of generate_instances: the direction's gold set, which counts by content."""
    simplified = config["ingest"]["recipes"]["simplified"]
    return Arguments({"simplified": simplified}, {"gold": config["train"]["gold"][direction]})
