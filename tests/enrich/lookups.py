"""What tests of enrich.lookup share: items and languages, files of triples, and the rows of a table."""

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from wokflow.frame import tables

from tests.enrich.facts import Entity, store_of

LANGUAGES = ["zh", "en", "es", "hi"]
LOOKED_UP = ["Q836929", "Q2", "Q13276", "Q30", "Q900", "Q148", "Q404"]
Lookup = Callable[..., Path]


def rows(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["qid"], row["lang"]): row for row in tables.read(path).iter_rows(named=True)}


def written(tmp_path: Path, entities: Sequence[Entity], name: str = "facts.nt") -> str:
    """A file of triples; its name's ending is its form."""
    store = store_of(entities)
    form = ox.RdfFormat.TURTLE if ".ttl" in name else ox.RdfFormat.N_TRIPLES
    content = store.dump(format=form, from_graph=ox.DefaultGraph()) or b""
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return str(path)
