"""Neighbours of texts become neighbours of recipes, as if each recipe had been searched for by itself."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import buckets, tables
from wokflow.frame.job import Job
from wokflow.match import pair, schemas
from wokflow.match.pair import match_pair
from wokflow.match.settings import PairSettings

THRESHOLD = 0.85
EDGE = np.float32(THRESHOLD)
SCORES = [
    *(EDGE, np.nextafter(EDGE, np.float32(0)), np.nextafter(EDGE, np.float32(1))),
    *(np.float32(THRESHOLD + step) for step in (-1.1e-4, -1e-4, -5e-5, 5e-5, 1e-4, 1.1e-4)),
    *map(np.float32, (-1.0, 0.3, 0.9, 0.9, 1.0)),
]
# Two titles, a and A, translate alike.
TITLES = "aAbcde"


class Side:
    """One corpus as files: its eligible recipes, and each title's text."""

    def __init__(self, folder: Path, corpus: str, titles: list[str], translated: bool) -> None:
        folder.mkdir()
        self.ids = [f"{corpus}:{row}" for row in range(len(titles))]
        self.titles = titles
        self.translated = translated
        distinct = list(dict.fromkeys(titles))
        self.texts = list(dict.fromkeys(map(self.text, distinct)))
        self.eligible, self.translations = str(folder / "eligible"), str(folder / "translations")
        recipes = [(name, title, 9) for name, title in zip(self.ids, titles, strict=True)]
        texts = [(title, self.text(title), self.texts.index(self.text(title))) for title in distinct]
        for path, schema, rows in (
            (self.eligible, schemas.ELIGIBLE, recipes),
            (self.translations, schemas.TRANSLATIONS, texts),
        ):
            columns = tables.columns(schema)
            pl.DataFrame(rows, columns, orient="row").write_parquet(path)

    def text(self, title: str) -> str:
        return title.lower() if self.translated else title

    def translation(self, row: int) -> str | None:
        return self.text(self.titles[row]) if self.translated else None


Scores = dict[tuple[str, str], np.float32]


def found_neighbours(source: Side, target: Side, scores: Scores, k: int) -> list[tuple[int, int, np.float32]]:
    """What the search writes: the k nearest texts of each text, ties in the order of the rows."""
    found = []
    for index, text in enumerate(source.texts):
        near = [(row, scores[text, other]) for row, other in enumerate(target.texts)]
        found += [(index, row, score) for row, score in sorted(near, key=lambda pair: -pair[1])[:k]]
    return found


def naive(source: Side, target: Side, scores: Scores, k: int) -> list[tuple[object, ...]]:
    """The k nearest recipes of each recipe by (score descending, row), whatever their scores."""
    pairs = []
    for row, title in enumerate(source.titles):
        of = source.text(title)
        near = [(scores[of, target.text(other)], other_row) for other_row, other in enumerate(target.titles)]
        for rank, (score, other) in enumerate(
            sorted(near, key=lambda pair: (-pair[0], pair[1]))[:k], start=1
        ):
            names = (source.ids[row], target.ids[other], score, rank)
            texts = (source.translation(row), target.titles[other], target.translation(other))
            pairs.append((*names, title, *texts))
    return pairs


def paired(
    folder: Path,
    source: Side,
    target: Side,
    scores: Scores,
    k: int,
    shards: int = 1,
    threshold: float = THRESHOLD,
    by: int = 0,
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Accepted pairs and the audit, by way of files; the merged neighbours are checked on the way.

    Shards hold all neighbours of some sources (`by` 0), or those of all sources among some targets (`by` 1).
    """
    columns = {"source_index": pl.Int32, "target_index": pl.Int32, "score": pl.Float32}
    found = found_neighbours(source, target, scores, k)
    parts = [str(folder / f"shard-{number}") for number in range(shards)]
    side, nearest = (source, k) if by == 0 else (target, len(target.texts))
    bounds = [number * len(side.texts) // shards for number in range(shards + 1)]
    for number, part in enumerate(parts):
        mine = [
            row
            for row in found_neighbours(source, target, scores, nearest)
            if bounds[number] <= row[by] < bounds[number + 1]
        ]
        pl.DataFrame(mine, columns, orient="row").write_parquet(part)
    out = [str(folder / name) for name in ("neighbours", "accepted", "audit")]
    match_pair(
        searched=parts,
        eligible=[source.eligible, target.eligible],
        translations=[source.translations, target.translations],
        neighbours=out[0],
        pairs=out[1:],
        near=str(folder / "near.tsv"),
        settings=PairSettings(
            k=k,
            threshold=threshold,
            source_translated=source.translated,
            target_translated=target.translated,
        ),
        job=Job(),
    )
    neighbours, accepted, audit = (tables.read(path) for path in out)
    assert neighbours.rows() == found
    assert accepted.columns == schemas.ACCEPTED.names and audit.columns == schemas.AUDIT.names
    return accepted.rows(), audit.rows()


def close(pairs: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Those within 1e-4 of the threshold, with what became of them."""
    low, high = np.float32(THRESHOLD - 1e-4), np.float32(THRESHOLD + 1e-4)
    return [(*row, bool(row[2] >= EDGE)) for row in pairs if low <= row[2] <= high]  # type: ignore[operator]


titles = st.lists(st.sampled_from(TITLES), min_size=1, max_size=9)
all_scores = st.lists(st.sampled_from(SCORES), min_size=36, max_size=36).map(
    lambda drawn: dict(zip([(left, right) for left in TITLES for right in TITLES], drawn, strict=True))
)


@pytest.mark.parametrize("direction", ["zh-en", "en-zh"])
@given(
    zh=titles,
    en=titles,
    scores=all_scores,
    k=st.integers(1, 6),
    shards=st.integers(1, 3),
    size=st.integers(1, 9),
    by=st.integers(0, 1),
)
def test_pairs_are_those_of_a_naive_search_over_all_recipes(
    direction: str, zh: list[str], en: list[str], scores: Scores, k: int, shards: int, size: int, by: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = {
            "zh": Side(folder / "zh", "xiachufang", zh, True),
            "en": Side(folder / "en", "recipenlg", en, False),
        }
        source, target = (sides[lang] for lang in direction.split("-"))
        pairs = naive(source, target, scores, k)
        good = [row for row in pairs if row[2] >= EDGE]  # type: ignore[operator]
        assert paired(folder, source, target, scores, k, shards, by=by) == (good, close(pairs))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pair, "SLICE", size)
            patch.setattr(buckets, "LEAST", size)
            assert paired(folder, source, target, scores, k) == (good, close(pairs))


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Side, Side]:
    """Four Chinese recipes of three titles and two texts, and five English recipes of three titles."""
    return Side(tmp_path / "zh", "x", ["a", "b", "A", "a"], True), Side(
        tmp_path / "en", "r", [*"edcde"], False
    )


def test_recipes_of_one_text_take_ranks_in_the_order_of_the_source(
    sides: tuple[Side, Side], tmp_path: Path
) -> None:
    one, half = np.float32(1), np.float32(0.9)
    scores = {("a", "e"): half, ("a", "d"): one, ("a", "c"): half} | dict.fromkeys(
        [("b", "e"), ("b", "d"), ("b", "c")], np.float32(0)
    )
    accepted, _ = paired(tmp_path, *sides, scores, k=3)
    assert [(row[0], row[1], row[3]) for row in accepted] == [
        (source, target, rank)
        for source in ("x:0", "x:2", "x:3")
        for rank, target in enumerate(("r:1", "r:3", "r:0"), start=1)
    ]
    assert accepted[0][4:] == ("a", "a", "d", None)
    assert accepted[3][4:] == ("A", "a", "d", None)


def test_the_audit_holds_what_lies_near_the_threshold_on_either_side(
    sides: tuple[Side, Side], tmp_path: Path
) -> None:
    near = dict(zip("edc", (0.85 - 9e-5, 0.85 + 9e-5, 0.85 + 2e-4), strict=True))
    scores = {(source, target): np.float32(score) for source in "ab" for target, score in near.items()}
    accepted, audit = paired(tmp_path, *sides, scores, k=5)
    assert [row[1] for row in accepted if row[0] == "x:0"] == ["r:2", "r:1", "r:3"]
    assert [(row[1], row[3], row[-1]) for row in audit if row[0] == "x:0"] == [
        ("r:1", 2, True),
        ("r:3", 3, True),
        ("r:0", 4, False),
        ("r:4", 5, False),
    ]


@pytest.mark.parametrize("threshold", [0.7, 0.85, 0.9, -1.0, 1.0])
def test_a_score_that_rounds_to_the_threshold_reaches_it(
    threshold: float, sides: tuple[Side, Side], tmp_path: Path
) -> None:
    scores = dict.fromkeys([(source, target) for source in "ab" for target in "cde"], np.float32(threshold))
    accepted, audit = paired(tmp_path, *sides, scores, k=5, threshold=threshold)
    assert len(accepted) == len(audit) == 4 * 5
    if threshold > -1:
        below = dict.fromkeys(scores, np.nextafter(np.float32(threshold), np.float32(-1)))
        accepted, audit = paired(tmp_path, *sides, below, k=5, threshold=threshold)
        assert accepted == [] and [row[-1] for row in audit] == [False] * 20


def test_no_neighbours_make_no_pairs(tmp_path: Path) -> None:
    empty, full = Side(tmp_path / "zh", "x", [], True), Side(tmp_path / "en", "r", ["a"], False)
    assert paired(tmp_path, empty, full, {}, k=3, shards=2) == ([], [])
    assert paired(tmp_path, full, empty, {}, k=3) == ([], [])


def test_neighbours_far_below_the_threshold_make_no_pairs(sides: tuple[Side, Side], tmp_path: Path) -> None:
    scores = dict.fromkeys([(source, target) for source in "ab" for target in "cde"], np.float32(0.2))
    assert paired(tmp_path, *sides, scores, k=3) == ([], [])


def test_the_same_neighbours_give_the_same_bytes(sides: tuple[Side, Side], tmp_path: Path) -> None:
    scores = dict.fromkeys([(source, target) for source in "ab" for target in "cde"], np.float32(0.9))
    paired(tmp_path, *sides, scores, k=3)
    shutil.move(tmp_path / "accepted", tmp_path / "first")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair, "SLICE", 1)
        paired(tmp_path, *sides, scores, k=3, shards=2)
    assert (tmp_path / "accepted").read_bytes() == (tmp_path / "first").read_bytes()
