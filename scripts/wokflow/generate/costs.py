"""The costs of requests in tokens and money, and a budget that holds even if a run is killed."""

import json
import os
import threading
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import NamedTuple


class BudgetError(Exception):
    """The next request might cost more than is left; the message says what is spent."""


class Tokens(NamedTuple):
    """Tokens of a request or of several: of the prompts, and of what is written for them."""

    prompt: int
    completion: int

    def plus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)

    @classmethod
    def total(cls, several: Iterable["Tokens"]) -> "Tokens":
        return reduce(cls.plus, several, NOTHING)


NOTHING = Tokens(0, 0)


@dataclass(frozen=True)
class Prices:
    """Money for a million tokens of prompts and of answers; None if requests cost nothing."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, tokens: Tokens) -> float | None:
        """Money for so many tokens; None without prices."""
        if self.prompt is None or self.completion is None:
            return None
        return (tokens.prompt * self.prompt + tokens.completion * self.completion) / 1e6


class Ledger:
    """Counts what is spent, and admits a try only if the most that it can cost still fits the budget.

    `money` and `tokens` are the budget; None is no limit. Any number of threads may share a ledger. With a `file`,
    each try stands there before it is sent, with the most that it can cost, and again with its cost once that is
    known. A try whose process ended before counts in full when the file is next read.
    """

    def __init__(
        self, prices: Prices, money: float | None = None, tokens: int | None = None, file: str | None = None
    ) -> None:
        self._prices, self._money, self._tokens = prices, money, tokens
        self._file = Path(file) if file else None
        self._changed = threading.Condition()
        self._reserved: dict[str, Tokens] = {}  # tries on their way
        self.earlier = _spent(self._file) if self._file else NOTHING
        self.spent = NOTHING  # since this ledger was opened
        self.lost = NOTHING  # of that, what tries without an answer may have cost

    def reserve(self, most: Tokens) -> str:
        """The name of a try, after reserving what it can cost; if that does not fit, wait for tries on their way.

        Raises BudgetError where it does not fit and none is on its way.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._fits(most) or not self._reserved)
            if not self._fits(most):
                raise BudgetError(f"{self.summary()}, and the next request may cost {self._said(most)}")
            name = uuid.uuid4().hex
            self._note(name, "sent", most)
            self._reserved[name] = most
            return name

    def settle(self, name: str, used: Tokens | None) -> None:
        """Count what a try did cost in place of what was reserved; None: not known, so all of it."""
        with self._changed:
            most = self._reserved.pop(name)
            self.spent = self.spent.plus(most if used is None else used)
            if used is None:
                self.lost = self.lost.plus(most)
            try:
                self._note(name, "unknown" if used is None else "known", most if used is None else used)
            finally:
                self._changed.notify_all()

    def summary(self) -> str:
        """What is spent, now and before, of the budget."""
        limits = [f"{self._money:g}"] if self._money is not None else []
        limits += [f"{self._tokens} tokens"] if self._tokens is not None else []
        of = f" of {' and '.join(limits)}" if limits else ""
        before = f" ({self._said(self.earlier)} of it before this start)" if self.earlier != NOTHING else ""
        return f"{self._said(self.earlier.plus(self.spent))}{of} spent{before}"

    def _fits(self, most: Tokens) -> bool:
        total = Tokens.total((self.earlier, self.spent, most, *self._reserved.values()))
        if self._tokens is not None and sum(total) > self._tokens:
            return False
        return self._money is None or (self._prices.cost(total) or 0.0) <= self._money

    def _said(self, tokens: Tokens) -> str:
        count, cost = f"{sum(tokens)} tokens", self._prices.cost(tokens)
        return count if cost is None else f"{cost:.6g} ({count})"

    def _note(self, name: str, cost: str, tokens: Tokens) -> None:
        """Add a line to the file; with a budget it is on the disk before the try is sent."""
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            # The line break comes first: a line that a killed process left unfinished does not damage the next one.
            file.write("\n" + json.dumps({"try": name, "cost": cost, **tokens._asdict()}))
            file.flush()
            if self._money is not None or self._tokens is not None:
                os.fsync(file.fileno())


def _spent(file: Path) -> Tokens:
    """The costs of the tries in a ledger's file; the last complete line of each try counts."""
    tries: dict[str, Tokens] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            noted = json.loads(line)
            tries[noted["try"]] = Tokens(int(noted["prompt"]), int(noted["completion"]))
        except (ValueError, KeyError, TypeError):
            continue
    return Tokens.total(tries.values())
