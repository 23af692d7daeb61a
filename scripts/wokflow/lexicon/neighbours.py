"""The English neighbours of Chinese words, a sheet to mark them on, a picture (section 4.2, Table 2)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.lexicon import schemas
from wokflow.lexicon.alignment_summary import SIDES
from wokflow.lexicon.mapping import Matrix, neighbourhoods
from wokflow.lexicon.recipe_words import Matcher, content_words, read_dictionary, read_light, read_pairs
from wokflow.lexicon.schemas import COSINE, CSLS
from wokflow.lexicon.settings import NeighboursSettings
from wokflow.lexicon.sheet import write_marks_sheet
from wokflow.lexicon.vectors import Space, read_space

DIGITS = 12  # of a word's id
NAMED = 40  # names in the picture at most
Row = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """The neighbours of one word by each measure: rows of the target, and their similarities."""

    csls: list[tuple[int, float]]
    cosine: list[tuple[int, float]]


def lexicon_neighbours(
    *, aligned: str, neighbours: str, picture: str, sheet: str, settings: NeighboursSettings, job: Job
) -> None:
    """Write schemas lexicon/neighbours and lexicon/picture, and the sheet for people.

    Looked up are the most frequent content words of the Chinese corpus that are in no seed pair, among all English
    words with a vector. Raises UserError for a seed dictionary, word list or dictionary that cannot be read.
    """
    source, target = (read_space(f"{aligned}/{side}") for side in SIDES)
    seeds = read_pairs(settings.seed_dictionary)
    dictionary = read_dictionary(settings.lexicon, settings.glossary, settings.dictionary)
    used = {zh for zh, _ in seeds}
    content = content_words(source.words, read_light(settings.light), dictionary)
    words = [*islice((word for word in content if word not in used), settings.words)]
    place = {word: row for row, word in enumerate(source.words)}
    chosen = [place[word] for word in words]
    nearest_words = nearest(source.vectors, target.vectors, chosen, settings.count, settings.neighbourhood)
    matcher = Matcher(dict.fromkeys(target.words))
    rows: list[Row] = []
    for word, row, near in zip(words, chosen, nearest_words, strict=True):
        meanings = dictionary.get(word, [])
        known = matcher.knows(meanings)
        by_measure = {CSLS: near.csls, COSINE: near.cosine}
        names = [[target.words[at] for at, _ in each] for each in by_measure.values()]
        head = {"word_id": identity(word, names), "word": word, "count": int(source.counts[row])}
        for measure, each in by_measure.items():
            for rank, (at, similarity) in enumerate(each, 1):
                name = target.words[at]
                literal = matcher.literal(name, meanings) if known else None
                own = {"measure": measure, "rank": rank, "neighbour": name, "similarity": similarity}
                rows.append({**head, "meanings": meanings, **own, "literal": literal})
    frame = tables.frame(schemas.NEIGHBOURS, rows)
    tables.write(neighbours, schemas.NEIGHBOURS, frame, job.metadata)
    write_marks_sheet(sheet, frame, settings.count)
    points = _picture(source, target, seeds, settings.shown)
    tables.write(picture, schemas.PICTURE, points, job.metadata)
    job.progress.say(f"{len(words)} words looked up among {len(target.words)}")


def identity(word: str, neighbours: Sequence[Sequence[str]]) -> str:
    """A word's id: the same as long as its neighbours are."""
    text = "\n".join([word, *("\t".join(each) for each in neighbours)])
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def nearest(
    source: Matrix, target: Matrix, rows: Sequence[int], count: int, neighbourhood: int
) -> list[Found]:
    """The nearest rows of the target to some rows of the source; vectors have length 1, equals come in their order.

    CSLS takes from twice the cosine how near either word is to its own `neighbourhood` in the other language.
    """
    from threadpoolctl import threadpool_limits

    if not rows:
        return []
    with threadpool_limits(limits=1):
        cosine = source[[*rows]] @ target.T
        crowded = neighbourhoods(target, source, neighbourhood)
        csls = 2 * cosine - neighbourhoods(source[[*rows]], target, neighbourhood)[:, None] - crowded
    return [Found(_first(one, count), _first(other, count)) for one, other in zip(csls, cosine, strict=True)]


def _first(similar: Matrix, count: int) -> list[tuple[int, float]]:
    return [(int(at), float(similar[at])) for at in np.argsort(-similar, kind="stable")[:count]]


def _picture(source: Space, target: Space, seeds: Sequence[tuple[str, str]], most: int) -> list[Row]:
    """The most frequent words of both languages, and those of the seed pairs, on two principal components."""
    named = [{pair[side] for pair in seeds[:NAMED]} for side in range(2)]
    shown = [
        [row for row, word in enumerate(space.words) if row < most or word in names]
        for space, names in zip((source, target), named, strict=True)
    ]
    vectors = [space.vectors[rows] for space, rows in zip((source, target), shown, strict=True)]
    if not all(map(len, vectors)) or vectors[0].shape[1] < 2:
        return []
    places = iter(principal(np.concatenate(vectors).astype(np.float64)).tolist())
    english = dict(seeds)
    return [
        {
            "lang": lang,
            "word": space.words[row],
            "meaning": english.get(space.words[row]) if lang == "zh" else None,
            "x": x,
            "y": y,
            "named": space.words[row] in names,
        }
        for lang, space, rows, names in zip(SIDES, (source, target), shown, named, strict=True)
        for row in rows
        for x, y in [next(places)]
    ]


def principal(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places of vectors on their first two principal components; the greatest entry of each axis is positive."""
    from threadpoolctl import threadpool_limits

    centred = vectors - vectors.mean(axis=0)
    with threadpool_limits(limits=1):
        _, axes = np.linalg.eigh(centred.T @ centred)
    first = axes[:, [-1, -2]]
    first *= np.sign(first[np.abs(first).argmax(axis=0), [0, 1]])
    places: NDArray[np.float64] = centred @ first
    return places
