"""Positions, padding token and end token of models, some of which lack one or keep it elsewhere."""

from typing import Any

# Types of models whose positions start after the padding token's id, so that the embeddings before are unused (as in
# RoBERTa).
BEHIND_PADDING = frozenset(
    {
        *("roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "camembert", "xmod", "mpnet"),
        *("longformer", "data2vec-text", "ibert", "luke", "lilt"),
    }
)
# Names of the number of positions in configs; those of LED and MPT are special.
NAMES = ("max_position_embeddings", "max_encoder_position_embeddings", "max_seq_len")
NO_LIMIT = 1_000_000  # tokens, for libraries that need a number


def positions(config: Any) -> int | None:
    """The number of tokens that a model can read, special tokens included, from its `config`; None: no limit.

    Models with relative positions have no limit: their config has no number (T5, BLOOM) or -1 (XLNet). For models
    that also read pictures, the limit of texts counts.
    """
    config = getattr(config, "text_config", None) or config
    most = next(filter(None, (getattr(config, name, None) for name in NAMES)), None)
    if not isinstance(most, int) or most <= 0:
        return None
    if getattr(config, "model_type", "") in BEHIND_PADDING:
        most -= (getattr(config, "pad_token_id", None) or 0) + 1
    return most


def end_token(tokenizer: Any) -> int | None:
    """The id of the token that ends a text: the tokenizer's end token, or its separator (BERT); None if it has
    neither.
    """
    ids = (tokenizer.eos_token_id, tokenizer.sep_token_id)
    return next((token for token in ids if token is not None), None)


def padding_token(tokenizer: Any) -> int:
    """The id of the token that pads rows. Without a padding token, any token will do, since it is masked."""
    if tokenizer.pad_token_id is not None:
        return int(tokenizer.pad_token_id)
    end = end_token(tokenizer)
    return 0 if end is None else end
