import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.train.batches import IGNORED, ahead, collate, learnt, plan, shares
from wokflow.train.encoded import Encoded, Ragged

ENCODED = Encoded(Ragged.of([[5, 6], [7]]), Ragged.of([[8, 2], [9, 9, 2]]))


def test_a_plan_takes_each_example_once_in_steps_of_similar_length() -> None:
    lengths = np.array([1, 100, 2, 99, 3, 98, 4])
    steps = plan(lengths, 3, seed=1, epoch=0)
    assert sorted(np.concatenate(steps)) == list(range(7))
    assert sorted(sorted(lengths[step]) for step in steps) == [[1], [2, 3, 4], [98, 99, 100]]


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


def test_tensors_of_a_sequence_to_sequence_step() -> None:
    batch = collate(ENCODED, np.array([0, 1]), "seq2seq", 0, most=None)
    assert batch["input_ids"].tolist() == [[5, 6], [7, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1], [1, 0]]
    assert batch["labels"].tolist() == [[8, 2, IGNORED], [9, 9, 2]]


def test_tensors_of_a_causal_step_hold_source_and_target_in_one() -> None:
    batch = collate(ENCODED, np.array([0, 1]), "causal", 0, most=3)
    assert batch["input_ids"].tolist() == [[5, 6, 8], [7, 9, 9]]
    assert batch["labels"].tolist() == [[5, 6, 8], [7, 9, 9]]
    batch = collate(ENCODED, np.array([0, 1]), "causal", 0, most=None, on_target_only=True)
    assert batch["labels"].tolist() == [[IGNORED, IGNORED, 8, 2], [IGNORED, 9, 9, 2]]


def test_an_empty_part_has_no_labels() -> None:
    batch = collate(ENCODED, np.array([], np.int64), "seq2seq", 0, most=None)
    assert batch["labels"].tolist() == [[IGNORED, IGNORED]]


@pytest.mark.parametrize(
    ("family", "most", "on_target_only", "tokens"),
    [
        ("seq2seq", None, False, 5),  # 2 + 3
        ("causal", None, False, 6),  # all but the first of 4, and of 4
        ("causal", None, True, 5),
        ("causal", 3, False, 4),
        ("causal", 3, True, 3),  # 8; 9 9
    ],
)
def test_tokens_that_a_loss_is_taken_of(
    family: str, most: int | None, on_target_only: bool, tokens: int
) -> None:
    both = np.array([0, 1])
    assert learnt(ENCODED, both, family, most=most, on_target_only=on_target_only) == tokens
    batch = collate(ENCODED, both, family, 0, most=most, on_target_only=on_target_only)
    labels = batch["labels"][:, 1:] if family == "causal" else batch["labels"]
    assert int((labels != IGNORED).sum()) == tokens


def test_what_is_made_ahead_comes_in_order_and_an_error_comes_through() -> None:
    assert list(ahead(range(7), lambda number: number * number)) == [0, 1, 4, 9, 16, 25, 36]
    with pytest.raises(ZeroDivisionError):
        list(ahead([1, 0], lambda number: 1 // number))
