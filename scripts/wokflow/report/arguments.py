"""What the config gives the report."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wokflow.evaluate.intervals import LEVEL
from wokflow.frame.arguments import Arguments
from wokflow.frame.runs import Run
from wokflow.pivot.limits import limits
from wokflow.pivot.settings import OrdersSettings

TEMPLATES = Path(__file__).parent / "templates"


def report_page(config: Mapping[str, Any], item_pairs: Mapping[str, str], runs: Iterable[Run]) -> Arguments:
    """The page's own settings, those of other stages that it shows, its templates, and the prompts of runs."""
    by_name = sorted(runs, key=lambda run: run.name)
    parse, pivot = config["parse"], config["pivot"]
    orders = limits(OrdersSettings.of_config(config))
    return Arguments(
        settings={
            "examples": config["report"]["page"]["examples"],
            "threshold": config["match"]["pair"]["threshold"],
            "annotators": pivot["pivots"]["annotators"],
            "orders": {name: getattr(orders, name) for name in ("estimate", "effect", "correct", "units")},
            "counterfactual_level": LEVEL,
            "adaptation_level": LEVEL,
            "item_pairs": list(item_pairs.items()),
        },
        resources={
            "glossary": parse["glossary"]["path"],
            "dish_pairs": pivot["pairs"]["path"],
            "prompts": list(dict.fromkeys(run.prompt_file for run in by_name if run.prompt_file)),
            "templates": str(TEMPLATES),
        },
        options={"benchmarks": f"{config['results']}/benchmarks"},
    )
