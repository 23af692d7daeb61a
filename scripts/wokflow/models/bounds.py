"""What models and their tokenizers may lack, or have in a way of their own: positions, padding, an end."""

from typing import Any

# Their positions count from behind the padding token, which so many of the embeddings are lost to (RoBERTa's way).
BEHIND_PADDING = frozenset(
    {
        *("roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "camembert", "xmod", "mpnet"),
        *("longformer", "data2vec-text", "ibert", "luke", "lilt"),
    }
)
# What configs call the number of positions; MPT's biases and LED's embeddings have names of their own.
NAMES = ("max_position_embeddings", "max_encoder_position_embeddings", "max_seq_len")
NO_LIMIT = 1_000_000  # tokens, for libraries that want a number


def positions(config: Any) -> int | None:
    """How many tokens a model can read, special ones among them, by its `config`; None where it has no limit.

    Models with relative positions have none (T5, BLOOM), and say so by no number, or by -1 (XLNet). Where a model
    reads pictures as well, that of its texts counts.
    """
    config = getattr(config, "text_config", None) or config
    most = next(filter(None, (getattr(config, name, None) for name in NAMES)), None)
    if not isinstance(most, int) or most <= 0:
        return None
    if getattr(config, "model_type", "") in BEHIND_PADDING:
        most -= (getattr(config, "pad_token_id", None) or 0) + 1
    return most


def end_token(tokenizer: Any) -> int | None:
    """The token that ends a text: the tokenizer's end, or its separator, as of BERT; None where it has neither."""
    found = (tokenizer.eos_token_id, tokenizer.sep_token_id)
    return next((token for token in found if token is not None), None)


def padding_token(tokenizer: Any) -> int:
    """The token that fills rows up. Any will do where there is none for it: a mask hides it."""
    if tokenizer.pad_token_id is not None:
        return int(tokenizer.pad_token_id)
    end = end_token(tokenizer)
    return 0 if end is None else end
