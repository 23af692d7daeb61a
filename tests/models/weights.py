"""Weights in PyTorch's own format, harmless and not."""

from pathlib import Path
from typing import Any


class Evil:
    """An object whose pickle makes a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.file,))


def pickled(folder: Path, more: dict[str, Any] | None = None, **how: Any) -> None:
    """Turn a model's safetensors into a .bin, with more in it."""
    import torch
    from safetensors.torch import load_file

    weights = folder / "model.safetensors"
    torch.save({**load_file(weights), **(more or {})}, folder / "pytorch_model.bin", **how)
    weights.unlink()
