"""Users' predictions (Parquet or TSV), checked against the instances."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from wokflow.evaluate.given_rows import Row, read_rows
from wokflow.frame.job import Progress, UserError
from wokflow.frame.text_files import read_text
from wokflow.frame.writing import one_spelling
from wokflow.pivot.instances import in_lines

COLUMNS = ("instance_id", "run", "prediction")


def read_predictions(
    paths: Sequence[str], known: Collection[str], progress: Progress
) -> dict[str, dict[str, str]]:
    """For each run, sorted, the prediction of each known instance.

    The files (.tsv with a header, or Parquet) have the columns instance_id, run and prediction, and perhaps more;
    together they may hold several runs. A .txt file is one run, which has its name, in the form that the testbed's
    authors score: a line for each line of their base recipes. An instance that a run lacks, or whose prediction is
    null, counts as an empty prediction, and the log says how many do. Raises UserError, with file and row, for
    missing columns, unknown instances, rows without run, instances that a run has twice, runs whose names differ in
    letter case alone, and a .txt file of more or fewer lines.
    """
    wanted = set(known)
    runs: dict[str, dict[str, str]] = {}
    for path in paths:
        rows = (
            _lines(path, known)
            if path.endswith(".txt")
            else read_rows(path, COLUMNS, "predictions", copied=True)
        )
        for number, (instance, run, prediction) in rows:
            where = f"{path}, row {number}"
            if not run:
                raise UserError(f"{where}: the column run is empty; give the run's name.")
            if instance not in wanted:
                raise UserError(
                    f"{where}: there is no instance {instance!r}; the table pivot/instances lists them."
                )
            if instance in runs.setdefault(run, {}):
                raise UserError(f"{where}: run {run} has instance {instance} twice. Remove one.")
            runs[run][instance] = prediction or ""
    one_spelling("the runs", sorted(runs))
    if not runs and wanted:
        raise UserError(f"{', '.join(paths) or 'No file'}: there are no predictions to evaluate.")
    for run, texts in sorted(runs.items()):
        if missing := len(wanted) - sum(map(bool, texts.values())):
            progress.say(
                f"{run}: {missing} of {len(wanted)} instances have no prediction, which counts as empty"
            )
    return {
        run: {name: texts.get(name, "") for name in sorted(wanted)} for run, texts in sorted(runs.items())
    }


def _lines(path: str, known: Collection[str]) -> Iterator[Row]:
    """The lines of a .txt file as rows, one for each instance (pivot.instances.in_lines)."""
    instances = in_lines(known)
    lines = [line.strip() for line in read_text(path).split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    if len(lines) != len(instances):
        raise UserError(
            f"{path} has {len(lines)} lines, but there are {len(instances)} instances: a .txt file has a line for "
            "each base recipe, in their order."
        )
    for number, (instance, line) in enumerate(zip(instances, lines, strict=True), start=1):
        yield number, [instance, Path(path).stem, line]
