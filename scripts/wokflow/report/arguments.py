"""What the rule of the report gives its step."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wokflow.frame import stages
from wokflow.frame.intervals import LEVEL
from wokflow.frame.runs import DIALOGUES, Run
from wokflow.judge.arguments import OF_DIALOGUES, AskedModel
from wokflow.pivot.limits import limits
from wokflow.pivot.settings import OrdersSettings
from wokflow.report.settings import OrderLimits

OF_RECIPES = ("generator", "evaluator")
TEMPLATES = Path(__file__).parent / "templates"


def page_given(
    config: Mapping[str, Any],
    item_pairs: Mapping[str, str],
    runs: Iterable[Run],
    asked: Mapping[str, AskedModel],
) -> dict[str, Any]:
    """What the rule gives report.page: sections of the stages, limits and names that other stages decide, prompts,
    models.
    """
    orders = asdict(limits(OrdersSettings.of_config(config)))
    by_name = sorted(runs, key=lambda run: run.name)
    return {
        "orders": {name: orders[name] for name in OrderLimits.model_fields},
        "level": LEVEL,
        "item_pairs": list(item_pairs.items()),
        "prompts": list(dict.fromkeys(run.prompt_file for run in by_name if run.prompt_file)),
        "judges": [(each.name, each.model) for each in asked.values() if each.role in OF_RECIPES],
        "choosing": [
            *((run.name, run.model) for run in by_name if run.pair),
            *((each.name, each.model) for each in asked.values() if each.role == "comparer"),
        ],
        "predicting": [(run.name, run.model) for run in by_name],
        "speaking": [
            *((run.name, run.model) for run in by_name if run.data == DIALOGUES),
            *((each.name, each.model) for each in asked.values() if each.role in OF_DIALOGUES),
        ],
        "sections": stages.sections(),
        "templates": str(TEMPLATES),
        "benchmarks": f"{config['results']}/benchmarks",
    }
