"""What is to be filled in of a task."""

from collections.abc import Mapping, Sequence
from typing import Any

HUMAN = "human"  # the system that wrote the references
LETTERS = "ABCDEF"  # of texts that are compared
SYSTEM = "system:"  # before a system's name, among what is shown of a tuple
BEST, WORST = ".best", ".worst"  # behind the name of a dimension by which texts are compared


def field(
    dimension: Mapping[str, Any],
    values: Sequence[str],
    means: Sequence[str] | None = None,
    accepted: Sequence[str] = (),
) -> dict[str, Any]:
    """A column whose cells hold one of `values`, which mean those of the dimension; in a check, some are right."""
    name = dimension["name"]
    column = name.replace(BEST, ": best").replace(WORST, ": worst")
    together = {"column": column, "dimension": name, "values": list(values), "means": list(means or values)}
    return together | {"accepted": list(accepted)}
