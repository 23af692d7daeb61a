"""Which model answered: the one that was asked for, and the one that responses name."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from wokflow.frame.job import UserError
from wokflow.generate.answers import Answer

SAID = {"served_model": "models", "fingerprint": "states of the serving system"}


def public(model: str) -> str:
    """A model's name in tables: that of a folder is its last part, since where it lies is nobody's business."""
    return Path(model).name if Path(model).is_dir() else model


def origin(model: str, answer: Answer) -> dict[str, str | None]:
    """The columns of generate.schemas.ORIGIN of an answer to a request for a model."""
    served = public(model) if answer.served == model else answer.served
    return {"model": public(model), "served_model": served, "fingerprint": answer.fingerprint}


def same_model(answers: pl.DataFrame, model: str, path: str, name: str) -> None:
    """Raises UserError if released answers are to requests for another model; null is not known, and passes.

    A folder's name passes for its path, as the folder may be on another machine.
    """
    others = answers.filter(~pl.col("model").is_in([model, Path(model).name]))
    if others.height:
        raise UserError(
            f"{path} has answers of {others['model'][0]} for {name}, whose model is {model}. Correct the model in "
            "the table, or name other answers: what is measured of a model would be of another one."
        )


def several_served(answers: pl.DataFrame, columns: Iterable[str] = SAID) -> Iterator[str]:
    """Notices where responses name more than one served model, or more than one state of the system."""
    for column in columns:
        counts = answers.drop_nulls(column).group_by(column).len("count").sort(column)
        if counts.height > 1:
            named = ", ".join(f"{name} ({count})" for name, count in counts.iter_rows())
            yield f"answers come from {counts.height} {SAID[column]}: {named}"
