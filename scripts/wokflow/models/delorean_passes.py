"""DELOREAN (Qin et al. 2020): forward and backward passes over the logits of a text that is to be like another."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from wokflow.models.decoding import ends, text_of
from wokflow.models.prefix import Prefix, log_probabilities
from wokflow.models.sentence_ends import first_sentence
from wokflow.models.sentence_rewriting import Original, Reader, rows_of

if TYPE_CHECKING:
    from torch import Tensor

SHARPNESS = 0.1  # temperature of the soft tokens that the model reads
MORE = 20  # tokens that a sentence may have beyond those of the old one
ALIKE, COUNTED = 0.85, 5  # two sentences in a row of more letters than COUNTED are alike from this ratio on
REPEATED, TIMES = 5, 4  # so many letters, so often, are a repetition


@dataclass(frozen=True)
class Passes:
    """Hyperparameters. `mix`: weight of the forward logits. `step`: length of a backward step in norms of the logits.

    There is a candidate for each number of `passes` with each number of `backward` steps.
    """

    mix: float
    step: float
    passes: Sequence[int]
    backward: Sequence[int]


def rewrite(reader: Reader, originals: Sequence[Original], how: Passes, most: int) -> list[str]:
    """Texts that follow their prompt and are like the old ones; `most` tokens of an old text are read.

    A text is written sentence by sentence, each behind the prompt and the sentences before it. Of the candidates that
    do not repeat themselves, the one with the highest probability per token behind the prompt is taken; if all repeat
    themselves, the old text stays. The other texts of a batch change the rounding and, where a text does not fit the
    model's positions, how much is read of what stands before a sentence.
    """
    import torch

    training = reader.network.training
    reader.network.eval()
    try:
        with torch.inference_mode():
            candidates: list[list[str]] = [[] for _ in originals]
            for passes in how.passes:
                for place, text in _candidates(reader, originals, how, passes, most):
                    candidates[place].append(text)
            return _best(reader, originals, candidates)
    finally:
        reader.network.train(training)


def gradient(logits: "Tensor", ids: "Tensor", real: "Tensor") -> "Tensor":
    """Gradient, by `logits` [rows, tokens, vocabulary], of the sum over rows of KL(old text, softmax(logits)).

    The old text, `ids` [rows, tokens], is a distribution of ones and zeros, so that the divergence is the negative
    log-probability of its tokens, here their mean over the `real` ones [rows, tokens] of each row.
    """
    difference = logits.softmax(2)
    difference.scatter_add_(2, ids[:, :, None], difference.new_full((*ids.shape, 1), -1))
    weights = real / real.sum(1, keepdim=True)
    return difference.mul_(weights[:, :, None])


def backward(logits: "Tensor", ids: "Tensor", real: "Tensor", steps: "Tensor", step: float) -> "Tensor":
    """The logits after `steps` [rows] down the gradient, each as long as `step` norms of its row's logits."""
    import torch

    for number in range(int(steps.max())):
        down = gradient(logits, ids, real)
        lengths = _norms(logits * real[:, :, None]) / (_norms(down) + 1e-15)
        lengths = torch.where(steps > number, step * lengths, 0)
        logits = logits - lengths[:, None, None] * down
    return logits


def forward(
    prefix: Prefix, logits: "Tensor", counts: "Tensor", mix: float, more: int
) -> tuple["Tensor", "Tensor"]:
    """(logits, token ids) of a pass from left to right: the model's logits, mixed with those given.

    A row has `counts` [rows] logits; behind them, and for `more` tokens behind the longest, the model's alone count.
    The model reads soft tokens: the mean of its embeddings by the probabilities of a token.
    """
    import torch

    embeddings = prefix.network.get_input_embeddings().weight
    mixed, ids, ahead = [], [], prefix.first
    for place in range(logits.shape[1] + more):
        now = ahead
        if place < logits.shape[1]:
            inside = (place < counts)[:, None]
            now = torch.where(inside, mix * ahead + (1 - mix) * logits[:, place], ahead)
            mixed.append(now)
        ids.append(now.argmax(1))
        if place + 1 < logits.shape[1] + more:
            soft = (now / SHARPNESS).softmax(1).to(embeddings.dtype) @ embeddings[: now.shape[1]]
            ahead = prefix.follow(inputs_embeds=soft[:, None])[:, -1]
    prefix.forget()
    return torch.stack(mixed, 1), torch.stack(ids, 1)


def repeats(parts: Sequence[str]) -> bool:
    """Whether a text, of these sentences, says the same thing again and again.

    It does so if two sentences in a row are alike, or if a sentence has the same REPEATED letters TIMES times.
    """
    if any(_alike(*pair) for pair in pairwise(parts)):
        return True
    return any(_again(part) for part in parts)


def _again(text: str) -> bool:
    windows = Counter(text[at : at + REPEATED] for at in range(len(text) - REPEATED + 1))
    return any(count >= TIMES and text.count(some) >= TIMES for some, count in windows.items())


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    return min(len(one), len(other)) > COUNTED and SequenceMatcher(None, one, other).ratio() >= ALIKE


def _candidates(
    reader: Reader, originals: Sequence[Original], how: Passes, passes: int, most: int
) -> list[tuple[int, str]]:
    """(place of the original, text) of each candidate with so many passes that does not repeat itself."""
    rows = [(place, steps) for place in range(len(originals)) for steps in how.backward]
    pieces = [reader.pieces(one.text, MORE, most) for one in originals]
    written: list[list[str]] = [[] for _ in rows]
    texts = [""] * len(rows)
    for number in range(max(map(len, pieces), default=0)):
        some = [row for row, (place, _) in enumerate(rows) if number < len(pieces[place])]
        old = [pieces[rows[row][0]][number] for row in some]
        ids = [reader.ids(text) for text in old]
        longest = max(map(len, ids))
        contexts = [reader.before(originals[rows[row][0]].asked, texts[row], longest + MORE) for row in some]
        steps = [rows[row][1] for row in some]
        new = _sentences(reader, contexts, ids, steps, how, passes)
        for row, text, before in zip(some, new, old, strict=True):
            written[row].append(text)
            texts[row] += text + before[len(before.rstrip()) :]
    return [
        (place, text.strip())
        for (place, _), text, parts in zip(rows, texts, written, strict=True)
        if text.strip() and not repeats(parts)
    ]


def _sentences(
    reader: Reader,
    contexts: list[list[int]],
    old: list[list[int]],
    steps: Sequence[int],
    how: Passes,
    passes: int,
) -> list[str]:
    import torch

    prefix = Prefix(reader.network, reader.pad, contexts)
    ids, counts = rows_of(old, reader.pad, reader.network.device)
    real = (torch.arange(ids.shape[1], device=ids.device) < counts[:, None]).float()
    number = torch.tensor(steps, device=ids.device)
    logits = prefix.predictions(ids)
    for done in range(passes):
        if done:
            logits = backward(logits, ids, real, number, how.step)
        last = done + 1 == passes
        logits, written = forward(prefix, logits, counts, how.mix, MORE if last else 0)
    end = ends(reader.network, reader.tokenizer)
    stops = {*(end if isinstance(end, list) else [end])}
    rows = [
        _until(row, stops)[: count + MORE]
        for row, count in zip(written.tolist(), counts.tolist(), strict=True)
    ]
    return [first_sentence(text_of(reader.tokenizer, row)) for row in rows]


def _until(row: list[int], stops: set[int | None]) -> list[int]:
    return row[: next((place for place, token in enumerate(row) if token in stops), len(row))]


def _best(reader: Reader, originals: Sequence[Original], candidates: Sequence[Sequence[str]]) -> list[str]:
    """The candidate of each original with the largest mean log-probability of a token; without one, the old text."""
    rows = [(place, text) for place, texts in enumerate(candidates) for text in dict.fromkeys(texts)]
    best: dict[int, tuple[float, str]] = {}
    for start in range(0, len(rows), len(originals)):
        some = rows[start : start + len(originals)]
        ids = [reader.ids(text)[: max(reader.places // 2, 1)] for _, text in some]
        longest = max(map(len, ids))
        prefix = Prefix(
            reader.network,
            reader.pad,
            [reader.before(originals[place].asked, "", longest) for place, _ in some],
        )
        tokens, counts = rows_of(ids, reader.pad, reader.network.device)
        likely = log_probabilities(prefix, tokens).cumsum(1).gather(1, counts[:, None] - 1)[:, 0] / counts
        for (place, text), score in zip(some, likely.tolist(), strict=True):
            if place not in best or score > best[place][0]:
                best[place] = (score, text)
    return [best[place][1] if place in best else one.text for place, one in enumerate(originals)]


def _norms(rows: "Tensor") -> "Tensor":
    lengths: Tensor = rows.flatten(1).norm(dim=1)
    return lengths
