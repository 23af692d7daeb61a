"""A raw corpus to recipes and rejects, in one pass over the file and in bounded memory."""

import itertools
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from wokflow.ingest import counterfactual, recipenlg, schemas, xiachufang
from wokflow.ingest.clean import Cleaning, clean
from wokflow.ingest.records import Block, Lines, Reject, blocks, frame, items, lengths, lines, rejected
from wokflow.job import Progress
from wokflow.tables import PartWriter

Made = TypeVar("Made")


class Reader(Protocol):
    """What a reader module of a corpus offers."""

    LANG: str
    START: re.Pattern[bytes]

    def is_header(self, line: str) -> bool: ...

    def read(self, lines: Lines) -> pl.DataFrame: ...


READERS: dict[str, Reader] = {
    "recipenlg": recipenlg,
    "xiachufang": xiachufang,
    "counterfactual": counterfactual,
}
UNLISTED = frozenset({"counterfactual"})  # corpora without lists of ingredients
BLOCK = 8 << 20  # bytes read at once
LEAST = 1 << 16  # bytes: blocks of a small source get no smaller than that for the sake of the parts' sizes


def ingest_recipes(
    raw: str,
    recipes: Sequence[str],
    rejects: Sequence[str],
    *,
    corpus: str,
    cleaning: Cleaning,
    threads: int,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Read the file `raw` of a corpus; every row goes to one of the parts `recipes` or `rejects`, in order.

    A row of the source lands in the part that its place in the file says, so the parts are of about equal
    size and their rows do not depend on the number of threads. Blocks are read and cleaned by `threads` at a
    time.
    """
    reader = READERS[corpus]
    size = min(BLOCK, max(LEAST, Path(raw).stat().st_size // (4 * len(recipes))))
    header = itertools.chain([True], itertools.repeat(False))
    work = (
        (block.position, _read, reader, block, first, cleaning, corpus not in UNLISTED)
        for block, first in zip(blocks(raw, reader.START, size), header, strict=False)
    )
    seen = _Seen(corpus) if cleaning.duplicates else None
    rows = accepted = 0
    with ExitStack() as stack:  # writing ends before the parts are closed
        read = stack.enter_context(closing(_ordered(work, threads)))
        good = _Parts(stack, recipes, schemas.RECIPES, metadata)
        bad = _Parts(stack, rejects, schemas.REJECTS, metadata)
        numbered = _numbered(read, corpus, reader.LANG, seen)
        to_write = ((position, _write, position, records, good, bad) for position, records in numbered)
        written = stack.enter_context(closing(_ordered(to_write, 1)))
        for position, (some, kept, cut) in written:
            rows, accepted = rows + some, accepted + kept
            if progress and cut:
                progress.say(
                    f"{raw} is cut off or damaged: what lay behind row {rows - 1} is lost; fetch it again"
                )
            if progress:
                progress(int(position * 1000), f"{corpus}: {rows} rows, {rows - accepted} rejects", of=1000)
    if progress:
        progress.say(f"{corpus}: {rows} rows = {accepted} recipes + {rows - accepted} rejects")
        if rows and accepted * 2 < rows:
            progress.say(f"more than half of {raw} was rejected: is it the file that {corpus} publishes?")


def _numbered(
    read: Iterator[tuple[float, pl.DataFrame]], corpus: str, lang: str, seen: "_Seen | None"
) -> Iterator[tuple[float, pl.DataFrame]]:
    """Records, block by block in order, with their number, id, corpus, language, and duplicates marked."""
    row = 0
    for position, records in read:
        number = pl.int_range(row, row + records.height, dtype=pl.Int64)
        records = records.with_columns(
            source_row=number,
            recipe_id=pl.concat_str(pl.lit(f"{corpus}:"), number.cast(pl.String)),
            corpus=pl.lit(corpus),
            lang=pl.lit(lang),
        )
        row += records.height
        yield position, seen.mark(records) if seen else records


def _write(position: float, records: pl.DataFrame, good: "_Parts", bad: "_Parts") -> tuple[int, int, bool]:
    """Write a block; return its rows, its recipes, and whether the source is cut off in it."""
    kept = records.filter(pl.col("reason").is_null())
    rejects = records.filter(pl.col("reason").is_not_null())
    good.write(position, kept)
    bad.write(position, rejects)
    return records.height, kept.height, (rejects["reason"] == "truncated_archive").any()


def _read(reader: Reader, block: Block, first: bool, cleaning: Cleaning, listed: bool) -> pl.DataFrame:
    data = block.data
    if first:
        data = data.removeprefix(b"\xef\xbb\xbf")
        head = data.split(b"\n", 1)[0]
        if reader.is_header(head.decode(errors="replace").removesuffix("\r")):
            data = data[len(head) + 1 :]
    records = reader.read(lines(data)) if data else frame([])
    records = clean(records, cleaning, reader.LANG, listed=listed)
    if block.error:
        records = records.vstack(frame([rejected("", Reject("truncated_archive", block.error))]))
    return records


class _Parts:
    """The parts of a table; rows come in order of their position (0 to 1) in the source."""

    def __init__(
        self, stack: ExitStack, paths: Sequence[str], schema: pa.Schema, metadata: dict[str, str]
    ) -> None:
        self._writers = [stack.enter_context(PartWriter(path, schema, metadata)) for path in paths]
        self._at = 0

    def write(self, position: float, rows: pl.DataFrame) -> None:
        if rows.height:
            before, self._at = self._at, min(int(position * len(self._writers)), len(self._writers) - 1)
            if before != self._at:  # a part is complete; now others work meanwhile, at the end they would not
                self._writers[before].to_disk()
            self._writers[self._at].write(rows)


class _Seen:
    """Finds rows whose title, ingredients and steps equal an earlier one's, by hashes of 64 bits of each."""

    def __init__(self, corpus: str) -> None:
        self._corpus = corpus
        self._rows: dict[bytes, int] = {}

    def mark(self, records: pl.DataFrame) -> pl.DataFrame:
        good = np.flatnonzero(records["reason"].is_null().to_numpy())
        title, lists = records["title"], [records["ingredients"], records["steps"]]
        hashes = np.column_stack([title.hash().to_numpy(), *map(_list_hashes, lists)])
        rows = records["source_row"].to_numpy()[good]
        keys = hashes[good].view("V24").ravel().tolist()
        first = np.fromiter(map(self._rows.setdefault, keys, rows.tolist()), np.int64, len(rows))
        again = first != rows
        if not again.any():
            return records
        places = pl.Series(good[again])
        equal = pl.Series([f"equals {self._corpus}:{row}" for row in first[again]])
        reason, detail = records["reason"], records["detail"]
        return records.with_columns(reason.scatter(places, "duplicate"), detail.scatter(places, equal))


def _list_hashes(lists: pl.Series) -> NDArray[np.uint64]:
    """Hashes of lists of strings: the sum of those of their entries, each times its place (an odd number)."""
    sizes = lengths(lists)
    ends = np.cumsum(sizes)
    places = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
    weighed = items(lists).hash().to_numpy() * (2 * places + 1).astype(np.uint64)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(weighed)])
    hashes: NDArray[np.uint64] = sums[ends] - sums[ends - sizes]
    return hashes


def _ordered(
    work: Iterator[tuple[float, Callable[..., Made], *tuple[object, ...]]], threads: int
) -> Generator[tuple[float, Made], None, None]:
    """Run the calls on `threads` threads, few ahead of the reader of their results; results come in order."""
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[tuple[float, Future[Made]]] = deque()
        for position, call, *arguments in work:
            waiting.append((position, pool.submit(call, *arguments)))
            if len(waiting) > threads:
                position, future = waiting.popleft()
                yield position, future.result()
        while waiting:
            position, future = waiting.popleft()
            yield position, future.result()
