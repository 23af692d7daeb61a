"""Small language models with random weights, and tokenizers for them, made on the spot."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from wokflow.generate.settings import DecodeSettings
from wokflow.models.decoding import Decoding, Family
from wokflow.models.loading import load

LETTERS = "abcdefghijklmnopqrstuvwxyzTIS ,.:\n蛋炒饭的做法如下。，鸡油盐"


def tokenizer(letters: Iterable[str] = LETTERS, **kwargs: Any) -> Any:
    """A token a character, with </s> at the end."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "</s>", *dict.fromkeys(letters)]
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, ""))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    made.decoder = decoders.Fuse()
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>", **kwargs)


def model(kind: str, vocabulary: int, *, width: int = 16, layers: int = 2, seed: int = 5) -> Any:
    """A model of kind marian, bart, mbart, m2m100, t5, gpt2, gpt_neo, llama or bloom for `vocabulary` tokens.

    It has 64 positions. Its weights are large, so that no two tokens are nearly as likely as each other. It never
    writes padding.
    """
    import torch

    torch.manual_seed(seed)
    made = _model(kind, vocabulary, width, layers).eval()
    made.generation_config.suppress_tokens = [0]
    return made


def search(**own: Any) -> Decoding:
    """How texts are decoded: the defaults of generate.decode, but for settings of one's own."""
    names = [each.name for each in fields(Decoding)]
    return Decoding(**{name: DecodeSettings.model_fields[name].default for name in names} | own)


def loaded(model: str, family: Family, *, precision: str = "float32", device: str = "cpu") -> tuple[Any, Any]:
    """A model and its tokenizer, in memory."""
    return load(model, family, revision=None, precision=precision, device=device, remote_code=False)


def learn(model: Any, tokenizer: Any, text: str) -> None:
    """Have a causal model learn one text by heart."""
    import torch

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    row = torch.tensor([tokenizer(text)["input_ids"]])
    for _ in range(60):
        optimizer.zero_grad()
        model(input_ids=row, labels=row).loss.backward()
        optimizer.step()


def _model(kind: str, vocabulary: int, width: int, layers: int) -> Any:
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        BloomConfig,
        BloomForCausalLM,
        GPT2Config,
        GPT2LMHeadModel,
        GPTNeoConfig,
        GPTNeoForCausalLM,
        LlamaConfig,
        LlamaForCausalLM,
        M2M100Config,
        M2M100ForConditionalGeneration,
        MarianConfig,
        MarianMTModel,
        MBartConfig,
        MBartForConditionalGeneration,
        T5Config,
        T5ForConditionalGeneration,
    )

    sides: dict[str, Any] = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in {"layers": layers, "attention_heads": 2, "ffn_dim": 2 * width}.items()
    }
    common: dict[str, Any] = {
        "vocab_size": vocabulary,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "bos_token_id": None,
    }
    bart = {
        "d_model": width,
        "max_position_embeddings": 64,
        "init_std": 0.4,
        "forced_eos_token_id": None,
        **sides,
    }
    match kind:
        case "marian":
            return MarianMTModel(MarianConfig(**common, **bart, decoder_start_token_id=0))
        case "bart":
            return BartForConditionalGeneration(BartConfig(**common, **bart, decoder_start_token_id=1))
        case "mbart":
            return MBartForConditionalGeneration(MBartConfig(**common, **bart))
        case "m2m100":
            return M2M100ForConditionalGeneration(M2M100Config(**common, **bart, decoder_start_token_id=1))
        case "t5":
            sizes = {
                "d_model": width,
                "d_ff": 2 * width,
                "d_kv": width // 2,
                "num_layers": layers,
                "num_heads": 2,
            }
            config = T5Config(**common, **sizes, decoder_start_token_id=0, initializer_factor=1.0)
            return T5ForConditionalGeneration(config)
        case "gpt2":
            sizes = {"n_embd": width, "n_layer": layers, "n_head": 2, "n_positions": 64}
            return GPT2LMHeadModel(GPT2Config(**common, **sizes, initializer_range=0.4))
        case "gpt_neo":
            sizes = {"hidden_size": width, "num_layers": layers, "num_heads": 2}
            sizes |= {"max_position_embeddings": 64, "attention_types": [[["global"], layers]]}
            return GPTNeoForCausalLM(GPTNeoConfig(**common, **sizes, initializer_range=0.4))
        case "llama":
            sizes = {"hidden_size": width, "intermediate_size": 2 * width, "num_attention_heads": 2}
            sizes |= {"num_hidden_layers": layers, "max_position_embeddings": 256}
            return LlamaForCausalLM(LlamaConfig(**common, **sizes, initializer_range=0.1))
        case "bloom":
            sizes = {"hidden_size": width, "n_layer": layers, "n_head": 2}
            return BloomForCausalLM(BloomConfig(**common, **sizes, initializer_range=0.4))
    raise ValueError(kind)
