"""The results that most releases are made of."""

from pathlib import Path

import pytest

from tests.export.made import make_results


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return make_results(tmp_path)
