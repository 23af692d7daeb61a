"""The error of a command that is called wrongly."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from wokflow.frame.job import UserError


class UsageError(UserError):
    """Arguments of a command that it cannot work with, as opposed to something that it has found."""


def refuse_absent(*paths: str) -> None:
    """Raises UsageError for the first path that names no file and no folder."""
    for path in paths:
        if not Path(path).exists():
            raise UsageError(f"There is no file {path}.")


def require_tables(results: str, stage: str, *tables: str) -> None:
    """Raises UsageError for the first of a stage's tables that the results lack."""
    for table in tables:
        if not Path(results, stage, table, "part-00000.parquet").is_file():
            raise UsageError(f"{results}: there is no {stage}/{table}. Run snakemake {stage}.")


def left_over(results: str, part: str, column: str, names: Iterable[str]) -> Iterator[str]:
    """Sentences: which names of runs or models a column of a part lacks, if the part is there.

    Those that have left the config are still among the results.
    """
    from wokflow.frame import tables  # what needs no table does not wait for it

    path = Path(results, part)
    if path.is_file():
        known = {*tables.read(str(path), [column])[column]}
        for name in names:
            if name not in known:
                yield (
                    f"{name} is not in {path.parent.relative_to(results)}: perhaps the config no longer has it, "
                    "and what it wrote is older than all else."
                )


def refuse_overwriting(folder: str, names: Iterable[str]) -> None:
    """Raises UsageError if the folder for a command's files has one of these names already, or is none.

    Files of the papers' authors have the same names, so that what is there may be an original.
    """
    if os.path.lexists(folder) and not Path(folder).is_dir():
        raise UsageError(f"--to {folder} is no folder. Name one.")
    for name in names:
        if os.path.lexists(path := Path(folder, name)):
            raise UsageError(
                f"--to {folder}: {path} exists already, and is not overwritten. Name another folder, or delete it."
            )
