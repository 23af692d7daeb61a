"""What benchmarks share: a folder for the data they make, gone when they end."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def data() -> Iterator[Path]:
    """A new folder in $WOKFLOW_BENCH_DATA, or else where temporary files lie."""
    if not sys.platform.startswith("linux"):
        pytest.skip("benchmarks read /proc: they need Linux")
    within = os.environ.get("WOKFLOW_BENCH_DATA")
    if within:
        Path(within).mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="wokflow-bench-", dir=within))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
