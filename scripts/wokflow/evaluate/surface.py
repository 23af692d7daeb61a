"""Level 1: is the changing ingredient in, and how much of the base recipe stays (Liu et al. 2022, 6.1)."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wokflow.evaluate.intervals import Floats, Metric, mean, skipped
from wokflow.job import UserError

ORDERS = 4
BertScorer = Callable[[Sequence[str], Sequence[str]], Metric]


@dataclass(frozen=True)
class BertModel:
    """The model of BERTScore: a folder or a name on the Hugging Face hub; None skips the metric.

    `layers` is the layer whose vectors are compared; None takes the library's choice, which it has for well-known
    names only. `device` None takes a GPU where there is one.
    """

    model: str | None = None
    layers: int | None = None
    batch: int = 32
    device: str | None = None


def coverage(texts: Sequence[str], added: Sequence[str], replaced: Sequence[str | None]) -> list[Metric]:
    """Share of the texts that name the added ingredient, and the replaced one (equation 2).

    Names are looked for as they stand in the dish's name, as in the paper. Where one name holds the other (豆腐 and
    臭豆腐), only what is left of the longer one's mentions counts for the shorter. Instances that only add an
    ingredient do not count for the replaced one.
    """
    found = [named(text, names) for text, *names in zip(texts, added, replaced, strict=True)]
    return [
        mean("coverage_added", [name in names for name, names in zip(added, found, strict=True)]),
        mean(
            "coverage_replaced",
            [name in names for name, names in zip(replaced, found, strict=True)],
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
    from sacrebleu.metrics.bleu import BLEU

    corpus, sentence = BLEU(tokenize="zh"), BLEU(tokenize="zh", effective_order=True)
    corpus.corpus_score(list(texts[:1]), [list(bases[:1])])  # before it, there is no signature
    found = [sentence.sentence_score(text, [base]) for text, base in zip(texts, bases, strict=True)]
    parts = [[*score.counts, *score.totals, score.sys_len, score.ref_len] for score in found]
    return [
        Metric("bleu", np.array(parts, np.float64), corpus_bleu, str(corpus.get_signature())),
        mean(
            "bleu_sentence",
            [min(score.score, 100.0) / 100 for score in found],
            signature=str(sentence.get_signature()),
        ),
    ]


def corpus_bleu(sums: Floats) -> Floats:
    """BLEU of corpora given their (m, 10) statistics: n-grams that match, n-grams, lengths of text and base.

    Smoothing is that of sacrebleu's default, `exp`.
    """
    correct, total = sums[:, :ORDERS], sums[:, ORDERS : 2 * ORDERS]
    length, base = sums[:, -2], sums[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        halved = 0.5 ** np.cumsum(correct == 0, axis=1)
        precision = np.where(correct > 0, correct, halved) / total
        brevity = np.where(length < base, np.exp(1 - base / length), 1.0)
        score = 100 * brevity * np.exp(np.log(precision).mean(axis=1))
    found = correct.any(axis=1) & (total > 0).all(axis=1)
    return np.where(found, np.minimum(score, 100.0), 0.0)


def bert_scorer(settings: BertModel) -> BertScorer:
    """A function that gives BERTScore's F1 of texts against their base recipes (Zhang et al. 2020).

    Neither idf weights nor rescaling. What is longer than the model reads is cut off. An empty text scores 0.
    Raises UserError where the model cannot be loaded or its layer is not known.
    """
    if settings.model is None:
        note = "No model is given for BERTScore (bertscore.model)."
        return lambda texts, bases: skipped("bertscore", len(texts), note)
    scorer = _load(settings)
    scorer_hash = scorer.hash.replace(settings.model, Path(settings.model).name, 1)

    def score(texts: Sequence[str], bases: Sequence[str]) -> Metric:
        full = [index for index, text in enumerate(texts) if text.strip()]
        values = np.zeros(len(texts))
        if full:
            pairs = [texts[index] for index in full], [bases[index] for index in full]
            values[full] = scorer.score(*pairs, batch_size=settings.batch)[2].double().numpy()
        return mean("bertscore", values, signature=scorer_hash)

    return score


def _load(settings: BertModel) -> Any:
    from bert_score import BERTScorer
    from bert_score.utils import model2layers

    if settings.layers is None and settings.model not in model2layers:
        raise UserError(
            f"BERTScore has no default layer for {settings.model}: set bertscore.layers (of a model of 12 layers "
            "usually the eighth or ninth)."
        )
    try:
        scorer = BERTScorer(model_type=settings.model, num_layers=settings.layers, device=settings.device)
    except (OSError, ValueError, AssertionError) as error:
        raise UserError(
            f"BERTScore's model {settings.model} (bertscore.model) cannot be loaded: {error}"
        ) from error
    places = getattr(scorer._model.config, "max_position_embeddings", math.inf)
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, places)
    return scorer
