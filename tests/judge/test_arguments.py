"""The table of models: what is read, refused and given."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.frame.arguments import block_arguments
from wokflow.frame.config import fill
from wokflow.frame.job import UserError
from wokflow.frame.runs import Run
from wokflow.generate.arguments import key_variables, prompt_overrides, with_server
from wokflow.judge.arguments import (
    COLUMNS,
    OF_DIALOGUES,
    OPTIONAL,
    asked_given,
    own_servers,
    pta_given,
    rated_of_dialogues,
    read_models,
)

from tests.conftest import ROOT

SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
URL = "http://127.0.0.1:9/v1"


def config_with(folder: Path, *rows: str, **prompt: Any) -> dict[str, Any]:
    """The defaults, with a table of these rows, whose cells are parted by |."""
    path = folder / "models.tsv"
    lines = [
        "\t".join(name for name in COLUMNS if name not in OPTIONAL),
        *(row.replace("|", "\t") for row in rows),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    config: dict[str, Any] = {"sources": {}, "judge": {"models": str(path)}, "generate": {"prompt": prompt}}
    fill(config, SCHEMA)
    return config


def test_without_a_table_there_are_no_models(tmp_path: Path) -> None:
    config = config_with(tmp_path)
    config["judge"]["models"] = None
    assert read_models(config, SCHEMA, {}) == {}


def test_rows_have_the_papers_repetitions_and_prompts(tmp_path: Path) -> None:
    rows = (
        "# a comment",
        "w|generator|gemma2:2b||||5|",
        "j|evaluator|gpt-4o||prompt.temperature=0; prompt.seed=1|||",
    )
    models = read_models(config_with(tmp_path, *rows, endpoint=URL), SCHEMA, {})
    assert [(one.repetitions, one.seed) for one in models.values()] == [(1, 5), (3, 13)]
    assert [Path(one.prompt).name for one in models.values()] == ["recipe.txt", "rating.txt"]
    assert models["j"].settings == {"prompt": {"temperature": 0, "seed": 1}}


def test_the_papers_models_are_six_that_write_and_nine_that_rate(tmp_path: Path) -> None:
    config = config_with(tmp_path)
    config["judge"]["models"] = str(ROOT / "config" / "ash_models.tsv")
    models = read_models(config, SCHEMA, {})
    assert Counter(one.role for one in models.values()) == {"generator": 6, "evaluator": 9}
    assert key_variables(config, models) == ["GEMINI_API_KEY", "OPENAI_API_KEY"]


ELSEWHERE = "prompt.endpoint=https://elsewhere.example/v1; prompt.price_in=1; prompt.price_out=2"


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("prompt.budget=4", None),
        ("prompt.budget=4.5", "judge.budget is 10, but the budgets of w, j are 10.5 together"),
        ("prompt.price_in=1", "judge.budget is 10, and nothing limits what j may cost"),
    ],
)
def test_rows_that_may_cost_more_together_than_the_budget_of_all_are_refused(
    tmp_path: Path, own: str, message: str | None
) -> None:
    """Nobody pays for requests to this machine."""
    rows = (
        f"w|generator|m||{ELSEWHERE}; prompt.budget=6|||",
        f"j|evaluator|m||{ELSEWHERE}; {own}|||",
        f"here|evaluator|m||prompt.endpoint={URL}|||",
    )
    config = config_with(tmp_path, *rows)
    config["judge"]["budget"] = 10
    if message is None:
        assert read_models(config, SCHEMA, {}).keys() == {"w", "j", "here"}
        return
    with pytest.raises(UserError, match=message):
        read_models(config, SCHEMA, {})


GENERATOR = f"w|generator|m||prompt.endpoint={URL}|||"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a b|evaluator|m|||||", "line 3: 'a b' is not a valid name"),
        (GENERATOR, "line 3: the name w is taken"),
        ("tasks|evaluator|m|||||", "line 3: the name tasks is taken"),
        ("j|judge|m|||||", "line 3: role 'judge' is not one of generator, evaluator"),
        ("j|evaluator||||||", "line 3: model is empty"),
        ("j|evaluator|m|||0||", "line 3: repetitions '0' is not a whole number of 1 or more"),
        ("g|generator|m|||3||", "line 3: generators are asked once"),
        ("e|editor|m|||3||", "line 3: editors are asked once: for more edits"),
        ("j|evaluator|m||||x|", "line 3: seed 'x' is not a number"),
        (
            "j|evaluator|m||decode.beams=1|||",
            r"line 3: decode\.\*: models are asked by prompt\.\* and server\.\* alone",
        ),
        ("j|evaluator|m||prompt.heat=1|||", "line 3: there is no key heat"),
        (
            "j|evaluator|m|nowhere.txt|prompt.endpoint=http://127.0.0.1:9/v1|||",
            "line 3: there is no file nowhere.txt",
        ),
        ("j|evaluator|m|||||nowhere.parquet", "line 3: there is no file nowhere.parquet"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_models(config_with(tmp_path, GENERATOR, row), SCHEMA, {})


def test_models_without_an_endpoint_share_a_server_of_their_role(tmp_path: Path) -> None:
    rows = ("w|generator|m|||||", "j|evaluator|m|||||", "k|evaluator|m||||16|", GENERATOR.replace("w|", "x|"))
    config = config_with(tmp_path, *rows)
    found = own_servers(config, read_models(config, SCHEMA, {}))
    assert found.keys() == {"w", "j", "k"}
    assert found["w"].startswith("generator-m-") and found["j"] == found["k"] == found["w"].replace(
        "generator", "evaluator"
    )


def test_rows_that_share_a_server_agree_on_it(tmp_path: Path) -> None:
    """Servers of other roles are other servers."""
    rows = [
        "w|generator|m||server.gpus=2|||",
        "j|evaluator|m||server.gpus=4|||",
        "k|evaluator|m||server.gpus=4||16|",
    ]
    config = config_with(tmp_path, *rows)
    models = read_models(config, SCHEMA, {})
    gpus = [with_server(config, one)["generate"]["server"]["gpus"] for one in models.values()]
    assert gpus == [2, 4, 4] and config["generate"]["server"]["gpus"] == 1
    with pytest.raises(UserError, match=r"k: server\.gpus is 1, but 4 for j"):
        read_models(config_with(tmp_path, *rows[:2], rows[2].replace("4", "1")), SCHEMA, {})


def test_rows_of_one_model_have_seeds_of_their_own(tmp_path: Path) -> None:
    """Each repetition has the next seed: else one row would get the other's answers, and agree with itself."""
    rows = ["w|generator|m|||||", "j|evaluator|m|||||", "k|evaluator|m|||3|14|"]
    with pytest.raises(UserError, match=r"j and k ask one model the same, .*give k the seed 16, or more"):
        read_models(config_with(tmp_path, *rows), SCHEMA, {})
    for other in ("k|evaluator|m|||3|16|", "k|evaluator|m||prompt.temperature=0.5|3|14|"):
        assert len(read_models(config_with(tmp_path, *rows[:2], other), SCHEMA, {})) == 3


def test_evaluators_alone_have_nothing_to_rate(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no row with role generator"):
        read_models(config_with(tmp_path, "j|evaluator|m|||||", endpoint=URL), SCHEMA, {})


def test_a_row_lays_its_own_over_generate_prompt_and_no_key_goes_to_another_host(tmp_path: Path) -> None:
    rows = (
        "w|generator|m|||||",
        "j|evaluator|m||prompt.endpoint=https://elsewhere.example/v1; prompt.max_tokens=99; prompt.budget=2|||",
    )
    config = config_with(tmp_path, *rows, endpoint="https://api.example/v1", key_variable="SOME_KEY")
    models = read_models(config, SCHEMA, {})
    assert key_variables(config, models) == ["SOME_KEY"]

    def given(name: str) -> Any:
        over, more = prompt_overrides(config, models[name]), asked_given(config, models[name], models)
        return block_arguments(config, SCHEMA, "judge.prompt", over=over, given=more)

    own, other = given("j"), given("w")
    assert (own.settings["endpoint"], own.settings["max_tokens"]) == ("https://elsewhere.example/v1", 99)
    assert (own.options["key_variable"], own.options["budget"]) == (None, 2)
    assert (other.settings["endpoint"], other.settings["max_tokens"]) == ("https://api.example/v1", 1024)
    assert (other.options["key_variable"], other.options["budget"]) == ("SOME_KEY", None)
    assert "backend" not in own.settings, "an endpoint has no server of the workflow's own"


def test_comparers_need_items_and_runs_that_translate(tmp_path: Path) -> None:
    config = config_with(tmp_path, "c|comparer|m|||||", endpoint=URL) | {"runs": "runs.tsv"}
    with pytest.raises(
        UserError, match=r"no table of entities(?s:.*)no run of runs\.tsv has a source of sentences"
    ):
        read_models(config, SCHEMA, {})
    config["enrich"]["entities"]["path"] = "entities.jsonl"
    run = Run("t", "none", "prompt", "m", "lines", "csi_bi", pair="en-zh")
    asked = read_models(config, SCHEMA, {"t": run})["c"]
    assert (Path(asked.prompt).parts[-2:], asked.repetitions) == (("pta", "prompt.txt"), 1)


def test_the_judge_of_dialogues_has_all_four_roles_and_needs_a_run_that_adapts(tmp_path: Path) -> None:
    config = config_with(tmp_path, endpoint=URL) | {"runs": "runs.tsv"}
    config["judge"]["models"] = str(ROOT / "config" / "dialogue_models.tsv")
    run = Run("a", "none", "prompt", "m", "dialogues", "dialogue")
    models = read_models(config, SCHEMA, {"a": run})
    assert {one.role for one in models.values()} == {*OF_DIALOGUES}
    assert all(Path(one.prompt).is_file() and one.repetitions == 1 for one in models.values())
    with pytest.raises(UserError, match=r"dialogue_rater and (?s:.*)no run of runs\.tsv adapts dialogues"):
        read_models(config, SCHEMA, {})


def test_dialogues_that_people_rated_are_read_beside_edits_without_a_judge_of_dialogues() -> None:
    assert rated_of_dialogues(["edit_rater", "editor"], True) == ["dialogue_rater", "edit_rater"]
    assert rated_of_dialogues(["strategist", "dialogue_rater"], False) == ["dialogue_rater", "strategist"]


def test_a_run_that_takes_the_model_of_another_one_is_of_its_family() -> None:
    trained = Run("llama-ft", "train", "causal", "lab/Llama-7b", "camt", "csi_bi", pair="en-zh")
    borrows = Run("cued", "none", "causal", "run:llama-ft", "camt", "csi_ct", lender=trained, pair="en-zh")
    assert pta_given({}, [trained, borrows])["systems"] == [
        ("llama-ft", "lab/Llama-7b", "llama"),
        ("cued", "lab/Llama-7b", "llama"),
    ]
