"""What the rule of the report gives its step."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wokflow.frame import stages
from wokflow.frame.intervals import LEVEL
from wokflow.frame.paper_settings import paper_of
from wokflow.frame.runs import DIALOGUES, Run
from wokflow.judge.arguments import OF_DIALOGUES, OF_RECIPES, AskedModel
from wokflow.pivot.order_limits import limits
from wokflow.pivot.settings import OrdersSettings
from wokflow.report.paper_files import EXHIBITS
from wokflow.report.paper_plan import Tables, demo_pairs, other_settings, stand_ins
from wokflow.report.settings import OrderLimits

TEMPLATES = Path(__file__).parent / "templates"


def page_given(
    config: Mapping[str, Any],
    item_pairs: Mapping[str, str],
    named: Tables,
) -> dict[str, Any]:
    """What the rule gives report.page: sections of the stages, limits and names that other stages decide, prompts."""
    orders = asdict(limits(OrdersSettings.of_config(config)))
    by_name, asked = sorted(named.runs.values(), key=lambda run: run.name), named.asked
    paper = paper_of(config)
    return {
        "orders": {name: orders[name] for name in OrderLimits.model_fields},
        "level": LEVEL,
        "item_pairs": list(item_pairs.items()),
        "studies": [(name, study.data) for name, study in named.studies.items()],
        "prompts": list(dict.fromkeys(run.prompt_file for run in by_name if run.prompt_file)),
        "ruled": ruled(by_name, asked.values()),
        "paper": config["paper"] if paper else "",
        "papers": str(EXHIBITS.parent),
        "other_settings": [*other_settings(paper, config)] if paper else [],
        "stand_ins": stand_ins(config, named),
        "demo_pairs": demo_pairs(config),
        "sections": stages.sections(),
        "reasons": [*stages.reasons().items()],
        "rejected": [*stages.rejected().items()],
        "templates": str(TEMPLATES),
        "benchmarks": f"{config['results']}/benchmarks",
    }


def ruled(runs: Iterable[Run], asked: Iterable[AskedModel]) -> dict[str, list[str]]:
    """Runs and models whose answers rules made, by the section of the page that says so.

    A row without a model calls its model rules or rules:<more>.
    """

    def by_rules(row: Run | AskedModel) -> bool:
        return row.model.partition(":")[0] == "rules"

    own, models = list(filter(by_rules, runs)), list(filter(by_rules, asked))
    return {
        "generate": [run.name for run in own],
        "judge": [each.name for each in models if each.role in OF_RECIPES],
        "pta": [
            *(run.name for run in own if run.pair),
            *(each.name for each in models if each.role == "comparer"),
        ],
        "spoken": [
            *(run.name for run in own if run.data == DIALOGUES),
            *(each.name for each in models if each.role in OF_DIALOGUES),
        ],
    }
