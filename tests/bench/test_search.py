"""How fast the exact search for neighbours is, against bare faiss; and that it stays within its memory."""

import shutil
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wokflow.match.codes import MANY, Task

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured, at_least, at_most, isolated

Floats = NDArray[np.float32]
K, LARGE_K, DIMENSIONS, CENTRES = 10, 100, 384, 4_000
DUPLICATES = 0.05  # share of rows that equal another row
NEAREST, FARTHEST = 0.4, 1.2  # length of what a vector has beside its centre
# Of the square length of encodings (all-MiniLM-L6-v2) of the lexicon's 8,489 English names of two words or more,
# 26 % lies along one axis, 92 % along 128, 97 % along 192 of 384 (eigenvalues of X'X, X being the encodings):
# about so where it falls by this law behind the first.
COMMON, FALL = 0.26, 58.0
SPREADS = {"titles": "like titles'", "even": "spread evenly"}
SHARD = 100_000  # rows
QUERIES, TARGETS = 0, 1
SIZES = {
    "tiny": [(512, 4_096), (2_048, 20_000)],
    "small": [(8_192, 40_000), (16_384, 80_000), (32_768, 131_072)],
    "full": [(8_192, 40_000), (32_768, 262_144), (262_144, 1_048_576)],
}
FLOOR = 0.7
MEMORY_MB = 2048
# Rows of both sides, and the number of jobs of which one is run.
MEMORY_SIZES = {"tiny": (4_096, 30_000, 1), "small": (4_096, 400_000, 1), "full": (1_500_000, 2_200_000, 366)}
BACKENDS = {"faiss": "Wokflow, faiss", "torch": "Wokflow, torch"}
BARE, FLOORED = "faiss, bare", "Wokflow, torch, floor"
PRODUCTS = {BACKENDS["torch"]: "its products alone", FLOORED: "with a floor, its products alone"}
Results = dict[str, list[Measured]]  # by contender


def test_search(data: Path) -> None:
    measured: dict[tuple[int, int, str], Results] = {}
    for queries, targets in SIZES[measure.scale()]:
        for spread in SPREADS:
            folder = data / f"{queries}-{targets}-{spread}"
            folder.mkdir()
            for name, rows, kind in (("queries", queries, QUERIES), ("targets", targets, TARGETS)):
                made = {"folder": str(folder / name), "rows": rows, "kind": kind, "spread": spread}
                isolated(Call(make_vectors, made))
            given = {"folder": str(folder)}
            contenders = {BARE: Call(bare_faiss, given)} | {
                label: Call(wokflow_search, given | {"backend": name}) for name, label in BACKENDS.items()
            }
            contenders[FLOORED] = Call(wokflow_search, given | {"backend": "torch", "floor": FLOOR})
            for label, floor in zip(PRODUCTS.values(), (None, FLOOR), strict=True):
                contenders[label] = Call(products_alone, given | {"floor": floor})
            print(f"\n{queries:,} and {targets:,} vectors, {SPREADS[spread]}", flush=True)
            measured[queries, targets, spread] = measure.in_turn(contenders, 1)
            agree(folder)
            shutil.rmtree(folder)
    publish_speed(measured, isolated(Call(multiplies_integers_fast, {})).outcome)


def agree(data: Path) -> None:
    """Both backends found the very same, with a floor all that reach it; bare faiss the same up to rounding."""
    for way in ("there", "back"):
        (scores, rows), (bare_scores, bare_rows) = (
            found(data / f"{name}.npz", way) for name in ("torch", "bare")
        )
        other_scores, other_rows = found(data / "faiss.npz", way)
        assert np.array_equal(scores, other_scores)
        assert np.array_equal(rows, other_rows)
        assert np.allclose(scores, bare_scores, atol=1e-5)
        certain = scores > scores[:, -1:] + 1e-5
        shared = (rows[:, :, None] == bare_rows[:, None, :]).any(axis=2)
        assert shared[certain].all()
    floor_agrees(data)


def found(path: Path, way: str) -> tuple[Any, Any]:
    """Scores and rows, (rows, K)."""
    with np.load(path) as all_found:
        scores, rows = (all_found[f"{way}_{what}"].reshape(-1, K) for what in ("scores", "rows"))
    return scores, rows


def floor_agrees(data: Path) -> None:
    """With a floor the search finds what it finds without one and what reaches the floor."""
    with np.load(data / "torch-floor.npz") as floored:
        for way in ("there", "back"):
            scores, rows = found(data / "torch.npz", way)
            reach = scores >= np.float32(FLOOR)
            assert np.array_equal(scores[reach], floored[f"{way}_scores"])
            assert np.array_equal(rows[reach], floored[f"{way}_rows"])


def multiplies_integers_fast(clock: Clock) -> bool:
    """Whether integers of 8 bits are multiplied faster than float32 here."""
    import torch
    from wokflow.match.products import fastest_type

    return bool(fastest_type() == torch.int8)


def publish_speed(measured: dict[tuple[int, int, str], Results], integers: bool) -> None:
    rows = [
        [
            f"{queries:,} x {targets:,}",
            SPREADS[spread],
            name,
            f"{measure.middle(results, 'wall'):.2f}",
            f"{measure.middle(results, 'cpu'):.2f}",
            f"{measure.middle(results, 'peak'):,.0f}",
            f"{measure.ratio(contenders[BARE], results):.2f}",
        ]
        for (queries, targets, spread), contenders in measured.items()
        for name, results in contenders.items()
    ]
    largest = list(measured.values())[-len(SPREADS) :]
    quicker = {
        name: min(measure.ratio(found[BARE], found[name]) for found in measured.values())
        for name in (*BACKENDS.values(), FLOORED)
    }
    longer = {
        name: max(measure.ratio(found[name], found[alone]) for found in largest)
        for name, alone in PRODUCTS.items()
    }
    never = [at_least(quicker[name], 1) for name in (BACKENDS["torch"], FLOORED)]
    times = [at_most(longer[name], most) for name, most in zip(PRODUCTS, (2.5, 1.3), strict=True)]
    measure.publish(
        "search",
        "Search",
        f"""The {K} nearest of one side for each of the other, in both directions. The vectors are synthetic:
        {DIMENSIONS} dimensions, {CENTRES:,} clusters of unequal size, {DUPLICATES:.0%} exact duplicates; either their
        length is spread over the axes as that of titles' encodings is (measured of names of the lexicon: 26 % along
        one axis, 92 % along 128, 97 % along 192), or evenly. Bare faiss is two times `IndexFlatIP`, `add` and one
        `search`; it may order equal scores as it likes. Wokflow's two backends must give the very same neighbours in
        the same order, and the same scores to the last bit; with `match.search.floor: {FLOOR}`, all of these that
        reach it. "Its products alone" multiplies what the search multiplies, in tiles of the same size, and does no
        more; codes of targets are made before.
        Each may use {measure.THREADS} threads. {measure.repeat("test_search.py")}""",
        measure.machine("faiss-cpu", "torch"),
        measure.table(
            ["rows", "vectors", "contender", "s", "CPU s", "peak MiB", "times as fast as bare faiss"], rows
        ),
        f"""With torch, the default, Wokflow is at least {quicker[BACKENDS["torch"]]:.2f} times as fast as bare faiss
        at each of these sizes ({never[0]}), with a floor {quicker[FLOORED]:.2f} times ({never[1]}); with faiss it is
        {quicker[BACKENDS["faiss"]]:.2f} times as fast. At the largest size torch takes at most
        {longer[BACKENDS["torch"]]:.2f} times as long as its products alone ({times[0]}), with a floor
        {longer[FLOORED]:.2f} times ({times[1]}).""",
        f"""What is multiplied is chosen by the number of pairs of rows, by whether there is a floor, and by whether
        the processor multiplies integers of 8 bits faster than float32 (avx512_vnni, amx_int8), as this one
        {"does" if integers else "does not"}. Without a floor: vectors, in float32; codes of such integers where they
        are fast, beyond {MANY:.1e} pairs. With a floor: codes, and shorter ones where there are more pairs or
        integers are not fast, if the vectors' spread allows it. Where codes begin to pay without a floor has not been
        measured since vectors are multiplied below that.""",
        targets=() if measure.scale() == "tiny" else (*never, *times),
    )


def test_search_memory(data: Path) -> None:
    queries, targets, shards = MEMORY_SIZES[measure.scale()]
    for name, rows, kind in (("queries", queries, QUERIES), ("targets", targets, TARGETS)):
        given = {"folder": str(data / name), "rows": rows, "kind": kind, "spread": "titles"}
        isolated(Call(make_vectors, given))
    lines, most = [], 0.0
    for k in (K, LARGE_K):
        given = {"folder": str(data), "shards": shards, "k": k}
        contenders = {label: Call(search_job, given | {"backend": name}) for name, label in BACKENDS.items()}
        measured = measure.in_turn(contenders, 1)
        found = [results[0].outcome for results in measured.values()]
        assert found[0] == found[1]
        for name, results in measured.items():
            lines.append([name, str(k), f"{results[0].anonymous:,.0f}", f"{results[0].peak:,.0f}"])
            most = max(most, results[0].peak)
    size = targets * DIMENSIONS * 4 / 2**20
    memory = at_most(most, MEMORY_MB)
    measure.publish(
        "search-memory",
        "Memory of search",
        f"""One job of `match_search` with `match.search.memory_mb: {MEMORY_MB}`: {found[0]["queries"]:,}
        of {queries:,} queries on {targets:,} vectors of {DIMENSIONS} dimensions ({size:,.0f} MiB on
        disk). With mapped files: programs and libraries, too. {measure.repeat("test_search.py")}""",
        measure.machine("faiss-cpu", "torch"),
        measure.table(["backend", "k", "own memory, peak MiB", "with mapped files, peak MiB"], lines),
        f"Memory, mapped files included, peaks at {most:,.0f} MiB ({memory}).",
        targets=[memory],
    )


def make_vectors(clock: Clock, folder: str, rows: int, kind: int, spread: str) -> None:
    """Write unit vectors in shards; queries and targets have their centres in common, and some vectors."""
    Path(folder).mkdir(exist_ok=True)
    counts = [min(SHARD, rows - start) for start in range(0, rows, SHARD)]
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        write = partial(write_shard, folder, len(counts), kind, spread)
        list(pool.map(write, range(len(counts)), counts))


def write_shard(folder: str, shards: int, kind: int, spread: str, number: int, count: int) -> None:
    vectors, rng = clustered(kind, number, count, spread)
    copies = rng.random(count) < DUPLICATES
    originals = clustered(TARGETS, number, count, spread)[0] if kind == QUERIES else vectors
    vectors[copies] = originals[rng.integers(count, size=copies.sum())]
    np.save(Path(folder) / f"{number:05}-of-{shards:05}.npy", vectors)


def clustered(kind: int, number: int, count: int, spread: str) -> tuple[Floats, np.random.Generator]:
    """Vectors like those of titles: some clusters are large, some vectors close to the middle of theirs."""
    rng = np.random.default_rng(0)
    axes, common = spread_axes(spread)
    centres = rng.standard_normal((CENTRES, DIMENSIONS), np.float32) @ axes
    centres = common + centres * (1 - common @ common) ** 0.5 / np.linalg.norm(centres, axis=1, keepdims=True)
    rng = np.random.default_rng([1 + kind, number])
    vectors = rng.standard_normal((count, DIMENSIONS), np.float32) @ axes
    away = rng.uniform(NEAREST, FARTHEST, (count, 1)).astype(np.float32)
    vectors *= away / np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors += centres[(CENTRES * rng.random(count) ** 2).astype(np.int64)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, rng


def spread_axes(spread: str) -> tuple[Floats, Floats]:
    """The axes along which vectors are drawn, as long as their share, and what all vectors have in common."""
    if spread == "even":
        return np.eye(DIMENSIONS, dtype=np.float32), np.zeros(DIMENSIONS, np.float32)
    turned = np.linalg.qr(np.random.default_rng(1).standard_normal((DIMENSIONS, DIMENSIONS)))[0]
    axes = turned * np.exp(-np.arange(DIMENSIONS) / FALL / 2)[:, None]
    return axes.astype(np.float32), (COMMON**0.5 * turned[0]).astype(np.float32)


def wokflow_search(
    clock: Clock,
    folder: str,
    backend: str,
    floor: float | None = None,
    device: str = "cpu",
    pairs: int | None = None,
) -> None:
    """Search, as it is done for so many pairs of rows; None: as many as there are."""
    from wokflow.match.scores import join
    from wokflow.match.search import finder, sample, search
    from wokflow.match.vectors import Vectors

    left, right = (Vectors.open(f"{folder}/{name}") for name in ("queries", "targets"))
    task = Task(pairs or len(left) * len(right), floor is not None)
    finder(backend, device, measure.THREADS, sample(left, right), task)
    back: list[Any] = []
    with clock:
        make = finder(backend, device, measure.THREADS, sample(left, right), task)
        there = search(left, right, K, make, floor=floor, on_right=back.append)
    save(f"{folder}/{backend}{'-floor' if floor else ''}.npz", there.score, there.target, *join(back)[:0:-1])


def products_alone(clock: Clock, folder: str, floor: float | None) -> None:
    """All products of the search, in its tiles, without looking at them."""
    from concurrent.futures import ThreadPoolExecutor

    from wokflow.match.products import TILE
    from wokflow.match.search import finder, sample
    from wokflow.match.search_torch import Block
    from wokflow.match.vectors import Vectors

    left, right = (Vectors.open(f"{folder}/{name}") for name in ("queries", "targets"))
    task = Task(len(left) * len(right), floor is not None)
    make = finder("torch", "cpu", measure.THREADS, sample(left, right), task)
    run: Any = make(right.rows(0, len(right)), K)

    def multiply(start: int) -> None:
        queries = left.rows(start, min(start + TILE, len(left)))
        block = Block(run, queries, np.zeros(len(queries), np.float32))
        room = block.room()
        for tile in range(len(run.tiles)):
            block.product(tile, room)

    with clock, ThreadPoolExecutor(measure.THREADS) as pool:
        list(pool.map(multiply, range(0, len(left), TILE)))


def save(path: str, there_scores: Floats, there_rows: Any, back_scores: Floats, back_rows: Any) -> None:
    np.savez(
        path, there_scores=there_scores, there_rows=there_rows, back_scores=back_scores, back_rows=back_rows
    )


def bare_faiss(clock: Clock, folder: str) -> None:
    import faiss

    faiss.omp_set_num_threads(measure.THREADS)
    with clock:
        sides = [
            np.concatenate([np.load(path) for path in sorted(Path(folder, name).glob("*.npy"))])
            for name in ("queries", "targets")
        ]
        found = []
        for asked, against in (sides, sides[::-1]):
            index = faiss.IndexFlatIP(DIMENSIONS)
            index.add(against)
            found += index.search(asked, K)
    save(f"{folder}/bare.npz", *found)


def search_job(clock: Clock, folder: str, shards: int, backend: str, k: int) -> dict[str, Any]:
    from wokflow.frame import tables
    from wokflow.frame.job import Job
    from wokflow.match.search import finder, match_search
    from wokflow.match.settings import SearchSettings

    finder(backend, "cpu", measure.THREADS, np.eye(DIMENSIONS, dtype=np.float32), Task())
    out = [f"{folder}/{backend}-{way}.parquet" for way in ("there", "back")]
    with clock:
        match_search(
            zh=f"{folder}/queries",
            en=f"{folder}/targets",
            neighbours_zh_en=out[0],
            neighbours_en_zh=out[1],
            shard=0,
            shards=shards,
            settings=SearchSettings(
                k=k,
                backend="faiss" if backend == "faiss" else "torch",
                device="cpu",
                memory_mb=MEMORY_MB,
            ),
            job=Job(threads=measure.THREADS),
        )
    there, back = (tables.read(path) for path in out)
    return {
        "queries": there["source_index"].n_unique(),
        "neighbours": [str(found.hash_rows(0).sum()) for found in (there, back)],
    }
