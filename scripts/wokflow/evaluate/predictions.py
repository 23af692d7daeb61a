"""Predictions as users give them: Parquet or TSV, checked against the instances."""

import csv
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import polars as pl

from wokflow.job import Progress, UserError

COLUMNS = ("instance_id", "run", "prediction")
Row = tuple[int, str | None, str | None, str | None]  # number in the file from 1, and COLUMNS


def read_predictions(
    paths: Sequence[str], known: Collection[str], progress: Progress | None = None
) -> dict[str, dict[str, str]]:
    """For each run, sorted, the prediction of each known instance.

    The files (.tsv with a header, or Parquet) have the columns instance_id, run and prediction, and perhaps more;
    together they may hold several runs. An instance that a run lacks, or whose prediction is null, counts as an
    empty prediction, and the log says how many do. Raises UserError, with file and row, for missing columns,
    unknown instances, rows without run, and instances that a run has twice.
    """
    wanted = set(known)
    runs: dict[str, dict[str, str]] = {}
    for path in paths:
        for number, instance, run, prediction in _rows(path):
            where = f"{path}, row {number}"
            if not run:
                raise UserError(f"{where}: the column run is empty; give the run's name.")
            if instance not in wanted:
                raise UserError(
                    f"{where}: there is no instance {instance!r}; the table pivot/instances has them all."
                )
            if instance in runs.setdefault(run, {}):
                raise UserError(f"{where}: run {run} has instance {instance} twice. Remove one.")
            runs[run][instance] = prediction or ""
    if not runs and wanted:
        raise UserError(f"{', '.join(paths) or 'No file'}: there are no predictions to evaluate.")
    for run, found in sorted(runs.items()):
        if (missing := len(wanted) - sum(map(bool, found.values()))) and progress:
            progress.say(
                f"{run}: {missing} of {len(wanted)} instances have no prediction, which counts as empty"
            )
    return {
        run: {name: found.get(name, "") for name in sorted(wanted)} for run, found in sorted(runs.items())
    }


def _rows(path: str) -> Iterator[Row]:
    return _from_tsv(path) if path.endswith(".tsv") else _from_parquet(path)


def _from_parquet(path: str) -> Iterator[Row]:
    try:
        frame = pl.scan_parquet(path, glob=False)
        _check(path, frame.collect_schema().names())
        rows = frame.select(pl.col(COLUMNS).cast(pl.String)).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(
            f"{path} cannot be read as Parquet (a table with tabs is to end in .tsv): {error}"
        ) from error
    for number, row in enumerate(rows.iter_rows(), start=1):
        yield number, *row


def _from_tsv(path: str) -> Iterator[Row]:
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, dialect="excel-tab", strict=True)
            header = next(reader, [])
            _check(path, header)
            places = [header.index(name) for name in COLUMNS]
            for number, row in enumerate(reader, start=2):
                if not row:
                    continue
                if len(row) != len(header):
                    raise UserError(
                        f"{path}, row {number}: {len(row)} cells, but the header has {len(header)}. Tabs and line "
                        "breaks inside a cell call for quotes around it."
                    )
                instance, run, prediction = (row[place] for place in places)
                yield number, instance, run, prediction
    except FileNotFoundError as error:
        raise UserError(f"There is no file {path} with predictions.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: save it again as Unicode (UTF-8) text.") from error
    except csv.Error as error:
        raise UserError(
            f"{path}: a cell that begins with a quote has to end with one, quotes inside doubled ({error})."
        ) from error


def _check(path: str, header: Sequence[str]) -> None:
    if missing := [name for name in COLUMNS if name not in header]:
        raise UserError(f"{path}: missing column {', '.join(missing)}; found were {', '.join(header)}.")
