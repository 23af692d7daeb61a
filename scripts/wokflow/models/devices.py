"""The device that a model runs on, and whether it computes in bfloat16."""

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wokflow.frame.job import UserError

if TYPE_CHECKING:
    import torch


def find_device(name: str) -> "torch.device":
    """The device of that name; "auto" is a GPU if PyTorch can use one, else the CPU.

    Raises UserError if there is no such device, and for "auto" in a Slurm job with a GPU that PyTorch cannot use: on
    the CPU, the job would block the GPU and take many times as long.
    """
    import torch

    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        if slurm_gave_gpu(os.environ):
            raise UserError(
                f"Slurm gave this job a GPU, but PyTorch {torch.__version__} cannot use it. {_cause()} "
                "To compute without a GPU, set device: cpu, with which the job asks for none."
            )
        return torch.device("cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UserError(f"There is no device {name}: give auto, cpu or cuda.") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UserError(
            f"The device {name} is asked for, but PyTorch {torch.__version__} can use no GPU here. {_cause()} "
            "To compute without a GPU, set device: cpu (auto takes a GPU where there is one)."
        )
    return device


def describe(device: "torch.device") -> str:
    """A device for the log: cpu, or cuda with the name of the GPU."""
    import torch

    return f"cuda ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else device.type


def slurm_gave_gpu(environment: Mapping[str, str]) -> bool:
    """Whether this is a job of Slurm with a GPU, by the environment variables that Slurm sets."""
    if "SLURM_JOB_ID" not in environment:
        return False
    if environment.get("SLURM_JOB_GPUS") or environment.get(
        "SLURM_STEP_GPUS"
    ):  # indices of GPUs, such as 0,1
        return True
    return environment.get("SLURM_GPUS_ON_NODE", "0") not in ("", "0")


def _cause() -> str:
    """A sentence on why PyTorch may see no GPU."""
    import torch

    if torch.version.cuda is None:
        return "It is a build for CPUs only: install the one on PyPI."
    return (
        f"It was built for CUDA {torch.version.cuda}: the node's driver may be older (nvidia-smi says which CUDA it "
        "supports), or the job may have been given no GPU."
    )


def use_bfloat16(precision: str, device: "torch.device") -> bool:
    """Whether `precision` (auto, float32, bfloat16) means bfloat16 on this device.

    "auto" means bfloat16 on a GPU that computes in it without emulation.
    """
    import torch

    if precision == "auto":
        return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return precision == "bfloat16"


def how_much_slower_bfloat16_is(device: "torch.device") -> float:
    """The time of a matrix product in bfloat16 divided by its time in float32, measured in a fraction of a second.

    Processors without bfloat16 instructions (avx512_bf16, amx_bf16) take many times as long, instead of half.
    """
    import torch

    seconds = {}
    for dtype in (torch.float32, torch.bfloat16):
        matrix = torch.ones((384, 384), dtype=dtype, device=device)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            (matrix @ matrix)[0, 0].item()
            times.append(time.perf_counter() - start)
        seconds[dtype] = min(times)
    return seconds[torch.bfloat16] / seconds[torch.float32]
