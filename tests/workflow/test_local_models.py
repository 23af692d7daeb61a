"""A model in a local folder counts by its content, for every step that takes one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.workflow.changes import Settings
from tests.workflow.planner import Planned, Planner

# The config key -> what else must be set for it to count, and the rules whose keys hold it.
MODELS: dict[str, tuple[dict[str, object], set[str]]] = {
    "match.eligible.tokenizer": ({}, {"match_eligible"}),
    "match.translate.model": ({"match.translate.backend": "hub"}, {"match_translate"}),
    "match.embed.model": ({}, {"match_embed"}),
    "parse.dependencies.model": (
        {"parse.dependencies.backend": "spacy"},
        {"parse_dependencies", "evaluate_counterfactual"},
    ),
    "evaluate.bertscore.en.model": ({}, {"evaluate_bertscore"}),
    "evaluate.counterfactual.bertscore.model": ({}, {"evaluate_counterfactual"}),
    "runs": ({}, {"train_model"}),  # the first run begins with the model
}
RUN = "tiny\ttrain\tseq2seq\t{model}\tzh-en\t\t\t13\n"
HEADER = "name\tstage\tfamily\tmodel\tdata\tprompt\tsettings\tseed\n"


def model_folder(folder: Path, weights: str) -> str:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "marian"}), encoding="utf-8")
    (folder / "model.safetensors").write_text(weights, encoding="utf-8")
    return str(folder)


@pytest.fixture
def plan(planner: Planner, tmp_path: Path) -> Callable[[str, str], Planned]:
    """The dry run of the built house in which one config key names a model's folder."""

    def run(key: str, model: str) -> Planned:
        value = model
        if key == "runs":
            value = f"{model}.tsv"
            Path(value).write_text(HEADER + RUN.format(model=model), encoding="utf-8")
        overlay = tmp_path / f"{Path(model).name}.yaml"
        overlay.write_text(yaml.safe_dump(Settings(MODELS[key][0] | {key: value}).overlay), encoding="utf-8")
        return planner.plan("--configfile", str(overlay))

    return run


@pytest.mark.parametrize("key", MODELS)
def test_a_model_counts_by_what_its_folder_holds(
    key: str, plan: Callable[[str, str], Planned], tmp_path: Path
) -> None:
    first, moved, retrained = (
        plan(key, model_folder(tmp_path / name, weights))
        for name, weights in (("first", "1"), ("moved", "1"), ("retrained", "2"))
    )
    assert moved.rules_with_other_keys(first) == set()
    assert retrained.rules_with_other_keys(first) == MODELS[key][1]
