"""What tests of prompt runs share: a key in the environment, no proxies, and short waits between tries."""

import pytest

from tests.generate.asking import SECRET

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's own first wait is half a second, which no setting changes."""
    monkeypatch.setenv("TEST_KEY", SECRET)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
