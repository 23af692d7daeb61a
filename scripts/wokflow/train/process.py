"""One process of a training: it reads the examples and learns; the first process writes the model."""

import logging
import os
from functools import partial
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.generate.asking import answer_end
from wokflow.models.bounds import positions
from wokflow.models.decoding import set_languages
from wokflow.models.devices import find_device, use_bfloat16
from wokflow.models.loading import load
from wokflow.train.card import write_card
from wokflow.train.checkpoints import Checkpoints, Saved
from wokflow.train.examples import Encoder, asking_of, read_examples, values_of
from wokflow.train.packing import SECOND, packing_fault
from wokflow.train.record import base_of, write_record
from wokflow.train.scratch import make_small
from wokflow.train.settings import ModelSettings
from wokflow.train.stopping import Stop
from wokflow.train.task import Task
from wokflow.train.validation import choose_metric, choose_sources

READABLE = 0o644
COLLECTIVE_S = (
    7_200  # the longest that a process waits for others, such as for the first to write a checkpoint
)
LOGGED = 10  # steps between two points of a live curve
SCHEDULES = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}


def train_here(task: Task, stop: Stop, progress: Progress | None = None) -> None:
    """Train as the only process, or as one of those that the launcher started; the first writes the model's folder.

    Raises UserError, and StoppedError if `stop` came before the end.
    """
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # it tells on import what it lacks on CPUs
    import torch
    from transformers.utils import logging as library

    from wokflow.train.trainers import is_memory, too_little_memory

    quiet: Any = library
    quiet.disable_progress_bar()
    quiet.set_verbosity_error()
    settings = task.settings
    if task.threads:
        torch.set_num_threads(task.threads)
    rows = read_examples(task.examples)
    arguments = training_arguments(
        task
    )  # before the model is loaded: it tells how several processes share weights
    first = arguments.process_index == 0
    said = progress if first else None
    network, tokenizer, base = _begin(task, rows, arguments)
    cached = network.config.use_cache
    trainer = _trainer(task, rows, (network, tokenizer), arguments, stop, said)
    course = trainer.course
    if set_aside := ", ".join(map(str, course.checkpoints.set_aside)):
        course.say(f"checkpoints of other settings, texts or code, which are kept and not used: {set_aside}")
    if course.saved.step:
        course.say(f"going on from the checkpoint after step {course.saved.step}")
    try:
        trainer.train(str(course.checkpoints.path(course.saved.step)) if course.saved.step else None)
    except RuntimeError as error:
        raise (UserError(too_little_memory(settings)) if is_memory(error) else error) from error
    if course.stopped:
        raise course.stopped_at(trainer.state.global_step)
    _take_best(trainer)
    weights = trainer.accelerator.get_state_dict(trainer.model) if settings.shard else None
    if first:
        trainer.model.config.use_cache = cached
        model = _plain(settings, trainer, arguments)
        with tables.atomic_folder(task.out) as folder:
            model.save_pretrained(folder, state_dict=weights)
            tokenizer.save_pretrained(folder)
            run = write_record(folder, task, rows, base, course.curve, course.metric)
            write_card(folder, task, rows, run, course.curve)
            for path in folder.iterdir():
                path.chmod(READABLE)  # safetensors leaves weights to their owner alone
        course.checkpoints.remove()
    trainer.accelerator.end_training()


def training_arguments(task: Task) -> Any:
    """The settings as the trainers take them. Raises UserError for what cannot be had here."""
    from transformers import Seq2SeqTrainingArguments
    from trl.trainer.sft_config import SFTConfig

    settings = task.settings
    _check_trackers(settings)
    place = find_device(settings.device)
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    share = -(-settings.batch // processes)
    found_by_trial = settings.device_batch == "auto"
    if found_by_trial and processes > 1:
        raise UserError(
            "train.model.device_batch: auto tries in one process alone: of several, one may run out of memory while "
            "the others wait for its gradients. Give a number."
        )
    options: dict[str, Any] = {
        "output_dir": str(Checkpoints(task.checkpoints, _key(task)).folder),
        "per_device_train_batch_size": share if found_by_trial else min(int(settings.device_batch), share),
        "auto_find_batch_size": found_by_trial,
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
        "save_strategy": "no",  # the callback says when
        "eval_strategy": "no",
        "logging_steps": LOGGED,
        "logging_nan_inf_filter": False,
        "disable_tqdm": True,
        "report_to": list(settings.trackers),
        "run_name": task.run,
        "dataloader_num_workers": 0 if place.type == "cpu" else 2,
        "dataloader_pin_memory": place.type != "cpu",
        "ddp_find_unused_parameters": False,
        "ddp_broadcast_buffers": False,  # they do not change
        "ddp_timeout": COLLECTIVE_S,
    }
    if settings.shard:
        options |= {"fsdp": True, "fsdp_config": _sharding(settings, processes)}
        # Read when the model is loaded, which the first process alone does.
        os.environ |= {"ACCELERATE_USE_FSDP": "true", "FSDP_CPU_RAM_EFFICIENT_LOADING": "true"}
    if settings.family == "causal":
        options |= {
            "packing": settings.packing,
            "max_length": None,
            "label_smoothing_factor": settings.label_smoothing,
        }
        options["dataset_kwargs"] = {"skip_prepare_dataset": True}
    os.environ["TENSORBOARD_LOGGING_DIR"] = task.curves
    made: Any = (SFTConfig if settings.family == "causal" else Seq2SeqTrainingArguments)(**options)
    made._n_gpu = min(made.n_gpu, 1)  # a process takes one GPU, however many it sees
    if settings.shard and place.type == "cpu":
        from accelerate.state import DistributedType, PartialState

        # accelerate turns FSDP on for GPUs alone. PyTorch does it on CPUs too, which is how tests run this.
        PartialState._shared_state["distributed_type"] = DistributedType.MULTI_GPU
    return made


def _check_trackers(settings: ModelSettings) -> None:
    """Raise UserError for trackers that transformers does not know, or whose package is not installed."""
    from transformers import integrations

    library: Any = integrations
    here = library.get_available_reporting_integrations()
    if missing := ", ".join(name for name in settings.trackers if name not in here):
        raise UserError(
            f"train.model.trackers: {missing} cannot be used here, but {', '.join(here) or 'none'}. Is it one of "
            "transformers' trackers, and is its package installed?"
        )


def _sharding(settings: ModelSettings, processes: int) -> dict[str, Any]:
    """FSDP2: weights, gradients and optimizer are shared out among processes; only the first loads the model."""
    if processes == 1:
        raise UserError(
            "train.model.shard shares a model out among processes, but there is one: set processes or nodes."
        )
    if settings.family != "causal":
        raise UserError(
            "train.model.shard is for causal models: accelerate cannot share out the word vectors that encoder and "
            "decoder have in common. For this one, gradient_checkpointing, lora.rank and a smaller device_batch save "
            "memory."
        )
    if settings.lora.rank or settings.metric == "bleu":
        raise UserError(
            "train.model.shard goes neither with lora.rank nor with metric: bleu. Adapters need little memory "
            "(lora.base: nf4 the least), and a model that is shared out is chosen by its loss (metric: auto)."
        )
    return {
        "version": 2,
        "cpu_ram_efficient_loading": True,
        "state_dict_type": "SHARDED_STATE_DICT",
        "activation_checkpointing": settings.gradient_checkpointing,
    }


def _key(task: Task) -> str:
    """What checkpoints depend on; those of a model that is shared out have a form of their own."""
    return f"{task.key} sharded" if task.settings.shard else task.key


def _begin(task: Task, rows: pl.DataFrame, arguments: Any) -> tuple[Any, Any, dict[str, Any]]:
    """The model and tokenizer that training begins with, and where they are from."""
    settings = task.settings
    if settings.base is None:
        train = rows.filter(split="train")
        texts = [text for name in ("source", "target") for text in train[name]]
        size, longest = settings.small, settings.max_tokens
        made = make_small(texts, settings.family, size, max_tokens=longest, seed=settings.seed)
        network, tokenizer = made
    else:
        on_device = settings.lora.rank and settings.lora.base == "nf4"
        place = str(arguments.device) if on_device else "cpu"
        precision = _base_precision(settings, arguments.bf16)
        network, tokenizer = _loaded(settings, settings.base, precision, place)
        if settings.languages:
            set_languages(tokenizer, *settings.languages)
    base = base_of(settings.base, settings.revision)
    if settings.dropout is not None:
        set_dropout(network, settings.dropout)
    return network, tokenizer, base


def _loaded(settings: ModelSettings, base: str, precision: str, place: str) -> tuple[Any, Any]:
    """The base model and its tokenizer."""
    return load(
        base,
        settings.family,
        revision=settings.revision,
        precision=precision,
        device=place,
        remote_code=settings.remote_code,
    )


def _base_precision(settings: ModelSettings, bfloat16: bool) -> str:
    """The precision of the weights: 32 bits where all of them learn."""
    if not settings.lora.rank:
        return "float32"
    return ("bfloat16" if bfloat16 else "float32") if settings.lora.base == "auto" else settings.lora.base


def _trainer(
    task: Task,
    rows: pl.DataFrame,
    loaded: tuple[Any, Any],
    arguments: Any,
    stop: Stop,
    progress: Progress | None,
) -> Any:
    """The trainer, with the encoded examples and the last checkpoint."""
    from transformers import DataCollatorForSeq2Seq
    from transformers.trainer_callback import PrinterCallback

    from wokflow.train.trainers import Causal, Course, Seq2Seq, Watch, decoder_inputs, sequence_loss

    (network, tokenizer), settings = loaded, task.settings
    places = positions(network.config)
    most = min(settings.max_tokens, places or settings.max_tokens)
    if progress and most < settings.max_tokens:
        progress.say(
            f"the model has positions for {most} tokens: max_tokens {settings.max_tokens} is more than it reads"
        )
    asking = asking_of(settings, tokenizer, most)
    if asking.chat:
        ends = network.generation_config.eos_token_id
        others = ends if isinstance(ends, list) else [ends] if ends is not None else []
        network.generation_config.eos_token_id = sorted({answer_end(tokenizer, chat=True), *others})
    on_target = settings.loss_on == "target" or (settings.loss_on == "auto" and asking.chat)
    encoder = Encoder(asking, most, places, on_target, settings.packing and settings.family == "causal")
    train, valid = (encoder.encode(rows.filter(split=split), progress) for split in ("train", "valid"))
    chosen = choose_sources(rows.filter(split="valid"), settings.valid_most)
    metric = choose_metric(
        settings.metric, len(chosen), adapts=settings.languages is not None, sharded=settings.shard
    )
    checkpoints = Checkpoints(task.checkpoints, _key(task))
    saved = _agreed(checkpoints, metric, first=arguments.process_index == 0)
    sources = zip(asking.rows(values_of(chosen))[0], chosen["targets"].to_list(), strict=True)
    decoded = list(sources) if metric == "bleu" else []
    course = Course(task, metric, train, valid, decoded, checkpoints, stop, saved, progress)
    # An epoch whose steps are done, and which was not evaluated, begins with that.
    arguments.eval_on_start = saved.step > 0 and saved.step == course.per_epoch * (len(saved.curve) + 1)
    options = {"args": arguments, "processing_class": tokenizer, "train_dataset": train.data}
    model = with_adapters(network, settings) if settings.lora.rank else network
    if settings.family == "causal":
        trainer: Any = Causal(model=model, **options)
    else:
        trainer = Seq2Seq(
            model=model,
            data_collator=DataCollatorForSeq2Seq(tokenizer, model=decoder_inputs(network)),
            compute_loss_func=partial(sequence_loss, smoothing=settings.label_smoothing),
            **options,
        )
    if settings.lora.rank:
        # TRL rounds adapters on 4 bits to bfloat16, but PEFT reads those of a checkpoint in 32 bits.
        for weight in filter(lambda one: one.requires_grad, trainer.model.parameters()):
            weight.data = weight.data.float()
    if encoder.packing and arguments.process_index == 0:
        longest = (places or 0) + 1 if arguments.per_device_train_batch_size > 1 else len(SECOND)
        if fault := packing_fault(trainer.model, trainer.data_collator, longest):
            raise UserError(
                f"train.model.packing: {settings.base or 'small'} {fault}. Leave packing out for this model."
            )
    trainer.begin(course)
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Watch(trainer))
    return trainer


def _agreed(checkpoints: Checkpoints, metric: str, *, first: bool) -> Saved:
    """The checkpoint that all processes continue from: what the first finds."""
    from accelerate.utils import broadcast_object_list

    found = [checkpoints.newest(metric) if first else None]
    broadcast_object_list(found)
    assert found[0] is not None
    return found[0]


def _take_best(trainer: Any) -> None:
    """Load the weights of the best evaluation, and say which it was and how quick training went."""
    from wokflow.train.trainers import Watch, measured

    course = trainer.course
    best = course.best
    assert best is not None
    trainer.state.best_model_checkpoint = str(course.checkpoints.path(best.step))
    trainer._load_best_model()
    course.say(f"best: epoch {best.epoch}, {measured(best.valid_loss, best.valid_bleu)}")
    watch = next(one for one in trainer.callback_handler.callbacks if isinstance(one, Watch))
    if watch.seconds:
        weights = sum(value.numel() for value in trainer.model.parameters())
        work = 6 * weights * watch.tokens
        course.say(
            f"{watch}; 6 x {weights:,} weights x {watch.tokens:,} tokens = {work:.3g} operations "
            f"in {watch.seconds:.1f} s of steps: {work / watch.seconds:.3g} a second"
        )


def _plain(settings: ModelSettings, trainer: Any, arguments: Any) -> Any:
    """The model to be saved: adapters become part of the weights. Those of 4 bits are loaded anew for that."""
    model = trainer.accelerator.unwrap_model(trainer.model, keep_torch_compile=False)
    base = settings.base
    if not settings.lora.rank:
        return model
    if base is None or settings.lora.base != "nf4":
        return model.merge_and_unload()
    from peft import PeftModel

    network, _ = _loaded(settings, base, "bfloat16" if arguments.bf16 else "float32", "cpu")
    best = trainer.state.best_model_checkpoint
    return PeftModel.from_pretrained(network, best).merge_and_unload()


def set_dropout(model: Any, share: float) -> None:
    """Set the rate of the dropouts of a model; those that are off stay off."""
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = share if module.p else 0.0
        for name in ("dropout", "attention_dropout", "activation_dropout", "dropout_rate"):
            if isinstance(value := getattr(module, name, None), float) and value:
                setattr(module, name, share)


def with_adapters(model: Any, settings: ModelSettings) -> Any:
    """The model with low-rank adapters, which alone are trained. Raises UserError if no layer takes them."""
    import torch
    from peft import LoraConfig, TaskType, get_peft_model

    lora = settings.lora
    torch.manual_seed(settings.seed)
    config = LoraConfig(
        task_type=TaskType.SEQ_2_SEQ_LM if settings.family == "seq2seq" else TaskType.CAUSAL_LM,
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets) if lora.targets else "all-linear",
    )
    if settings.gradient_checkpointing:
        model.enable_input_require_grads()
    try:
        return get_peft_model(model, config)
    except ValueError as error:
        raise UserError(f"train.model.lora: {error}") from error
