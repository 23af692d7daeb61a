"""Checks that another package is a tested version, and still has the parts that Wokflow replaces."""

import importlib
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from wokflow.frame.job import UserError


@dataclass(frozen=True)
class Part:
    """A function or method that Wokflow replaces or relies on: `place` is a module, or `module:Class`.

    `parameters` is None if the replacement passes all arguments on: any will do.
    """

    place: str
    name: str
    parameters: tuple[str, ...] | None

    def __str__(self) -> str:
        return f"{self.place}.{self.name}({', '.join(self.parameters or ('...',))})"

    def find(self) -> Any:
        """The function; None where it is not there."""
        module, _, owner = self.place.partition(":")
        try:
            part: Any = importlib.import_module(module)
        except ImportError:
            return None
        for name in filter(None, (owner, self.name)):
            part = getattr(part, name, None)
        return part


def check_parts(package: str, tested: Sequence[str], parts: Sequence[Part]) -> None:
    """Check a package before parts of it are replaced.

    Raises UserError if its version is not among those `tested`, if a part is not there or if it has other parameters.
    """
    problems = list(_problems(package, tested, parts))
    if problems:
        raise UserError(
            f"Wokflow replaces parts of {package} and was tested with version {' and '.join(tested)}. Here:\n"
            + "".join(f"  - {problem}\n" for problem in problems)
            + f"Install a tested version: pip install {package}=={tested[-1]} (`make setup` does)."
        )


def _problems(package: str, tested: Sequence[str], parts: Sequence[Part]) -> Iterator[str]:
    try:
        installed = version(package)
    except PackageNotFoundError:
        installed = "not installed"
    if installed not in tested:
        yield f"its version is {installed}"
    for part in parts:
        there = part.find()
        if there is None:
            yield f"there is no {part}"
            continue
        parameters = tuple(inspect.signature(there).parameters)
        if part.parameters not in (None, parameters):
            yield f"{part} has the parameters ({', '.join(parameters)})"
