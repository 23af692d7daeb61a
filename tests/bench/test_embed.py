"""How many titles are encoded in a second, against sentence-transformers by itself."""

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tests.bench import measure
from tests.bench.measure import Call, Clock, at_least, isolated

Floats = NDArray[np.float32]
SIZES = {"tiny": 300, "small": 10_000, "full": 100_000}  # titles
SOME = {
    "tiny": 150,
    "small": 4_000,
    "full": 4_000,
}  # in bfloat16 where the processor has no arithmetic for it
ROUNDS = {"tiny": 1, "small": 3, "full": 1}
FAST_IN_BFLOAT16 = {"avx512_bf16", "amx_bf16"}  # flags of processors
BARE = "sentence-transformers, float32"
OURS = {precision: f"Wokflow, {precision}" for precision in ("float32", "bfloat16")}
SAME, TIE = 0.99, 1e-6  # share of nearest neighbours; scores that differ by less are equal


def test_embed(data: Path) -> None:
    fast = bool(FAST_IN_BFLOAT16 & set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split()))
    count = SIZES[measure.scale()]
    some = count if fast else SOME[measure.scale()]
    given = {"texts": str(data / "texts.parquet")}
    isolated(Call(make_titles, {"out": given["texts"], "count": count, "some": some}))
    contenders = {
        BARE: Call(encode, given | {"out": str(data / "bare.npy")}),
        OURS["float32"]: Call(embed, given | {"out": str(data / "float32.npy"), "precision": "float32"}),
    }
    half = Call(
        embed,
        {"texts": str(data / "some.parquet"), "out": str(data / "half.npy"), "precision": "bfloat16"},
    )
    if fast:
        measured = measure.in_turn(contenders | {OURS["bfloat16"]: half}, ROUNDS[measure.scale()])
    else:
        measured = measure.in_turn(contenders, ROUNDS[measure.scale()])
        measured[OURS["bfloat16"]] = [isolated(half)]
    bare, whole, halved = (np.load(data / f"{name}.npy") for name in ("bare", "float32", "half"))
    assert np.allclose(bare, whole, atol=1e-5)
    same = agreement(whole[:some], halved)
    rates = {
        name: (some if name == OURS["bfloat16"] else count) / measure.middle(results, "wall")
        for name, results in measured.items()
    }
    rows = [
        [
            name,
            f"{some if name == OURS['bfloat16'] else count:,}",
            f"{measure.middle(results, 'wall'):.1f}",
            f"{rates[name]:,.0f}",
            f"{measure.middle(results, 'peak'):,.0f}",
            f"{rates[name] / rates[BARE]:.2f}",
        ]
        for name, results in measured.items()
    ]
    promised = (
        at_least(measure.ratio(measured[BARE], measured[OURS["float32"]]), 1.3),
        at_least(rates[OURS["bfloat16"]] / rates[BARE], 3),
        at_least(same, SAME),
    )
    where = "" if fast else ", which is one for processors that multiply it; this one does not"
    held = promised if fast else (promised[0], promised[2])
    measure.publish(
        "embed",
        "Encoding of titles",
        f"""Distinct English titles of a synthetic corpus become unit vectors by the bundled encoder, on
        {measure.THREADS} threads. sentence-transformers is `encode` with its own batches of 32. In float32 both must
        give the same vectors (to 0.00001). {measure.repeat("test_embed.py")}""",
        measure.machine("sentence-transformers", "torch"),
        measure.table(
            ["contender", "titles", "s", "titles/s", "peak MiB", "times as fast as sentence-transformers"],
            rows,
        ),
        f"""In float32 Wokflow is {promised[0].value:.2f} times as fast ({promised[0]}), in bfloat16
        {promised[1].value:.2f} times ({promised[1]}{where}), with the same nearest other title as in float32 for
        {same:.2%} of {some:,} titles ({promised[2]}). bfloat16 is fast only where the processor multiplies it
        (avx512_bf16, amx_bf16).""",
        targets=held if measure.scale() != "tiny" else held[-1:],
    )


def agreement(one: Floats, other: Floats) -> float:
    """Share of the rows of `one` whose nearest other row is nearest, or as near, among those of `other`."""
    same = 0
    for start in range(0, len(one), 1000):
        rows = np.arange(start, min(start + 1000, len(one)))
        scores, others = (vectors[rows] @ vectors.T for vectors in (one, other))
        scores[rows - start, rows] = others[rows - start, rows] = -np.inf
        same += int((scores[rows - start, others.argmax(1)] >= scores.max(1) - TIE).sum())
    return same / len(one)


def make_titles(clock: Clock, out: str, count: int, some: int) -> None:
    """Write distinct titles of English recipes, as their authors write them; the first of them to some.parquet."""
    import csv

    from tests.bench import corpora

    raw = Path(out).with_suffix(".csv")
    corpora.recipenlg(raw, 2 * count, dirt=0)
    with raw.open(encoding="utf-8", newline="") as file:
        titles = list(dict.fromkeys(row["title"] for row in csv.DictReader(file)))[:count]
    pl.DataFrame({"text": titles}).write_parquet(out)
    pl.DataFrame({"text": titles[:some]}).write_parquet(Path(out).with_name("some.parquet"))


def encode(clock: Clock, texts: str, out: str) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from wokflow.match.bundled import bundled_folder

    torch.set_num_threads(measure.THREADS)
    titles = pl.read_parquet(texts)["text"].to_list()
    network = SentenceTransformer(str(bundled_folder()), device="cpu", local_files_only=True)
    network.encode(titles[:64])
    with clock:
        vectors = network.encode(titles, normalize_embeddings=True)
    np.save(out, vectors)


def embed(clock: Clock, texts: str, out: str, precision: str) -> None:
    from wokflow.frame.job import Job, Progress
    from wokflow.match.bundled import BUNDLED
    from wokflow.match.embed import encoder, match_embed
    from wokflow.match.settings import EmbedSettings

    settings = EmbedSettings(model=BUNDLED, precision=precision, device="cpu")
    encoder(settings, Progress())[0](["warm"])
    with clock:
        match_embed(
            texts=texts,
            vectors=out,
            shard=0,
            shards=1,
            settings=settings,
            job=Job(threads=measure.THREADS),
        )
