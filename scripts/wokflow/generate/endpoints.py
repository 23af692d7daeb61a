"""Endpoints, and the key that each may get."""

import os
import re
from typing import Any

import httpx

from wokflow.frame.job import UserError
from wokflow.frame.secrets import SHORTEST
from wokflow.frame.web import on_loopback, plain_url

HIDDEN = "[key]"


class Key:
    """The key of an endpoint: a secret that is given, or read from the environment variable that holds it.

    It is never shown. Without a secret, and with a variable that is None or not set, there is no key.
    """

    def __init__(self, variable: str | None, secret: str = "") -> None:
        """Raises UserError if the variable's name (it may be the key itself) or the key is not valid."""
        if variable is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", variable):
            raise UserError(
                "generate.prompt.key_variable must be the name of an environment variable, in capitals, such as "
                "OPENAI_API_KEY. Should the key itself stand there: take it out, a key is never in a config."
            )
        self.variable = variable
        self._secret = os.environ.get(variable, "").strip() if variable else secret
        if not re.fullmatch(r"[\x21-\x7e]*", self._secret):
            raise UserError(f"The key in ${variable} has blanks or signs that no key has: set it again.")

    def __bool__(self) -> bool:
        return bool(self._secret)

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"

    @property
    def origin(self) -> str:
        """Where the key comes from, or how it is named where there is none."""
        if self:
            return f"It is read from the environment variable {self.variable}." if self.variable else ""
        if self.variable:
            return f"None was sent: the environment variable {self.variable} is not set."
        return "None was sent: name the environment variable that holds it in generate.prompt.key_variable."

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def hide(self, value: Any) -> Any:
        """A text, or parsed JSON, without the key; characters that cannot be stored become question marks."""
        if isinstance(value, str):
            text = value.encode("utf-8", "replace").decode("utf-8")
            return text.replace(self._secret, HIDDEN) if len(self._secret) >= SHORTEST else text
        if isinstance(value, list):
            return [self.hide(item) for item in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide(item) for name, item in value.items()}
        return value


def check_endpoint(endpoint: str, key: Key) -> None:
    """Raises UserError if the base URL is not valid, holds a secret, or would get the key unencrypted."""
    if not plain_url(endpoint):
        raise UserError(
            "generate.prompt.endpoint must be a base URL such as https://api.openai.com/v1, without a name, a "
            "password or a query: a key belongs into the environment variable that key_variable names."
        )
    if key and httpx.URL(endpoint).scheme == "http" and not on_loopback(endpoint):
        raise UserError(
            f"generate.prompt.endpoint: {endpoint} is not encrypted, so the key in ${key.variable} is not sent "
            "there. Use https, or set key_variable: null if the server needs no key."
        )
