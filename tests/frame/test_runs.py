"""The table of runs is checked as a whole."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.frame.job import UserError
from wokflow.frame.runs import COLUMNS, DIALOGUES, OPTIONAL, REWRITING, SENTENCES, Run, names_of, read_runs

from tests.conftest import ROOT

SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))


def table(tmp_path: Path, *rows: str, answers: bool = False) -> str:
    """A table of runs, with the column answers or without; in rows, a blank is between cells and - an empty cell."""
    lines = ["\t".join("" if cell == "-" else cell for cell in row.split(" ")) for row in rows]
    path = tmp_path / "runs.tsv"
    header = "\t".join([*COLUMNS][: None if answers else -len(OPTIONAL)])
    path.write_text("\n".join(["# what is tried", header, *lines]) + "\n", encoding="utf-8")
    return str(path)


def problems(path: str, *reserved: str) -> str:
    with pytest.raises(UserError) as error:
        read_runs(path, SCHEMA, reserved)
    return str(error.value)


def test_the_runs_that_come_with_the_workflow_are_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for name in ("demo_runs.tsv", "recipes_runs.tsv", "counterfactual_runs.tsv", "dialogue_runs.tsv"):
        assert read_runs(f"config/{name}", SCHEMA)
    assert read_runs("config/items_runs.tsv", SCHEMA, pairs={"camt": "en-zh"})


def test_a_table_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = Path(table(tmp_path, "a none retrieval - zh-en - - -"))
    path.write_bytes(path.read_text().replace("what", "运行").encode("gbk"))
    assert problems(str(path)).startswith(
        f"{path} is not UTF-8 (line 1). It looks like GB18030: save it again"
    )


def test_the_papers_models_are_pinned_and_what_is_not_to_be_had_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    tables = ("config/recipes_runs.tsv", "config/counterfactual_runs.tsv")
    text = "".join(Path(path).read_text(encoding="utf-8") for path in tables)
    runs = {name: run for path in tables for name, run in read_runs(path, SCHEMA).items()}
    of_hub = [run for run in runs.values() if run.family in ("seq2seq", "causal") and not run.borrows]
    pinned = {
        run.model: run.settings.get("model" if run.trained else "decode", {}).get("revision")
        for run in of_hub
    }
    loose = {model for model, commit in pinned.items() if not re.fullmatch("[0-9a-f]{40}", commit or "")}
    assert loose == {"facebook/mbart-large-50"} and "mbart-large-50 is not pinned" in text
    gone = re.findall(r"^#(\S+)\t", text, re.M)
    assert gone and not set(gone) & runs.keys()
    assert {"THUDM/chatglm2-6b", "gpt-4-0314"}.isdisjoint(run.model for run in runs.values())


def test_a_row_is_a_run_with_its_own_settings(tmp_path: Path) -> None:
    path = table(tmp_path, "a train seq2seq small zh-en - model.epochs=5;model.lora.rank=8;decode.beams=1 7")
    [run] = read_runs(path, SCHEMA).values()
    settings = {"model": {"epochs": 5, "lora": {"rank": 8}}, "decode": {"beams": 1}}
    assert run == Run("a", "train", "seq2seq", "small", "zh-en", "", settings, 7)
    block = {"epochs": 30, "batch": 64, "lora": {"rank": 0, "alpha": 32}}
    assert run.over("model", block) == {"epochs": 5, "batch": 64, "lora": {"rank": 8, "alpha": 32}}
    assert block["epochs"] == 30
    assert block["lora"] == {"rank": 0, "alpha": 32}


def test_a_run_may_take_another_runs_model(tmp_path: Path) -> None:
    path = table(tmp_path, "a train seq2seq small zh-en - - 1", "b none seq2seq run:a en-zh - - -")
    runs = read_runs(path, SCHEMA)
    assert [run.model_run for run in runs.values()] == ["a", "a"]
    assert runs["b"].lender == runs["a"]
    assert runs["b"].seed == 13


def test_a_lender_may_come_later_but_must_train_a_model_of_the_family(tmp_path: Path) -> None:
    lender, borrower = "a train seq2seq small zh-en - - 1", "b none seq2seq run:a en-zh - - -"
    assert read_runs(table(tmp_path, borrower, lender), SCHEMA)["b"].model_run == "a"
    for other in ("a none seq2seq opus zh-en - - 1", "a train causal small zh-en - - 1"):
        assert "run:a: no run of that name trains" in problems(table(tmp_path, borrower, other))


def test_runs_that_rewrite_take_causal_models_and_recipes_to_rewrite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    lender = "a train causal small counterfactual dish - -"
    for family in REWRITING:
        row = f"b none {family} run:a counterfactual dish {family}.batch=2 -"
        found = read_runs(table(tmp_path, lender, row), SCHEMA)["b"]
        assert (found.model_run, found.small, found.step) == ("a", True, family)
        for wrong, message in {
            f"b none {family} run:a counterfactual - - -": "prompt is empty",
            f"b none {family} run:a zh-en - - -": "needs recipes to rewrite: set data to counterfactual.",
            f"b train {family} small counterfactual dish - -": "cannot be trained: set stage to none",
            f"b none {family} run:a counterfactual dish decode.beams=1 -": "no step of this run reads",
        }.items():
            assert message in problems(table(tmp_path, lender, wrong))
        lent = problems(table(tmp_path, lender.replace("causal", "seq2seq").replace("dish", "-"), row))
        assert "run:a: no run of that name trains a model of family causal" in lent


def test_what_rules_ask_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(
        tmp_path,
        "tiny train causal small counterfactual dish - -",
        "lent none causal run:tiny counterfactual p/mine.txt - -",
        "large train seq2seq opus zh-en - - -",
        "pairs none retrieval - en-zh - - -",
    )
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "mine.txt").touch()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    tiny, lent, large, pairs = read_runs(path, SCHEMA).values()
    assert [run.small for run in (tiny, lent, large, pairs)] == [True, True, False, False]
    assert (lent.memory_mb, large.memory_mb) == (4000, 16000)
    assert [run.languages for run in (tiny, large, pairs)] == [None, ("zh", "en"), ("en", "zh")]
    assert [run.target_language for run in (tiny, large, pairs)] == ["zh", "en", "zh"]
    assert [run.prompt_file for run in (tiny, lent, large)] == [
        "resources/prompts/dish.txt",
        "p/mine.txt",
        None,
    ]


PAIRS = {"camt": "en-zh", "opus": "en-zh_TW"}


def test_a_run_on_sentences_has_their_languages(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "a none seq2seq opus camt - - -",
        "b none seq2seq opus opus append - -",
        "c none prompt gpt camt csi_se prompt.shots=2 -",
        "d none causal llama camt csi_line_replace decode.shots=8 -",
    )
    runs = read_runs(path, SCHEMA, pairs=PAIRS)
    assert [run.languages for run in runs.values()] == [
        ("en", "zh"),
        ("en", "zh_TW"),
        ("en", "zh"),
        ("en", "zh"),
    ]
    assert {run.kind for run in runs.values()} == {SENTENCES}
    assert str(runs["b"].prompt_file).endswith("resources/prompts/append.txt")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a train seq2seq opus camt - - -", "no run learns from a source of sentences: set stage to none"),
        ("a none retrieval - camt - - -", "family retrieval needs pairs: set data to zh-en or en-zh."),
        ("a none prompt gpt camt - - -", "prompt is empty"),
        ("a none causal llama camt - - -", "prompt is empty"),
        (
            "a none prompt gpt camt append - -",
            "prompt append is for translation models (family seq2seq).",
        ),
        ("a none causal llama camt replace - -", "csi_line_append and csi_line_replace for family causal"),
        ("a none seq2seq opus en-zh append - -", "a run of family seq2seq takes no prompt for recipes"),
        (
            "a none seq2seq opus wiki - - -",
            "data 'wiki' is not one of zh-en, en-zh, counterfactual, dialogues, camt",
        ),
        (
            "a none seq2seq opus camt - decode.shots=2 -",
            "shots are exemplars for runs of",
        ),
        (
            "a none prompt gpt zh-en adapt-zh-en prompt.shots=2 -",
            "shots are exemplars for runs of",
        ),
    ],
)
def test_what_makes_no_sense_on_sentences_is_said(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        read_runs(table(tmp_path, row), SCHEMA, pairs=PAIRS)
    assert message in str(error.value)


def test_a_run_on_dialogues_is_asked_in_their_language_or_has_released_answers(tmp_path: Path) -> None:
    released = tmp_path / "released.parquet"
    released.touch()
    rows = (
        "a none prompt gpt dialogues dialogue - - -",
        f"b none prompt gpt dialogues dialogue - - {released}",
    )
    runs = read_runs(table(tmp_path, *rows, answers=True), SCHEMA)
    known = {(run.kind, run.languages, run.target_language) for run in runs.values()}
    assert known == {(DIALOGUES, None, "en")}
    assert [run.answers for run in runs.values()] == [None, str(released)]
    wrong = (
        "a none prompt gpt dialogues dialogue - - nowhere.parquet",
        f"b none retrieval - zh-en - - - {released}",
        "c none causal llama dialogues dialogue - - -",
        "d none prompt gpt dialogues - - - -",
    )
    with pytest.raises(UserError) as error:
        read_runs(table(tmp_path, *wrong, answers=True), SCHEMA)
    for said in (
        "a: there is no file nowhere.parquet",
        "b: a run of family retrieval asks no endpoint: leave the column answers empty",
        "c: family causal needs pairs: set data to zh-en or en-zh or counterfactual or a source of sentences.",
        "d: prompt is empty",
    ):
        assert said in str(error.value)


def test_names_of_families_are_a_pattern(tmp_path: Path) -> None:
    path = table(tmp_path, "a train seq2seq small zh-en - - 1", "b none retrieval - zh-en - - -")
    runs = read_runs(path, SCHEMA)
    assert names_of(runs, "seq2seq", "retrieval") == "a|b"
    assert not re.search(names_of(runs, "prompt"), "")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a train seq2seq small zh-en -", "line 3: 6 cells, but the header has 8"),
        ("a train seq2seq small zh-en - - 1 1", "line 3: 9 cells, but the header has 8"),
        ("a/b none retrieval - zh-en - - -", "'a/b' is not a valid name"),
        ("copy none retrieval - zh-en - - -", "the name copy is taken"),
        ("a never seq2seq small zh-en - - 1", "stage 'never' is not one of train, none"),
        ("a train seq2seq small zh-en - - one", "seed 'one' is not a number"),
        ("a train seq2seq small zh-en - epochs=5 1", "'epochs=5' is not a setting"),
        ("a train seq2seq small zh-en - model.epoch=5 1", "there is no key epoch in model.epoch"),
        (
            "a train seq2seq small zh-en - model.epochs=many 1",
            "model.epochs: 'many' is not of type 'integer'",
        ),
        (
            "a train seq2seq small zh-en - model.learning_rate=0,001 -",
            "Write a point, not a comma: 0.001",
        ),
        (
            "a none prompt gpt zh-en adapt prompt.key_variable=sk-1 1",
            "key_variable: its value does not have the required form",
        ),
        ("a train seq2seq small zh-en - model.lora=8 1", "model.lora is a block of settings"),
        ("a train retrieval - zh-en - - 1", "models of family retrieval cannot be trained"),
        ("a none retrieval opus zh-en - - 1", "a run of family retrieval takes no model"),
        ("a none retrieval - zh-en dish - 1", "a run of family retrieval takes no prompt"),
        ("a none seq2seq opus zh-en dish - 1", "a run of family seq2seq takes no prompt"),
        ("a none prompt - zh-en dish - 1", "a run of family prompt needs a model"),
        ("a none prompt gpt zh-en - - 1", "prompt is empty"),
        ("a none prompt run:b zh-en dish - 1", "no run of that name trains"),
        ("a none retrieval - counterfactual - - 1", "needs pairs"),
        ("a none seq2seq - zh-en - - 1", "needs a model"),
        ("a none seq2seq small zh-en - - 1", "trained from scratch"),
        ("a none seq2seq run:b zh-en - - 1", "no run of that name trains"),
        ("a train seq2seq run:a zh-en - - 1", "training begins from a model"),
        ("a none seq2seq opus counterfactual - - 1", "needs pairs"),
        ("a train causal small counterfactual - - 1", "prompt is empty"),
        ("a none prompt gpt zh-en no/such.txt - 1", "there is no prompt no/such.txt"),
        (
            "a none prompt gpt en-zh adapt-zh-en - 1",
            "adapt-zh-en is for zh-en, as its name says, but the data are en-zh",
        ),
        (
            "a none causal ./none zh-en - - 1",
            "there is no folder ./none. A model of the Hugging Face hub is named",
        ),
        ("a none causal /none/x zh-en - - 1", "there is no folder /none/x."),
        ("a train seq2seq tests/none zh-en - - 1", "there is no folder tests/none."),
        ("a none causal README.md zh-en - - 1", "README.md is a file, and not the folder of a model."),
        ("a none retrieval - zh-en - decode.beams=1 1", "no step of this run reads the settings decode.*"),
        ("a none seq2seq opus zh-en - model.epochs=1 1", "no step of this run reads the settings model.*"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, row: str, message: str) -> None:
    assert message in problems(table(tmp_path, row), "copy")


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    said = problems(
        table(
            tmp_path,
            "a none retrieval - zh-en - - -",
            "a none retrieval - en-zh - - -",
            "b none guess - zh-en - - -",
        )
    )
    assert "line 4: the name a is taken." in said
    assert "line 5: family 'guess'" in said


def test_a_header_of_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs.tsv").write_text("name\tmodel\n", encoding="utf-8")
    assert "line 1: missing column data, family, prompt, seed, settings, stage; found" in problems(
        str(tmp_path / "runs.tsv")
    )


def test_homes_and_variables_are_filled_in_in_models_and_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NOWHERE", raising=False)
    (tmp_path / "p.txt").write_text("{title}", encoding="utf-8")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.json").touch()
    [run] = read_runs(table(tmp_path, "a none causal ~/m counterfactual ${HOME}/p.txt - -"), SCHEMA).values()
    assert (run.model, run.prompt_file) == (f"{tmp_path}/m", f"{tmp_path}/p.txt")
    assert "line 3: model $NOWHERE/m: the environment variable NOWHERE is not set." in problems(
        table(tmp_path, "a none seq2seq $NOWHERE/m zh-en - - -")
    )
