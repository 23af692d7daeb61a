"""Packages that the config needs, and that are not installed, are named before any job."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import config as checks
from wokflow.frame.job import UserError
from wokflow.frame.runs import COLUMNS, OPTIONAL

from tests.conftest import ROOT
from tests.frame.test_config import SCHEMA, minimal

RUN = ("mt", "train", "causal", "small", "zh-en", "", "", "13")
TRAINED = (
    "mine",
    "train",
    "causal",
    "bigscience/bloom-560m",
    "zh-en",
    "",
    "model.lora.rank=4; model.lora.base=nf4",
    "13",
)


def without(package: str, patch: pytest.MonkeyPatch) -> None:
    """As if the package were not installed."""
    patch.setattr(checks, "_installed", lambda name: name != package)


def with_run(tmp_path: Path, row: tuple[str, ...]) -> dict[str, Any]:
    text = "\n".join("\t".join(cells) for cells in ([name for name in COLUMNS if name not in OPTIONAL], row))
    (tmp_path / "runs.tsv").write_text(f"{text}\n", encoding="utf-8")
    return minimal(tmp_path) | {"runs": str(tmp_path / "runs.tsv")}


def test_extras_are_those_of_the_project() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for extra, names in checks.EXTRAS.items():
        assert {checks.PACKAGES[name] for name in names} == {*extras[extra]}


def test_a_missing_package_is_named_with_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("faiss", monkeypatch)
    config = minimal(tmp_path)
    config["match"]["search"] = {"backend": "faiss"}
    with pytest.raises(
        UserError, match=r"faiss is not installed \(match.search.backend is faiss\): run `make setup`, or"
    ):
        checks.prepare(config, SCHEMA, ROOT)
    checks.prepare(config, SCHEMA, ROOT, packages=False)


@pytest.mark.parametrize(
    ("package", "evaluate", "said"),
    [
        ("bert_score", {"bertscore": {"en": {"model": "bert-base-uncased"}}}, "setup-hub"),
        ("smatchpp", {"smatch": {"parsers": {"en": ["parser", "{input}", "{output}"]}}}, "setup-amr"),
    ],
)
def test_what_metrics_load_is_missed_where_a_run_is_measured(
    package: str, evaluate: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(package, monkeypatch)
    checks.prepare(minimal(tmp_path) | {"evaluate": evaluate}, SCHEMA, ROOT)
    with pytest.raises(UserError, match=f"{package} is not installed .*: run `make {said}`"):
        checks.prepare(with_run(tmp_path, RUN) | {"evaluate": evaluate}, SCHEMA, ROOT)


def test_weights_of_four_bits_need_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without("bitsandbytes", monkeypatch)
    with pytest.raises(UserError, match=r"bitsandbytes is not installed .*: run `make setup-hub`"):
        checks.prepare(with_run(tmp_path, TRAINED), SCHEMA, ROOT)


@pytest.mark.parametrize(
    ("induced", "own", "reason"),
    [
        (False, False, "parse.vectors trains"),
        (True, True, "evaluate.literal.induced is true"),
        (False, True, ""),
    ],
)
def test_word_vectors_need_what_trains_them(
    induced: bool, own: bool, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("gensim", monkeypatch)
    vectors = {"counterfactual": {"vectors": str(tmp_path / "raw")}} if own else {}
    config = minimal(tmp_path) | {"evaluate": {"literal": {"induced": induced}} | vectors}
    if reason:
        with pytest.raises(UserError, match=rf"gensim is not installed \({reason}"):
            checks.prepare(config, SCHEMA, ROOT)
    else:
        checks.prepare(config, SCHEMA, ROOT)
