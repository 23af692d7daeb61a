"""What is known of a model without loading it: its size, for its job's request of memory, and its commit."""

import os
import re
from pathlib import Path

from wokflow.frame.digests import named_by

_BILLIONS = re.compile(
    r"(?<![\d.])(?:(?<![a-z\d.])(\d+)x)?(\d+)(?:\.(\d+))?b(\d)?(?![a-z])", re.IGNORECASE
)  # 7B, 1.3B; 7b1, as BLOOM; 8x7B, as Mixtral
_COMMIT = re.compile(r"[0-9a-f]{40}")


def weights_mb(model: str) -> int | None:
    """MB of a model's weights, with 16 bits each unless its files say otherwise; None if unknown.

    The size is taken from files in a folder or in the local cache of the Hugging Face hub or, without these, from the
    billions of weights in the name, as in Qwen2.5-7B. A mixture such as 8x7B counts as 56 billion, a bit more than it
    has, as its experts share some layers.
    """
    folders = [Path(model)] if Path(model).is_dir() else sorted(_cached(model))
    if Path(model).is_dir():  # an adapter is small, and its base is loaded too
        folders += [Path(named) for named in named_by(model) if Path(named).is_dir()]
    sizes = [
        sum(file.stat().st_size for file in folder.glob(pattern))
        for folder in folders
        for pattern in ("*.safetensors", "*.bin")
    ]
    if largest := max(sizes, default=0):
        return largest // 10**6
    if Path(model).is_dir() or not (named := _BILLIONS.search(model.rpartition("/")[2])):
        return None
    experts, whole, fraction, tenth = named.groups()
    return int(2_000 * int(experts or 1) * float(f"{whole}.{fraction or tenth or 0}"))


def cached_commit(model: str, revision: str | None) -> str | None:
    """The commit that a branch or tag (None: main) of a model of the hub had when it was last fetched.

    None where the local cache of the hub does not tell, as of a model in a folder.
    """
    try:
        commit = (_cache(model) / "refs" / (revision or "main")).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return commit if _COMMIT.fullmatch(commit) else None


def _cached(model: str) -> list[Path]:
    """The snapshots of a model in the hub's cache."""
    return list(_cache(model).glob("snapshots/*"))


def _cache(model: str) -> Path:
    """A model's folder in the hub's cache, whose place huggingface_hub reads from these variables too."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
    return cache / f"models--{model.replace('/', '--')}"
