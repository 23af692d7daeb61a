"""A process of a training: reads the examples and trains; the first process writes the model."""

import gc
import logging
from functools import partial
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.generate.asking import answer_end
from wokflow.models.bounds import positions
from wokflow.models.decoding import limits, set_languages
from wokflow.models.devices import describe
from wokflow.models.loading import load, origin
from wokflow.train.checkpoints import Checkpoints, Saved
from wokflow.train.examples import Encoder, asking_of, read_examples, values_of
from wokflow.train.memory import PartTooLargeError, is_memory, too_little_memory
from wokflow.train.model_card import write_card
from wokflow.train.packing import SECOND, packing_fault
from wokflow.train.record import base_of, write_record
from wokflow.train.scratch import make_small
from wokflow.train.settings import ModelSettings
from wokflow.train.stopping import Stop
from wokflow.train.task import Task
from wokflow.train.trainer_arguments import checkpoint_key, computed, training_arguments
from wokflow.train.validation import choose_metric, choose_sources, validation_decoding

READABLE = 0o644


def train_here(task: Task, stop: Stop, progress: Progress | None = None) -> None:
    """Train as the only process, or as one of several; the first one writes the model's folder.

    Raises UserError, and StoppedError if training must `stop` before its end.
    """
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # on import, it warns about CPUs
    import torch
    from transformers.utils import logging as library

    quiet: Any = library
    quiet.disable_progress_bar()
    quiet.set_verbosity_error()
    settings = task.settings
    if task.threads:
        torch.set_num_threads(task.threads)
    rows = read_examples(task.examples)
    arguments = training_arguments(task)  # before the model is loaded: they decide how weights are shared
    first = arguments.process_index == 0
    if first and progress:
        start = origin(settings.base, settings.revision) if settings.base else "a small model from scratch"
        kind = "bfloat16" if arguments.bf16 else "float32"
        progress.say(f"{start}, on {describe(arguments.device)}, in {kind}")
    while (trained := _learn(task, rows, arguments, stop, progress if first else None)) is None:
        gc.collect()  # the memory of the attempt that failed
        torch.cuda.empty_cache()
        arguments.per_device_train_batch_size = -(-arguments.per_device_train_batch_size // 2)
    trainer, tokenizer, base, cached = trained
    course = trainer.course
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
            run = write_record(folder, task, rows, base, course.curve, course.metric, computed(arguments))
            write_card(folder, task, run, course.curve)
            for path in folder.iterdir():
                path.chmod(READABLE)  # safetensors makes weights readable for their owner only
        course.checkpoints.remove()
    trainer.accelerator.end_training()


def _learn(
    task: Task, rows: pl.DataFrame, arguments: Any, stop: Stop, progress: Progress | None
) -> tuple[Any, Any, dict[str, Any], Any] | None:
    """Train from the last checkpoint; (trainer, tokenizer, origin, use_cache of the base model's config).

    None if memory did not suffice and fewer examples at a time may be tried (device_batch: auto). That can show after
    any step: the optimizer's state comes with the first one, and the longest examples may come last.
    """
    size = arguments.per_device_train_batch_size
    try:
        network, tokenizer, base = _begin(task, rows, arguments)
        cached = network.config.use_cache
        trainer = _trainer(task, rows, (network, tokenizer), arguments, stop, progress)
        course = trainer.course
        if set_aside := ", ".join(map(str, course.checkpoints.set_aside)):
            course.say(f"checkpoints of other settings, texts or code are kept, but not used: {set_aside}")
        if course.saved.step:
            course.say(f"continuing from the checkpoint after step {course.saved.step}")
        trainer.train(str(course.checkpoints.path(course.saved.step)) if course.saved.step else None)
    except RuntimeError as error:
        if not is_memory(error):
            raise
        smaller = isinstance(error, PartTooLargeError) and size > 1  # else half as many need as much
        if task.settings.device_batch != "auto" or not smaller:
            raise UserError(too_little_memory(task.settings)) from error
        if progress:
            progress.say(f"memory does not suffice for {size} examples at a time: half as many are tried")
        return None
    return trainer, tokenizer, base, cached


def _begin(task: Task, rows: pl.DataFrame, arguments: Any) -> tuple[Any, Any, dict[str, Any]]:
    """(model, tokenizer, origin) that training starts from; see base_of for the origin."""
    settings = task.settings
    if settings.base is None:
        train = rows.filter(split="train")
        texts = [text for name in ("source", "target") for text in train[name]]
        size, longest = settings.small, settings.max_tokens
        network, tokenizer = make_small(texts, settings.family, size, max_tokens=longest, seed=settings.seed)
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
    """The precision of the base model's weights: 32 bits if they are trained."""
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
    most_of_source, _ = limits(network, settings.family, validation_decoding(settings))  # as a model is asked
    if progress and most_of_source < settings.max_tokens:
        progress.say(
            f"the model has positions for {places} tokens: max_tokens {settings.max_tokens} is more than it reads of "
            "a source and its target"
        )
    asking = asking_of(settings, tokenizer, most_of_source)
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
    checkpoints = Checkpoints(task.checkpoints, checkpoint_key(task))
    saved = _agreed(checkpoints, metric, first=arguments.process_index == 0)
    sources = zip(asking.rows(values_of(chosen))[0], chosen["targets"].to_list(), strict=True)
    decoded = list(sources) if metric == "bleu" else []
    course = Course(task, metric, train, valid, decoded, checkpoints, stop, saved, progress)
    # If the last epoch's steps are done but not evaluated, training starts with its evaluation.
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
        # TRL rounds adapters on 4-bit weights to bfloat16, but PEFT loads those of a checkpoint in 32 bits.
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
    """The checkpoint that all processes continue from: the one that the first process finds."""
    from accelerate.utils import broadcast_object_list

    newest = [checkpoints.newest(metric) if first else None]
    broadcast_object_list(newest)
    assert newest[0] is not None
    return newest[0]


def _take_best(trainer: Any) -> None:
    """Load the weights of the best evaluation, and log which it was and how fast training was."""
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
    """The model to save, with adapters merged into its weights; for that, a 4-bit model is loaded again in full."""
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
    """Set the rate of all dropout layers of a model, except those with rate 0."""
    import torch

    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = share if module.p else 0.0
        for name in ("dropout", "attention_dropout", "activation_dropout", "dropout_rate"):
            if isinstance(value := getattr(module, name, None), float) and value:
                setattr(module, name, share)


def with_adapters(model: Any, settings: ModelSettings) -> Any:
    """The model with low-rank adapters; only these are trained. Raises UserError if no layer can have them."""
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
