"""EDUCAT: the chain's distribution, its moves, and what it makes of texts."""

import itertools
from dataclasses import replace
from typing import Any

import pytest
from wokflow.models.educat_chain import DELETE, INSERT, REPLACE, Chain, _edited, measured, rewrite, step
from wokflow.models.prefix import Prefix
from wokflow.models.sentence_rewriting import Original, Reader, rows_of

from tests.models import tiny

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("one_thread")
AUTHORS = Chain(100, 60, 100, (0.34, 0.33, 0.33), 0.95, 0.1, 2, "sigmoid", "words")
EXACT = replace(AUTHORS, odds=(0.5, 0.3, 0.2), cooling=1.0, least=0.0, shortest=1, corrected="all")
CHAINS, STEPS, LONGEST = 1_000, 80, 3
ASKED, TOLD = [2, 2], [3]  # prompts of the letters a and b


def reached(how: Chain) -> dict[tuple[int, ...], int]:
    """How many of CHAINS chains, all from one text, have each text after STEPS steps."""
    reader = Reader(tiny.model("gpt2", 4, seed=7), tiny.tokenizer("ab"))
    prefix = Prefix(reader.network, 0, [ASKED] * CHAINS + [TOLD] * CHAINS)
    special, generator = torch.tensor([0, 1]), torch.Generator().manual_seed(3)
    ids, counts = rows_of([[2, 3]] * CHAINS, 0, "cpu")
    state = measured(prefix, ids, counts, how)
    for number in range(STEPS):
        state, _ = step(prefix, state, special, how, number, LONGEST, generator)
    rows = [tuple(row[:count]) for row, count in zip(state.ids.tolist(), state.counts.tolist(), strict=True)]
    return {row: rows.count(row) for row in set(rows)}


def stationary(coherence: str) -> dict[tuple[int, ...], float]:
    """The distribution over all texts of a and b with at most LONGEST letters, one text at a time."""
    model = tiny.model("gpt2", 4, seed=7)

    def probability(prompt: list[int], row: tuple[int, ...]) -> float:
        logits = model(input_ids=torch.tensor([[*prompt, *row]])).logits[0].log_softmax(1)
        return float(sum(logits[len(prompt) - 1 + n, token] for n, token in enumerate(row)).exp())

    rows = [row for size in range(1, LONGEST + 1) for row in itertools.product((2, 3), repeat=size)]
    values = {}
    for row in rows:
        ratio = probability(ASKED, row) / probability(TOLD, row)
        factor = ratio if coherence == "ratio" else float(torch.tensor(ratio).sigmoid())
        values[row] = probability(ASKED, row) * factor
    return {row: value / sum(values.values()) for row, value in values.items()}


def chi_square(how: Chain) -> float:
    """The p-value of what chains reached; texts of which fewer than five are expected count as one."""
    from scipy.stats import chisquare

    found, expected = reached(how), stationary(how.coherence)
    assert found.keys() <= expected.keys()
    seen, wanted = [0], [0.0]
    for row, share in expected.items():
        rare = share * CHAINS < 5
        seen[0], wanted[0] = seen[0] + rare * found.get(row, 0), wanted[0] + rare * share * CHAINS
        if not rare:
            seen.append(found.get(row, 0))
            wanted.append(share * CHAINS)
    rest = 0 if wanted[0] else 1
    return float(chisquare(seen[rest:], wanted[rest:]).pvalue)


@torch.inference_mode()
@pytest.mark.parametrize("coherence", ["ratio", "sigmoid"])
def test_the_chain_has_the_distribution_that_it_states(coherence: Any) -> None:
    """After half as many steps it has not: chains need them."""
    assert chi_square(replace(EXACT, coherence=coherence)) > 0.01


@torch.inference_mode()
def test_a_chain_that_forgets_how_places_are_chosen_has_another() -> None:
    assert chi_square(replace(EXACT, coherence="sigmoid", corrected="words")) < 1e-6


@pytest.mark.parametrize(
    ("operation", "place", "row"),
    [
        (REPLACE, 0, [9, 3, 4, 0]),
        (REPLACE, 2, [2, 3, 9, 0]),
        (INSERT, 0, [9, 2, 3, 4]),
        (INSERT, 2, [2, 3, 9, 4]),
        (DELETE, 0, [3, 4, 0, 0]),
        (DELETE, 1, [2, 4, 0, 0]),
    ],
)
def test_moves(operation: int, place: int, row: list[int]) -> None:
    found = _edited(torch.tensor([[2, 3, 4]]), *(torch.tensor([n]) for n in (operation, place, 9)))
    assert found.tolist() == [row]


@pytest.fixture(scope="module")
def knowing() -> Reader:
    """A model that knows of prompt S: ab. and of prompt T: cb."""
    tokenizer = tiny.tokenizer()
    model = tiny.model("gpt2", len(tokenizer), width=32)
    for _ in range(3):
        for text in ("S:ab. fg.", "T:cb. fg."):
            tiny.learn(model, tokenizer, text)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    rows = torch.tensor([tokenizer(text)["input_ids"] for text in ("S:ab. fg.", "T:cb. fg.")])
    for _ in range(60):
        optimizer.zero_grad()
        model(input_ids=rows, labels=rows).loss.backward()
        optimizer.step()
    return Reader(model, tokenizer)


def original(reader: Reader, text: str) -> Original:
    return Original(reader.ids("T:"), reader.ids("S:"), text)


def test_what_fits_the_old_prompt_alone_is_edited_and_all_else_stays(knowing: Reader) -> None:
    texts = [original(knowing, "ab. fg."), original(knowing, "cb. fg."), original(knowing, "")]
    first, again = (rewrite(knowing, texts, AUTHORS, 512, 1) for _ in range(2))
    assert first == again == ["cb. fg.", "cb. fg.", ""]


def test_what_is_proposed_at_the_end_and_beyond_the_models_positions(knowing: Reader) -> None:
    long = original(knowing, "abcdefgh ijkl. " * 20)
    how = replace(AUTHORS, steps=10, burn_in=0, odds=(0.1, 0.9, 0.0), least=0.0)
    assert rewrite(knowing, [long], how, 512, 1)[0].endswith(".")
