"""Requests to an endpoint: their settings, and how they are made of prompts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from wokflow.frame.job import UserError
from wokflow.generate.costs import Prices, Tokens

TEMPLATE_TOKENS = 256  # what a server's chat template may add to a prompt
OWN = ("model", "messages", "prompt", "stream", "n", "best_of", "temperature", "seed")  # not for `parameters`
LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Settings:
    """Config block generate.prompt.

    `endpoint` is a base URL; None: the workflow's own server. `temperature` and `seed` None: the endpoint's own.
    `max_tokens_name` is what the endpoint calls the limit. `parameters` go into each request as they are. Prices are
    for a million tokens; `budget` is money. `failures` is how many requests may stay unanswered after all tries.
    """

    endpoint: str | None = None
    key_variable: str | None = None
    mode: Literal["chat", "completion"] = "chat"
    system: str | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int = 1024
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 8
    timeout_s: float = 300.0
    tries: int = 6
    backoff_s: float = 1.0
    failures: int = 0
    budget: float | None = None
    budget_tokens: int | None = None
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        """Raises UserError for settings that contradict one another."""
        if (self.price_in is None) != (self.price_out is None):
            raise UserError("generate.prompt.price_in and price_out: give both or none.")
        if self.budget is not None and self.price_in is None:
            raise UserError(
                "generate.prompt.budget needs price_in and price_out: no cost is known without them."
            )
        if taken := [name for name in (*OWN, *LIMITS) if name in self.parameters]:
            raise UserError(f"generate.prompt.parameters: {', '.join(taken)} cannot be set there.")
        if self.system and self.mode == "completion":
            raise UserError("generate.prompt.system: completions have no system prompt. Set mode: chat.")

    @property
    def prices(self) -> Prices:
        return Prices(self.price_in, self.price_out)


@dataclass(frozen=True)
class Request:
    """A request: to which endpoint (its base URL, or another name of its own), path below it, and what is sent.

    `most` is the most tokens that it can cost; all else is what its answer depends on.
    """

    endpoint: str
    path: str
    body: dict[str, Any]
    most: Tokens

    def as_json(self) -> dict[str, Any]:
        """All that the answer depends on."""
        return {"endpoint": self.endpoint, "path": self.path, "body": self.body}

    @property
    def digest(self) -> str:
        """SHA-256 of all that the answer depends on, whatever the order of fields."""
        text = json.dumps(self.as_json(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def request(settings: Settings, endpoint: str, model: str, text: str) -> Request:
    """The request for a filled prompt. A token has at least a byte, so the bytes of a text bound its tokens."""
    chat = settings.mode == "chat"
    system = [{"role": "system", "content": settings.system}] if settings.system else []
    asked = {"messages": [*system, {"role": "user", "content": text}]} if chat else {"prompt": text}
    chosen = {
        "temperature": settings.temperature,
        "seed": settings.seed,
        settings.max_tokens_name: settings.max_tokens,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    body = {"model": model, **asked, **given, "stream": False, **settings.parameters}
    size = len(text.encode()) + len((settings.system or "").encode()) + TEMPLATE_TOKENS
    path = "/chat/completions" if chat else "/completions"
    return Request(endpoint, path, body, Tokens(size, settings.max_tokens))
