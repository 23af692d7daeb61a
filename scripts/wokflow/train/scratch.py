"""Small models from scratch: a tokenizer trained on the training texts, and random weights."""

from collections.abc import Iterable
from typing import Any

from wokflow.train.settings import Small

PAD, START, END = "<pad>", "<s>", "</s>"


def make_small(
    texts: Iterable[str], family: str, size: Small, *, max_tokens: int, seed: int
) -> tuple[Any, Any]:
    """(model, tokenizer): a BART for seq2seq, or a GPT-2 for causal.

    Input and output embeddings are shared. The model has positions for twice `max_tokens`.
    """
    import torch
    from transformers import BartConfig, BartForConditionalGeneration, GPT2Config, GPT2LMHeadModel

    tokenizer = train_tokenizer(texts, family, size.vocabulary, max_tokens)
    special = {
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    torch.manual_seed(seed)
    if family == "causal":
        decoder = GPT2Config(
            n_embd=size.width,
            n_layer=size.layers,
            n_head=size.heads,
            n_positions=2 * max_tokens,
            initializer_range=size.width**-0.5,
            **special,
        )
        return GPT2LMHeadModel(decoder), tokenizer
    config = BartConfig(
        d_model=size.width,
        encoder_layers=size.layers,
        decoder_layers=size.layers,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        encoder_ffn_dim=4 * size.width,
        decoder_ffn_dim=4 * size.width,
        max_position_embeddings=2 * max_tokens,
        init_std=size.width**-0.5,
        decoder_start_token_id=tokenizer.bos_token_id,
        forced_eos_token_id=None,
        **special,
    )
    return BartForConditionalGeneration(config), tokenizer


def train_tokenizer(texts: Iterable[str], family: str, vocabulary: int, max_tokens: int) -> Any:
    """A byte-level BPE tokenizer, with merges within words, numbers and runs of Chinese only; decoding is lossless.

    A seq2seq text gets an end token; a causal one does not, since the model continues it.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split("\n", "isolated"),
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=[PAD, START, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if family == "seq2seq":
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"$A {END}", special_tokens=[(END, tokenizer.token_to_id(END))]
        )
    fast: Any = PreTrainedTokenizerFast
    return fast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=START,
        eos_token=END,
        model_max_length=max_tokens,
        clean_up_tokenization_spaces=False,
    )
