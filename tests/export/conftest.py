"""The results that most releases are made of."""

import shutil
from pathlib import Path

import pytest

from tests.export.made import make_results
from tests.workflow.conftest import built

__all__ = ["built"]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results that tests leave as they are."""
    return make_results(tmp_path_factory.mktemp("made"))


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    """A copy of them, with the corpora beside it."""
    shutil.copytree(made.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / made.name
