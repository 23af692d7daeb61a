"""Encodes training examples as token ids."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.generate.asking import Asking
from wokflow.generate.prompts import Dialogue, Prompt
from wokflow.generate.sentence_texts import Values
from wokflow.models.decoding import cut
from wokflow.train.settings import ModelSettings

AT_ONCE = 10_000  # examples
IGNORED = -100  # label of tokens that have no loss


def read_examples(path: str) -> pl.DataFrame:
    """The table of examples. Raises UserError for blank texts, and if no example has split train."""
    rows = tables.read(path)
    for name in ("source", "target"):
        blank = rows.filter(pl.col(name).str.strip_chars() == "")
        if len(blank):
            raise UserError(
                f"{path}: the {name} of {blank['instance_id'][0]} is empty ({len(blank)} such in all). An example "
                "needs both texts: fix the corpus, or the step that writes the examples."
            )
    if "train" not in rows["split"]:
        raise UserError(
            f"{path}: no example has split train: give larger corpora, or a larger share of them."
        )
    return rows


def asking_of(settings: ModelSettings, tokenizer: Any, most: int) -> Asking:
    """The form in which the model is asked in training: that of generation, without exemplars.

    Raises UserError for a prompt with {source} if recipes are learnt by their dish.
    """
    dialogue = (
        Dialogue(Prompt.read(settings.prompt)) if settings.prompt and settings.family == "causal" else None
    )
    if dialogue and not settings.languages and "{source}" in dialogue.prompt.template:
        raise UserError(
            f"The prompt {settings.prompt} has the place {{source}}, but a recipe that is learnt by its dish has "
            "none. Train with a prompt that has {title} alone, such as dish; a row of model run:NAME may ask another "
            "one."
        )
    return Asking.of(tokenizer, settings.family, dialogue, most, settings.chat)


def values_of(rows: pl.DataFrame) -> list[Values]:
    """The texts of each example for the places of a prompt."""
    return rows.select("source", "title").to_dicts()


@dataclass(frozen=True)
class Encoded:
    """The examples of one split: their input_ids and labels (datasets.Dataset), and their numbers of tokens."""

    data: Any
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True)
class Encoder:
    """Encodes examples. Targets are cut to `most` tokens, sources to those of `asking`; the log says how many.

    For a causal model, source and target are one text of at most `positions` tokens, of which a target has those
    that its source leaves; with `on_target`, only the target has labels. With `packing`, several short texts share
    a row of `positions` tokens without seeing each other.
    """

    asking: Asking
    most: int
    positions: int | None
    on_target: bool
    packing: bool

    @property
    def _bounded(self) -> bool:
        """Whether source and target share the positions of a model."""
        return self.asking.family == "causal" and self.positions is not None

    def encode(self, rows: pl.DataFrame, progress: Progress | None = None) -> Encoded:
        import pyarrow as pa
        import pyarrow.compute as pc
        from datasets import Dataset

        schema = pa.schema([(name, pa.list_(pa.int32())) for name in ("input_ids", "labels")])
        batches, long = [], {"source": 0, "target": 0}
        for some in rows.iter_slices(AT_ONCE):
            columns = map(list, zip(*self._examples(some, long), strict=True))
            batches.append(pa.record_batch(list(columns), schema=schema))
        room = ", or than their source leaves room for," if self._bounded else ""
        limits = {"source": f"{self.asking.most} tokens", "target": f"{self.most} tokens{room}"}
        for name, limit in limits.items():
            if progress and long[name]:
                progress.say(f"{long[name]} of {len(rows)} {name}s have more than {limit} and were cut")
        data = Dataset(pa.Table.from_batches(batches, schema))
        if self.packing and len(data):
            from trl.data_utils import pack_dataset

            data = pack_dataset(data, self.positions or 2 * self.most, "bfd", {"desc": None})
        counted = ["input_ids"] if self.asking.family == "causal" else schema.names
        lengths = [pc.list_value_length(data.data.column(name)).to_numpy() for name in counted]
        return Encoded(data, np.sum(lengths, axis=0, dtype=np.int64))

    def _examples(self, rows: pl.DataFrame, long: dict[str, int]) -> Iterator[tuple[list[int], list[int]]]:
        """(input_ids, labels) of each example. Adds the numbers of sources and targets that are cut to `long`."""
        asking, tokenizer = self.asking, self.asking.tokenizer
        special = set(tokenizer.all_special_ids)
        sources, shortened = asking.rows(values_of(rows))
        if asking.family == "causal":
            targets = asking.answers(rows["target"].to_list())
        else:
            targets = tokenizer(text_target=rows["target"].to_list(), verbose=False)["input_ids"]
        long["source"] += shortened or sum(len(row) > asking.most for row in sources)
        for source, target in zip(sources, targets, strict=True):
            source_ids = cut(source, asking.most, asking.family, special)
            target_ids = cut(target, self.most, "seq2seq", {target[-1], *special})
            room = self.positions - len(source_ids) if self.positions and self._bounded else self.most
            long["target"] += len(target) > min(self.most, room)
            if asking.family == "seq2seq":
                yield source_ids, target_ids
            else:
                labels = [IGNORED] * len(source_ids) if self.on_target else source_ids
                yield (source_ids + target_ids)[: self.positions], (labels + target_ids)[: self.positions]


def collator(encoded: Encoded, batch_of: Any) -> Callable[[Sequence[int]], dict[str, Any]]:
    """A function that makes a batch of tensors of the examples with given numbers; `batch_of` is a library's
    collator.

    Without numbers, the batch is one example without labels, since all processes must make the same number of passes.
    Its labels are removed only after the decoder's input is made of them: mBART takes the language's code from there.
    """

    def collate(numbers: Sequence[int]) -> dict[str, Any]:
        batch = dict(batch_of([encoded.data[int(number)] for number in numbers or [0]]))
        if not numbers:
            batch["labels"] = batch["labels"].new_full(batch["labels"].shape, IGNORED)
        return batch

    return collate
