"""Word vectors (word2vec) from the steps of recipes, stored as words.txt and vectors.npy."""

import gzip
import hashlib
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.parse.glossary import Glossary, read_glossary
from wokflow.parse.segment import Segmenter
from wokflow.parse.settings import VectorsSettings

Matrix = NDArray[np.float32]
WORDS, VECTORS = "words.txt", "vectors.npy"
LETTER = re.compile(r"[^\W\d_]")
LONGEST = 1 << 20  # characters of a line
HEADER = re.compile(r"\d+ \d+")


def parse_vectors(
    *, recipe_parts: Sequence[str], vectors: str, digest: str, settings: VectorsSettings, job: Job
) -> None:
    """Train word2vec on the steps of a recipes table; write the folder `vectors` and a digest of its content.

    A sentence is a step, segmented by jieba's dictionary and, if there is one, the glossary, without numbers and
    punctuation. A sample of recipes is drawn evenly from the table. The folder holds words.txt, one word a line, by
    falling count and then alphabetically, and vectors.npy (words, dimensions) in float32. Both are empty if no word
    occurs often enough; the log says so. Training runs in one thread, so that the same input gives the same bytes;
    sentences are kept on disk to save memory.

    Liu et al. 2022 use word embeddings (section 6.1, appendix A.2) without naming a method; this is word2vec
    (Mikolov et al. 2013).
    """
    with tables.atomic_folder(vectors) as temporary:
        sentences = temporary / "sentences.txt"
        read = sampled(recipe_parts, "steps", settings.recipes)
        counts, lines = _write_sentences(sentences, segmenter(settings.glossary), read, job.progress)
        words = [word for word in by_count(counts) if counts[word] >= settings.least_count]
        job.progress.say(f"{lines} steps, {counts.total()} words, {len(words)} of them with a vector")
        trained = np.zeros((0, settings.dimensions), np.float32)
        if words:
            kept = {word: counts[word] for word in words}
            options = {"sg": int(settings.model == "skip_gram"), "vector_size": settings.dimensions}
            options |= {"window": settings.window, "seed": settings.seed, "epochs": settings.epochs}
            trained = word2vec(sentences, kept, lines, options, job.progress)
        sentences.unlink()
        (temporary / WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
        np.save(temporary / VECTORS, trained)
    tables.write_text(digest, _digest(Path(vectors)) + "\n")


def segmenter(glossary: str | None) -> Segmenter:
    return Segmenter(read_glossary(glossary) if glossary else Glossary({}, {}, {}))


def sampled(parts: Sequence[str], column: str, recipes: int | None) -> Iterator[Any]:
    """The cells of a column in at most `recipes` rows, drawn evenly; the parts' boundaries have no effect."""
    total = tables.rows(parts)
    chosen = total if recipes is None else min(recipes, total)
    row = 0
    for part in parts:
        for batch in tables.opened(part).iter_batches(1024, columns=[column]):
            for cell in batch.column(0):
                if row * chosen // total != (row + 1) * chosen // total:
                    yield cell.as_py()
                row += 1


def _write_sentences(
    path: Path, segment: Segmenter, recipes: Iterable[list[str]], progress: Progress
) -> tuple[Counter[str], int]:
    """Write each step as a line of words separated by blanks; returns the words' counts and the number of lines."""
    counts: Counter[str] = Counter()
    lines = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, steps in enumerate(recipes, 1):
            for step in steps:
                words = [word for word in segment(step) if LETTER.search(word)]
                counts.update(words)
                if words:
                    file.write(" ".join(words) + "\n")
                    lines += 1
            progress(number, f"{number} recipes cut into words")
    return counts, lines


def by_count(counts: Counter[str]) -> list[str]:
    """The words by falling count, and then alphabetically."""
    return sorted(counts, key=lambda word: (-counts[word], word))


def word2vec(
    sentences: Path, counts: dict[str, int], lines: int, options: Mapping[str, int], progress: Progress
) -> Matrix:
    """The vectors of the words in `counts`, in its order; `options` are those of gensim's Word2Vec.

    `sentences` has `lines` lines of words with blanks between. In one thread: the same input gives the same bytes.
    """
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    class Epochs(CallbackAny2Vec):  # type: ignore[misc]
        def on_epoch_end(self, model: Any) -> None:
            self.done = getattr(self, "done", 0) + 1
            progress(self.done, f"epoch {self.done} of {options['epochs']}", of=options["epochs"])

    # sorted_vocab=0: gensim's sort breaks ties differently on other processors, and the words are sorted already.
    model = Word2Vec(min_count=1, workers=1, sorted_vocab=0, **options)
    model.build_vocab_from_freq(counts, corpus_count=lines)
    model.train(
        corpus_file=str(sentences),
        total_examples=lines,
        total_words=sum(counts.values()),
        epochs=options["epochs"],
        callbacks=[Epochs()],
    )
    return np.ascontiguousarray(model.wv.vectors, np.float32)


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for name in (WORDS, VECTORS):
        with (folder / name).open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def read_vectors(path: str | Path) -> tuple[list[str], Matrix]:
    """Words, and their vectors as (words, dimensions) in float32, from a folder of `parse_vectors` or a file.

    A file must be in word2vec's text format, with or without the header line, and may be compressed with gzip (.gz);
    if a word occurs twice, its first vector counts. Raises UserError if folder or file is missing or damaged.
    """
    path = Path(path)
    try:
        words, vectors = _from_folder(path) if path.is_dir() else _from_text(path)
    except FileNotFoundError as error:
        raise UserError(
            f"no word vectors at {error.filename}: give a folder of parse.vectors, or a file"
        ) from error
    except (ValueError, OverflowError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path} holds no word vectors that can be read: {error}") from error
    if (
        (not words and Path(path).is_file())
        or vectors.ndim != 2
        or len(vectors) != len(words)
        or len(set(words)) != len(words)
    ):
        raise UserError(
            f"{path} is damaged: {len(words)} words, {len(set(words))} of them distinct, {vectors.shape}"
        )
    if not np.isfinite(vectors).all():
        raise UserError(f"{path} is damaged: the vector of {words[_first_infinite(vectors)]} is not finite")
    return words, vectors


def pieces(word: str, known: Container[str], cut: Callable[[str], list[str]]) -> list[str]:
    """The words whose vectors stand for a word: itself if it is known, or else its segments."""
    return [word] if word in known else cut(word)


def _from_folder(folder: Path) -> tuple[list[str], Matrix]:
    words = (folder / WORDS).read_text(encoding="utf-8").split("\n")
    vectors = np.load(folder / VECTORS)
    if vectors.dtype != np.float32 or vectors.ndim != 2:
        raise ValueError(
            f"{VECTORS} is {vectors.ndim}-dimensional and {vectors.dtype}, not a matrix of float32"
        )
    return words[:-1], vectors


def _from_text(path: Path) -> tuple[list[str], Matrix]:
    """Words and vectors of a text file. The numbers go into one growing array, so that millions of words fit.

    gensim's own reader takes no word with a blank inside, as GloVe's files have.
    """
    numbers: dict[str, None] = {}
    values = array("f")
    with _open(path) as file:
        lines = iter(lambda: _line(file), "")
        first = next(lines, "").strip()
        header = HEADER.fullmatch(first)
        dimensions = int(first.split()[1]) if header else first.count(" ")
        row = 0
        for row, line in enumerate(lines if header else filter(None, chain([first], lines)), 1):
            word, *cells = line.rstrip("\r\n ").rsplit(" ", dimensions)
            if not dimensions or len(cells) != dimensions or not word:
                raise ValueError(f"vector {row} is not a word and {dimensions} numbers (is the file binary?)")
            if word not in numbers:
                numbers[word] = None
                values.extend(map(float, cells))
    if header and row != int(first.split()[0]):
        raise ValueError(
            f"its first line announces {first.split()[0]} words, but there are {row}: it is cut off"
        )
    if sum("\ufffd" in word for word in numbers) * 2 > sum(not word.isascii() for word in numbers):
        raise ValueError("most of its words are not UTF-8: convert it, with iconv -f GB18030 -t UTF-8, say")
    return list(numbers), np.frombuffer(values, np.float32).reshape(len(numbers), dimensions or 1)


def _line(file: IO[str]) -> str:
    """The next line, "" at the end. Raises ValueError for a line that is too long for a vector."""
    if len(line := file.readline(LONGEST)) == LONGEST:
        raise ValueError(f"a line has more than {LONGEST} characters")
    return line


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="\n")
    return path.open(encoding="utf-8", errors="replace", newline="\n")


def _first_infinite(vectors: Matrix) -> int:
    return int(np.argmin(np.isfinite(vectors).all(axis=1)))
