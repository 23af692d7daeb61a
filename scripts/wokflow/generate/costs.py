"""The costs of requests, in tokens and money, and a budget that is not exceeded."""

import threading
from dataclasses import dataclass
from typing import NamedTuple


class BudgetError(Exception):
    """The next request might cost more than is left; the message says what is spent."""


class Tokens(NamedTuple):
    """Tokens of a request or of several: of the prompts, and of what is written for them."""

    prompt: int
    completion: int

    def plus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.prompt + other.prompt, self.completion + other.completion)

    def minus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.prompt - other.prompt, self.completion - other.completion)


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
    """Counts what is spent, and admits a request only if the most that it can cost still fits the budget.

    `money` and `tokens` are the budget; None is no limit. Any number of threads may share a ledger.
    """

    def __init__(self, prices: Prices, money: float | None = None, tokens: int | None = None) -> None:
        self._prices, self._money, self._tokens = prices, money, tokens
        self._changed = threading.Condition()
        self._reserved = NOTHING
        self._in_flight = 0
        self.earlier = NOTHING  # spent on answers that were asked for before
        self.spent = NOTHING  # spent now
        self.lost = NOTHING  # of that, what tries without an answer may have cost

    def add_earlier(self, used: Tokens) -> None:
        """Count an answer that a former run paid for."""
        self.earlier = self.earlier.plus(used)

    def reserve(self, most: Tokens) -> None:
        """Reserve what a request can cost; if it does not fit, wait for requests in flight.

        Raises BudgetError where it does not fit and none is on its way.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._fits(most) or not self._in_flight)
            if not self._fits(most):
                raise BudgetError(f"{self.summary()}, and the next request may cost {self._said(most)}")
            self._reserved = self._reserved.plus(most)
            self._in_flight += 1

    def settle(self, most: Tokens, used: Tokens | None) -> None:
        """Count what a request did cost in place of what was reserved; None: not known, so all of it."""
        with self._changed:
            self._reserved = self._reserved.minus(most)
            self._in_flight -= 1
            self.spent = self.spent.plus(most if used is None else used)
            if used is None:
                self.lost = self.lost.plus(most)
            self._changed.notify_all()

    def summary(self) -> str:
        """What is spent, now and before, of the budget."""
        limits = [f"{self._money:g}"] if self._money is not None else []
        limits += [f"{self._tokens} tokens"] if self._tokens is not None else []
        of = f" of {' and '.join(limits)}" if limits else ""
        before = f" ({self._said(self.earlier)} of it before this run)" if self.earlier != NOTHING else ""
        return f"{self._said(self.earlier.plus(self.spent))}{of} spent{before}"

    def _fits(self, most: Tokens) -> bool:
        total = self.earlier.plus(self.spent).plus(self._reserved).plus(most)
        if self._tokens is not None and sum(total) > self._tokens:
            return False
        return self._money is None or (self._prices.cost(total) or 0.0) <= self._money

    def _said(self, tokens: Tokens) -> str:
        count, cost = f"{sum(tokens)} tokens", self._prices.cost(tokens)
        return count if cost is None else f"{cost:.6g} ({count})"
