"""The config is checked as a whole, before any job."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config
from wokflow.frame import config as checks
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import PAPERS
from wokflow.frame.paths import expanded, no_model
from wokflow.frame.runs import COLUMNS, OPTIONAL

from tests.conftest import ROOT

SCHEMA = checks.read_schema(ROOT)


def minimal(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "raw").write_text("", encoding="utf-8")
    raw = {"path": str(tmp_path / "raw")}
    return {
        "runs": str(ROOT / "config" / "runs.tsv"),
        "sources": {"recipenlg": raw, "xiachufang": dict(raw)},
        "match": {"translate": {"lexicon": str(tmp_path)}},
    }


def test_defaults_are_filled_in_and_what_is_given_stays(tmp_path: Path) -> None:
    given = minimal(tmp_path) | {"export": {"release": {"name": "dishes"}}}
    config, _ = checks.prepare(given, SCHEMA, ROOT)
    assert "pair" not in given["match"], "the config that is given stays as it is"
    assert config["match"]["pair"]["threshold"] == 0.85
    assert config["export"]["release"]["name"] == "dishes"
    assert config["results"] == "results"


@pytest.mark.parametrize("results", ["results/", "./results", "results//", "results/."])
def test_spellings_of_a_folder_for_results_are_one(results: str, tmp_path: Path) -> None:
    config, _ = checks.prepare(minimal(tmp_path) | {"results": results}, SCHEMA, ROOT)
    assert config["results"] == "results"


def test_the_working_folder_is_no_folder_for_results(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"results: that is the working folder itself"):
        checks.prepare(minimal(tmp_path) | {"results": "a/.."}, SCHEMA, ROOT)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"results": 3, "mach": {}}
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert "there is no key mach. The nearest is match." in str(error.value)
    assert "results: 3 is not of type string." in str(error.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"RecipeNLG": {"path": "x.csv"}},
            "sources: the name RecipeNLG does not have the required form. It is recipenlg, ",
        ),
        (
            {"mine": {"kind": "tmx", "pair": "English-Chinese", "path": "x.tmx"}},
            "sources.mine.pair: its value does not have the required form",
        ),
        (
            {"mine": {"kind": "tmx", "pair": "en-zh", "path": "x.tmx"}},
            "there is no file x.tmx. Set the key to the path of the file.",
        ),
        ({"mine": {"path": "x.tmx"}}, "sources.mine: missing kind, pair."),
        ({"recipnlg": {"path": "x.csv"}}, "missing kind, pair. Did you mean sources.recipenlg?"),
        ({"XiaChuFang": {"path": "x.json"}}, "missing kind, pair. Did you mean sources.xiachufang?"),
        ({"mine": {"kind": "tmx", "pair": "en-zh", "path": None}}, "sources.mine"),
    ],
)
def test_a_source_that_cannot_be_one_is_explained_once(
    given: dict[str, Any], said: str, tmp_path: Path
) -> None:
    config = minimal(tmp_path)
    config["sources"] |= given
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert str(error.value).count(said) == 1
    assert "^[a-z]" not in str(error.value) and "get tmx" not in str(error.value)


def test_what_stands_in_the_place_of_a_variable_s_name_is_not_shown(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"generate": {"prompt": {"key_variable": "sk-proj-1234"}}}
    with pytest.raises(
        UserError, match=r"generate\.prompt\.key_variable: its value does not have the required form"
    ) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert "1234" not in str(error.value)


def test_a_key_without_a_value_is_told_from_a_wrong_type(tmp_path: Path) -> None:
    config = minimal(tmp_path)
    config["match"]["pair"] = {"threshold": None}
    with pytest.raises(UserError, match=r"match\.pair\.threshold: nothing is set\."):
        checks.prepare(config, SCHEMA, ROOT)


def test_a_folder_where_a_file_is_wanted_is_named_with_its_files(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "runs.tsv").write_text("")
    config = minimal(tmp_path) | {"runs": str(tmp_path / "runs")}
    with pytest.raises(UserError, match=r"runs: .*/runs is a folder\. Name the file in it: runs\.tsv\."):
        checks.prepare(config, SCHEMA, ROOT)


def test_every_file_that_a_key_names_must_be_there_whichever_stage_reads_it(tmp_path: Path) -> None:
    """By the schema alone: a lexicon must be a folder; what counts only beside another setting has it here."""
    leaves = [
        (f"{stage}.{step}.{key}", rule)
        for stage, block in SCHEMA["properties"].items()
        for step, inner in block.get("properties", {}).items()
        for key, rule in inner.get("properties", {}).items()
        if stage != "sources" and rule.get("counts") in checks.PATHS
    ]
    assert len(leaves) > 20
    config = minimal(tmp_path)
    for key, rule in leaves:
        stage, step, name = key.split(".")
        many = rule.get("type") == "array"
        config.setdefault(stage, {}).setdefault(step, {})[name] = ["none"] if many else "none"
        for condition, values in rule.get("when", {}).items():
            stage, step, name = condition.split(".")
            config.setdefault(stage, {}).setdefault(step, {})[name] = values[0]
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    for key, rule in leaves:
        kind = "folder none" if rule.get("path") == "folder" else "none"
        assert f"{key}: there is no {kind}." in str(error.value)
    config["match"]["translate"]["backend"] = "none"
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert "match.translate.lexicon" not in str(error.value)


def test_a_number_that_yaml_takes_for_a_text_is_explained(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"train": {"model": {"learning_rate": "1e-4"}}}
    with pytest.raises(UserError, match=r"write 1\.0e-4 for 1e-4"):
        checks.prepare(config, SCHEMA, ROOT)


def test_a_decimal_comma_is_explained(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"match": {"pair": {"threshold": "0,85"}}}
    with pytest.raises(UserError, match=r"threshold: '0,85' is not .* Write a point, not a comma: 0\.85"):
        checks.prepare(config, SCHEMA, ROOT)


@pytest.mark.parametrize(
    ("text", "said"), [("2026-05-06", "a date"), ("no", "a truth value"), ("1.10", "a number")]
)
def test_what_yaml_takes_for_no_text_is_explained(text: str, said: str, tmp_path: Path) -> None:
    config = minimal(tmp_path) | yaml.safe_load(f"export: {{release: {{version: {text}}}}}")
    with pytest.raises(
        UserError, match=f"version: .* is not of type string. YAML takes it for {said}.*quotes"
    ):
        checks.prepare(config, SCHEMA, ROOT)


def test_runs_on_sentences_need_entities_and_as_many_exemplars_as_they_show(tmp_path: Path) -> None:
    runs = [
        "\t".join(name for name in COLUMNS if name not in OPTIONAL),
        "a\tnone\tprompt\tgpt\tmine\tcsi_bi\tprompt.shots=2\t",
    ]
    (tmp_path / "runs.tsv").write_text("\n".join(runs) + "\n", encoding="utf-8")
    config = minimal(tmp_path) | {"runs": str(tmp_path / "runs.tsv")}
    config["sources"]["mine"] = {"kind": "tsv", "pair": "en-zh", "path": str(tmp_path / "raw")}
    config["generate"] = {"items": {"exemplars": 1}}
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert "run a: sentences of mine need enrich.entities.path" in str(error.value)
    assert "run a: prompt.shots is 2, but 1 sentences of each source are held out" in str(error.value)
    config["generate"]["items"]["exemplars"] = 2
    config["enrich"] = {"entities": {"path": str(tmp_path / "raw")}}
    _, found = checks.prepare(config, SCHEMA, ROOT)
    assert found["a"].pair == "en-zh"


def test_contact_is_asked_for_where_something_is_asked_under_one_s_name(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"enrich": {"categorise": {"backend": "service"}}}
    checks.prepare(deepcopy(config), SCHEMA, ROOT)  # there are no sentences, so nothing is asked
    config["sources"]["mine"] = {"kind": "tsv", "pair": "en-zh", "path": str(tmp_path / "raw")}
    checks.prepare(deepcopy(config), SCHEMA, ROOT)
    config["enrich"]["entities"] = {"path": str(tmp_path / "raw")}
    for contact, said in {
        "": "a topic service wants to know who asks",
        "me": "'me' is neither an e-mail address",
    }.items():
        with pytest.raises(UserError, match=f"contact: {said}"):
            checks.prepare(deepcopy(config) | {"contact": contact}, SCHEMA, ROOT)
    checks.prepare(deepcopy(config) | {"contact": "me@example.org"}, SCHEMA, ROOT)


@pytest.mark.parametrize(
    ("host", "asked"), [("dumps.wikimedia.org", True), ("example.org", False), ("notwikimedia.org", False)]
)
def test_contact_is_asked_for_before_a_file_is_fetched_from_wikimedia(
    host: str, asked: bool, tmp_path: Path
) -> None:
    config = minimal(tmp_path)
    config["sources"]["mine"] = {"kind": "tsv", "pair": "en-zh", "url": f"https://{host}/a.tsv"}
    if asked:
        with pytest.raises(
            UserError, match=r"contact: dumps\.wikimedia\.org \(sources\.mine\.url\) wants to know who asks"
        ):
            checks.prepare(config, SCHEMA, ROOT)
    else:
        checks.prepare(config, SCHEMA, ROOT)


def test_given_pivots_must_be_there_and_leave_no_questions(tmp_path: Path) -> None:
    absent, answers = str(tmp_path / "absent.json"), str(ROOT / "config" / "runs.tsv")
    config = minimal(tmp_path)
    config["pivot"] = {"pivots": {"given": absent, "answers": [answers]}, "orders": {"given": absent}}
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    for block in ("pivots", "orders"):
        assert f"pivot.{block}.given: there is no {absent}" in str(error.value)
    assert "pivot.pivots: `given` replaces the answers to questions" in str(error.value)


def leaves(block: dict[str, Any], path: str = "") -> dict[str, dict[str, Any]]:
    """The keys of a block that are no blocks themselves."""
    if "properties" not in block:
        return {path: block}
    found = [leaves(inner, f"{path}.{name}") for name, inner in block["properties"].items()]
    return {key: part for each in found for key, part in each.items()}


def test_every_key_has_a_description() -> None:
    assert [key for key, part in leaves(SCHEMA).items() if not part.get("description")] == []


def test_keys_that_end_in_shards_count_for_no_result() -> None:
    """As the README says: they set numbers of jobs."""
    counts = [part.get("counts") for key, part in leaves(SCHEMA).items() if key.endswith("shards")]
    assert counts and set(counts) == {"rule"}


@pytest.mark.parametrize(
    "name",
    ["config.yaml", "demo.yaml", "testbed.yaml", *(f"papers/{paper.name}.yaml" for paper in PAPERS.values())],
)
def test_the_presets_hold_known_keys_alone(name: str) -> None:
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    update_config(config, yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8")))
    checks.Draft202012Validator(SCHEMA).validate(config)


def test_relative_paths_are_those_of_the_working_folder_or_else_the_workflow_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = minimal(tmp_path)
    given["sources"]["recipenlg"]["path"] = "raw"
    config, _ = checks.prepare(given, SCHEMA, ROOT)
    assert config["sources"]["recipenlg"]["path"] == "raw"
    assert config["parse"]["glossary"]["path"] == str(ROOT / "resources/glossary")
    assert config["parse"]["parser"]["treebanks"][0] == str(ROOT / "resources/treebank/recipes_a.conllu")
    given["sources"]["recipenlg"]["path"] = "none.csv"
    with pytest.raises(UserError, match=r"there is no file none\.csv"):
        checks.prepare(given, SCHEMA, ROOT)


def test_homes_and_variables_are_filled_in_in_every_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DATA", str(tmp_path))
    (tmp_path / "answers.tsv").write_text("", encoding="utf-8")
    (tmp_path / "model").mkdir()
    (tmp_path / "model/config.json").touch()
    config = minimal(tmp_path)
    config |= {"results": "~/x", "pivot": {"pivots": {"answers": ["${DATA}/answers.tsv"]}}}
    config["sources"] = {"recipenlg": {"path": "~/raw"}, "xiachufang": {"path": "$DATA/raw"}}
    config["match"] = {"translate": {"lexicon": "~"}, "embed": {"model": "~/model"}}
    prepared, _ = checks.prepare(config, SCHEMA, ROOT)
    assert prepared["results"] == f"{tmp_path}/x"
    assert {source["path"] for source in prepared["sources"].values()} == {f"{tmp_path}/raw"}
    assert prepared["pivot"]["pivots"]["answers"] == [f"{tmp_path}/answers.tsv"]
    assert prepared["match"]["translate"]["lexicon"] == str(tmp_path)
    assert prepared["match"]["embed"]["model"] == f"{tmp_path}/model"
    assert prepared["match"]["translate"]["model"] == "Helsinki-NLP/opus-mt-zh-en"


@pytest.mark.parametrize("spelling", ["x/", "./x", ".//x", "link/../../x", "y/../x", "x/."])
def test_spellings_of_one_folder_are_one(
    spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "y/z").mkdir(parents=True)
    (tmp_path / "link").symlink_to("y/z")
    found = expanded(spelling)
    assert found == ("x" if "link" not in spelling else str(tmp_path / "x"))
    assert expanded(f"/{tmp_path}") == str(tmp_path)


def test_a_model_that_is_a_missing_folder_is_named_and_one_of_the_hub_is_not(tmp_path: Path) -> None:
    config = minimal(tmp_path)
    config["match"] = {
        "embed": {"model": str(tmp_path / "none")},
        "eligible": {"tokenizer": "./none"},
        "translate": {"model": "nobody/nothing", "lexicon": str(tmp_path / "empty")},
    }
    (tmp_path / "empty/within").mkdir(parents=True)
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert f"match.embed.model: there is no folder {tmp_path}/none." in str(error.value)
    assert "match.eligible.tokenizer: there is no folder ./none." in str(error.value)
    assert f"match.translate.lexicon: the folder {tmp_path}/empty holds no file." in str(error.value)
    assert no_model(str(tmp_path / "empty")) == f"the folder {tmp_path}/empty holds no file."
    assert "nobody" not in str(error.value)


def test_an_empty_name_is_no_model(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"evaluate": {"counterfactual": {"bertscore": {"model": ""}}}}
    with pytest.raises(UserError, match=r"evaluate\.counterfactual\.bertscore\.model"):
        checks.prepare(config, SCHEMA, ROOT)


@pytest.mark.parametrize("path", ["https://example.org//x", "org/model", "", "a [b]*?"])
def test_what_is_no_other_spelling_stays(path: str) -> None:
    assert expanded(path) == path


def test_unknown_variables_and_homes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOWHERE", raising=False)
    config = minimal(tmp_path) | {"results": "$NOWHERE/x", "runs": "~nobody-of-that-name/runs.tsv"}
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert "results: $NOWHERE/x: the environment variable NOWHERE is not set." in str(error.value)
    assert "the home folder ~nobody-of-that-name is not known. Write the path out." in str(error.value)


def test_a_folder_in_place_of_a_source_is_said_to_be_one(tmp_path: Path) -> None:
    config = minimal(tmp_path)
    (tmp_path / "folder").mkdir()
    config["sources"]["recipenlg"] = {"path": str(tmp_path)}
    config["sources"]["xiachufang"] = {"path": str(tmp_path / "folder")}
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA, ROOT)
    assert f"sources.recipenlg.path: {tmp_path} is a folder. Name the file in it: raw." in str(error.value)
    assert "folder is a folder. There is no file in it." in str(error.value)
