"""A budget is not exceeded, by however many at once."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.generate.costs import NOTHING, BudgetError, Ledger, Prices, Tokens


def test_tokens_cost_what_the_prices_say() -> None:
    assert Prices(2, 10).cost(Tokens(500_000, 100_000)) == 2.0  # 0.5 million at 2, 0.1 million at 10
    assert Prices(0, 0).cost(Tokens(7, 7)) == 0
    assert Prices().cost(Tokens(7, 7)) is None


def test_a_request_goes_only_where_the_most_it_can_cost_fits() -> None:
    ledger = Ledger(Prices(1, 2), money=10)  # a request of a million tokens each way costs 3
    most = Tokens(1_000_000, 1_000_000)
    for _ in range(3):
        ledger.settle(ledger.reserve(most), Tokens(1_000_000, 500_000))
    assert ledger.spent == Tokens(3_000_000, 1_500_000)  # 6; the next brings it to 9 at most
    ledger.settle(ledger.reserve(most), most)
    with pytest.raises(
        BudgetError, match=r"^9 \(6500000 tokens\) of 10 spent, .* may cost 3 \(2000000 tokens\)$"
    ):
        ledger.reserve(most)


def test_a_budget_of_tokens_counts_both_kinds() -> None:
    ledger = Ledger(Prices(), tokens=100)
    ledger.settle(ledger.reserve(Tokens(60, 40)), Tokens(50, 1))
    with pytest.raises(
        BudgetError, match=r"^51 tokens of 100 tokens spent, and the next request may cost 50 tokens$"
    ):
        ledger.reserve(Tokens(25, 25))
    ledger.reserve(Tokens(25, 24))


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from(["known", "unknown", "open"])))
)
def test_a_ledger_that_is_read_again_knows_what_it_knew(tries: list[tuple[int, int, str]]) -> None:
    """However a start ends, the next one counts its tries: at their cost, or at the most that it can have been."""
    with TemporaryDirectory() as folder:
        file, expected = f"{folder}/ledger", 0
        for prompt, completion, end in tries:
            ledger = Ledger(Prices(), file=file)
            assert sum(ledger.earlier) == expected
            name = ledger.reserve(Tokens(prompt, completion))
            used = {"known": Tokens(prompt // 2, 0), "unknown": None}
            if end in used:
                ledger.settle(name, used[end])
            expected += prompt // 2 if end == "known" else prompt + completion
            with Path(file).open("a", encoding="utf-8") as torn:
                torn.write('\n{"try": "')
        assert sum(Ledger(Prices(), file=file).earlier) == expected


def test_a_request_waits_for_what_is_on_its_way_before_it_gives_up() -> None:
    ledger = Ledger(Prices(), tokens=100)
    most, second = Tokens(50, 10), list[str]()
    first = ledger.reserve(most)
    waiting = threading.Thread(target=lambda: second.append(ledger.reserve(most)))
    waiting.start()
    ledger.settle(first, Tokens(20, 10))
    waiting.join(10)
    ledger.settle(second[0], NOTHING)
    assert ledger.spent == Tokens(20, 10)


def test_many_at_once_never_overshoot() -> None:
    budget, most = 5_000, Tokens(60, 40)
    ledger = Ledger(Prices(1, 1), money=budget / 1e6)
    lock, out = threading.Lock(), [0]
    highest = 0

    def one(number: int) -> bool:
        nonlocal highest
        try:
            name = ledger.reserve(most)
        except BudgetError:
            return False
        with lock:
            out[0] += sum(most)
            highest = max(highest, out[0])
        used = Tokens(random.Random(number).randint(1, 60), random.Random(-number).randint(0, 40))
        time.sleep(0.0005)
        with lock:
            out[0] -= sum(most) - sum(used)
        ledger.settle(name, used)
        return True

    with ThreadPoolExecutor(16) as pool:
        went = list(pool.map(one, range(300)))
    assert highest <= budget
    assert budget - sum(most) < sum(ledger.spent) <= budget  # and it is used as far as it can be
    assert not all(went)
