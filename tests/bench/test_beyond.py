"""What a hundred million titles a side would need: computed from rates measured here and on this page."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench import measure
from tests.bench.measure import Call, Clock, isolated
from tests.bench.test_search import (
    BARE,
    DIMENSIONS,
    QUERIES,
    TARGETS,
    K,
    bare_faiss,
    make_vectors,
    wokflow_search,
)

TITLES = 100_000_000  # of each language
SIZES = {"tiny": (2_048, 16_384), "small": (16_384, 131_072), "full": (16_384, 131_072)}  # measured here
SECONDS = 2.0  # at least, of products and of coding
RUN = 1 << 18  # rows of the English side that a job holds at a time, at most
H100_INT8, H100_BYTES = 1_979e12, 3.35e12  # operations (dense) and bytes a second: data sheet of the SXM5
PAIR = 12  # bytes of a pair of rows: its product is written, and read once for each direction
GPUS = 8  # of a node
LISTS, PROBES = 65_536, 64  # of an inverted file for that many titles
FEW = {"tiny": (128, 8), "small": (1_024, 16), "full": (1_024, 16)}  # lists and probes measured here
NEIGHBOUR = 12  # bytes of a row of the tables of the search, before compression
HOUR = 3600


@dataclass(frozen=True)
class Rates:
    """What was measured: operations a second, rows a second, a share, a factor, texts a second."""

    search: float
    product: float
    coding: float
    recall: float
    inverted: float
    texts: float


def test_beyond(data: Path) -> None:
    queries, targets = SIZES[measure.scale()]
    for name, rows, kind in (("queries", queries, QUERIES), ("targets", targets, TARGETS)):
        given = {"folder": str(data / name), "rows": rows, "kind": kind, "spread": "titles"}
        isolated(Call(make_vectors, given))
    lists, probes = FEW[measure.scale()]
    folder = {"folder": str(data)}
    found = measure.in_turn(
        {
            "search": Call(wokflow_search, folder | {"backend": "torch"}),
            "product": Call(product, {}),
            "coding": Call(coding, folder),
            BARE: Call(bare_faiss, folder),
            "inverted": Call(inverted, folder | {"lists": lists, "probes": probes}),
        },
        1,
    )
    rates = Rates(
        search=work(queries, targets) / found["search"][0].wall,
        product=found["product"][0].outcome["rate"],
        coding=found["coding"][0].outcome,
        recall=recall(data),
        inverted=found[BARE][0].wall / 2 / found["inverted"][0].wall,
        texts=texts_a_second(),
    )
    publish(rates, queries, targets, found["product"][0].outcome["type"])


def work(queries: float, targets: float) -> float:
    """Operations of all products: a multiplication and an addition for each entry."""
    return 2 * queries * targets * DIMENSIONS


def product(clock: Clock) -> dict[str, Any]:
    """Operations a second of products of the search's codes, in its tiles, one a thread; and their type."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    import torch
    from wokflow.match.search_torch import TILES, empty, fastest_type, multiply

    torch.set_num_threads(1)
    tile, dtype = TILES["cpu"], fastest_type("cpu")
    codes = torch.ones((tile, DIMENSIONS), dtype=dtype)

    def multiplied(thread: int) -> int:
        out, count, start = empty(tile, tile, dtype, "cpu"), 0, time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            multiply(codes, codes, out)
            count += 1
        return count

    with ThreadPoolExecutor(measure.THREADS) as pool, clock:
        start = time.perf_counter()
        count = sum(pool.map(multiplied, range(measure.THREADS)))
        seconds = time.perf_counter() - start
    return {"rate": count * work(tile, tile) / seconds, "type": str(dtype).removeprefix("torch.")}


def coding(clock: Clock, folder: str) -> float:
    """Rows a second that one thread makes codes of."""
    import time

    import torch
    from wokflow.match.codes import Coding
    from wokflow.match.vectors import Vectors

    torch.set_num_threads(1)
    rows = Vectors.open(f"{folder}/queries").rows(0, 2_048)
    make, count = Coding(rows, DIMENSIONS), 0
    with clock:
        start = time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            make(rows)
            count += len(rows)
        return count / (time.perf_counter() - start)


def inverted(clock: Clock, folder: str, lists: int, probes: int) -> None:
    """The nearest targets of each query by faiss's inverted file; the clock counts the search, not the making."""
    import faiss

    faiss.omp_set_num_threads(measure.THREADS)
    queries, targets = (
        np.concatenate([np.load(path) for path in sorted(Path(folder, name).glob("*.npy"))])
        for name in ("queries", "targets")
    )
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(DIMENSIONS), DIMENSIONS, lists, faiss.METRIC_INNER_PRODUCT)
    index.train(targets)
    index.add(targets)
    index.nprobe = probes
    with clock:
        rows = index.search(queries, K)[1]
    np.save(f"{folder}/inverted.npy", rows)


def recall(data: Path) -> float:
    """Share of the exact neighbours, in the one direction, that the inverted file finds."""
    exact = np.load(data / "torch.npz")["there_rows"].reshape(-1, K)
    near = np.load(data / "inverted.npy")
    return float((exact[:, :, None] == near[:, None, :]).any(axis=2).mean())


def texts_a_second() -> float:
    """Of the run at real size on this page: distinct texts of both corpora by the seconds of match_embed."""
    rows = measure.rows_of("real-size")
    texts = sum(measure.figure(rows[corpus][-1]) for corpus in ("recipenlg", "xiachufang"))
    return texts / measure.figure(rows["match_embed"][1])


def publish(rates: Rates, queries: int, targets: int, dtype: str) -> None:
    whole, share = work(TITLES, TITLES), min(rates.search / rates.product, 1.0)
    arithmetic = whole / H100_INT8 / HOUR
    memory = TITLES**2 * PAIR / H100_BYTES / HOUR
    gpu = max(arithmetic, memory) / share
    runs = ceil(TITLES / RUN)
    side = TITLES * DIMENSIONS / 1e9
    once = TITLES / rates.coding / HOUR
    approximate = 2 * work(TITLES, LISTS + TITLES * PROBES / LISTS)
    table = TITLES * K * NEIGHBOUR / 1e9
    encoding = 2 * TITLES / rates.texts / HOUR
    slurm = measure.rows_of("slurm-shards")["the profile"]
    asked = measure.figure(slurm[7]) / 60 * measure.figure(slurm[2]) / measure.figure(slurm[0])
    lists, probes = FEW[measure.scale()]
    needs = {
        "operations of the exact search, one product for both directions": f"{whole:.1e}",
        "years of these two cores": f"{whole / rates.search / HOUR / 24 / 365:,.1f}",
        "hours of one H100, by operations in int8": f"{arithmetic:,.1f}",
        f"hours of one H100, by bytes: {PAIR} a pair": f"{memory:,.1f}",
        f"the larger of the two, at {share:.0%}": f"{gpu:,.1f}",
        "GB of vectors of a side, float32": f"{4 * side:,.0f}",
        "GB of codes of a side": f"{side:,.0f}",
        "core hours to make the codes of a side once": f"{once:,.1f}",
        f"the same as it is: again for each of {runs} runs of English rows": f"{once * runs:,.0f}",
        "GB of neighbours, one job": f"{2 * table:,.0f}",
        f"the same, {GPUS} jobs": f"{(1 + GPUS) * table:,.0f}",
        "hours of two cores to encode both sides": f"{encoding:,.0f}",
        f"operations with an inverted file, {PROBES} of {LISTS:,} lists": f"{approximate:.1e}",
        "the same, a share of the exact search": f"1/{whole / approximate:,.0f}",
    }
    measure.publish(
        "beyond",
        "Beyond one machine: a hundred million titles",
        f"""Computed, not run, for 100 million distinct titles a side, {DIMENSIONS} entries a vector, k = {K}.
        Measured here, of {queries:,} by {targets:,} vectors like titles', on {measure.THREADS} threads: the exact
        search of both directions makes {rates.search / 1e9:,.0f}e9 operations a second (a multiplication and an
        addition for each entry of a pair), products of its codes alone ({dtype}) {rates.product / 1e9:,.0f}e9: a
        share of {share:.0%}. One thread makes {rates.coding:,.0f} codes a second. Texts are encoded at the rate of
        the run at real size on this page, {rates.texts:,.0f} a second. An H100 makes {H100_INT8:.3g} operations and
        moves {H100_BYTES:.3g} bytes a second, by its data sheet. {measure.repeat("test_beyond.py")}""",
        measure.machine("torch", "faiss-cpu"),
        measure.table(["100 million titles a side", "need"], ([name, need] for name, need in needs.items())),
        f"""**Exact, on H100s.** The products are written to the GPU's memory as integers of 32 bits, and read once
        for each direction: that takes {memory / arithmetic:,.0f} times as long as the arithmetic, so a kernel that
        keeps maxima alone would save most of it. As it is, {GPUS} GPUs take {gpu / GPUS:,.1f} hours, if they reach
        the share of this bound that the search reaches here of its products; nobody has tried. What stands in the way
        before that is the host: for each run of {RUN:,} English rows a job reads its Chinese vectors
        ({4 * side * runs / 1000:,.0f} TB in all) and makes their codes again, {once * runs:,.0f} core hours. Made
        once and kept ({side:,.0f} GB a side) they take {once:,.1f}; that is to be built first.""",
        f"""**Slurm.** `match.search.shards: {GPUS}`, one GPU each: jobs share out the Chinese side, and each reads
        all English vectors and writes neighbours of all English rows. So tables grow with the jobs, and few long ones
        are better than hundreds. Encoding can be hundreds: in 200 shards on 8 threads each takes about
        {encoding * 60 / 200 * measure.THREADS / 8:,.0f} minutes. A job of Slurm costs {asked:,.1f} requests to the
        controller (see the section on 200 shards), so either is no load.""",
        f"""**Where exactness is given up.** An inverted file (faiss `IndexIVFFlat`) compares a query with {LISTS:,}
        centres and the rows of {PROBES} lists, each direction by itself. At the size measured here, with {probes} of
        {lists:,} lists, it finds {rates.recall:.1%} of the exact neighbours, {rates.inverted:,.1f} times as fast as
        bare faiss without lists. Wokflow has no such backend: nobody would notice a best match that is missed, so the
        share must be measured on one's own titles.""",
    )
