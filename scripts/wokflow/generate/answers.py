"""Answers of endpoints: their text, their status, and whether they are as asked for."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from wokflow.generate.costs import Tokens
from wokflow.models.texts import HEADINGS

Failure = Literal["failed", "rejected", "refused"]
Status = Literal["ok", "cut", "empty"] | Failure

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_THOUGHT_BEFORE = re.compile(r"\A.*</think>", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*```[^\S\n]*\w*[^\S\n]*$\n?", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """One answer: its raw text, why it ended, why it was refused, and its tokens if the server counts them.

    Where there is a `failure`, the server gave none: `refusal` says why.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    tokens: Tokens | None = None
    failure: Failure | None = None

    @property
    def status(self) -> Status:
        """`cut` at the limit of tokens, `refused` by the model or a content filter, `empty`, `ok`, or the failure."""
        if self.failure:
            return self.failure
        if self.refusal or self.finish_reason == "content_filter":
            return "refused"
        if not cleaned(self.text):
            return "empty"
        return "cut" if self.finish_reason == "length" else "ok"


def read_answer(response: Any) -> Answer:
    """The first choice of a response of /chat/completions or /completions, parsed from JSON.

    Raises ValueError where it is none.
    """
    try:
        choice = response["choices"][0]
        message = choice["message"] if "message" in choice else {"content": choice["text"]}
        text, refusal, reason = message.get("content"), message.get("refusal"), choice.get("finish_reason")
    except (AttributeError, IndexError, KeyError, TypeError):
        raise ValueError("an answer without choices") from None
    if isinstance(text, list):  # parts of a text, as some servers give them
        text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
    return Answer(
        text if isinstance(text, str) else "",
        reason if isinstance(reason, str) else None,
        refusal if isinstance(refusal, str) and refusal else None,
        _tokens(response.get("usage")),
    )


def _tokens(usage: Any) -> Tokens | None:
    """The server's count; None if it gives none, or one that makes no sense."""
    counts = [usage.get(f"{part}_tokens") for part in Tokens._fields] if isinstance(usage, dict) else [None]
    return Tokens(*counts) if all(type(count) is int and count >= 0 for count in counts) else None


def cleaned(text: str) -> str:
    """The answer proper: without <think>…</think>, and without the lines that open and close code (```).

    A thought that does not end is taken out to the end of the text; one whose beginning the server has kept to
    itself, from the beginning. Nothing else is touched: words around the recipe stay.
    """
    text = _THOUGHT_BEFORE.sub("", _THOUGHT.sub("", text))
    return _FENCE.sub("", text).strip()


def in_form(text: str, source: str) -> bool | None:
    """Whether an answer has the headings of its source, in any letter case; None if the source has none."""
    wanted = [heading.lower() for heading in HEADINGS if heading.lower() in source.lower()]
    return all(heading in text.lower() for heading in wanted) if wanted and text else None
