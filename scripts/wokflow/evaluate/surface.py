"""Level 1: the names of changed ingredients, and overlap with the base recipe (Liu et al. 2022, 6.1)."""

import re
from collections.abc import Sequence

import numpy as np

from wokflow.evaluate.score_intervals import Metric, mean, whole


def coverage(texts: Sequence[str], added: Sequence[str], replaced: Sequence[str | None]) -> list[Metric]:
    """Share of the texts that name the added ingredient, and the replaced one (equation 2).

    Names are looked for as the dish's name has them, as in the paper. If one name contains the other (臭豆腐 and
    豆腐), mentions of the longer one do not count for the shorter. Instances that only add an ingredient do not count
    for the replaced one.
    """
    occurring = [named(text, names) for text, *names in zip(texts, added, replaced, strict=True)]
    return [
        mean("coverage_added", [name in names for name, names in zip(added, occurring, strict=True)]),
        mean(
            "coverage_replaced",
            [name in names for name, names in zip(replaced, occurring, strict=True)],
            np.array([name is not None for name in replaced]),
        ),
    ]


def named(text: str, names: Sequence[str | None]) -> set[str]:
    """Which of the names occur in the text, outside of longer ones."""
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    return set(re.findall("|".join(map(re.escape, longest_first)), text))


def bleu(texts: Sequence[str], bases: Sequence[str]) -> list[Metric]:
    """BLEU of the texts against their base recipes, by sacrebleu with its Chinese tokenizer.

    `bleu` is of the corpus, as Papineni et al. (2002), whom the paper cites, define it; `bleu_sentence` is the mean
    over texts. The paper says neither which of the two it gives, nor its tokenizer.
    """
    corpus = whole("bleu", "bleu:zh", texts, bases)
    signature = corpus.signature.replace("eff:no", "eff:yes")
    return [corpus, mean("bleu_sentence", corpus.values / 100, signature=signature)]
