"""What benchmarks share: a folder for the data they make, gone when they end, or kept where one is named for it."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench import measure


@pytest.fixture
def data() -> Iterator[Path]:
    """A new folder in $WOKFLOW_BENCH_DATA, or else where temporary files lie."""
    folder = Path(tempfile.mkdtemp(prefix="wokflow-bench-", dir=_named()))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Path:
    """The benchmark's own folder in $WOKFLOW_BENCH_DATA, as the start before at this size left it; else as `data`."""
    within = _named()
    if not within:
        folder: Path = request.getfixturevalue("data")
        return folder
    folder = within / f"{request.node.name}-{measure.scale()}"
    folder.mkdir(exist_ok=True)
    return folder


def _named() -> Path | None:
    if not sys.platform.startswith("linux"):
        pytest.skip("benchmarks read /proc: they need Linux")
    within = os.environ.get("WOKFLOW_BENCH_DATA")
    if within:
        Path(within).mkdir(parents=True, exist_ok=True)
    return Path(within) if within else None
