"""What a hundred million titles a side would need: computed from rates measured here and on this page."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from wokflow.match.search import run_rows
from wokflow.match.settings import SearchSettings

from tests.bench import measure
from tests.bench.measure import Call, Clock, isolated
from tests.bench.test_search import (
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
MEMORY_MB = SearchSettings().memory_mb  # of a job of the search
H100_INT8, H100_BYTES = 1_979e12, 3.35e12  # operations (dense) and bytes a second: data sheet of the SXM5
PAIR = 12  # bytes of a pair of rows: its product is written, and read once for each direction
GPUS = 8  # of a node
LISTS = 65_536  # of an inverted file for that many titles
FEW = {"tiny": (128, 8), "small": (1_024, 16), "full": (1_024, 16)}  # lists and probes measured here
NEIGHBOUR = 12  # bytes of a row of the tables of the search, before compression
HOUR = 3600


@dataclass(frozen=True)
class Measured:
    """What was measured: `queries` by `targets` vectors, in seconds of the search.

    Vectors or their codes have `width` entries. `product` are operations a second of such products alone, `coding`
    rows a second of a thread that makes codes, `texts` texts a second; with `probes` of `lists` lists an inverted
    file finds the share `recall`, `inverted` times as fast as bare faiss.
    """

    queries: int
    targets: int
    search: float
    width: int
    dtype: str
    product: float
    coding: float
    lists: int
    probes: int
    recall: float
    inverted: float
    texts: float

    @property
    def rate(self) -> float:
        """Operations a second of the search, those of the codes that it multiplies."""
        return work(self.queries, self.targets, self.width) / self.search


@dataclass(frozen=True)
class Plan:
    """What TITLES a side need, by what was measured: hours, bytes, operations and jobs."""

    measured: Measured

    @property
    def whole(self) -> float:
        """Operations of the exact search with codes of whole vectors."""
        return work(TITLES, TITLES, DIMENSIONS)

    @property
    def here(self) -> float:
        """Hours on this machine: as long for each pair of rows as here."""
        pairs = TITLES / self.measured.queries * TITLES / self.measured.targets
        return self.measured.search * pairs / HOUR

    @property
    def share(self) -> float:
        """Of the rate of products alone, what the search reaches."""
        return self.measured.rate / self.measured.product

    @property
    def arithmetic(self) -> float:
        return self.whole / H100_INT8 / HOUR

    @property
    def traffic(self) -> float:
        return TITLES**2 * PAIR / H100_BYTES / HOUR

    @property
    def gpu(self) -> float:
        """Hours of one H100."""
        return max(self.arithmetic, self.traffic) / self.share

    @property
    def run(self) -> int:
        """English rows that a job holds at a time where GPUS jobs share out the Chinese side."""
        return run_rows(MEMORY_MB, DIMENSIONS, ceil(TITLES / GPUS), K)

    @property
    def runs(self) -> int:
        return ceil(TITLES / self.run)

    @property
    def side(self) -> float:
        """GB of the codes of a side."""
        return TITLES * DIMENSIONS / 1e9

    @property
    def once(self) -> float:
        """Core hours to make the codes of a side."""
        return TITLES / self.measured.coding / HOUR

    @property
    def table(self) -> float:
        """GB of the neighbours of a side."""
        return TITLES * K * NEIGHBOUR / 1e9

    @property
    def probes(self) -> int:
        """As large a share of the lists as was measured."""
        return ceil(LISTS * self.measured.probes / self.measured.lists)

    @property
    def approximate(self) -> float:
        """Operations with an inverted file, in both directions: the centres, and the rows of the lists."""
        return 2 * work(TITLES, LISTS + TITLES * self.probes / LISTS, DIMENSIONS)

    @property
    def encoding(self) -> float:
        """Hours of this machine to encode both sides."""
        return 2 * TITLES / self.measured.texts / HOUR


def test_beyond(data: Path) -> None:
    queries, targets = SIZES[measure.scale()]
    for name, rows, kind in (("queries", queries, QUERIES), ("targets", targets, TARGETS)):
        given = {"folder": str(data / name), "rows": rows, "kind": kind, "spread": "titles"}
        isolated(Call(make_vectors, given))
    lists, probes = FEW[measure.scale()]
    folder = {"folder": str(data)}
    search = isolated(Call(searched, folder))
    bare = isolated(Call(bare_faiss, folder)).wall
    inverted = isolated(Call(inverted_file, folder | {"lists": lists, "probes": probes})).wall
    publish(
        Measured(
            queries=queries,
            targets=targets,
            search=search.wall,
            **search.outcome,
            product=isolated(Call(product, search.outcome)).outcome,
            coding=isolated(Call(coding, folder)).outcome,
            lists=lists,
            probes=probes,
            recall=recall(data),
            inverted=bare / 2 / inverted,
            texts=texts_a_second(),
        )
    )


def work(queries: float, targets: float, width: int) -> float:
    """Operations of all products: a multiplication and an addition for each entry."""
    return 2 * queries * targets * width


def searched(clock: Clock, folder: str) -> dict[str, Any]:
    """Search; the type and the width of the codes that were multiplied."""
    from wokflow.match.codes import Task
    from wokflow.match.search import finder, sample
    from wokflow.match.vectors import Vectors

    wokflow_search(clock, folder, "torch", pairs=TITLES**2)
    left, right = (Vectors.open(f"{folder}/{name}") for name in ("queries", "targets"))
    # In this process it chooses as it did: the device's fastest type is measured once.
    make = finder("torch", "cpu", measure.THREADS, sample(left, right), Task(TITLES**2))
    run: Any = make(right.rows(0, 32), K)
    return {"dtype": str(run.kernel.dtype).removeprefix("torch."), "width": run.codes[0].shape[1]}


def product(clock: Clock, dtype: str, width: int) -> float:
    """Operations a second of products of codes of that type and width, in the search's tiles, one a thread."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    import torch
    from wokflow.match.products import TILE, empty, multiply

    torch.set_num_threads(1)
    kind = getattr(torch, dtype)
    codes = torch.ones((TILE, width), dtype=kind)

    def multiplied(thread: int) -> int:
        out, count, start = empty(TILE, TILE, kind), 0, time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            multiply(codes, codes, out)
            count += 1
        return count

    with ThreadPoolExecutor(measure.THREADS) as pool, clock:
        start = time.perf_counter()
        count = sum(pool.map(multiplied, range(measure.THREADS)))
        return count * work(TILE, TILE, width) / (time.perf_counter() - start)


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


def inverted_file(clock: Clock, folder: str, lists: int, probes: int) -> None:
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


def asked(rule: str) -> int | None:
    """MiB that a rule asks for; None where it is no number, or there is no such rule."""
    text = (measure.ROOT / "rules" / f"{rule.partition('_')[0]}.smk").read_text(encoding="utf-8")
    memory = text.partition(f" {rule}:\n")[2].partition("mem_mb=memory(")[2].partition(")")[0]
    return int(memory) if memory.isdecimal() else None


def memory(rows: dict[str, list[str]]) -> Iterator[tuple[str, float, float, int]]:
    """Of each rule from the file to the release: MiB at most at real size, MiB for TITLES, and MiB that it asks for.

    `rows` are those of the run at real size. What a job holds beyond what ingest_source does, which holds no rows,
    grows with the distinct titles of both corpora.
    """
    base = measure.figure(rows["ingest_source"][3])
    titles = sum(measure.figure(rows[corpus][-2]) for corpus in ("recipenlg", "xiachufang"))
    for rule, cells in rows.items():
        if rule.startswith(("ingest_", "match_", "export_")) and (most := asked(rule)):
            peak = measure.figure(cells[3])
            yield rule, peak, base + (peak - base) * 2 * TITLES / titles, most


def publish(measured: Measured) -> None:
    plan = Plan(measured)
    slurm = measure.rows_of("slurm-shards")["the profile"]
    requests = measure.figure(slurm[7]) / 60 * measure.figure(slurm[2]) / measure.figure(slurm[0])
    needs = {
        "operations of the exact search, one product for both directions": f"{plan.whole:.1e}",
        "years of these two cores": f"{plan.here / 24 / 365:,.1f}",
        "hours of one H100, by operations in int8": f"{plan.arithmetic:,.1f}",
        f"hours of one H100, by bytes: {PAIR} a pair": f"{plan.traffic:,.1f}",
        f"the larger of the two, at {plan.share:.0%}": f"{plan.gpu:,.1f}",
        "GB of vectors of a side, float32": f"{4 * plan.side:,.0f}",
        "GB of codes of a side": f"{plan.side:,.0f}",
        "core hours to make the codes of a side once": f"{plan.once:,.1f}",
        f"the same as it is: again for each of {plan.runs} runs of English rows": f"{plan.once * plan.runs:,.0f}",
        "GB of neighbours, one job": f"{2 * plan.table:,.0f}",
        f"the same, {GPUS} jobs": f"{(1 + GPUS) * plan.table:,.0f}",
        "hours of two cores to encode both sides, in bfloat16": f"{plan.encoding:,.0f}",
        f"operations with an inverted file, {plan.probes:,} of {LISTS:,} lists": f"{plan.approximate:.1e}",
        "the same, a share of the exact search": f"1/{plan.whole / plan.approximate:,.0f}",
    }
    held = list(memory(measure.rows_of("real-size")))
    beyond = [rule for rule, _, most, of in held if most > of]
    measure.publish(
        "beyond",
        "Beyond one machine: a hundred million titles",
        f"""Computed, not run, for 100 million distinct titles a side, {DIMENSIONS} entries a vector, k = {K}.
        Measured here, of {measured.queries:,} by {measured.targets:,} vectors like titles', on {measure.THREADS}
        threads: the exact search of both directions makes {measured.rate / 1e9:,.0f}e9 operations a second (a
        multiplication and an addition for each of the {measured.width} entries of a vector or its code,
        {measured.dtype}), such products alone {measured.product / 1e9:,.0f}e9: a share of {plan.share:.0%}. One
        thread makes {measured.coding:,.0f} codes a second, of {DIMENSIONS} entries. Texts are encoded at the rate of
        the run at real size on this page, {measured.texts:,.0f} a second, which is that of bfloat16: in float32, the
        default, it takes longer. An H100 makes {H100_INT8:.3g} operations and moves {H100_BYTES:.3g} bytes a second,
        by its data sheet. {measure.repeat("test_beyond.py")}""",
        measure.machine("torch", "faiss-cpu"),
        measure.table(["100 million titles a side", "need"], ([name, need] for name, need in needs.items())),
        f"""**Exact, on H100s.** The products are written to the GPU's memory as integers of 32 bits, and read once
        for each direction: that takes {plan.traffic / plan.arithmetic:,.0f} times as long as the arithmetic, so a
        kernel that keeps maxima alone would save most of it. As it is, {GPUS} GPUs take {plan.gpu / GPUS:,.1f} hours,
        if they reach the share of this bound that the search reaches here of its products; nobody has tried. What
        stands in the way before that is the host: with `match.search.memory_mb: {MEMORY_MB}` a job holds
        {plan.run:,} English rows at a time, and for each such run it reads its Chinese vectors
        ({4 * plan.side * plan.runs / 1000:,.0f} TB in all) and makes their codes again, {plan.once * plan.runs:,.0f}
        core hours. Made once and kept ({plan.side:,.0f} GB a side) they take {plan.once:,.1f}; that is to be built
        first.""",
        """**Memory.** The peaks of the run at real size on this page: what is beyond that of ingest_source, which
        holds no rows, in proportion to the distinct titles of both corpora. No rule has been run at that size. For
        match_eligible, which reads in batches, it is too much; the peaks of match_embed and match_vectors count
        mapped files; `match.translate.shards` and `match.embed.shards` divide what these two hold.""",
        measure.table(
            ["rule", "MiB at real size", "GiB for 100 million", "GiB that the rule asks for"],
            (
                [rule, f"{peak:,.0f}", f"{most / 1024:,.0f}", f"{of / 1024:,.1f}"]
                for rule, peak, most, of in held
            ),
        ),
        f"""By this, {", ".join(beyond) or "no rule"} would need more than asked for. match_search keeps to its
        setting and asks for twice that.""",
        f"""**Slurm.** `match.search.shards: {GPUS}`, one GPU each: jobs share out the Chinese side, and each reads
        all English vectors and writes neighbours of all English rows. So tables grow with the jobs, and few long ones
        are better than hundreds. Encoding can be hundreds: in 200 shards on 8 threads each takes about
        {plan.encoding * 60 / 200 * measure.THREADS / 8:,.0f} minutes. A job of Slurm costs {requests:,.1f} requests
        to the controller (see the section on 200 shards), so either is no load.""",
        f"""**Where exactness is given up.** An inverted file (faiss `IndexIVFFlat`) compares a query with {LISTS:,}
        centres and the rows of {plan.probes:,} lists, each direction by itself. At the size measured here, with the
        same share of lists ({measured.probes} of {measured.lists:,}), it finds {measured.recall:.1%} of the exact
        neighbours, {measured.inverted:,.1f} times as fast as bare faiss without lists. Wokflow has no such backend:
        nobody would notice a best match that is missed, so the share must be measured on one's own titles.""",
    )
