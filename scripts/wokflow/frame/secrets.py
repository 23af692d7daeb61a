"""Keeps secrets out of logs, screens, errors, and the environments of programs."""

import os
import re
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

HIDDEN = "[secret]"
SAID = 300  # characters of others' text that are shown
SHORTEST = 8  # characters; what is shorter, such as EMPTY, is no secret and may stand in other texts
NAME = re.compile(
    r"(?:^|_)(?:[A-Z0-9]*KEYS?|TOKENS?|SECRETS?|[A-Z0-9]*PASS(?:WORD|WD|PHRASE)?|PW|PAT|CREDENTIALS?|COOKIES?|AUTH|JWT|"
    r"BEARER)(?:_|$)|[A-Z0-9]_PWD$",
    re.IGNORECASE,
)
IN_URL = re.compile(r"(://)[^/\s@'\"<>]++@")  # a name, a password or both, before the host
TOKEN = re.compile(  # JWT; keys that say whose they are
    r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:hf_|ghp_|gho_|github_pat_|glpat-|sk-)[\w-]{16,}"
)
CONTROL = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], "?")  # all but tabs and line ends
CONTROL |= dict.fromkeys(
    range(0xD800, 0xE000), "?"
)  # bytes of names that are no UTF-8, which no log can hold
MORE = "WOKFLOW_EXPORT"  # the variable with names of variables that users hand to jobs and programs
HUB = frozenset({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN"})
KNOWN = {"api.openai.com": "OPENAI_API_KEY"}  # hosts whose key has a customary variable
PROXY = re.compile(r"(?:https?|ftp|all)_proxy", re.IGNORECASE)


def is_secret(name: str, value: str) -> bool:
    """Whether a variable of the environment holds a secret, by its name or by what its value looks like."""
    proxy = PROXY.fullmatch(name) and "@" in value  # also without http://
    return bool(proxy or NAME.search(name) or IN_URL.search(value) or TOKEN.search(value))


def masked(text: str, secrets: Collection[str] = ()) -> str:
    """A text with secrets masked: given ones, those in this process's environment, and what looks like a secret."""
    own = {value.strip() for name, value in os.environ.items() if NAME.search(name)}
    for secret in sorted({*own, *secrets}, key=lambda secret: (-len(secret), secret)):
        if len(secret) >= SHORTEST and not os.path.exists(secret):  # noqa: PTH110  (files with keys may be told)
            text = text.replace(secret, HIDDEN)
    return TOKEN.sub(HIDDEN, IN_URL.sub(rf"\1{HIDDEN}@", text))


def shown(text: str) -> str:
    """A text without secrets, terminal control sequences, and bytes that are not UTF-8."""
    return masked(text).translate(CONTROL)


def printable(text: str) -> str:
    """The beginning of a text, on one line, without terminal control sequences."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text[: 2 * SAID].split()))[:SAID]


def without_secrets(environment: Mapping[str, str], *, hub: bool) -> dict[str, str]:
    """An environment for a program that needs no keys; with `hub`, one that may have to fetch a model."""
    return {
        name: value
        for name, value in environment.items()
        if not is_secret(name, value) or (hub and (name in HUB or PROXY.fullmatch(name)))
    }


def program_environment(environment: Mapping[str, str], *, hub: bool) -> dict[str, str]:
    """An environment for a program that a user names: one without secrets, but for those named in MORE."""
    wanted = named_in(environment)
    return without_secrets(environment, hub=hub) | {
        name: value for name, value in environment.items() if name in wanted
    }


def named_in(environment: Mapping[str, str]) -> set[str]:
    """The variables that a user hands to jobs and programs, whatever they hold: those named in MORE."""
    return set(re.findall(r"\w+", environment.get(MORE, "")))


def variable_for(endpoint: str, named: str | None) -> str | None:
    """The environment variable with the key of an endpoint: the one that is named for it, or that of a KNOWN host.

    No other host gets a key that nobody named for it.
    """
    try:
        return named or KNOWN.get(urlsplit(endpoint).hostname or "")
    except ValueError:  # no URL
        return named
