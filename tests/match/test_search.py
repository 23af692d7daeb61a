"""All backends find exactly what a naive search finds, both ways, whatever the shards, spans, blocks and threads."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.match import codes, search, search_faiss, search_gpu, search_torch
from wokflow.match.codes import Kind, Task
from wokflow.match.pair import merge
from wokflow.match.scores import Candidates, MakeFinder, exact_scores, join
from wokflow.match.search import finder, match_search, run_rows
from wokflow.match.settings import SearchSettings
from wokflow.match.vectors import Matrix, Vectors

# torch multiplies vectors, codes of whole vectors, or shorter ones in one of two types; a GPU, here a CPU, vectors.
CODES: dict[str, Kind] = {"vectors": "vectors", "int8": "whole", "narrow": "narrow", "float32": "narrow"}
BACKENDS = ("faiss", *CODES, "gpu")
KINDS = ("new", "same", "near", "opposite", "zero", "coarse")


def unit(rows: NDArray[np.floating]) -> Matrix:
    """Rows of norm 1; rows of zeros stay."""
    norms = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros(rows.shape), where=norms > 0).astype(np.float32)


def crowded(rows: int, dimensions: int, seed: int) -> Matrix:
    """Vectors full of ties: many rows equal an earlier one, nearly equal it, or are its opposite."""
    random = np.random.default_rng(seed)
    out = unit(random.normal(size=(rows, dimensions)))
    for row, kind in enumerate(random.choice(KINDS, rows)):
        earlier = out[random.integers(row + 1)]
        if kind == "same":
            out[row] = earlier
        elif kind == "near":
            out[row] = earlier + random.normal(size=dimensions) * 1e-7
        elif kind == "opposite":
            out[row] = -earlier
        elif kind == "zero":
            out[row] = 0
        elif kind == "coarse":
            out[row] = unit(random.integers(-1, 2, (1, dimensions)))[0]
    return out


def naive(queries: Matrix, targets: Matrix, k: int, floor: float | None = None) -> Candidates:
    """All scores that reach the floor, sorted by (score descending, row), cut at k."""
    parts = []
    for row, query in enumerate(queries):
        scores = exact_scores(np.tile(query, (len(targets), 1)), targets)
        found = np.argsort(-scores, kind="stable")[:k]
        found = found[scores[found] >= (-2 if floor is None else np.float32(floor))]
        parts.append(Candidates(np.full(len(found), row), found, scores[found]))
    return join(parts)


def make_finder(backend: str, vectors: Matrix, threads: int = 1) -> MakeFinder:
    """A backend as the search takes it; `narrow` and `float32` have codes that are much shorter than the vectors."""
    if backend == "gpu":
        return lambda targets, k: search_gpu.Run(targets, k, "cpu")
    with pytest.MonkeyPatch.context() as patch:
        dtype = torch.float32 if backend == "float32" else torch.int8
        patch.setattr(search_torch, "fastest_type", lambda: dtype)
        patch.setattr(codes, "WIDTHS", (2, 16))
        patch.setattr(codes, "REST", 0.97)
        name = "faiss" if backend == "faiss" else "torch"
        patch.setattr(Task, "kind", lambda *given, **integers: CODES[backend])
        return finder(name, "cpu", threads, vectors, Task())


def found_by(
    backend: str,
    queries: Matrix,
    targets: Matrix,
    k: int,
    *,
    span: int = 4096,
    block: int = 2048,
    threads: int = 1,
    floor: float | None = None,
) -> tuple[Candidates, Candidates]:
    """The nearest targets of each query, and the nearest queries of each target."""
    back: list[Candidates] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MOST_ROWS", 8 * block)
        for name, few in (("FIRST", block), ("LEAST", 2), ("TILE", 64), ("RANGE", 20)):
            patch.setattr(search_torch, name, few)
        for name, few in (("PRODUCTS", 16_384), ("PROBE", 3), ("SCORED", 4_096)):
            patch.setattr(search_gpu, name, few)
        make = make_finder(backend, np.concatenate([queries, targets]), threads)
        left, right = Vectors([queries]), Vectors([targets])
        found = search.search(
            left, right, k, make, search.Extent(span=span), floor=floor, on_right=back.append
        )
    return found, join(back)


def assert_equal(found: Candidates, expected: Candidates) -> None:
    np.testing.assert_array_equal(found.query, expected.query)
    np.testing.assert_array_equal(found.target, expected.target)
    np.testing.assert_array_equal(found.score, expected.score)
    assert found.score.dtype == np.float32


def assert_naive(backend: str, queries: Matrix, targets: Matrix, k: int, **options: Any) -> None:
    """Both ways, a backend finds what the naive search finds."""
    there, back = found_by(backend, queries, targets, k, **options)
    floor = options.get("floor")
    assert_equal(there, naive(queries, targets, k, floor))
    assert_equal(back, naive(targets, queries, k, floor))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dimensions", [1, 3, 40])
@given(
    queries=st.integers(0, 40),
    targets=st.integers(1, 330),
    k=st.sampled_from([1, 2, 10, 50, 1000]),
    span=st.sampled_from([64, 300, 4096]),
    block=st.sampled_from([2, 5, 2048]),
    floor=st.sampled_from([None, None, -0.2, 0.7, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
@example(queries=3, targets=1, k=1, span=4096, block=2048, floor=None, seed=0)
@example(queries=3, targets=2, k=10, span=1, block=2, floor=None, seed=1)
@example(queries=0, targets=9, k=3, span=4, block=2, floor=None, seed=2)
def test_a_backend_finds_what_the_naive_search_finds(
    backend: str,
    dimensions: int,
    queries: int,
    targets: int,
    k: int,
    span: int,
    block: int,
    floor: float | None,
    seed: int,
) -> None:
    vectors = crowded(targets + queries, dimensions, seed)
    assert_naive(backend, vectors[targets:], vectors[:targets], k, span=span, block=block, floor=floor)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("k", "block"), [(1, 2048), (300, 350)])
def test_thousands_of_rows_in_several_products_give_the_same(backend: str, k: int, block: int) -> None:
    vectors = crowded(2600, 16, seed=5)
    assert_naive(backend, vectors[1200:], vectors[:1200], k, span=500, block=block)


@pytest.mark.parametrize("backend", BACKENDS)
def test_floors_that_rise_from_block_to_block_lose_nothing(backend: str) -> None:
    """Each block of queries and each run of targets brings nearer neighbours than all before it."""
    random = np.random.default_rng(9)
    away = np.linspace(1.5, 0.05, 3000)[:, None]
    rows = unit(np.ones((1, 24)) / np.sqrt(24) + unit(random.normal(size=(3000, 24))) * away)
    assert_naive(backend, rows[::2], rows[1::2], 7, span=400, block=64)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [1, 3, 40])
def test_ties_of_a_thousand_equal_targets_go_by_row(backend: str, k: int) -> None:
    targets = np.tile(unit(np.ones((1, 3))), (1000, 1))
    there, back = found_by(backend, targets[:2], targets, k, span=300)
    np.testing.assert_array_equal(there.target, [*range(k), *range(k)])
    np.testing.assert_array_equal(back.target, list(range(min(k, 2))) * 1000)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("scale", [1.0, 1 + 1e-6, 1 + 1e-4, 1.05])
def test_vectors_that_are_too_long_tie_at_one(backend: str, scale: float) -> None:
    random = np.random.default_rng(3)
    query = unit(np.ones((1, 3)))
    targets = (query * np.linspace(1.0, scale, 700)[:, None]).astype(np.float32)
    targets[random.choice(700, 300, replace=False)] *= -1
    expected = naive(query, targets, 5)
    assert_equal(found_by(backend, query, targets, 5, span=256)[0], expected)
    assert expected.score.max() <= 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [1, 12])
def test_near_ties_within_the_rounding_of_codes_are_told_apart(backend: str, k: int) -> None:
    """Targets around one direction whose codes are nearly all the same."""
    random = np.random.default_rng(8)
    query = unit(random.normal(size=(4, 384)))
    noise = random.normal(size=(3000, 384)) * np.geomspace(1e-6, 0.02, 3000)[:, None]
    targets = unit(query[:1].astype(np.float64) + random.permutation(noise))
    assert_naive(backend, query, targets, k, span=1024)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_vector_unlike_all_of_the_sample_loses_nothing(backend: str) -> None:
    """The step of codes is learnt from a sample; entries beyond it are cut off."""
    random = np.random.default_rng(10)
    rows = unit(random.normal(size=(300, 40)) * ([1] * 20 + [1e-3] * 20))
    odd = np.zeros((2, 40), np.float32)
    odd[:, 39] = 1, -1
    back: list[Candidates] = []
    left, right = np.concatenate([rows[:100], odd]), np.concatenate([odd, rows[100:]])
    make = make_finder(backend, rows)
    there = search.search(Vectors([left]), Vectors([right]), 4, make, floor=None, on_right=back.append)
    assert_equal(there, naive(left, right, 4))
    assert_equal(join(back), naive(right, left, 4))


@pytest.mark.parametrize("backend", ["faiss", *CODES])
def test_two_threads_find_what_one_finds(backend: str) -> None:
    vectors = crowded(3000, 33, seed=11)
    one, two = (found_by(backend, vectors[:2100], vectors[2100:], 7, threads=n, block=128) for n in (1, 2))
    for way in (0, 1):
        assert_equal(one[way], two[way])


def test_none_of_the_nearest_is_missed_at_the_floor() -> None:
    """What a later run of targets may leave out: only what is below the k-th score so far."""
    targets, queries = crowded(500, 8, seed=2), crowded(60, 8, seed=3)
    scores = np.stack([exact_scores(np.tile(query, (500, 1)), targets) for query in queries])
    floors = np.sort(scores, axis=1)[:, -20], np.sort(scores, axis=0)[-20]
    ways = naive(queries, targets, 30), naive(targets, queries, 30)
    for backend in BACKENDS:
        found = make_finder(backend, targets)(targets, 30)(queries, *floors)
        for way, expected, floor in zip(found, ways, floors, strict=True):
            listed = set(zip(way.query.tolist(), way.target.tolist(), strict=True))
            for query, target, score in zip(*expected, strict=True):
                assert score < floor[query] or (query, target) in listed


def run_search(folder: Path, zh: str, en: str, **options: Any) -> tuple[Path, Path]:
    """The job of one shard, on folders of vectors below `folder`; where its tables lie."""
    shard = f"{options['shard']}-of-{options['shards']}"
    out = tuple(folder / f"{way}-{options['backend']}-{shard}.parquet" for way in ("zh-en", "en-zh"))
    match_search(
        zh=str(folder / zh),
        en=str(folder / en),
        neighbours_zh_en=str(out[0]),
        neighbours_en_zh=str(out[1]),
        shard=options.pop("shard"),
        shards=options.pop("shards"),
        job=Job(progress=options.pop("progress", Progress())),
        settings=SearchSettings(**{"device": "cpu", "memory_mb": 1024, "k": 6} | options),
    )
    return out[0], out[1]


def test_merged_shards_equal_one_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BLOCK", 4)
    vectors = crowded(200, 5, seed=4)
    (tmp_path / "zh").mkdir()
    (tmp_path / "en").mkdir()
    for name, rows in (
        ("zh/00000-of-00002", vectors[:11]),
        ("zh/00001-of-00002", vectors[11:45]),
        ("en/00000-of-00001", vectors[45:]),
    ):
        np.save(tmp_path / f"{name}.npy", rows)
    ways = naive(vectors[:45], vectors[45:], 6), naive(vectors[45:], vectors[:45], 6)
    expected = [list(zip(*(column.tolist() for column in way), strict=True)) for way in ways]
    for backend in ("faiss", "torch", "auto"):
        for shards in (1, 2, 7, 20):
            parts = [
                run_search(tmp_path, "zh", "en", shard=n, shards=shards, backend=backend)
                for n in range(shards)
            ]
            for way in (0, 1):
                rows = [row for part in merge([str(part[way]) for part in parts], 6) for row in part.rows()]
                assert rows == expected[way]


def test_no_rows_on_a_side_give_empty_tables(tmp_path: Path) -> None:
    for name, rows in {"zh": 0, "en": 3}.items():
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "00000-of-00001.npy", np.zeros((rows, 2), np.float32))
    for sides in (("zh", "en"), ("en", "zh")):
        for path in run_search(tmp_path, *sides, shard=0, shards=1, backend="torch"):
            table = tables.read(path)
            assert table.columns == ["source_index", "target_index", "score"] and table.height == 0


@given(
    rows=st.integers(1, 40),
    dimensions=st.sampled_from([1, 2, 3, 31, 384]),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_an_exact_score_does_not_depend_on_its_batch(
    rows: int, dimensions: int, seed: int, data: st.DataObject
) -> None:
    left, right = crowded(rows, dimensions, seed), crowded(rows, dimensions, seed + 1)
    scores = exact_scores(left, right)
    some = np.array(data.draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=9)))
    np.testing.assert_array_equal(exact_scores(left[some], right[some]), scores[some])
    np.testing.assert_array_equal(exact_scores(right, left), scores)


def test_exact_scores_by_hand() -> None:
    left = np.array([[0.6, 0.8, 0.0], [1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [1.5, 0.0, 0.0]], np.float32)
    right = np.array([[0.6, 0.8, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.5, 0.0, 0.0]], np.float32)
    np.testing.assert_allclose(exact_scores(left, right), [1, -1, 0, 1], rtol=0, atol=1e-7)
    assert exact_scores(left, right).max() == 1.0


def test_exact_scores_are_the_true_sums_rounded_once() -> None:
    left, right = crowded(50, 384, seed=1), crowded(50, 384, seed=2)
    wide = np.longdouble
    true = np.minimum((left.astype(wide) * right.astype(wide)).sum(1), 1)
    np.testing.assert_allclose(exact_scores(left, right), true.astype(np.float64), rtol=2.0**-24, atol=1e-15)


short = hnp.arrays(np.float32, (4, 37), elements=st.floats(-1, 1, width=32, allow_subnormal=False))


@st.composite
def level(draw: st.DrawFn) -> Matrix:
    """Rows of numbers of equal size, whose roundings all go one way: the worst for half precision."""
    count = draw(st.integers(1, 37))
    signs = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=count, max_size=count)))
    row = np.zeros(37)
    row[:count] = signs / np.sqrt(count)
    scales = draw(st.lists(st.floats(0.25, 1, width=32), min_size=3, max_size=3))
    return (row * np.array([1.0, *scales])[:, None]).astype(np.float32)


@st.composite
def scored(draw: st.DrawFn) -> tuple[Matrix, Matrix]:
    """Queries and targets of norm 1 at most: anything, level rows with themselves, rows at random."""
    kind = draw(st.sampled_from(["any", "level", "random"]))
    if kind == "random":
        both = crowded(24, draw(st.sampled_from([1, 3, 384])), draw(st.integers(0, 2**32 - 1)))
        return both[:8], both[8:]
    vectors = short if kind == "any" else level()
    queries, targets = draw(vectors), draw(vectors)
    queries, targets = (
        (rows / np.maximum(1, np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True))).astype(
            np.float32
        )
        for rows in (queries, targets)
    )
    return queries, np.concatenate([targets, queries])


def exact(queries: Matrix, targets: Matrix) -> NDArray[np.float64]:
    """Scores before their cut at 1."""
    return queries.astype(np.float64) @ targets.astype(np.float64).T


@given(scored())
def test_no_product_of_faiss_is_farther_from_the_score_than_its_bound(vectors: tuple[Matrix, Matrix]) -> None:
    import faiss

    queries, targets = (np.ascontiguousarray(rows) for rows in vectors)
    index = faiss.IndexFlatIP(targets.shape[1])
    index.add(targets)
    found, ids = index.search(queries, len(targets))
    score = np.take_along_axis(exact(queries, targets), ids, axis=1)
    assert (np.abs(found - score) <= search_faiss.error_bound(queries, targets)[:, None]).all()


@pytest.mark.parametrize("memory_mb", [1024, 4096, 262_144])
def test_the_rows_held_at_once_are_never_too_few_nor_too_many(memory_mb: int) -> None:
    assert (
        4096 <= run_rows(memory_mb, 768, 100_000, 10) <= run_rows(memory_mb * 2, 384, 10_000, 10) <= 1 << 18
    )


def test_neighbours_that_memory_does_not_hold_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in ("zh", "en"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "00000-of-00001.npy", crowded(9, 5, seed=4))
    for bytes_held, warned in ((search.INTERPRETER, False), (2**30, True)):
        monkeypatch.setattr(search, "INTERPRETER", bytes_held)
        log = io.StringIO()
        run_search(tmp_path, "zh", "en", shard=0, shards=1, backend="faiss", progress=Progress(log))
        said = "memory_mb is 1024, but 6 neighbours of each of the shard's 9 rows need 1031 MB: set match.search."
        assert (said in log.getvalue()) == warned


@pytest.mark.parametrize("backend", ["faiss", "torch"])
def test_a_gpu_that_is_not_there_is_said_to_be_missing(backend: str) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UserError, match=r"match\.search\.device is cuda, but .* sees no GPU"):
        finder(backend, "cuda", 1, np.eye(3, dtype=np.float32), Task())
