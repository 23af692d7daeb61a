"""Both backends find exactly what a naive search finds, whatever the shards, spans, blocks and threads."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from wokflow import tables
from wokflow.job import UserError
from wokflow.match import search, search_faiss, search_torch
from wokflow.match.search import Candidates, exact_scores, finder, match_search, target_rows
from wokflow.match.vectors import Matrix, Vectors

BACKENDS = ("faiss", "torch")
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


def naive(queries: Matrix, targets: Matrix, k: int) -> Candidates:
    """All scores, sorted by (score descending, row), cut at k."""
    kept = min(k, len(targets))
    found = np.empty((len(queries), kept), np.int64)
    scores = np.empty((len(queries), kept), np.float32)
    for row, query in enumerate(queries):
        all_scores = exact_scores(np.tile(query, (len(targets), 1)), targets)
        found[row] = np.argsort(-all_scores, kind="stable")[:k]
        scores[row] = all_scores[found[row]]
    return Candidates(np.repeat(np.arange(len(queries)), kept), found.ravel(), scores.ravel())


def found_by(
    backend: str,
    queries: Matrix,
    targets: Matrix,
    k: int,
    *,
    span: int = 4096,
    block: int = 2048,
    threads: int = 1,
) -> Candidates:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "BLOCK", block)
        make = finder(backend, "cpu", threads)
        return search.search(Vectors([queries]), Vectors([targets]), k, make, span=span)


def assert_equal(found: Candidates, expected: Candidates) -> None:
    np.testing.assert_array_equal(found.query, expected.query)
    np.testing.assert_array_equal(found.target, expected.target)
    np.testing.assert_array_equal(found.score, expected.score)
    assert found.score.dtype == np.float32


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dimensions", [1, 3, 384])
@settings(max_examples=30, deadline=None)
@given(
    queries=st.integers(0, 12),
    targets=st.integers(1, 330),
    k=st.sampled_from([1, 2, 10, 50, 1000]),
    span=st.sampled_from([7, 64, 300, 4096]),
    block=st.sampled_from([1, 5, 2048]),
    seed=st.integers(0, 2**32 - 1),
)
@example(queries=3, targets=1, k=1, span=4096, block=2048, seed=0)
@example(queries=3, targets=2, k=10, span=1, block=1, seed=1)
@example(queries=0, targets=9, k=3, span=4, block=2, seed=2)
def test_a_backend_finds_what_the_naive_search_finds(
    backend: str, dimensions: int, queries: int, targets: int, k: int, span: int, block: int, seed: int
) -> None:
    vectors = crowded(targets + queries, dimensions, seed)
    against, asked = vectors[:targets], vectors[targets:]
    found = found_by(backend, asked, against, k, span=span, block=block)
    assert_equal(found, naive(asked, against, k))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [1, 10, 300])
def test_thousands_of_targets_in_several_products_give_the_same(backend: str, k: int) -> None:
    vectors = crowded(9010, 16, seed=5)
    assert_equal(
        found_by(backend, vectors[9000:], vectors[:9000], k, span=8704),
        naive(vectors[9000:], vectors[:9000], k),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [1, 3, 40])
def test_ties_of_a_thousand_equal_targets_go_by_row(backend: str, k: int) -> None:
    targets = np.tile(unit(np.ones((1, 3))), (1000, 1))
    found = found_by(backend, targets[:2], targets, k, span=300)
    np.testing.assert_array_equal(found.target, [*range(k), *range(k)])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("scale", [1.0, 1 + 1e-6, 1 + 1e-4, 1.05])
def test_vectors_that_are_too_long_tie_at_one(backend: str, scale: float) -> None:
    random = np.random.default_rng(3)
    query = unit(np.ones((1, 3)))
    targets = (query * np.linspace(1.0, scale, 700)[:, None]).astype(np.float32)
    targets[random.choice(700, 300, replace=False)] *= -1
    expected = naive(query, targets, 5)
    assert_equal(found_by(backend, query, targets, 5, span=256), expected)
    assert expected.score.max() <= 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", [1, 12])
def test_near_ties_within_the_rounding_of_half_precision_are_told_apart(backend: str, k: int) -> None:
    """Targets around one direction whose products all fall on one number of bfloat16."""
    random = np.random.default_rng(8)
    query = unit(random.normal(size=(4, 384)))
    noise = random.normal(size=(3000, 384)) * np.geomspace(1e-6, 0.02, 3000)[:, None]
    targets = unit(query[:1].astype(np.float64) + random.permutation(noise))
    assert_equal(found_by(backend, query, targets, k, span=1024), naive(query, targets, k))


@pytest.mark.parametrize("backend", BACKENDS)
def test_two_threads_find_what_one_finds(backend: str) -> None:
    vectors = crowded(600, 33, seed=11)
    one, two = (found_by(backend, vectors[:40], vectors[40:], 7, threads=threads) for threads in (1, 2))
    assert_equal(one, two)


def test_candidates_are_all_that_reach_the_kth_score_and_none_is_missed_at_the_floor() -> None:
    """What a later run of targets may leave out: only what is below the k-th score so far."""
    targets, queries = crowded(500, 8, seed=2), crowded(6, 8, seed=3)
    scores = np.stack([exact_scores(np.tile(query, (500, 1)), targets) for query in queries])
    floor = np.sort(scores, axis=1)[:, -20]
    for backend in BACKENDS:
        found = finder(backend, "cpu", 1)(targets, 30)(queries, floor)
        listed = set(zip(found.query.tolist(), found.target.tolist(), strict=True))
        assert {(int(row), int(column)) for row, column in np.argwhere(scores >= floor[:, None])} <= listed


def test_shards_concatenated_equal_one_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BLOCK", 4)
    vectors = crowded(200, 5, seed=4)
    (tmp_path / "zh").mkdir()
    (tmp_path / "en").mkdir()
    for name, rows in {"zh/0": vectors[:11], "zh/1": vectors[11:45], "en/0": vectors[45:]}.items():
        np.save(tmp_path / f"{name}.npy", rows)

    def searched(shards: int, backend: str) -> list[tuple[int, int, float]]:
        parts = [tmp_path / f"{backend}-{shard}-of-{shards}.parquet" for shard in range(shards)]
        for shard, part in enumerate(parts):
            match_search(
                str(tmp_path / "zh"),
                str(tmp_path / "en"),
                str(part),
                shard=shard,
                shards=shards,
                k=6,
                backend=backend,  # type: ignore[arg-type]
                device="cpu",
                memory_mb=1024,
                threads=1,
                metadata={},
            )
        return tables.read(parts).rows()

    expected = naive(vectors[:45], vectors[45:], 6)
    rows = list(zip(*(column.tolist() for column in expected), strict=True))
    for backend in (*BACKENDS, "auto"):
        assert all(searched(shards, backend) == rows for shards in (1, 2, 7, 20))


def test_no_sources_give_an_empty_table(tmp_path: Path) -> None:
    for name, rows in {"zh": 0, "en": 3}.items():
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "0.npy", np.zeros((rows, 2), np.float32))
    for sources, targets in (("zh", "en"), ("en", "zh")):
        match_search(
            str(tmp_path / sources),
            str(tmp_path / targets),
            str(tmp_path / "out.parquet"),
            shard=0,
            shards=1,
            k=3,
            backend="torch",
            device="cpu",
            memory_mb=1024,
            threads=1,
            metadata={},
        )
        table = tables.read(tmp_path / "out.parquet")
        assert table.columns == ["source_index", "target_index", "score"] and table.height == 0


@settings(max_examples=50, deadline=None)
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


LEVEL = np.zeros((1, 384), np.float32)
LEVEL[0, :19] = 1 / np.sqrt(19)


@settings(max_examples=150, deadline=None)
@given(scored())
@example((LEVEL, LEVEL))
@example((LEVEL * np.float32(0.51), LEVEL * np.float32(0.51)))
def test_no_product_in_half_precision_is_farther_from_the_score_than_its_bound(
    vectors: tuple[Matrix, Matrix],
) -> None:
    import torch

    queries, targets = vectors
    held = search_torch.Targets(np.repeat(targets, search_torch.GROUP, axis=0), 1, "cpu", [])
    full = torch.from_numpy(queries)
    products = held.group_maxima(full.to(torch.bfloat16))[: len(targets)].double().numpy().T
    half, single = (bound.numpy()[:, None] for bound in held.bounds(full, full))
    score = exact(queries, targets)
    assert (np.abs(products - score) <= half).all()
    assert (np.abs((full @ torch.from_numpy(targets).T).numpy() - score) <= single).all()


@pytest.mark.parametrize("count", range(1, 385, 3))
def test_the_bound_holds_where_all_roundings_of_half_precision_go_one_way(count: int) -> None:
    import torch

    row = np.zeros((1, 384), np.float32)
    row[0, :count] = 1 / np.sqrt(count)
    held = search_torch.Targets(np.repeat(row, search_torch.GROUP, axis=0), 1, "cpu", [])
    full = torch.from_numpy(row)
    half, _ = held.bounds(full, full)
    assert abs(held.group_maxima(full.to(torch.bfloat16))[0, 0].item() - exact(row, row)[0, 0]) <= half.item()


@settings(max_examples=80, deadline=None)
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
        4096
        <= target_rows(memory_mb, 768, 100_000, 10)
        <= target_rows(memory_mb * 2, 384, 10_000, 10)
        <= 1 << 18
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gpu_that_is_not_there_is_said_to_be_missing(backend: str) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UserError, match=r"match\.search\.device is cuda, but .* sees no GPU"):
        finder(backend, "cuda", 1)
