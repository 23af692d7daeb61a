"""The size of a model, from its files or its name."""

from pathlib import Path

import pytest
from wokflow.frame.weights import weights_mb


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
