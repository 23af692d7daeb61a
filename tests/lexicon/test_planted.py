"""Planted truth: of two corpora from one latent vocabulary, words are found, but for those with no counterpart."""

from pathlib import Path

import polars as pl
import pytest

from tests.lexicon.planted import write_corpora
from tests.lexicon.runs import align, look_up, train


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A folder with all tables, and the words that are of one kitchen."""
    folder = tmp_path_factory.mktemp("planted")
    zh, en, dictionary, cultural = write_corpora(folder / "corpora")
    for corpus, to in ((zh, "zh"), (en, "en")):
        train(corpus, folder / to, dimensions=30, epochs=8)
    align(folder, folder / "corpora" / "seed.tsv", patience=10)
    look_up(folder, folder / "corpora" / "seed.tsv", dictionary, words=200)
    return folder, set(cultural)


def test_words_of_one_latent_vocabulary_are_found_and_those_of_one_kitchen_are_not(
    planted: tuple[Path, set[str]],
) -> None:
    folder, cultural = planted
    words = pl.read_parquet(folder / "words.parquet")
    found = dict(words.select("word", "by_dictionary").iter_rows())
    shared = [hit for word, hit in found.items() if word not in cultural]
    assert len(found) == 115 and len(shared) == 103  # the seeds are not looked up
    assert sum(shared) / len(shared) > 0.95
    assert sum(not found[word] for word in cultural) >= len(cultural) - 1


def test_both_measures_are_counted_and_csls_is_no_worse(planted: tuple[Path, set[str]]) -> None:
    rows = pl.read_parquet(planted[0] / "precision.parquet")
    assert rows.select("measure", "judge", "words").rows() == [
        ("csls", "dictionary", 115),
        ("cosine", "dictionary", 115),
    ]
    assert rows["found"][0] >= rows["found"][1] - 2


def test_an_alignment_has_the_same_bytes_whatever_the_number_of_threads(
    planted: tuple[Path, set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = planted
    monkeypatch.setattr("wokflow.lexicon.mapping.BLOCK", 16)  # several blocks of these few words
    seeds = folder / "corpora" / "seed.tsv"
    one, many = (align(folder, seeds, threads, f"by_{threads}", patience=3) for threads in (1, 4))
    for name in ("zh/vectors.npy", "en/vectors.npy", "summary.json"):
        assert (one / name).read_bytes() == (many / name).read_bytes()
