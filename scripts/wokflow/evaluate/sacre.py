"""sacrebleu (Post 2018): its metrics by name, and its paired tests with a given seed."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

SEED = "SACREBLEU_SEED"  # the environment variable that sacrebleu takes its seed from
ZERO = 2**31  # in place of the seed 0, which sacrebleu takes for none


def library(kind: str, *, sentences: bool = False) -> Any:
    """sacrebleu's metric `chrf`, or `bleu:` and one of its tokenizers, as it is by default.

    BLEU of single sentences counts n-grams up to the longest that a text has (effective order). It does not warn of
    texts that are cut into words.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    name, _, tokenizer = kind.partition(":")
    return CHRF() if name == "chrf" else BLEU(tokenize=tokenizer, effective_order=sentences, force=True)


def paired(
    kind: str, systems: Sequence[Sequence[str]], references: Sequence[str], test: str, samples: int, seed: int
) -> list[Any]:
    """sacrebleu's result for each system, the first being the baseline: `test` is ar or bs, as in PairedTest."""
    from sacrebleu.significance import PairedTest

    named = [(str(number), texts) for number, texts in enumerate(systems)]
    with _seeded(seed):
        _, results = PairedTest(named, {kind: library(kind)}, [references], test, n_samples=samples)()
    return next(result for name, result in results.items() if name != "System")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    before = os.environ.get(SEED)
    os.environ[SEED] = str(seed or ZERO)
    try:
        yield
    finally:
        os.environ.pop(SEED)
        os.environ |= {} if before is None else {SEED: before}
