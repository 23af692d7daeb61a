"""Pickles of plain values. Loading a pickle can run any code, so that of a stranger may build nothing else."""

import io
import pickle
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError

# What a pickle may name: sets, which older protocols call by name. Lists, tuples, dicts, texts and numbers need none.
PLAIN = {(module, name) for module in ("builtins", "__builtin__") for name in ("set", "frozenset")}


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in PLAIN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it needs {module}.{name}")


def read_pickle(path: str | Path) -> Any:
    """The value in a pickle of texts, numbers, lists, tuples, sets and dictionaries.

    Raises UserError for any other type, whose code is not run, and for a damaged file.
    """
    try:
        return _Plain(io.BytesIO(Path(path).read_bytes())).load()
    except Exception as error:  # damaged pickles raise errors of almost every type
        raise UserError(
            f"{path} is no pickle of plain values ({type(error).__name__}: {error}): only texts, numbers, lists, "
            "tuples, sets and dictionaries are read, as others can run code. Write it as JSON instead."
        ) from error
