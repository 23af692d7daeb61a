"""Answers of endpoints: their text, their status, and whether they are as asked for."""

import re
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from wokflow.generate.costs import Tokens
from wokflow.models.recipe_texts import HEADINGS

Failure = Literal["failed", "rejected", "refused"]
Status = Literal["ok", "cut", "empty"] | Failure
LOST = ("failed", "rejected")  # no answer, so no prediction

# Why servers say that an answer ended, in their own words; by any other word it is not whole.
WHOLE = frozenset({"stop", "eos", "eos_token", "stop_sequence", "end_turn"})
AT_THE_LIMIT = frozenset({"length", "max_tokens"})
FILTERED = "content_filter"
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_THOUGHT_BEFORE = re.compile(r"\A.*</think>", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_FENCE = re.compile(r"^[^\S\n]*+```[^\S\n]*+\w*+[^\S\n]*+$\n?", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """One answer: its raw text, why it ended, why it was refused, and its tokens if the server counts them.

    If the server gave no answer, `failure` is set, and `refusal` says why. `served` and `fingerprint` are the model
    and the state of the system that the response names: behind an alias, either may change from one day to the next.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    tokens: Tokens | None = None
    failure: Failure | None = None
    served: str | None = None
    fingerprint: str | None = None

    @property
    def status(self) -> Status:
        """`cut` at the limit of tokens, `refused` by the model or a content filter, `empty`, `ok`, or the failure."""
        if self.failure:
            return self.failure
        if self.refusal or self.finish_reason == FILTERED:
            return "refused"
        if not cleaned(self.text):
            return "empty"
        return "cut" if self.at_the_limit else "ok"

    @property
    def at_the_limit(self) -> bool:
        """Whether the answer ended at the limit of tokens; it has no text if reasoning took all of them."""
        return self.finish_reason in AT_THE_LIMIT


def read_answer(response: Any) -> Answer:
    """The first choice of a response of /chat/completions or /completions, parsed from JSON.

    Raises ValueError if it is not a response, reports an error, or does not say that the answer is complete.
    """
    try:
        choice = response["choices"][0]
        message = choice["message"] if "message" in choice else {"content": choice["text"]}
        error = response.get("error") or choice.get("error") or message.get("error")
        text, refusal, reason = message.get("content"), message.get("refusal"), choice.get("finish_reason")
    except (AttributeError, IndexError, KeyError, TypeError):
        raise ValueError("an answer without choices") from None
    reason = reason.lower() if isinstance(reason, str) else None
    if error:
        raise ValueError("an error inside of an answer")
    if not refusal and reason not in {*WHOLE, *AT_THE_LIMIT, FILTERED}:
        raise ValueError(f"finish_reason {reason!r} does not say that the answer is whole")
    if isinstance(text, list):  # parts of a text, as some servers give them
        parts = [part for part in text if isinstance(part, dict)]
        said = (part.get("text") for part in parts if part.get("type", "text") in ("text", "output_text"))
        text = "".join(each for each in said if isinstance(each, str))
        refusal = refusal or next((part["refusal"] for part in parts if part.get("refusal")), None)
    if isinstance(text, str) and _HALF.search(text):
        raise ValueError("half a character (a lone surrogate) in the answer")
    return Answer(
        text if isinstance(text, str) else "",
        reason,
        refusal if isinstance(refusal, str) and refusal else None,
        _tokens(response.get("usage")),
        served=_named(response.get("model")),
        fingerprint=_named(response.get("system_fingerprint")),
    )


def _named(name: Any) -> str | None:
    return name if isinstance(name, str) and name else None


def _tokens(usage: Any) -> Tokens | None:
    """The server's count; None if it gives none, or one that makes no sense.

    What a total has more than its parts are thoughts, which some servers count, and bill, beside the answer.
    """
    if not isinstance(usage, dict):
        return None
    prompt, completion, total = (usage.get(f"{part}_tokens") for part in (*Tokens._fields, "total"))
    if not (_is_count(prompt) and _is_count(completion)):
        return None
    return Tokens(prompt, max(completion, total - prompt) if _is_count(total) else completion)


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def cleaned(text: str) -> str:
    """The answer without reasoning (<think>…</think>) and without the fences of code blocks (```).

    Reasoning without an end tag is removed up to the end of the text, and reasoning without a start tag, which some
    servers leave out, from the beginning on. All other words around the recipe stay.
    """
    text = _THOUGHT_BEFORE.sub("", _THOUGHT.sub("", text))
    return _FENCE.sub("", text).strip()


def in_form(text: str, source: str) -> bool | None:
    """Whether an answer has the headings of its source, in any letter case; None if the source has none."""
    wanted = [heading.lower() for heading in HEADINGS if heading.lower() in source.lower()]
    return all(heading in text.lower() for heading in wanted) if wanted and text else None
