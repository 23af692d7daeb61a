"""The columns of a sheet, and the fields among them that a rater fills in."""

from collections.abc import Mapping, Sequence
from typing import Any

ID, RATER, COMMENT = "id", "rater", "comment"
PART, SOURCE, TARGET = "part", "source", "target"  # columns of recipes to adapt
HUMAN = "human"  # the system that wrote the references
PTA = "pta"  # the data of studies that choose between translations of items
LETTERS = "ABCDEF"  # names of the compared texts in a sheet
SYSTEM = "system:"  # prefix of a system's name, among the texts of a tuple
BEST, WORST = ".best", ".worst"  # suffixes of a dimension by which texts are compared


def field(
    dimension: Mapping[str, Any],
    values: Sequence[str],
    means: Sequence[str] | None = None,
    accepted: Sequence[str] = (),
) -> dict[str, Any]:
    """A column whose cells hold one of `values`; `means` are the values of the dimension for these, in order.

    `accepted` are the right answers of a check.
    """
    name = dimension["name"]
    column = name.replace(BEST, ": best").replace(WORST, ": worst")
    together = {"column": column, "dimension": name, "values": list(values), "means": list(means or values)}
    return together | {"accepted": list(accepted)}
