"""Arguments of the parse steps for which one config key decides whether another counts."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, model_arguments


def parse_dependencies(config: Mapping[str, Any]) -> Arguments:
    """The arguments of `wokflow.parse.dependencies.parse_dependencies`, from the whole config.

    Backend trained runs the parser that the workflow trains, on the CPU. That parser is an input of the rule, so
    neither `model` nor `device` is passed. Other models count by content if they are local, and by name if not.
    """
    parse = config["parse"]
    block = parse["dependencies"]
    settings = {"backend": block["backend"], "batch": block["batch"]}
    resources = {"glossary": parse["glossary"]["path"]}
    if block["backend"] != "trained":
        named, local = model_arguments(model=block["model"])
        settings |= {"device": block["device"]} | named
        resources |= local
    return Arguments(settings, resources)
