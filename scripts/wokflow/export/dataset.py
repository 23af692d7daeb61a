"""Writes a subset of a release: its shards, the records that they point at, and findings of the gates."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wokflow.export import standoff
from wokflow.export.forms import FORMS, Form
from wokflow.export.gate_checks import of_subset
from wokflow.export.gate_findings import FINDINGS, write_findings
from wokflow.export.licences import Source, known_sources, read_files, refuse_text
from wokflow.export.release_shards import ShardWriter
from wokflow.export.settings import DatasetSettings
from wokflow.export.source_texts import Texts, numbers, open_texts
from wokflow.export.subsets import GIVEN, subset_of
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.match.split import SPLITS

LISTED = 200_000  # elements of lists that are filled with text at a time: a recipe for each target of a pair


def export_dataset(
    *,
    rows: Sequence[str],
    texts: Sequence[str],
    sources: Sequence[str],
    dataset: str,
    settings: DatasetSettings,
    job: Job,
) -> None:
    """Write a subset of the release to the folder `dataset`, which is replaced as a whole.

    `rows` are the parts of its table, `texts` the parts of the corpora that its ids point at, `sources` the
    descriptions by ingest/source of the files that were read. data/<subset> has the shards, jsonl/<subset> the same
    rows as JSON lines if the settings ask for them, records/<corpus>.npy the row numbers of the records that ids
    point at, and counts.json the rows of each shard. Text that may not be derived from a source (predictions,
    adaptations) is left out. Raises UserError if a full release would hold text that may not be passed on, and if any
    release would hold content of a cited source that may not.
    """
    subset, full = subset_of(settings.subset), settings.mode == "full"
    form = FORMS[subset.form]
    allowed = known_sources(settings.registry, subset.sources, read_files(sources), settings.licences)
    refuse_text([subset], allowed, full=full)
    derivable = all(allowed[name].derivable for name in subset.derived)
    given = allowed.get(GIVEN.format("gold"))
    with tables.atomic_folder(dataset) as work, TemporaryDirectory(dir=work) as folder:
        known = open_texts(texts, Path(folder))
        stand_off = _rows(subset.form, rows, texts, known, settings, derivable=derivable, given=given)
        pointed = PointedAt(known, all_known=subset.form != "gold")
        counted = _counted(stand_off, form, pointed, job.progress)
        counts = write_subset(
            work, subset.name, form, counted, known, SPLITS, full=full, jsonl=settings.jsonl
        )
        (work / "records").mkdir()
        for corpus, numbered in pointed.rows().items():
            np.save(work / "records" / f"{corpus}.npy", numbered)
        write_findings(work / FINDINGS, of_subset(work, subset.name, form, full=full))
        totals = {"rows": counts, "pointed": pointed.last}
        (work / "counts.json").write_text(json.dumps(totals) + "\n", encoding="utf-8")
    job.progress.say(
        f"{subset.name}: " + ", ".join(f"{sum(each):,} rows in {split}" for split, each in counts.items())
    )


def _rows(
    form: str,
    parts: Sequence[str],
    texts: Sequence[str],
    known: Mapping[str, Texts],
    settings: DatasetSettings,
    *,
    derivable: bool,
    given: Source | None,
) -> Iterator[pl.DataFrame]:
    """The rows of a table in their stand-off form, with their split.

    `texts` are the parts of the corpora, `known` the records in them. Predictions and adaptations have text only if
    they are `derivable`; recipes of a gold set that are in no corpus, and their adaptations and predictions, if the
    source `given` lets them pass.
    """
    match form:
        case "pairs":
            return standoff.pairs(parts)
        case "gold":
            from wokflow.match.gold import gold_set

            adaptations = gold_set(settings.gold, texts, simplified=settings.simplified)
            (corpus,) = known.values()
            return standoff.gold(settings.gold or "", adaptations, corpus, text=derivable, given=given)
        case "actions":
            return standoff.actions(parts, known)
        case "sentences":
            return standoff.sentences(parts)
        case "predictions":
            return standoff.predictions(parts, known, text=derivable, given=given)
        case _:
            split = "test" if form in ("instances", "scores") else "train"
            return standoff.plain(parts, FORMS[form].own.names, split)


class PointedAt:
    """Collects the records that rows point at, as one bit for each row of each corpus."""

    def __init__(self, known: Mapping[str, Texts], *, all_known: bool) -> None:
        """`all_known`: each id is that of a record; others are an error, and not left out."""
        self._known = {} if all_known else known
        self._bits = {corpus: np.zeros(texts.size, np.bool_) for corpus, texts in known.items()}
        self.last = 0  # ids of the last column of ids

    def add(self, ids: pl.Series) -> None:
        for corpus, bits in self._bits.items():
            own = ids.filter(ids.str.starts_with(f"{corpus}:"))
            rows = numbers(own).drop_nulls().to_numpy()
            bits[rows[rows < len(bits)]] = True

    def rows(self) -> dict[str, NDArray[np.int64]]:
        rows = {corpus: np.flatnonzero(bits).astype(np.int64) for corpus, bits in self._bits.items()}
        for corpus, texts in self._known.items():
            rows[corpus] = np.intersect1d(rows[corpus], texts.rows)
        return rows


def _counted(
    frames: Iterator[pl.DataFrame], form: Form, pointed: PointedAt, progress: Progress
) -> Iterator[pl.DataFrame]:
    """The same frames; counts their ids on the way, and reports progress."""
    done = 0
    for frame in frames:
        for name in form.text_of:
            if name == form.text_of[-1]:
                listed = frame[name].dtype == pl.List
                pointed.last += int(frame[name].list.len().sum() if listed else frame.height)
            pointed.add(frame[name].explode() if frame[name].dtype == pl.List else frame[name])
        done += frame.height
        progress(done, f"{done:,} rows")
        yield frame


def write_subset(
    root: Path,
    subset: str,
    form: Form,
    frames: Iterator[pl.DataFrame],
    texts: Mapping[str, Texts],
    splits: Sequence[str],
    *,
    full: bool,
    jsonl: bool,
) -> dict[str, list[int]]:
    """Write rows, which have a column `split`, as shards; return the numbers of rows of the shards, by split.

    Row groups have a fixed number of rows, or fewer where these have long lists, so the bytes do not depend on how
    the rows come. A split without rows has no shard.
    """
    schema = form.schema(full=full)
    waiting: dict[str, list[pl.DataFrame]] = {split: [] for split in splits}
    with ExitStack() as stack:
        writers = {
            split: stack.enter_context(ShardWriter(root, subset, split, schema, jsonl=jsonl))
            for split in splits
        }

        def write(split: str, group: pl.DataFrame) -> None:
            for piece in _pieces(group):
                filled = form.fill(piece, texts) if full and form.fill else piece
                writers[split].write(filled)
                for corpus in texts.values():
                    corpus.forget()

        for frame in frames:
            for (split,), some in frame.partition_by("split", as_dict=True, maintain_order=True).items():
                queue = waiting[str(split)]
                queue.append(some.drop("split"))
                if sum(each.height for each in queue) >= form.group:
                    together = pl.concat(queue)
                    whole = together.height - together.height % form.group
                    for start in range(0, whole, form.group):
                        write(str(split), together[start : start + form.group])
                    queue[:] = [together[whole:]]
        for split, queue in waiting.items():
            if queue:
                write(split, pl.concat(queue))
    return {split: writer.rows for split, writer in writers.items() if writer.rows}


def _pieces(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows in pieces whose lists have LISTED elements at most, or that are one row."""
    lengths = [pl.col(name).list.len() for name, kind in rows.schema.items() if isinstance(kind, pl.List)]
    if not lengths:
        yield rows
        return
    total = pl.sum_horizontal(lengths).cast(pl.Int64)
    ends = rows.select(total.cum_sum()).to_series().to_numpy()
    start = before = 0
    while start < len(rows):
        stop = max(start + 1, int(np.searchsorted(ends, before + LISTED, side="right")))
        yield rows[start:stop]
        start, before = stop, int(ends[stop - 1])


def record_rows(folder: str | Path) -> dict[str, NDArray[np.int64]]:
    """The row numbers of the records that a subset points at, by corpus."""
    return {
        path.stem: np.load(path, allow_pickle=False) for path in sorted(Path(folder, "records").glob("*.npy"))
    }
