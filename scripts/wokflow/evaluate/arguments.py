"""What the config gives the steps of stage evaluate, where it depends on the run or on other stages."""

from collections.abc import Mapping
from typing import Any

from wokflow.evaluate.languages import target_lang
from wokflow.frame.arguments import Arguments, model_arguments
from wokflow.frame.runs import Run

Config = Mapping[str, Any]


def measures(config: Config) -> list[str]:
    """The steps that measure each run: metrics, and those for which the config names a model or a program."""
    evaluate = config["evaluate"]
    steps = ["metrics"]
    if any(evaluate["bertscore"][lang]["model"] for lang in ("zh", "en")):
        steps.append("bertscore")
    if any(evaluate["smatch"]["parsers"].values()):
        steps.append("smatch")
    if evaluate["comet"]["command"]:
        steps.append("comet")
    return steps


def evaluate_metrics(run: Run) -> Arguments:
    return Arguments(settings={"data": run.data})


def evaluate_bertscore(config: Config, run: Run) -> Arguments:
    """With the model of the language that the run writes."""
    block = config["evaluate"]["bertscore"]
    of_lang = block[target_lang(run.data)]
    settings, resources = model_arguments(model=of_lang["model"])
    settings |= {"data": run.data, "layers": of_lang["layers"]}
    return Arguments(settings, resources, {"batch": block["batch"], "device": block["device"]})


def evaluate_smatch(config: Config, run: Run) -> Arguments:
    """With the parser of the language that the run writes."""
    block = config["evaluate"]["smatch"]
    command = block["parsers"][target_lang(run.data)]
    settings = {"data": run.data, "command": command, "solver": block["solver"]}
    return Arguments(settings, options={"seconds": block["seconds"]})


def evaluate_comet(config: Config, run: Run) -> Arguments:
    block = config["evaluate"]["comet"]
    settings = {"data": run.data, "command": block["command"]}
    return Arguments(settings, options={"seconds": block["seconds"]})


def evaluate_counterfactual(config: Config) -> Arguments:
    """Texts are read as parse.actions reads recipes: with its settings, and with its parser where it has one."""
    block, parse = config["evaluate"]["counterfactual"], config["parse"]
    bertscore = dict(block["bertscore"])
    settings, resources = model_arguments(bertscore_model=bertscore.pop("model"), parser=_own_parser(config))
    settings |= {
        "tau": block["tau"],
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
    if parse["actions"]["method"] == "rules" or parse["dependencies"]["backend"] == "spacy":
        return None
    return str(parse["dependencies"]["model"])


def _dependencies(config: Config) -> dict[str, Any]:
    """Settings of the parser; none where texts are read by rules. The workflow's own parser runs on the CPU."""
    parse = config["parse"]
    if parse["actions"]["method"] == "rules":
        return {}
    block = parse["dependencies"]
    device = "cpu" if block["backend"] == "spacy" else block["device"]
    return {"backend": block["backend"], "batch": block["batch"], "device": device}
