"""Positions, padding and ends of models that have them in ways of their own, or not at all."""

from types import SimpleNamespace
from typing import Any

import pytest
from wokflow.models.bounds import BEHIND_PADDING, end_token, padding_token, positions


@pytest.mark.parametrize(
    ("config", "most"),
    [
        ({}, None),
        ({"max_position_embeddings": None}, None),
        ({"max_position_embeddings": -1}, None),
        ({"text_config": SimpleNamespace(max_position_embeddings=64)}, 64),
        ({"max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 8}, 64),
        ({"max_position_embeddings": 512, "model_type": "bert", "pad_token_id": 0}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": None}, 513),
    ],
)
def test_positions_are_those_that_a_text_can_have(config: dict[str, Any], most: int | None) -> None:
    assert positions(SimpleNamespace(**config)) == most


@pytest.mark.parametrize(
    ("pad", "end", "separator", "filler", "last"),
    [
        (3, 4, 5, 3, 4),
        (None, 4, 5, 4, 4),
        (None, None, 5, 5, 5),
        (None, None, None, 0, None),
        (0, 0, None, 0, 0),
    ],
)
def test_tokens_that_are_absent_are_stood_in_for(
    pad: int | None, end: int | None, separator: int | None, filler: int, last: int | None
) -> None:
    tokenizer = SimpleNamespace(pad_token_id=pad, eos_token_id=end, sep_token_id=separator)
    assert (padding_token(tokenizer), end_token(tokenizer)) == (filler, last)


KINDS = ("bert", "distilbert", "electra", *sorted(BEHIND_PADDING))


@pytest.mark.parametrize("kind", KINDS)
def test_models_read_as_many_tokens_as_they_have_positions_for_and_no_more(kind: str) -> None:
    """As transformers has them, so that another release cannot move positions unseen."""
    import torch
    from transformers import AutoConfig, AutoModel

    sizes = {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    small = {"dim": 24, "n_layers": 1, "n_heads": 2, "hidden_dim": 8} if kind == "distilbert" else sizes
    own = {
        "longformer": {"attention_window": 4},
        "luke": {"entity_vocab_size": 9, "entity_emb_size": 8},
        "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
    }
    given = small | own.get(kind, {})
    config = AutoConfig.for_model(kind, vocab_size=9, max_position_embeddings=20, pad_token_id=1, **given)
    model = AutoModel.from_config(config).eval()
    most = positions(config)
    assert most == (18 if kind in BEHIND_PADDING else 20)
    with torch.no_grad():
        assert model(torch.full((1, most), 5)).last_hidden_state.shape[1] == most
        with pytest.raises((IndexError, RuntimeError)):
            model(torch.full((1, most + 1), 5))


def test_biases_for_so_many_tokens_are_a_limit_too() -> None:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model("mpt", d_model=8, n_heads=2, n_layers=1, max_seq_len=16, vocab_size=9)
    model, most = AutoModelForCausalLM.from_config(config).eval(), positions(config)
    assert most == 16
    with torch.no_grad():
        assert model(torch.full((1, most), 5)).logits.shape[1] == most
        with pytest.raises(RuntimeError):
            model(torch.full((1, most + 1), 5))
