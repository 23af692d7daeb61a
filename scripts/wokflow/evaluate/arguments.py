"""What the config gives the steps of stage evaluate, where it depends on the run or on other stages."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, model_arguments
from wokflow.frame.languages import target_lang
from wokflow.frame.runs import Run

Config = Mapping[str, Any]


def measures(config: Config, run: Run) -> list[str]:
    """The steps that measure a run: metrics, and those for which the config names a model or a program.

    BERTScore and Smatch have models of Chinese and English alone.
    """
    evaluate = config["evaluate"]
    steps = ["metrics"]
    known = target_lang(run.direction) in ("zh", "en")
    if known and any(evaluate["bertscore"][lang]["model"] for lang in ("zh", "en")):
        steps.append("bertscore")
    if known and any(evaluate["smatch"]["parsers"].values()):
        steps.append("smatch")
    return steps + [name for name in ("comet", "bleurt") if evaluate[name]["command"]]


def evaluate_outputs(run: Run) -> Arguments:
    """A model that is made from scratch shows that everything works: its run is a smoke test."""
    return Arguments({"data": run.direction, "lang": run.target_language, "smoke_test": run.small})


def evaluate_metrics(config: Config, run: Run) -> Arguments:
    return Arguments(
        settings={"data": run.direction}, resources={"spbleu": config["evaluate"]["metrics"]["spbleu"]}
    )


def evaluate_bertscore(config: Config, run: Run) -> Arguments:
    """With the model of the language that the run writes."""
    block = config["evaluate"]["bertscore"]
    of_lang = block[target_lang(run.direction)]
    settings, resources = model_arguments(model=of_lang["model"])
    settings |= {"data": run.direction, "revision": of_lang["revision"], "layers": of_lang["layers"]}
    return Arguments(settings, resources, {"batch": block["batch"], "device": block["device"]})


def evaluate_smatch(config: Config, run: Run) -> Arguments:
    """With the parser of the language that the run writes."""
    block = config["evaluate"]["smatch"]
    command = block["parsers"][target_lang(run.direction)]
    settings = {"data": run.direction, "command": command, "solver": block["solver"]}
    return Arguments(settings, options={"seconds": block["seconds"]})


def evaluate_program(config: Config, run: Run, metric: str) -> Arguments:
    """Of a metric that a program measures: comet or bleurt."""
    block = config["evaluate"][metric]
    settings = {"data": run.direction, "command": block["command"]}
    return Arguments(settings, options={"seconds": block["seconds"]})


def evaluate_counterfactual(config: Config) -> Arguments:
    """Texts are read as parse.actions reads recipes: with its settings, and with its parser where it has one."""
    block, parse = config["evaluate"]["counterfactual"], config["parse"]
    bertscore = dict(block["bertscore"])
    settings, resources = model_arguments(bertscore_model=bertscore.pop("model"), parser=_own_parser(config))
    settings |= {
        "tau": block["tau"],
        "definition": block["definition"],
        "bootstrap": block["bootstrap"],
        "bertscore": bertscore,
        "actions": {name: parse["actions"][name] for name in ("method", "style")},
        "dependencies": _dependencies(config),
    }
    resources |= {
        "glossary": parse["glossary"]["path"],
        "more_predictions": block["predictions"],
        "vectors": block["vectors"] or None,
    }
    return Arguments(settings, resources)


def _own_parser(config: Config) -> str | None:
    """The user's parser; None where texts are read by rules, or by the parser that the workflow trains."""
    parse = config["parse"]
    if parse["actions"]["method"] == "rules" or parse["dependencies"]["backend"] == "trained":
        return None
    return str(parse["dependencies"]["model"])


def _dependencies(config: Config) -> dict[str, Any]:
    """Settings of the parser; none where texts are read by rules. The workflow's own parser runs on the CPU."""
    parse = config["parse"]
    if parse["actions"]["method"] == "rules":
        return {}
    block = parse["dependencies"]
    device = "cpu" if block["backend"] == "trained" else block["device"]
    return {"backend": block["backend"], "batch": block["batch"], "device": device}


def evaluate_csi_match(config: Mapping[str, Any], pair: str) -> Arguments:
    """Of a source of sentences in these languages."""
    block = config["evaluate"]["csi_match"]
    return Arguments(
        settings={"pair": pair, "bootstrap": block["bootstrap"]},
        resources={"given": block["predictions"], "regions": block["regions"]},
    )
