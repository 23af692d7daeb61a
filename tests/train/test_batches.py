import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.generate.asking import Asking
from wokflow.train.batches import Batches, plan, shares
from wokflow.train.examples import IGNORED, Encoder

from tests.models import tiny


def test_a_plan_takes_each_example_once_in_steps_of_similar_length() -> None:
    lengths = np.array([1, 100, 2, 99, 3, 98, 4])
    steps = plan(lengths, 3, seed=1, epoch=0)
    assert sorted(np.concatenate(steps)) == list(range(7))
    assert [sorted(lengths[step]) for step in steps] == [[98, 99, 100], [2, 3, 4], [1]]


def test_a_plan_is_the_same_each_time_and_another_each_epoch() -> None:
    lengths = np.arange(100)
    plans = [
        np.concatenate(plan(lengths, 10, seed, epoch)).tolist()
        for seed, epoch in [(1, 0), (1, 0), (1, 1), (2, 0)]
    ]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]
    assert plans[0] != plans[3]


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 4))
def test_shares_hold_each_example_once_in_as_many_small_parts_a_process(
    count: int, most: int, processes: int
) -> None:
    found = [shares(np.arange(count), most, processes, process) for process in range(processes)]
    assert sorted(np.concatenate([part for parts in found for part in parts])) == list(range(count))
    assert len({len(parts) for parts in found}) == 1
    assert max(len(part) for parts in found for part in parts) <= most


@given(st.integers(1, 70), st.integers(1, 16), st.integers(1, 9), st.integers(1, 4), st.integers(0, 3))
def test_all_processes_do_the_same_steps_of_each_example_once(
    count: int, batch: int, device_batch: int, processes: int, epoch: int
) -> None:
    lengths = np.arange(count) % 7 + 1
    own = [
        Batches(lengths, batch, device_batch, 1, processes=processes, process=each)
        for each in range(processes)
    ]
    for one in own:
        one.set_epoch(epoch)
    parts = [list(one) for one in own]
    assert sorted(example for process in parts for part in process for example in part) == list(range(count))
    assert {len(process) for process in parts} == {len(own[0])}
    steps = plan(lengths, batch, 1, epoch)
    assert [len(step) for step in steps[:-1]] == [batch] * (len(steps) - 1)
    assert -(-len(own[0]) // own[0].rounds) == len(
        steps
    )  # a step is so many rounds, the last one perhaps fewer


def encoder(family: str, *, positions: int | None = None, on_target: bool = False) -> Encoder:
    return Encoder(Asking(tiny.tokenizer(), family, None, 64), 64, positions, on_target, packing=False)


ROWS = pl.DataFrame({"title": ["", ""], "source": ["ab", "c"], "target": ["d", "ef"]})


def test_examples_of_a_sequence_to_sequence_model() -> None:
    encoded = encoder("seq2seq").encode(ROWS)
    ids = tiny.tokenizer()
    assert encoded.data["input_ids"] == [ids("ab")["input_ids"], ids("c")["input_ids"]]
    assert encoded.data["labels"] == [ids("d")["input_ids"], ids("ef")["input_ids"]]
    assert encoded.lengths.tolist() == [5, 5]


@pytest.mark.parametrize(
    ("on_target", "positions", "learnt"),
    [
        (False, None, [[0, 1, 2, 3], [0, 1, 2, 3]]),
        (True, None, [[2, 3], [1, 2, 3]]),
        (True, 3, [[2], [1, 2]]),
    ],
)
def test_examples_of_a_causal_model_hold_source_and_target_in_one(
    on_target: bool, positions: int | None, learnt: list[list[int]]
) -> None:
    encoded = encoder("causal", positions=positions, on_target=on_target).encode(ROWS)
    ids = tiny.tokenizer()
    whole = [ids("abd")["input_ids"], ids("cef")["input_ids"]]
    assert encoded.data["input_ids"] == [row[:positions] for row in whole]
    for row, labels, places in zip(whole, encoded.data["labels"], learnt, strict=True):
        assert labels == [row[place] if place in places else IGNORED for place in range(len(labels))]
