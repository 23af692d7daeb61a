"""The size of a model, from its files or its name."""

from pathlib import Path

import pytest
from wokflow.frame.weights import cached_commit, weights_mb


@pytest.mark.parametrize(
    ("name", "mb"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", 14_000),
        ("meta-llama/Llama-2-70b-hf", 140_000),
        ("bigscience/bloom-7b1", 14_200),
        ("facebook/nllb-200-distilled-1.3B", 2_600),
        ("THUDM/chatglm2-6b", 12_000),
        ("Qwen/Qwen3-0.6B", 1_200),
        ("Helsinki-NLP/opus-mt-zh-en", None),
        ("facebook/mbart-large-50", None),
        ("8bit/4bases", None),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", 112_000),
        ("some/model-x7B", 14_000),
    ],
)
def test_billions_of_weights_by_name(
    name: str, mb: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert weights_mb(name) == mb


def sparse(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)


def test_files_count_where_there_are_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model-7B"
    assert weights_mb(str(folder)) == 14_000  # no folder yet: it might be a name
    folder.mkdir()
    assert weights_mb(str(folder)) is None
    sparse(folder / "model-1.safetensors", 3_000_000)
    sparse(folder / "model-2.safetensors", 2_000_000)
    sparse(folder / "pytorch_model.bin", 5_000_000)  # the same weights once more
    assert weights_mb(str(folder)) == 5
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    cached = tmp_path / "home" / "hub" / "models--some--model-7B" / "snapshots"
    sparse(cached / "a" / "model.safetensors", 9_000_000)
    assert weights_mb("some/model-7B") == 9


def test_the_commit_of_a_branch_is_the_one_that_was_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    refs = tmp_path / "hub" / "models--some--model" / "refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text("a" * 40 + "\n")
    (refs / "v2").write_text("b" * 40)
    (refs / "cut").write_text("b" * 7)
    revisions = (None, "main", "v2", "cut", "none")
    found = [cached_commit("some/model", revision) for revision in revisions]
    assert found == ["a" * 40, "a" * 40, "b" * 40, None, None]
    assert cached_commit("some/other", None) is None
