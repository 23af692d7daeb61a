"""A lack of memory in a training: what fewer examples at a time would help, and what to say."""

from collections.abc import Iterator
from contextlib import contextmanager

from wokflow.train.settings import ModelSettings


class PartTooLargeError(RuntimeError):
    """Memory did not suffice for the examples that a device holds at once."""


@contextmanager
def parts_that_fit() -> Iterator[None]:
    """Raise PartTooLargeError for a lack of memory in the block, whose need grows with the examples held at once."""
    try:
        yield
    except RuntimeError as error:
        raise (PartTooLargeError(str(error)) if is_memory(error) else error) from error


def is_memory(error: RuntimeError) -> bool:
    """Whether the error is a lack of memory, on a GPU or not."""
    return any(words in str(error) for words in ("out of memory", "can't allocate memory"))


def too_little_memory(settings: ModelSettings) -> str:
    """The message about too little memory, with what to do."""
    if settings.device_batch == "auto":
        lower = "Fewer examples at a time would not help: set"
    else:
        lower = "Lower device_batch (the effective batch stays) or, with one process, set it to auto; set"
    return (
        f"Memory does not suffice for device_batch {settings.device_batch} and max_tokens {settings.max_tokens}. "
        f"{lower} gradient_checkpointing: true, shard: true for several GPUs, or lora.rank and lora.base: nf4; or "
        "take a device with more (train.model; for one run: its column settings)."
    )
