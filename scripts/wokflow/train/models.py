"""Loading a model and its tokenizer, from a folder or by its name on the Hugging Face hub."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wokflow.job import UserError

if TYPE_CHECKING:
    import torch


def load(
    model: str,
    family: str,
    *,
    revision: str | None = None,
    precision: str = "float32",
    device: str = "auto",
    remote_code: bool = False,
) -> tuple[Any, Any]:
    """(model, tokenizer) of a `family`, seq2seq or causal, in `precision` (auto, float32, bfloat16) on `device`.

    Weights are read from safetensors only, and a model's own code is run only with `remote_code`. Raises UserError
    where the model cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    place = find_device(device)
    reduced = precision == "bfloat16" or (precision == "auto" and has_bfloat16(place))
    kind: Any = AutoModelForSeq2SeqLM if family == "seq2seq" else AutoModelForCausalLM
    options = {"revision": None if Path(model).is_dir() else revision, "trust_remote_code": remote_code}
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, **options)
        network = kind.from_pretrained(
            model, use_safetensors=True, dtype=torch.bfloat16 if reduced else torch.float32, **options
        )
    except Exception as error:  # a broken folder may raise anything
        raise UserError(_why(model, family, error, remote_code)) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return network.eval().to(place), tokenizer


def find_device(name: str) -> "torch.device":
    """The device of that name; "auto" is a GPU where there is one. Raises UserError where there is no such one."""
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(name)
    except RuntimeError as error:
        raise UserError(f"There is no device {name}: give auto, cpu or cuda.") from error
    if found.type == "cuda" and not torch.cuda.is_available():
        raise UserError(f"The device {name} is asked for, but PyTorch sees no GPU here: give auto or cpu.")
    return found


def has_bfloat16(place: "torch.device") -> bool:
    """Whether the device is a GPU that reckons in bfloat16."""
    import torch

    return place.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)


def _why(model: str, family: str, error: Exception, remote_code: bool) -> str:
    said = str(error).strip()
    lines = [f"The model {model} (runs.tsv, column model) cannot be loaded as {family}: {said}"]
    if "trust_remote_code" in said and not remote_code:
        lines.append(
            "It comes with code of its own, which is not run. If you trust it, set remote_code: true for this run."
        )
    elif Path(model).is_dir() and not any(Path(model).glob("*.safetensors")):
        lines.append(
            "The folder holds no .safetensors file, and other formats are not read: they may run code. Convert it: "
            "load it where you trust it, and save it with save_pretrained."
        )
    elif not Path(model).exists():
        lines.append(
            "Give a folder with the model, or load it once where there is a network (HF_HOME says where it is kept)."
        )
    if os.environ.get("HF_HUB_OFFLINE"):
        lines.append("HF_HUB_OFFLINE is set.")
    return "\n".join(lines)
