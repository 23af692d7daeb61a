"""DELOREAN: gradients, passes, and which candidate is taken."""

from typing import Any

import pytest
from wokflow.models.delorean_passes import Passes, backward, forward, gradient, repeats, rewrite
from wokflow.models.prefix import Prefix
from wokflow.models.sentence_rewriting import Original, Reader, rows_of

from tests.models import tiny

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("one_thread")
HOW = Passes(mix=0.92, step=0.0004, passes=(2, 3), backward=(1, 4))
OLD = ["abc de. fg.", "蛋炒饭，鸡。", "a b. c d. e f."]


@pytest.fixture(scope="module")
def reader() -> Reader:
    tokenizer = tiny.tokenizer()
    return Reader(tiny.model("gpt2", len(tokenizer)), tokenizer)


def original(reader: Reader, text: str, prompt: str = "T:") -> Original:
    return Original(reader.ids(prompt), reader.ids(prompt), text)


def teacher_forced(reader: Reader) -> tuple[Any, Any, Any]:
    """(logits, ids, mask) of two old texts of different lengths behind a prompt, in float64."""
    ids, counts = rows_of([reader.ids("abc."), reader.ids("de")], 0, "cpu")
    logits = Prefix(reader.network, 0, [reader.ids("T:")] * 2).predictions(ids).double()
    return logits, ids, (torch.arange(ids.shape[1]) < counts[:, None]).double()


@torch.inference_mode()
def test_the_gradient_is_the_numerical_one_of_the_divergence_from_the_old_text(reader: Reader) -> None:
    assert reader.network.config.n_layer == 2
    logits, ids, real = teacher_forced(reader)

    def divergence(at: Any) -> Any:
        likely = at.log_softmax(2).gather(2, ids[:, :, None])[:, :, 0]
        return -(likely * real / real.sum(1, keepdim=True)).sum()

    found, small = gradient(logits, ids, real), 1e-5
    numerical = torch.zeros_like(logits)
    for place in range(logits.numel()):
        shift = torch.zeros_like(logits).view(-1)
        shift[place] = small
        shift = shift.view_as(logits)
        numerical.view(-1)[place] = (divergence(logits + shift) - divergence(logits - shift)) / (2 * small)
    torch.testing.assert_close(found, numerical, atol=1e-8, rtol=1e-6)
    assert not found[1, 2:].any()  # behind the end of the shorter text


@torch.inference_mode()
def test_a_step_is_a_share_of_the_norm_of_a_rows_own_logits(reader: Reader) -> None:
    logits, ids, real = teacher_forced(reader)
    moved = backward(logits, ids, real, torch.tensor([1, 0]), 0.01)
    norms = (logits * real[:, :, None]).flatten(1).norm(dim=1)
    assert float((moved - logits)[0].norm()) == pytest.approx(0.01 * float(norms[0]))
    assert torch.equal(moved[1], logits[1])


@torch.inference_mode()
def test_backward_passes_end_at_the_old_text_and_forward_ones_know_nothing_of_it(reader: Reader) -> None:
    ids, counts = rows_of([reader.ids("abc."), reader.ids("de")], 0, "cpu")
    prefix = Prefix(reader.network, 0, [reader.ids("T:")] * 2)
    real = (torch.arange(4) < counts[:, None]).float()
    near = backward(prefix.predictions(ids), ids, real, torch.tensor([200, 200]), 0.02)
    _, old = forward(prefix, near, counts, 0.0, 0)
    assert [old[0].tolist(), old[1, :2].tolist()] == [reader.ids("abc."), reader.ids("de")]
    _, free = forward(prefix, near, counts, 1.0, 3)
    _, again = forward(prefix, torch.zeros_like(near), counts, 1.0, 3)
    assert torch.equal(free, again) and free.shape == (2, 7)
    assert torch.equal(free[0], free[1])  # of one prompt


def test_a_batch_writes_what_each_text_alone_becomes(reader: Reader) -> None:
    originals = [original(reader, text) for text in (*OLD, "")]
    together = rewrite(reader, originals, HOW, 512)
    assert together == [rewrite(reader, [one], HOW, 512)[0] for one in originals]
    assert together[-1] == ""


def test_a_text_is_closer_to_the_old_one_the_more_that_counts(reader: Reader) -> None:
    """And a model that knows its prompt's text by heart writes that where the old text counts for nothing."""
    tokenizer = reader.tokenizer
    learnt = tiny.model("gpt2", len(tokenizer), width=32)
    tiny.learn(learnt, tokenizer, "S:fry the egg.")
    knowing = Reader(learnt, tokenizer)
    old = original(knowing, "cut the leek.", "S:")
    by_heart, near = (
        rewrite(knowing, [old], Passes(mix, step, (2,), (60,)), 512)[0] for mix, step in ((1, 0), (0, 0.05))
    )
    assert (by_heart, near.rstrip(".")) == ("fry the egg.", "cut the leek")


def test_what_does_not_fit_the_models_positions_is_cut_and_not_refused(reader: Reader) -> None:
    long = original(reader, "abcdefgh ijkl. " * 20)
    assert reader.places == 64
    assert rewrite(reader, [long], Passes(0.9, 0.0004, (1,), (1,)), 512)[0]


@pytest.mark.parametrize(
    ("parts", "again"),
    [
        (["洗菜。", "切菜。"], False),
        (["洗菜。", "洗菜。"], True),
        (["把洗好的青菜切成小段。", "把洗好的青菜切成大段。"], True),
        (["把洗好的青菜切成小段。", "下锅。", "把洗好的青菜切成小段。"], False),
        (["加一点点盐加一点点盐加一点点盐加一点点盐。"], True),
        (["加一点点盐加一点点盐加一点点盐。"], False),
        (["哈哈哈哈哈哈哈哈"], False),
        ([], False),
    ],
)
def test_repetitions(parts: list[str], again: bool) -> None:
    assert repeats(parts) == again


def test_where_all_candidates_repeat_themselves_the_old_text_stays(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wokflow.models.delorean_passes.repeats", lambda parts: True)
    assert rewrite(reader, [original(reader, text) for text in OLD], HOW, 512) == OLD
