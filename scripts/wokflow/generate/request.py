"""Requests to an endpoint, and how they are made of prompts."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from wokflow.frame.job import UserError
from wokflow.generate.costs import Tokens
from wokflow.generate.prompts import one_text
from wokflow.generate.settings import PromptSettings

TEMPLATE_TOKENS = 256  # what a server's chat template may add to a prompt
OWN = ("model", "messages", "prompt", "stream", "n", "best_of", "temperature", "seed")  # not for `parameters`
LIMITS = ("max_tokens", "max_completion_tokens")


def check(settings: PromptSettings) -> None:
    """Raises UserError for settings that contradict one another."""
    if (settings.price_in is None) != (settings.price_out is None):
        raise UserError("generate.prompt.price_in and price_out: give both or none.")
    if settings.budget is not None and settings.price_in is None:
        raise UserError("generate.prompt.budget needs price_in and price_out: no cost is known without them.")
    if taken := [name for name in (*OWN, *LIMITS) if name in settings.parameters]:
        raise UserError(f"generate.prompt.parameters: {', '.join(taken)} cannot be set there.")
    if settings.system and settings.mode == "completion":
        raise UserError("generate.prompt.system: completions have no system prompt. Set mode: chat.")


@dataclass(frozen=True)
class Request:
    """A request: to which endpoint (its base URL, or another name of its own), path below it, and what is sent.

    `draw` is the seed of the run: of the same request, runs with different seeds get answers of their own. `most` is
    the largest number of tokens that it can cost; the answer depends on all other fields.
    """

    endpoint: str
    path: str
    body: dict[str, Any]
    draw: int
    most: Tokens

    def as_json(self) -> dict[str, Any]:
        """All that the answer depends on."""
        return {"endpoint": self.endpoint, "path": self.path, "body": self.body, "draw": self.draw}

    @property
    def digest(self) -> str:
        """SHA-256 of all that the answer depends on, whatever the order of fields."""
        text = json.dumps(self.as_json(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def request(settings: PromptSettings, endpoint: str, *said: str) -> Request:
    """The request for a filled prompt, which may come after questions and answers: `said` in turn by user and model.

    A text has no more tokens than bytes, and each message adds those of the chat template.
    """
    chat = settings.mode == "chat"
    system = [{"role": "system", "content": settings.system}] if settings.system else []
    turns = [
        {"role": "assistant" if number % 2 else "user", "content": text} for number, text in enumerate(said)
    ]
    text = one_text(said)
    asked = {"messages": [*system, *turns]} if chat else {"prompt": text}
    chosen = {
        "temperature": settings.temperature,
        "seed": settings.seed,
        settings.max_tokens_name: settings.max_tokens,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    body = {"model": settings.model, **asked, **given, "stream": False, **settings.parameters}
    more = (
        json.dumps(settings.parameters, ensure_ascii=False) if settings.parameters else ""
    )  # schemas, tools
    texts = (text, settings.system or "", more)
    size = sum(len(each.encode()) for each in texts) + TEMPLATE_TOKENS * len(said)
    path = "/chat/completions" if chat else "/completions"
    return Request(endpoint, path, body, settings.draw, Tokens(size, settings.max_tokens))
