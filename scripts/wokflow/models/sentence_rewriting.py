"""Shared by decoders that rewrite a text sentence by sentence: their inputs, cut to what the model can read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wokflow.models.bounds import NO_LIMIT, padding_token, positions
from wokflow.models.sentence_ends import sentences


@dataclass(frozen=True)
class Original:
    """A text to rewrite. `asked` and `told` are the token ids before the new text and before the old one.

    `dishes`: the old dish and the new one, for those who look them up.
    """

    asked: list[int]
    told: list[int]
    text: str
    dishes: Sequence[str] = ()


class Reader:
    """A causal model with its tokenizer, and how much it can read at once."""

    def __init__(self, network: Any, tokenizer: Any) -> None:
        self.network, self.tokenizer = network, tokenizer
        self.pad = padding_token(tokenizer)
        self.places = positions(network.config) or NO_LIMIT

    def ids(self, text: str) -> list[int]:
        """Token ids of a text, without special ones."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def pieces(self, text: str, more: int, most: int) -> list[str]:
        """The sentences of a text, the longest cut, so that each takes half of what the model can read, less `more`.

        Sentences that begin behind `most` tokens, or have none that the tokenizer knows, are left out.
        """
        longest = max((self.places - more) // 2, 1)
        parts, count = list[str](), 0
        for sentence in (part for one in sentences(text) for part in self._cut(one, longest)):
            tokens = len(self.ids(sentence))
            if tokens and count < most:
                parts.append(sentence)
            count += tokens
        return parts

    def before(self, prompt: list[int], so_far: str, more: int) -> list[int]:
        """The end of a prompt and of the text behind it, as long as `more` tokens still fit the model."""
        room = max(self.places - more, 1)
        row = prompt[-room:]
        behind = self.ids(so_far)
        return row + behind[max(len(behind) - (room - len(row)), 0) :]

    def _cut(self, sentence: str, longest: int) -> Iterator[str]:
        if len(self.ids(sentence)) <= longest or len(sentence) < 2:
            yield sentence
            return
        for half in (sentence[: len(sentence) // 2], sentence[len(sentence) // 2 :]):
            yield from self._cut(half, longest)


def rows_of(rows: Sequence[list[int]], pad: int, device: Any) -> tuple[Any, Any]:
    """(token ids [rows, longest], number of tokens [rows]) as tensors; shorter rows end in padding."""
    import torch

    from wokflow.models.decoding import padded

    ids, mask = padded(rows, pad, left=False)
    return ids.to(device), mask.sum(1).to(device=device, dtype=torch.long)


__all__ = ["Original", "Reader", "rows_of"]
