"""What tests of the stage share with those of prompt runs."""

from tests.generate.conftest import keyed

__all__ = ["keyed"]
