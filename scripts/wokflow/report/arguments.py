"""What the config gives the report."""

from collections.abc import Mapping
from typing import Any

from wokflow.frame.arguments import Arguments


def report_page(config: Mapping[str, Any]) -> Arguments:
    """The page's own settings, and those of other stages that it shows."""
    parse, pivot, evaluate = config["parse"], config["pivot"], config["evaluate"]
    return Arguments(
        settings={
            "examples": config["report"]["page"]["examples"],
            "threshold": config["match"]["pair"]["threshold"],
            "method": parse["actions"]["method"],
            "annotators": pivot["pivots"]["annotators"],
            "orders": {name: value for name, value in pivot["orders"].items() if name != "given"},
            "counterfactual_level": evaluate["counterfactual"]["bootstrap"]["level"],
            "adaptation_level": evaluate["summary"]["bootstrap"]["level"],
        },
        resources={
            "glossary": parse["glossary"]["path"],
            "dish_pairs": pivot["pairs"]["path"],
            "answers": pivot["pivots"]["answers"],
        },
        options={"benchmarks": f"{config['results']}/benchmarks"},
    )
