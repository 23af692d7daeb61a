"""How much faster texts are decoded in batches of similar length."""

import random
from pathlib import Path
from typing import Any

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured

TEXTS = {"tiny": 6, "small": 200, "full": 1_000}
ROUNDS = {"tiny": 1, "small": 2, "full": 3}
BATCH = 16
SAME = 0.9
WIDTH, LAYERS, WORDS = 256, 4, 8_000
SHORTEST, USUAL, LONGEST = 8, 40, 160  # tokens of a text: a skew distribution, as recipes have
BY_LENGTH, IN_ORDER, ALONE = "batches by length (Wokflow)", "batches in file order", "one by one"


def test_batches_by_length(data: Path) -> None:
    count = TEXTS[measure.scale()]
    contenders = {
        BY_LENGTH: Call(decode_all, {"count": count, "together": count, "batch": BATCH}),
        IN_ORDER: Call(decode_all, {"count": count, "together": BATCH, "batch": BATCH}),
        ALONE: Call(decode_all, {"count": count, "together": count, "batch": 1}),
    }
    print(f"\n{count} texts", flush=True)
    measured = measure.in_turn(contenders, ROUNDS[measure.scale()])
    publish(count, agree(measured), measured)


def agree(measured: dict[str, list[Measured]]) -> float:
    """The share of texts that are the very same for all; a near tie between two words falls to rounding."""
    written = [
        [text.split() for text in result.outcome] for results in measured.values() for result in results
    ]
    alike = list(zip(*written, strict=True))
    assert all(len(text) == len(texts[0]) for texts in alike for text in texts)
    other = sum(any(text != texts[0] for text in texts) for texts in alike)
    assert other <= max(1, (1 - SAME) * len(alike))
    return 1 - other / len(alike)


def publish(count: int, same: float, measured: dict[str, list[Measured]]) -> None:
    ours = measured[BY_LENGTH]
    tokens = sum(len(text.split()) for text in ours[0].outcome)
    rows = [
        [
            name,
            f"{measure.middle(results, 'wall'):.1f}",
            f"{measure.middle(results, 'cpu'):.1f}",
            f"{tokens / measure.middle(results, 'wall'):,.0f}",
            f"{measure.ratio(results, ours):.2f}",
        ]
        for name, results in measured.items()
    ]
    measure.publish(
        "generate",
        "Generation in batches by length",
        f"""{count:,} texts of {SHORTEST} to {LONGEST} tokens, half of them below {USUAL}, decoded with 3 beams by an
        encoder and decoder of {LAYERS} layers each and width {WIDTH}, {BATCH} texts a batch, on the CPU in float32.
        Weights are random, so where a text ends is set: at 0.6 to 1.4 times the length of its source, for lengths of
        recipes go together but loosely. All contenders write {tokens:,} tokens, and {same:.0%} of the texts are the
        very same (at least {SAME:.0%} must be): random weights leave near ties, which fall to rounding.
        {measure.repeat("test_generate.py")}""",
        measure.machine("torch", "transformers"),
        measure.table(["contender", "s", "CPU s", "tokens/s", "times batches by length"], rows),
    )


def decode_all(clock: Clock, count: int, together: int, batch: int) -> list[str]:
    """Decode texts in file order, `together` of them at once, which are batched by length among themselves."""
    import torch
    from wokflow.models.decoding import decode

    from tests.models.tiny import search

    torch.set_num_threads(measure.THREADS)
    tokenizer, model, texts = make_tokenizer(), make_model(), make_texts(count)
    decoding = search(batch=batch)
    written: list[str] = []
    with clock:
        for start in range(0, count, together):
            written += decode(model, tokenizer, texts[start : start + together], "seq2seq", decoding)
    return written


def make_texts(count: int) -> list[str]:
    draw = random.Random(5)
    lengths = [
        min(LONGEST, SHORTEST + int(draw.lognormvariate(0, 0.8) * (USUAL - SHORTEST))) for _ in range(count)
    ]
    return [" ".join(f"w{draw.randrange(WORDS)}" for _ in range(length)) for length in lengths]


def make_tokenizer() -> Any:
    """A token a word."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "</s>", *(f"w{number}" for number in range(WORDS))]
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<pad>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="</s>")


def make_model() -> Any:
    """A model with random weights whose texts end at a length that follows from their source's."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    class Ending(BartForConditionalGeneration):  # type: ignore[misc]
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            done = kwargs["past_key_values"].get_seq_length() + 1
            found = super().forward(*args, **kwargs)
            lengths = kwargs["attention_mask"].sum(1)
            share = 0.6 + 0.8 * (lengths * 37 % 101) / 100
            found.logits[:, -1, 1] = torch.where(done > lengths * share, 1e4, -1e4)
            found.logits[:, -1, 0] = -1e4
            return found

    torch.manual_seed(5)
    sides = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in {"layers": LAYERS, "attention_heads": 4, "ffn_dim": 4 * WIDTH}.items()
    }
    config = BartConfig(
        vocab_size=WORDS + 2,
        d_model=WIDTH,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=1,
        decoder_start_token_id=0,
        forced_eos_token_id=None,
        init_std=0.2,
        **sides,
    )
    return Ending(config).eval()
