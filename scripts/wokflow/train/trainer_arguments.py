"""The settings of a training in the form of the arguments of transformers' and TRL's trainers."""

import os
from typing import Any

from wokflow.frame.job import UserError
from wokflow.models.devices import find_device, use_bfloat16
from wokflow.train.checkpoints import Checkpoints
from wokflow.train.contradictions import setting_problems
from wokflow.train.settings import ModelSettings
from wokflow.train.task import Task

COLLECTIVE_S = 7_200  # longest wait for another process, such as for the first to write a checkpoint
LOGGED = 10  # steps between two points of a live curve
SCHEDULES = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}


def training_arguments(task: Task) -> Any:
    """The settings in the form of the trainers' arguments. Raises UserError for settings that are impossible here."""
    from transformers import Seq2SeqTrainingArguments
    from trl.trainer.sft_config import SFTConfig

    settings = task.settings
    _check_trackers(settings)
    place = find_device(settings.device)
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if place.type == "cuda":
        _check_gpus(int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
    share = -(-settings.batch // processes)
    by_trial = settings.device_batch == "auto"
    if wrong := next(setting_problems(settings.family, settings.model_dump(), processes), None):
        raise UserError(wrong)
    options: dict[str, Any] = {
        "output_dir": str(Checkpoints(task.checkpoints, checkpoint_key(task)).folder),
        "per_device_train_batch_size": share if by_trial else min(int(settings.device_batch), share),
        "num_train_epochs": settings.epochs,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": SCHEDULES[settings.schedule],
        "warmup_steps": settings.warmup,
        "weight_decay": settings.weight_decay,
        "max_grad_norm": settings.clip,
        "seed": settings.seed,
        "use_cpu": place.type == "cpu",
        "bf16": use_bfloat16(settings.precision, place),
        "activation_checkpointing": settings.gradient_checkpointing
        and not settings.shard,  # FSDP does it itself
        "activation_checkpointing_kwargs": {"use_reentrant": False},
        "torch_compile": settings.compile,
        "save_strategy": "no",  # the callback decides when
        "eval_strategy": "no",
        "logging_steps": LOGGED,
        "logging_nan_inf_filter": False,
        "disable_tqdm": True,
        "report_to": list(settings.trackers),
        "run_name": task.run,
        "dataloader_num_workers": 0 if place.type == "cpu" else 2,
        "dataloader_pin_memory": place.type != "cpu",
        "ddp_find_unused_parameters": False,
        "ddp_broadcast_buffers": False,  # buffers do not change
        "ddp_timeout": COLLECTIVE_S,
    }
    if settings.shard:
        options |= {"fsdp": True, "fsdp_config": _sharding(settings)}
        # These take effect when the model is loaded, which only the first process does.
        os.environ |= {"ACCELERATE_USE_FSDP": "true", "FSDP_CPU_RAM_EFFICIENT_LOADING": "true"}
    if settings.family == "causal":
        options |= {
            "packing": settings.packing,
            "max_length": None,
            "label_smoothing_factor": settings.label_smoothing,
        }
        options["dataset_kwargs"] = {"skip_prepare_dataset": True}
    os.environ["TENSORBOARD_LOGGING_DIR"] = task.curves
    arguments: Any = (SFTConfig if settings.family == "causal" else Seq2SeqTrainingArguments)(**options)
    arguments._n_gpu = min(arguments.n_gpu, 1)  # a process uses one GPU, however many it sees
    if settings.shard and place.type == "cpu":
        from accelerate.state import DistributedType, PartialState

        # accelerate enables FSDP on GPUs only. PyTorch supports it on CPUs too, where tests run it.
        PartialState._shared_state["distributed_type"] = DistributedType.MULTI_GPU
    return arguments


def _check_gpus(processes: int) -> None:
    """Raise UserError if fewer GPUs are seen than there are processes on this node."""
    import torch

    if processes > (gpus := torch.cuda.device_count()):
        raise UserError(
            f"train.model.processes is {processes}, but PyTorch sees {gpus} GPU{'s' * (gpus != 1)} here: each "
            "process needs one of its own. Set processes to the number of GPUs, or device: cpu."
        )


def _check_trackers(settings: ModelSettings) -> None:
    """Raise UserError for trackers that transformers does not know, or whose package is not installed."""
    from transformers import integrations

    library: Any = integrations
    here = library.get_available_reporting_integrations()
    if missing := ", ".join(name for name in settings.trackers if name not in here):
        raise UserError(
            f"train.model.trackers: {missing} cannot be used here. Available: {', '.join(here) or 'none'}. Is it "
            f"one of "
            "transformers' trackers, and is its package installed?"
        )


def _sharding(settings: ModelSettings) -> dict[str, Any]:
    """The configuration of FSDP2: weights, gradients and optimizer are sharded; only the first process loads the
    model.
    """
    return {
        "version": 2,
        "cpu_ram_efficient_loading": True,
        "state_dict_type": "SHARDED_STATE_DICT",
        "activation_checkpointing": settings.gradient_checkpointing,
    }


def computed(arguments: Any) -> dict[str, Any]:
    """What a training is computed with: the device, the precision of the arithmetic and the number of processes."""
    precision = "bfloat16" if arguments.bf16 else "float32"
    return {"device": arguments.device.type, "precision": precision, "processes": arguments.world_size}


def checkpoint_key(task: Task) -> str:
    """The key of checkpoints. Those of a sharded model have another form, and those of another precision would go on
    in this one, so both have another key.
    """
    settings = task.settings
    words = [task.key, *(["sharded"] if settings.shard else [])]
    if use_bfloat16(settings.precision, find_device(settings.device)):
        words.append("bfloat16")
    return " ".join(words)
