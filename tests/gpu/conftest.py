"""Tests on a real GPU: make test-gpu, where there is one."""

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def gpu() -> torch.device:
    """The GPU; without one the tests are skipped."""
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU that PyTorch can use")
    return torch.device("cuda")
