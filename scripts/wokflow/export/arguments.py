"""What the config gives the steps of stage export."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from wokflow.export.subsets import Available, Subset
from wokflow.frame.arguments import Arguments, block_arguments
from wokflow.frame.runs import Run


def available(
    config: Mapping[str, Any],
    *,
    directions: Mapping[str, tuple[str, str]],
    langs: Mapping[str, str],
    parsed: Iterable[str],
    linked: Mapping[str, str],
    item_languages: Iterable[str],
    runs: Iterable[Run],
) -> Available:
    """What this config can release; `linked` are the sources of sentences whose items are known."""
    dish_corpus = config["pivot"]["dishes"]["corpus"]
    predicted: dict[str, None] = {dish_corpus: None}  # the baselines'
    for run in runs:
        for data in (run.data, (run.lender or run).data):
            predicted |= dict.fromkeys(directions.get(data, (data if data in linked else dish_corpus,)))
    return Available(
        directions=directions,
        langs=langs,
        parsed=list(parsed),
        dish_corpus=dish_corpus,
        sentences=linked,
        item_languages=list(item_languages),
        gold=[direction for direction, path in config["train"]["gold"].items() if path],
        silver=list(directions) if config["match"]["silver"]["accepted"] else [],
        predicted=list(predicted),
        given=[form for form in ("pivots", "orders") if config["pivot"][form]["given"]],
    )


def export_dataset(config: Mapping[str, Any], subset: Subset) -> Arguments:
    """How a subset is written, and the gold set that it is made of."""
    release = config["export"]["release"]
    gold = config["train"]["gold"]["-".join(subset.languages)] if subset.form == "gold" else None
    return Arguments(
        settings={
            "described": asdict(subset),
            "licences": _licences(config, subset.sources),
            "simplified": config["ingest"]["recipes"]["simplified"],
            "mode": release["mode"],
            "jsonl": release["jsonl"],
            **({} if gold else {"gold": None}),
        },
        resources={"registry": config["export"]["release"]["registry"], **({"gold": gold} if gold else {})},
    )


def export_gates(
    config: Mapping[str, Any], schema: Mapping[str, Any], subsets: Mapping[str, Subset]
) -> Arguments:
    """What a release says of itself, and by which settings its corpora were read."""
    release = {
        name: value
        for name, value in config["export"]["release"].items()
        if name not in ("accept", "datasets", "registry")
    }
    names = dict.fromkeys(source for subset in subsets.values() for source in subset.sources)
    texts = dict.fromkeys(corpus for subset in subsets.values() for corpus in subset.texts)
    return Arguments(
        settings={
            **release,
            "subsets": [asdict(subset) for subset in subsets.values()],
            "licences": _licences(config, names),
            "ingest": {corpus: _ingest(config, schema, corpus) for corpus in texts},
        },
        resources={"registry": config["export"]["release"]["registry"]},
    )


def export_release(config: Mapping[str, Any]) -> Arguments:
    """The gates whose findings do not stop the release."""
    return Arguments({"accept": config["export"]["release"]["accept"]})


def _ingest(config: Mapping[str, Any], schema: Mapping[str, Any], corpus: str) -> dict[str, Any]:
    """The step that reads a corpus, and its settings."""
    from wokflow.ingest.arguments import sentence_arguments

    if "kind" in config["sources"][corpus]:
        return {"step": "sentences", "settings": sentence_arguments(config, schema, corpus).settings}
    return {"step": "recipes", "settings": block_arguments(config, schema, "ingest.recipes").settings}


def _licences(config: Mapping[str, Any], sources: Iterable[str]) -> dict[str, Any]:
    given = config["export"]["licences"]
    return {name: given[name] for name in sources if name in given}
