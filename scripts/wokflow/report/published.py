"""What papers published, as the page shows it beside this run."""

from wokflow.evaluate.summary import read_published

Published = dict[str, dict[str, float]]  # values by run and metric


def published(path: str, dataset: str) -> Published:
    """The published values of a data set, as zh-en/silver, in the order of the file."""
    by_run: Published = {}
    rows = read_published(path).filter(dataset=dataset)
    for run, metric, value in rows.select("run", "metric", "value").iter_rows():
        by_run.setdefault(run, {})[metric] = value
    return by_run
