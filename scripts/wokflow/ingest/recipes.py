"""Recipes and rejects from a raw corpus, in one pass over the file and in bounded memory."""

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.tables import of_source
from wokflow.ingest import counterfactual, recipenlg, schemas, xiachufang
from wokflow.ingest.clean import clean
from wokflow.ingest.csv_columns import NoLayoutError, reader_of
from wokflow.ingest.first_rejects import BEGINNING, SAMPLES, FirstRejects
from wokflow.ingest.raw_records import Block, Reader, Reject, blocks, frame, items, lengths, lines, rejected
from wokflow.ingest.refused_sources import Found, Written
from wokflow.ingest.row_parts import Parts
from wokflow.ingest.settings import RecipesSettings
from wokflow.ingest.wrong_files import head_of, read_wrongly

Made = TypeVar("Made")


READERS: dict[str, Reader] = {
    "recipenlg": recipenlg,
    "xiachufang": xiachufang,
    "counterfactual": counterfactual,
}
UNLISTED = frozenset({"counterfactual"})  # corpora without lists of ingredients
BLOCK = 8 << 20  # bytes read at once
STEP = np.uint64(0x9E3779B97F4A7C15)  # between the seeds of SplitMix64
LEAST = 1 << 16  # bytes; smallest size of a block, whatever the number of parts
# Reasons for which the last record is rejected when a download or a copy broke off within it.
MANY = 3  # rows of which one at least is a recipe, in a file of the corpus
INCOMPLETE = frozenset({"broken_record", "invalid_utf8", "nul_byte", "oversized_row"})


def ingest_recipes(
    *,
    source: str,
    recipes: Sequence[str],
    rejects: Sequence[str],
    corpus: str,
    settings: RecipesSettings,
    job: Job,
) -> None:
    """Read the file of a corpus; write every row to one of the parts `recipes` or `rejects`, in order.

    `source` is the description of the file by ingest_source. Raises UserError if the file is cut off or damaged,
    unless `truncated` is keep; if it has no recipe, more rejects than recipes (duplicates aside), mojibake, or steps
    in the place of ingredients, unless `mostly_rejected` is keep; and if its header lacks columns that recipes need.
    """
    reader = READERS[corpus]
    raw = settings.raw
    if corpus == "recipenlg":
        with suppress(NoLayoutError) if settings.mostly_rejected == "keep" else _named(raw, corpus):
            reader = reader_of(head_of(raw))
    if wrong := read_wrongly(raw, reader, job.progress.say):
        if settings.mostly_rejected == "refuse":
            raise UserError(
                f"sources.{corpus}.path: {raw} {wrong}. To go on with it as it is, set "
                "ingest.recipes.mostly_rejected: keep"
            )
        job.progress.say(f"{raw} {wrong}")
    metadata = of_source(job.metadata, corpus, source)
    with ExitStack() as stack:
        good = Parts(stack, recipes, schemas.RECIPES, metadata)
        bad = Parts(stack, rejects, schemas.REJECTS, metadata)
        written = stack.enter_context(
            closing(_written(corpus, reader, good, bad, settings=settings, threads=job.threads))
        )
        so_far = Found(raw, corpus, {**READERS, corpus: reader}, FirstRejects(rejects[0]))
        _follow(written, so_far, settings, job.progress)
        for parts in (good, bad):
            parts.note_rows(so_far.rows)


@contextmanager
def _named(raw: str, corpus: str) -> Iterator[None]:
    """Refuse a file whose header lacks required columns, by an error that names it."""
    try:
        yield
    except NoLayoutError as error:
        raise UserError(
            f"sources.{corpus}.path: {raw} {error}. Columns are read by their names: title, ingredients and "
            "directions are needed, and link is read too"
        ) from error


def _written(
    corpus: str, reader: Reader, good: Parts, bad: Parts, *, settings: RecipesSettings, threads: int
) -> Generator[tuple[float, Written], None, None]:
    """Read, clean and write the source block by block; yield the position of each block and what was written.

    A row's position in the file decides its part, so that parts are of about equal size and their rows do not depend
    on the number of threads. Up to `threads` blocks are read and cleaned at a time.
    """
    raw = settings.raw
    size = min(BLOCK, max(LEAST, Path(raw).stat().st_size // (4 * good.count)))
    header = itertools.chain([True], itertools.repeat(False))
    work = (
        (block.position, _read, reader, block, first, settings, corpus not in UNLISTED)
        for block, first in zip(blocks(raw, reader.START, size), header, strict=False)
    )
    seen = _Seen(corpus) if settings.duplicates else None
    with closing(_ordered(work, threads)) as read:
        numbered = _numbered(read, corpus, reader.LANG, seen)
        to_write = ((position, _write, position, block, good, bad) for position, block in numbered)
        with closing(_ordered(to_write, 1)) as written:  # one thread writes while others read
            yield from written


def _follow(
    written: Iterator[tuple[float, Written]], counts: Found, settings: RecipesSettings, progress: Progress
) -> None:
    """Log the progress. Raises UserError for a wrong or a truncated file, unless the settings keep it."""
    keep_cut, keep_few = settings.truncated == "keep", settings.mostly_rejected == "keep"
    for position, block in written:
        counts.add(block)
        rejects = counts.rows - counts.recipes
        progress(int(position * 1000), f"{counts.corpus}: {counts.rows} rows, {rejects} rejects", of=1000)
        if counts.hopeless and not keep_few:
            break
    rows, end = counts.rows, counts.damage
    alien = rows > MANY and not counts.recipes  # a good file that is cut off has recipes before that
    if counts.few and not keep_few and (not end or keep_cut or counts.kind or alien):
        raise UserError(counts.refusal())
    if end and not keep_cut:
        raise UserError(
            f"{counts.raw} is cut off or damaged after {rows - 1} rows: {end}. Fetch the file again. To go on with "
            "the rows that could be read, set ingest.recipes.truncated: keep"
        )
    if end:
        progress.say(f"{counts.raw} is cut off or damaged after {rows - 1} rows: {end}; the rest is lost")
    progress.say(f"{counts.corpus}: {rows} rows = {counts.recipes} recipes + {rows - counts.recipes} rejects")
    if counts.few:
        progress.say(
            f"{counts.recipes} of {rows} rows of {counts.raw} are recipes: "
            f"is it the file that {counts.corpus} publishes?"
        )


class _Cleaned(NamedTuple):
    """The cleaned records of a block; `damage`: how the source is cut off or damaged if this is its last block."""

    records: pl.DataFrame
    damage: str | None
    read: int = 0  # records, as they were numbered


def _numbered(
    read: Iterator[tuple[float, _Cleaned]], corpus: str, lang: str, seen: "_Seen | None"
) -> Iterator[tuple[float, _Cleaned]]:
    """Blocks in order, their records with number, id, corpus and language, and with duplicates marked."""
    row = 0
    for position, block in read:
        number = pl.int_range(row, row + block.records.height, dtype=pl.Int64)
        records = block.records.with_columns(
            source_row=number,
            recipe_id=pl.concat_str(pl.lit(f"{corpus}:"), number.cast(pl.String)),
            corpus=pl.lit(corpus),
            lang=pl.lit(lang),
        )
        row += records.height
        yield position, _Cleaned(seen.mark(records) if seen else records, block.damage, records.height)


def _write(position: float, block: _Cleaned, good: Parts, bad: Parts) -> Written:
    records = block.records
    kept = records.filter(pl.col("reason").is_null())
    good.write(position, kept)
    rest = records.filter(pl.col("reason").is_not_null())
    bad.write(position, rest)
    reasons = dict(rest["reason"].value_counts(sort=True).iter_rows())
    first = rest.head(SAMPLES).select("source_row", "reason", "detail", pl.col("raw").str.slice(0, BEGINNING))
    return Written(block.read, kept.height, reasons, block.damage, first.rows())


def _read(reader: Reader, block: Block, first: bool, settings: RecipesSettings, listed: bool) -> _Cleaned:
    data = block.data
    if first:
        data = data.removeprefix(b"\xef\xbb\xbf")
        head = data.split(b"\n", 1)[0]
        if reader.is_header(head.decode(errors="replace").removesuffix("\r")):
            data = data[len(head) + 1 :]
    records = reader.read(lines(data)) if data else frame([])
    records = clean(records, settings, reader.LANG, listed=listed)
    if block.error:
        truncated = frame([rejected("", Reject("truncated_archive", block.error))])
        return _Cleaned(records.vstack(truncated), block.error)
    complete = data.rstrip(b" \t\r").endswith(b"\n")
    return _Cleaned(records, None if complete else _cut_record(reader, records))


def _cut_record(reader: Reader, records: pl.DataFrame) -> str | None:
    """How the last of these records was cut off, if the file ends within it; None if it is whole."""
    if records.is_empty():
        return None
    raw, reason, detail = records.select("raw", "reason", "detail").row(-1)
    if reason in INCOMPLETE:
        return f"it ends within a record ({reason}: {detail})"
    return None if reader.is_whole(raw) else "it ends within the last field of a record"


class _Seen:
    """Finds rows whose title, ingredients and steps equal an earlier row's, by a 64-bit hash of each field."""

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
    """Hashes of lists of strings: the sum of the hashes of (entry, place), so that order counts.

    A sum of the entries' hashes weighted by their places would be linear: a, b, b, a and b, a, a, b would have the
    same sum whatever the hashes are.
    """
    sizes = lengths(lists)
    ends = np.cumsum(sizes)
    places = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
    mixed = _mixed(items(lists).hash().to_numpy() + places.astype(np.uint64) * STEP)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed)])
    hashes: NDArray[np.uint64] = sums[ends] - sums[ends - sizes]
    return hashes


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each number: the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _ordered(
    work: Iterator[tuple[float, Callable[..., Made], *tuple[object, ...]]], threads: int
) -> Generator[tuple[float, Made], None, None]:
    """Run the calls on `threads` threads, at most one more than that ahead of the reader; results come in order."""
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
