"""Fixtures of tests of enrich.lookup."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from wokflow.enrich.lookup import enrich_lookup
from wokflow.frame.job import Job, Progress

from tests.enrich.defaults import lookup_settings
from tests.enrich.facts import categorised
from tests.enrich.lookups import LANGUAGES, LOOKED_UP, Lookup


@pytest.fixture
def log() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def lookup(tmp_path: Path, log: io.StringIO) -> Lookup:
    """Look items up; what is not given is as usual."""

    def run(
        qids: Iterable[str] = LOOKED_UP, *, to: str = "lookups", entities: str = "none", **given: Any
    ) -> Path:
        path = tmp_path / f"{to}.parquet"
        usual = {
            "languages": LANGUAGES,
            "backend": "endpoint",
            "contact": "cook@example.org",
            "cache": str(tmp_path / "cache"),
        }
        enrich_lookup(
            categories=categorised(tmp_path / "categories.parquet", qids, "Q77"),
            entities=entities,
            lookups=str(path),
            settings=lookup_settings(**usual | given),
            job=Job({"key": "k"}, Progress(log, seconds=0)),
        )
        return path

    return run
