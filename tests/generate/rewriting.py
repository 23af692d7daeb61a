"""Base recipes to rewrite, and a tiny causal model that reads them."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from wokflow.frame import tables
from wokflow.generate import schemas

from tests.models import tiny


def instances(folder: Path, texts: Sequence[str]) -> str:
    """Instances i0, i1, ... of rewriting 蛋饭 as 鸡饭."""
    rows = [
        {
            "instance_id": f"i{number}",
            "dataset": "counterfactual",
            "source_id": f"x:{number}",
            "title": "鸡饭",
            "base": "蛋饭",
            "source": text,
        }
        for number, text in enumerate(texts)
    ]
    schema = tables.columns(schemas.INSTANCES)
    tables.write(folder / "instances.parquet", schemas.INSTANCES, pl.DataFrame(rows, schema=schema), {})
    return str(folder / "instances.parquet")


def model_in(folder: Path) -> str:
    """A random GPT-2 with a token a character, in a folder."""
    tokenizer = tiny.tokenizer()
    for part in (tiny.model("gpt2", len(tokenizer)), tokenizer):
        part.save_pretrained(folder)
    return str(folder)
