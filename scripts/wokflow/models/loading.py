"""Loads a model and its tokenizer from a folder, or by name from the Hugging Face hub.

Weights are read from safetensors or, if a model has none, from PyTorch's own format (.bin) by a reader that accepts
only tensors (`torch.load` with `weights_only`): it refuses a file that names a function to call.
"""

import os
import pickle
from pathlib import Path
from typing import Any

from wokflow.frame.digests import path_digest
from wokflow.frame.job import UserError
from wokflow.models.decoding import Family
from wokflow.models.devices import find_device, use_bfloat16

RUN = "the table of runs, column model"
OTHERS = (
    "*.h5",
    "*.msgpack",
    "*.ot",
    "*.tflite",
    "*.onnx",
    "*.mlmodel",
)  # weights that PyTorch does not read


def load(
    model: str,
    family: Family,
    *,
    revision: str | None,
    precision: str,
    device: str,
    remote_code: bool,
    named_by: str = RUN,
) -> tuple[Any, Any]:
    """(model, tokenizer) of a `family`, in `precision` (auto, float32, bfloat16, nf4) on `device`, ready to decode.

    nf4 means the 4-bit weights of QLoRA (Dettmers et al. 2023) by bitsandbytes, with the arithmetic that suits the
    device. Code that comes with the model runs only with `remote_code`. Raises UserError if the model cannot be
    loaded; `named_by` says in the message where the model was named.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    place = find_device(device)
    quantized = precision == "nf4"
    dtype = torch.bfloat16 if use_bfloat16("auto" if quantized else precision, place) else torch.float32
    kind: Any = AutoModelForSeq2SeqLM if family == "seq2seq" else AutoModelForCausalLM
    options: dict[str, Any] = {
        "revision": None if Path(model).is_dir() else revision,
        "trust_remote_code": remote_code,
    }
    ask_for_no_conversion()
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, **options)
        if quantized:
            options |= {"quantization_config": _nf4(dtype), "device_map": {"": place}}
        network = kind.from_pretrained(model, weights_only=True, dtype=dtype, **options)
    except Exception as error:  # a broken folder may raise anything
        problem = f"{named_by}: {model} cannot be loaded as {family}: "
        raise UserError(problem + why_not(model, error, remote_code=remote_code)) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if not quantized:
        return network.eval().to(place), tokenizer
    for module in network.modules():
        if hasattr(
            module, "support_avx512bf16_for_cpu"
        ):  # otherwise one validation would switch off gradients through it
            module.support_avx512bf16_for_cpu = False
    return network.eval(), tokenizer


def _nf4(dtype: Any) -> Any:
    """The configuration of 4-bit weights. They are stored as `dtype`, so that FSDP can shard them."""
    from transformers import BitsAndBytesConfig

    config: Any = BitsAndBytesConfig
    return config(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=dtype,
        bnb_4bit_quant_storage=dtype,
    )


def ask_for_no_conversion() -> None:
    """Keep transformers from asking the hub to convert weights to safetensors, and from taking converted ones.

    So a model is the one that its authors published, online as well as offline.
    """
    os.environ["DISABLE_SAFETENSORS_CONVERSION"] = "1"


def commit_of(model: str, revision: str | None) -> str | None:
    """The commit of a loaded model of the hub, from the path of its config in the local cache; None for a folder."""
    from transformers.utils.hub import cached_file

    if Path(model).is_dir():
        return None
    try:
        file = cached_file(model, "config.json", revision=revision, local_files_only=True)
    except OSError:
        return None
    return Path(file).parent.name if file else None


def at_revision(model: str, revision: str | None) -> str:
    """The model's name or, for a `revision`, the folder of its files, for libraries that take no revision.

    Raises OSError or ValueError if the files cannot be fetched.
    """
    if revision is None or Path(model).is_dir():
        return model
    from huggingface_hub import snapshot_download

    return snapshot_download(model, revision=revision, ignore_patterns=[*OTHERS])


def origin(model: str, revision: str | None) -> str:
    """A loaded model for the log: its name and, of a model of the hub, its commit."""
    commit = commit_of(model, revision)
    return f"{model} at commit {commit}" if commit else model


def weights_digest(model: str, revision: str | None) -> str:
    """Identifies a loaded model: by a folder's content, or by the name and the commit of a model of the hub."""
    return path_digest(model) if Path(model).exists() else f"{origin(model, revision)} at {revision}"


def why_not(model: str, error: Exception, *, remote_code: bool = False) -> str:
    """Why a model cannot be loaded, and what to do."""
    message = str(error).strip()
    if _refused(error):
        return (
            "its weights, a .bin file, hold more than tensors: reading them could run code, so they are not read. "
            "Use a model in safetensors, or convert this one: load it where you trust it, and save it with "
            "save_pretrained."
        )
    lines = [message]
    if "trust_remote_code" in message and not remote_code:
        lines.append(
            "It comes with code of its own, which is not run. If you trust it, set remote_code: true for this run."
        )
    elif not Path(model).exists():
        lines.append(
            "Give a folder with the model, or load it once where there is a network (HF_HOME says where it is kept)."
        )
    if os.environ.get("HF_HUB_OFFLINE"):
        lines.append("HF_HUB_OFFLINE is set.")
    return "\n".join(lines)


def _refused(error: BaseException | None) -> bool:
    """True if the error, or its cause, is an UnpicklingError."""
    return error is not None and (
        isinstance(error, pickle.UnpicklingError) or _refused(error.__cause__ or error.__context__)
    )
