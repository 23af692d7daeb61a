"""Where requests go: endpoints of others, with a key, and the workflow's own server."""

import ipaddress
import json
import os
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from wokflow import tables
from wokflow.job import UserError

HIDDEN = "[key]"
SECRET = 8  # characters; what is shorter, such as EMPTY, is no secret and may stand in recipes
LOOK = 0.5  # seconds between looks at a server that starts
GRACE = 60  # seconds after its time to start in which a server says why it did not


class Key:
    """The key of an endpoint, read from the environment variable that holds it. It shows itself nowhere.

    Where the variable is None or not set there is no key: servers of one's own need none.
    """

    def __init__(self, variable: str | None) -> None:
        """Raises UserError for a name that is none, in case it is the key itself, and for a key that is none."""
        if variable is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", variable):
            raise UserError(
                "generate.prompt.key_variable must be the name of an environment variable, in capitals, such as "
                "OPENAI_API_KEY. Should the key itself stand there: take it out, a key is never in a config."
            )
        self.variable = variable
        self._secret = os.environ.get(variable, "").strip() if variable else ""
        if not re.fullmatch(r"[\x21-\x7e]*", self._secret):
            raise UserError(f"The key in ${variable} has blanks or signs that no key has: set it again.")

    def __bool__(self) -> bool:
        return bool(self._secret)

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def hide(self, value: Any) -> Any:
        """A text, or parsed JSON, without the key; characters that cannot be stored become question marks."""
        if isinstance(value, str):
            text = value.encode("utf-8", "replace").decode("utf-8")
            return text.replace(self._secret, HIDDEN) if len(self._secret) >= SECRET else text
        if isinstance(value, list):
            return [self.hide(item) for item in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide(item) for name, item in value.items()}
        return value


def check_endpoint(endpoint: str, key: Key) -> None:
    """Raises UserError for a base URL that is none, has a secret in it, or would send the key unencrypted."""
    try:
        url = httpx.URL(endpoint)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise UserError(
            "generate.prompt.endpoint must be a base URL such as https://api.openai.com/v1, without a name, a "
            "password or a query: a key belongs into the environment variable that key_variable names."
        )
    if key and url.scheme == "http" and not on_loopback(endpoint):
        raise UserError(
            f"generate.prompt.endpoint: {endpoint} is not encrypted, so the key in ${key.variable} is not sent "
            "there. Use https, or set key_variable: null if the server needs no key."
        )


def on_loopback(endpoint: str) -> bool:
    """Whether a URL's host is this machine itself."""
    host = httpx.URL(endpoint).host
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Server:
    """What the workflow's own server says of itself, in a file: there as soon as it starts.

    `url` is the base URL, `identity` a digest of what was started, `minutes` how long starting may take,
    and `error` why it did not start or runs no more.
    """

    url: str
    identity: str
    minutes: float
    error: str = ""

    def write(self, file: str | Path) -> None:
        tables.write_text(file, json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n")


def await_server(file: str | Path) -> Server:
    """Wait until the server of a file answers. Raises UserError where it says that it cannot start, or is silent."""
    start = time.monotonic()
    while True:
        server = Server(**json.loads(Path(file).read_text(encoding="utf-8")))
        if server.error:
            raise UserError(server.error)
        if answers(server.url):
            return server
        if time.monotonic() - start > 60 * server.minutes + GRACE:
            raise UserError(
                f"The model's server at {server.url} did not answer in {server.minutes:g} minutes."
            )
        time.sleep(LOOK)


def answers(url: str) -> bool:
    """Whether a server, by its base URL, is ready: it says that it is well, or does not know the question."""
    try:
        return httpx.get(f"{url.removesuffix('/v1')}/health", timeout=10, trust_env=False).status_code < 500
    except httpx.HTTPError:
        return False
