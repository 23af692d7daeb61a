"""On a GPU: exact search beside plain products, encoding of titles, training and writing of large models."""

import io
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured, isolated
from tests.bench.test_search import (
    DIMENSIONS,
    FLOOR,
    QUERIES,
    SPREADS,
    TARGETS,
    K,
    agree,
    floor_agrees,
    make_vectors,
    save,
    wokflow_search,
)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that PyTorch can use")
ROWS = {"tiny": (2_048, 10_000), "small": (262_144, 1_048_576), "full": (1_500_000, 2_200_000)}
TILE = 8_192  # queries of a plain product
TITLES = {"tiny": 2_000, "small": 200_000, "full": 3_700_000}
# Width, inner width, layers, heads: of a toy, of TinyLlama-1.1B, of LLaMA2-7B.
MODELS = {"tiny": (64, 128, 2, 2), "small": (2_048, 5_632, 22, 32), "full": (4_096, 11_008, 32, 32)}
VOCABULARY = 32_000
PAIRS = {"tiny": 32, "small": 128, "full": 128}  # of 250 tokens a side or so
TEXTS, NEW = {"tiny": 8, "small": 128, "full": 128}, 128  # that are written, and the tokens of each
SIDE, PRODUCTS = 8_192, 50  # of the matrices that are multiplied for comparison
PLAIN, OURS, FLOORED = "plain products and topk, float32", "Wokflow, torch", f"Wokflow, torch, floor {FLOOR}"


def gpu() -> str:
    return f"One {torch.cuda.get_device_name()}, torch {torch.__version__}."


def test_search(data: Path) -> None:
    queries, targets = ROWS[measure.scale()]
    rows = []
    for spread in SPREADS:
        for name, count, kind in (("queries", queries, QUERIES), ("targets", targets, TARGETS)):
            given = {"folder": str(data / name), "rows": count, "kind": kind, "spread": spread}
            isolated(Call(make_vectors, given))
        ours = {"folder": str(data), "backend": "torch", "device": "cuda"}
        contenders = {
            OURS: Call(wokflow_search, ours),
            FLOORED: Call(wokflow_search, ours | {"floor": FLOOR}),
        }
        if measure.scale() != "full":
            contenders = {PLAIN: Call(plain_products, {"folder": str(data)})} | contenders
        measured = measure.in_turn(contenders, 1)
        (agree if PLAIN in measured else floor_agrees)(data)
        for name, results in measured.items():
            times = f"{measure.ratio(measured[PLAIN], results):.2f}" if PLAIN in measured else "-"
            rows.append([SPREADS[spread], name, f"{measure.middle(results, 'wall'):.2f}", times])
    measure.publish(
        "gpu-search-full" if measure.scale() == "full" else "gpu-search",
        f"Search on a GPU{', at real size' if measure.scale() == 'full' else ''}",
        f"""The {K} nearest of {targets:,} vectors of {DIMENSIONS} dimensions for each of {queries:,}, and the other
        way round; the vectors are those of the section Search. For comparison, float32 products of {TILE:,} queries
        with all targets, and torch's `topk` of each row, once in each direction. All find the same, up to the order
        of scores that rounding makes equal; at full size there are no plain products.
        {measure.repeat("test_gpu.py")}""",
        gpu(),
        measure.table(["vectors", "contender", "s", "times as fast as plain products"], rows),
    )


def plain_products(clock: Clock, folder: str) -> None:
    """What one would write first."""
    with clock:
        sides = [
            torch.from_numpy(
                np.concatenate([np.load(path) for path in sorted(Path(folder, name).glob("*.npy"))])
            )
            for name in ("queries", "targets")
        ]
        found: list[Any] = []
        for asked, against in (sides, sides[::-1]):
            there = against.cuda()
            parts = [(part.cuda() @ there.T).topk(K) for part in asked.split(TILE)]
            found += [torch.cat([part[which] for part in parts]).cpu().numpy() for which in (0, 1)]
    save(f"{folder}/bare.npz", *found)


def test_encoding(data: Path) -> None:
    count = TITLES[measure.scale()]
    isolated(Call(make_encoder, {"folder": str(data)}))
    contenders = {
        precision: Call(encode, {"folder": str(data), "precision": precision, "count": count})
        for precision in ("float32", "bfloat16")
    }
    measured = measure.in_turn(contenders, 1)
    rows = [
        [name, f"{count / measure.middle(results, 'wall'):,.0f}", f"{results[0].outcome:.2f}"]
        for name, results in measured.items()
    ]
    measure.publish(
        "gpu-encoding",
        "Encoding on a GPU",
        f"""{count:,} made titles of 2 to 8 words to vectors, by an encoder of the size of all-MiniLM-L6-v2 (6 layers
        of width 384) with random weights, as `match_embed` does it in one process. Sums of neighbours' products show
        that both did the same work. {measure.repeat("test_gpu.py")}""",
        gpu(),
        measure.table(["precision", "titles/s", "mean product of neighbours"], rows),
    )
    first, second = (results[0].outcome for results in measured.values())
    assert second == pytest.approx(first, abs=0.02)


def make_encoder(clock: Clock, folder: str) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(20_000))]
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=DIMENSIONS,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=4 * DIMENSIONS,
    )
    BertModel(config).save_pretrained(f"{folder}/bert")
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(f"{folder}/bert")
    bert = Transformer(f"{folder}/bert")
    SentenceTransformer(modules=[bert, Pooling(DIMENSIONS)], device="cpu").save(f"{folder}/encoder")


def encode(clock: Clock, folder: str, precision: str, count: int) -> float:
    """The mean product of each title's vector with the next one's."""
    from wokflow.frame.job import Progress
    from wokflow.match.embed import BLOCK, encoder
    from wokflow.match.settings import EmbedSettings

    draw = random.Random(2)
    texts = [" ".join(f"w{draw.randrange(20_000)}" for _ in range(draw.randint(2, 8))) for _ in range(count)]
    settings = {"model": f"{folder}/encoder", "revision": None, "precision": precision, "device": "cuda"}
    run, dimensions, _ = encoder(EmbedSettings.model_validate(settings), Progress())
    vectors = np.empty((count, dimensions), np.float32)
    with clock:
        for start in range(0, count, BLOCK):
            vectors[start : start + BLOCK] = run(texts[start : start + BLOCK])
    return float((vectors[:-1] * vectors[1:]).sum(1, dtype=np.float64).mean())


def test_large_models(data: Path) -> None:
    scale = measure.scale()
    base = isolated(Call(make_base, {"folder": str(data / "base"), "size": list(MODELS[scale])})).outcome
    write_pairs(data / "examples.parquet", PAIRS[scale])
    product = isolated(Call(multiply, {})).outcome
    trained: dict[str, Measured] = {}
    for precision in ("bfloat16", "nf4"):
        given = {"folder": str(data), "precision": precision}
        trained[precision] = isolated(Call(learn, given))
        print(precision, trained[precision], flush=True)
    written = {
        beams: isolated(Call(write, {"folder": str(data), "beams": beams, "count": TEXTS[scale]}))
        for beams in (1, 3)
    }
    learnt = [
        [
            f"LoRA, weights in {name}",
            f"{one.outcome['rate']:,.0f}",
            f"{4 * base['weights'] * one.outcome['rate'] / product['rate']:.2f}",
            f"{one.outcome['memory']:.1f}",
            f"{one.wall:.0f}",
        ]
        for name, one in trained.items()
    ]
    wrote = [
        [
            f"{beams} beam{'s' * (beams > 1)}",
            f"{TEXTS[scale] * NEW / one.wall:,.0f}",
            f"{one.outcome['memory']:.1f}",
        ]
        for beams, one in written.items()
    ]
    measure.publish(
        "gpu-models",
        "Large models on a GPU",
        f"""A LLaMA of {base["weights"] / 1e9:.2f} billion random weights, made on the spot. Training: two epochs of
        {PAIRS[scale] * 15 // 16} pairs of some 250 tokens a side, adapters of rank 16 on all linear
        layers, 16 pairs a step, 8 at a time, gradient checkpointing, arithmetic in bfloat16. Operations
        are 4 for each weight and token (the base's weights get no gradients); what checkpointing
        computes again does not count. Whole is the whole job, from loading to the saved, merged model.
        {measure.repeat("test_gpu.py")}""",
        f"""{gpu()} Products of matrices of {SIDE:,} rows and columns in bfloat16:
        {product["rate"] / 1e12:.0f} x 10^12 operations a second.""",
        measure.table(
            ["training", "tokens/s", "share of the matrix rate", "GPU memory, peak GiB", "whole, s"], learnt
        ),
        f"""Writing: {TEXTS[scale]} texts of {NEW} tokens after sources of 128, 64 at a time, in bfloat16, by
        transformers.""",
        measure.table(["writing", "new tokens/s", "GPU memory, peak GiB"], wrote),
    )
    assert all(one.outcome["fell"] for one in trained.values())


def make_base(clock: Clock, folder: str, size: list[int]) -> dict[str, float]:
    """A LLaMA with random weights and a tokenizer, as the hub has them; it never ends a text."""
    from transformers import LlamaConfig, LlamaForCausalLM
    from wokflow.train.scratch import train_tokenizer

    width, inner, layers, heads = size
    tokenizer = train_tokenizer([f"w{number} " for number in range(999)] * 2, "causal", 2_000, 2_048)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        max_position_embeddings=2_048,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model: Any = LlamaForCausalLM(config)
    model.generation_config.suppress_tokens = [tokenizer.eos_token_id, tokenizer.pad_token_id]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return {"weights": float(sum(value.numel() for value in model.parameters()))}


def write_pairs(path: Path, count: int) -> None:
    import polars as pl

    draw = random.Random(5)

    def text() -> str:
        return " ".join(f"w{draw.randrange(999)}" for _ in range(draw.randint(60, 100)))

    rows = [(f"{number}", "train" if number % 16 else "valid", "", text(), text()) for number in range(count)]
    pl.DataFrame(rows, ["instance_id", "split", "title", "source", "target"], orient="row").write_parquet(
        path
    )


def learn(clock: Clock, folder: str, precision: str) -> dict[str, Any]:
    """Train adapters for two epochs; what the log says, and the GPU's memory."""
    from wokflow.frame.job import Progress
    from wokflow.train.model import train

    from tests.train.tiny import curve, task_of

    log = io.StringIO()
    values: dict[str, Any] = {"family": "causal", "base": f"{folder}/base", "languages": None}
    values |= {"batch": 16, "device_batch": 8, "epochs": 2, "max_tokens": 1_024, "learning_rate": 1e-3}
    values |= {"device": "cuda", "gradient_checkpointing": True, "lora": {"rank": 16, "base": precision}}
    task = replace(task_of(Path(folder), **values), out=f"{folder}/{precision}", key=precision, threads=None)
    with clock:
        train(task, Progress(log))
    said = re.search(r"([\d,]+) tokens/s, ([\d.]+) % waiting.* operations in", log.getvalue())
    assert said, log.getvalue()
    losses = curve(Path(folder, precision))["train_loss"].to_list()
    return {
        "rate": float(said[1].replace(",", "")),
        "memory": torch.cuda.max_memory_allocated() / 2**30,
        "fell": losses[-1] < losses[0],
    }


def write(clock: Clock, folder: str, beams: int, count: int) -> dict[str, float]:
    from wokflow.models.writers import Model, writer

    from tests.models.tiny import search

    decoding = search(beams=beams, max_tokens=NEW, batch=64)
    options = {"revision": None, "precision": "bfloat16", "remote_code": False, "device": "cuda"}
    model = Model(f"{folder}/base", "causal", decoding, gpus=1, gpu_memory=0.9, python=None, **options)  # type: ignore[arg-type]
    draw = random.Random(3)
    with writer("transformers", model) as writes:
        rows = [[draw.randrange(10, 1_000) for _ in range(128)] for _ in range(count)]
        writes.write(rows[:1], 0)
        with clock:
            texts = writes.write(rows, 0)
    assert len(texts) == count and all(texts)
    return {"memory": torch.cuda.max_memory_allocated() / 2**30}


def multiply(clock: Clock) -> dict[str, float]:
    """Multiply square matrices in bfloat16."""
    left, right = torch.randn(2, SIDE, SIDE, device="cuda", dtype=torch.bfloat16)
    left @ right
    torch.cuda.synchronize()
    with clock:
        for _ in range(PRODUCTS):
            left @ right
        torch.cuda.synchronize()
    return {"rate": 2.0 * SIDE**3 * PRODUCTS / clock.wall}
