"""Logits of a causal model for many continuations of contexts that it reads only once."""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wokflow.models.decoding import padded

if TYPE_CHECKING:
    from torch import Tensor


class Prefix:
    """Contexts, a row of token ids each, whose keys and values are kept. All logits are float32.

    `first`: logits [rows, vocabulary] of the token behind each context.
    """

    def __init__(self, network: Any, pad: int, contexts: Sequence[list[int]]) -> None:
        self.network = network
        self._placed = "position_ids" in inspect.signature(network.forward).parameters
        ids, self._mask = (part.to(network.device) for part in padded(contexts, pad, left=True))
        self._cache: Any = None
        self._behind = 0
        self.first = self._read(input_ids=ids, mask=self._mask)[:, -1]

    def follow(self, **inputs: "Tensor") -> "Tensor":
        """Logits [rows, tokens, vocabulary] of the token after each of some tokens that continue what was read.

        These are given as input_ids [rows, tokens] or as inputs_embeds [rows, tokens, width]. What is behind the end
        of a shorter row may be anything.
        """
        import torch

        [tokens] = inputs.values()
        more = torch.ones(tokens.shape[:2], dtype=self._mask.dtype, device=self._mask.device)
        self._mask = torch.cat([self._mask, more], 1)
        self._behind += tokens.shape[1]
        return self._read(mask=self._mask, **inputs)

    def forget(self) -> None:
        """Go back to the contexts."""
        if self._behind:
            self._cache.crop(-self._behind)
            self._mask = self._mask[:, : -self._behind]
            self._behind = 0

    def predictions(self, ids: "Tensor") -> "Tensor":
        """Logits [rows, tokens, vocabulary] of each token of `ids` [rows, tokens] by the context and those before."""
        import torch

        if ids.shape[1] == 1:
            return self.first[:, None]
        after = self.follow(input_ids=ids[:, :-1])
        self.forget()
        return torch.cat([self.first[:, None], after], 1)

    def _read(self, mask: "Tensor", **inputs: "Tensor") -> "Tensor":
        [tokens] = inputs.values()
        if self._placed:
            places = (mask.cumsum(1) - 1).clamp(min=0)
            inputs["position_ids"] = places[:, -tokens.shape[1] :]
        said = self.network(attention_mask=mask, past_key_values=self._cache, use_cache=True, **inputs)
        self._cache = said.past_key_values
        logits: Tensor = said.logits.float()
        return logits


def log_probabilities(prefix: Prefix, ids: "Tensor") -> "Tensor":
    """Log-probability [rows, tokens] of each token of `ids` [rows, tokens]."""
    logits = prefix.predictions(ids)
    return logits.gather(2, ids[:, :, None])[:, :, 0] - logits.logsumexp(2)


__all__ = ["Prefix", "log_probabilities"]
