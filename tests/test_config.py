"""The config is checked as a whole, before any job."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow import config as checks
from wokflow.job import UserError

from tests.conftest import ROOT

SCHEMA = ROOT / "config" / "config.schema.yaml"


def minimal(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "raw").write_text("", encoding="utf-8")
    raw = {"path": str(tmp_path / "raw")}
    return {
        "runs": str(ROOT / "config" / "runs.tsv"),
        "sources": {"recipenlg": raw, "xiachufang": dict(raw)},
        "match": {"translate": {"lexicon": str(tmp_path)}},
    }


def test_defaults_are_filled_in_and_what_is_given_stays(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"export": {"pairs": {"shards": 3}}}
    checks.prepare(config, SCHEMA)
    assert config["match"]["pair"]["threshold"] == 0.85
    assert config["export"]["pairs"]["shards"] == 3
    assert config["results"] == "results"


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"results": 3, "mach": {}}
    with pytest.raises(UserError) as error:
        checks.prepare(config, SCHEMA)
    assert "there is no key mach. The nearest is match." in str(error.value)
    assert "results: 3 is not of type string." in str(error.value)


def test_a_number_that_yaml_takes_for_a_text_is_explained(tmp_path: Path) -> None:
    config = minimal(tmp_path) | {"train": {"model": {"learning_rate": "1e-4"}}}
    with pytest.raises(UserError, match=r"write 1\.0e-4 for 1e-4"):
        checks.prepare(config, SCHEMA)


def test_a_missing_package_is_named_with_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        checks.importlib.util, "find_spec", lambda name: None if name == "faiss" else object()
    )
    config = minimal(tmp_path)
    config["match"]["search"] = {"backend": "faiss"}
    with pytest.raises(
        UserError, match=r"faiss is not installed \(match.search.backend is faiss\): pip install"
    ):
        checks.prepare(config, SCHEMA)
    checks.prepare(config, SCHEMA, packages=False)


def test_every_key_has_a_description() -> None:
    def leaves(block: dict[str, Any], path: str = "") -> list[str]:
        if "properties" not in block:
            return [] if block.get("description") else [path]
        return [key for name, inner in block["properties"].items() for key in leaves(inner, f"{path}.{name}")]

    assert leaves(yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("name", ["config.yaml", "paper.yaml"])
def test_the_presets_hold_known_keys_alone(name: str) -> None:
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    config |= yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8"))
    checks.Draft202012Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))).validate(config)
