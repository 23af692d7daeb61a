"""Users' predictions (Parquet or TSV), checked against the instances."""

from collections.abc import Collection, Sequence

from wokflow.evaluate.given_rows import read_rows
from wokflow.frame.job import Progress, UserError

COLUMNS = ("instance_id", "run", "prediction")


def read_predictions(
    paths: Sequence[str], known: Collection[str], progress: Progress
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
        for number, (instance, run, prediction) in read_rows(path, COLUMNS, "predictions", copied=True):
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
