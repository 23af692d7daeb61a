"""What parse_dependencies is given, by backend: only what can change its result counts."""

from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.arguments import Arguments
from wokflow.parse.arguments import parse_dependencies


def config(**changes: Any) -> dict[str, Any]:
    block = {"backend": "trained", "model": "", "device": "auto", "batch": 256, "shards": 1} | changes
    return {"parse": {"glossary": {"path": "words"}, "dependencies": block}}


@pytest.mark.parametrize("changes", [{}, {"device": "cuda"}, {"shards": 4}])
def test_the_parser_of_the_workflow_needs_neither_model_nor_device(changes: dict[str, Any]) -> None:
    assert parse_dependencies(config(**changes)) == Arguments(
        settings={"backend": "trained", "batch": 256}, resources={"glossary": "words"}
    )


@pytest.mark.parametrize("backend", ["spacy", "hanlp"])
def test_a_model_counts_by_name_or_by_the_content_of_its_folder(backend: str, tmp_path: Path) -> None:
    settings = {"backend": backend, "device": "auto", "batch": 256}
    assert parse_dependencies(config(backend=backend, model="zh_core_web_trf")) == Arguments(
        settings | {"model": "zh_core_web_trf"}, {"glossary": "words"}
    )
    assert parse_dependencies(config(backend=backend, model=str(tmp_path))) == Arguments(
        settings, {"glossary": "words", "model": str(tmp_path)}
    )
