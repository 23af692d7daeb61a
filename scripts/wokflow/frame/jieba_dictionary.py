"""jieba's dictionary, read from its package and nothing else.

By itself jieba keeps a cache in the temporary folder, which all users of a machine share, and trusts it whoever wrote
it. So no other module imports jieba, and its global tokenizer is not used.
"""

import warnings
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any


@cache
def frequencies(path: str | None = None) -> tuple[dict[str, int], int]:
    """Counts of the dictionary's words, and their sum; prefixes of words that are no words have the count 0.

    `path` is that of another dictionary of jieba's form.
    """
    jieba = _jieba()
    with Path(path).open("rb") if path else jieba.dt.get_dict_file() as file:
        counts, total = jieba.Tokenizer.gen_pfdict(file)
    return counts, total


@cache
def tags() -> dict[str, str]:
    """The part of speech of each word."""
    with _jieba().dt.get_dict_file() as file:
        rows = (line.decode("utf-8").split() for line in file)
        return {row[0]: row[2] for row in rows}


def tokenizer(path: str | None = None) -> Any:
    """A tokenizer with the dictionary, or the one at `path`; tokenizers share it, so do not change it."""
    made = _jieba().Tokenizer()
    made.FREQ, made.total = frequencies(path)
    made.initialized = True
    return made


def _jieba() -> ModuleType:
    with warnings.catch_warnings():  # it imports pkg_resources, which setuptools deprecates
        warnings.simplefilter("ignore")
        import jieba
    module: ModuleType = jieba
    return module
