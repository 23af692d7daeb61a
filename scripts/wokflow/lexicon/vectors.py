"""Word vectors of a corpus: skip-gram over whole recipes (Cultural Adaptation of Recipes, section 4.1)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.lexicon.recipe_words import Cutter, cutter
from wokflow.lexicon.settings import VectorsSettings
from wokflow.parse.vectors import VECTORS, WORDS, Matrix, by_count, read_vectors, sampled, word2vec

COUNTS = "counts.npy"


@dataclass(frozen=True)
class Space:
    """Words by falling count, their counts, and their vectors as (words, dimensions)."""

    words: list[str]
    counts: NDArray[np.int64]
    vectors: Matrix


def lexicon_vectors(*, recipes: Sequence[str], vectors: str, settings: VectorsSettings, job: Job) -> None:
    """Train skip-gram vectors on a corpus; write the folder `vectors` (words.txt, counts.npy, vectors.npy).

    A recipe is one sentence: title, ingredients, steps. The vectors are empty if no word occurs often enough.
    """
    lang = tables.scan(recipes, ["lang"]).head(1).collect()["lang"]
    cut = cutter(lang[0] if len(lang) else "")
    with tables.atomic_folder(vectors) as temporary:
        sentences, counts, lines = temporary / "sentences.txt", Counter[str](), 0
        with sentences.open("w", encoding="utf-8", newline="\n") as file:
            for words in _recipes(recipes, settings.recipes, cut):
                counts.update(words)
                file.write(" ".join(words) + "\n")
                lines += 1
                job.progress(lines, f"{lines} recipes cut into words")
        kept = {word: counts[word] for word in by_count(counts) if counts[word] >= settings.least_count}
        job.progress.say(f"{lines} recipes, {counts.total()} words, {len(kept)} of them with a vector")
        trained = np.zeros((0, settings.dimensions), np.float32)
        if kept:
            options = {"sg": 1, "vector_size": settings.dimensions, "window": settings.window}
            options |= {"negative": settings.negative, "epochs": settings.epochs, "seed": settings.seed}
            trained = word2vec(sentences, kept, lines, options, job.progress)
        sentences.unlink()
        write_space(temporary, Space([*kept], np.array([*kept.values()], np.int64), trained))


def _recipes(parts: Sequence[str], most: int | None, cut: Cutter) -> Iterator[list[str]]:
    """The words of each recipe that has any."""
    columns = (sampled(parts, name, most) for name in ("title", "ingredients", "steps"))
    for title, ingredients, steps in zip(*columns, strict=True):
        if words := [word for text in (title, *ingredients, *steps) for word in cut(text)]:
            yield words


def write_space(folder: Path, space: Space) -> None:
    text = "".join(f"{word}\n" for word in space.words)
    (folder / WORDS).write_text(text, encoding="utf-8", newline="\n")
    np.save(folder / COUNTS, space.counts)
    np.save(folder / VECTORS, space.vectors)


def read_space(folder: str | Path) -> Space:
    """What write_space has written. Raises UserError if it is damaged."""
    words, vectors = read_vectors(folder)
    return Space(words, np.load(Path(folder) / COUNTS), vectors)
