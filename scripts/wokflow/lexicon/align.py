"""Both corpora's word vectors in one space (Cultural Adaptation of Recipes, section 4.1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.lexicon.alignment_summary import SIDES, write_summary
from wokflow.lexicon.mapping import mapped
from wokflow.lexicon.recipe_words import read_pairs
from wokflow.lexicon.settings import AlignSettings
from wokflow.lexicon.vectors import Space, read_space, write_space

LEAST_WORDS = 1_000_000  # of a corpus, below which neighbours are doubted


def lexicon_align(*, source: str, target: str, aligned: str, settings: AlignSettings, job: Job) -> None:
    """Write the folder `aligned`: the spaces zh and en, rows of length 1, and summary.json, which tells how it went.

    `source` and `target` are the vectors of the Chinese and of the English corpus. Without a seed pair whose words
    both have a vector there is no alignment: both spaces are empty then, and the summary says why.
    """
    spaces = [read_space(folder) for folder in (source, target)]
    rows = [{word: row for row, word in enumerate(space.words)} for space in spaces]
    pairs = read_pairs(settings.seed_dictionary)
    used = [pair for pair in pairs if all(word in known for word, known in zip(pair, rows, strict=True))]
    summary: dict[str, Any] = {
        "words": [len(space.words) for space in spaces],
        "running": [int(space.counts.sum()) for space in spaces],
        "seeds": used,
        "missing": [pair for pair in pairs if pair not in used],
    }
    if used:
        seeds = np.array([[known[word] for word, known in zip(pair, rows, strict=True)] for pair in used])
        mapping = mapped(spaces[0].vectors, spaces[1].vectors, seeds, settings, job.threads, job.progress)
        both = len({*map(tuple, mapping.pairs.tolist())})
        summary |= {
            "similarity": round(mapping.objective, 4),
            "iterations": mapping.iterations,
            "pairs": both,
        }
        vectors = [mapping.source, mapping.target]
        spaces = [Space(one.words, one.counts, own) for one, own in zip(spaces, vectors, strict=True)]
    else:
        spaces = [Space([], one.counts[:0], one.vectors[:0]) for one in spaces]
    summary["doubts"] = doubts(used, len(pairs), summary["running"])
    for doubt in summary["doubts"]:
        job.progress.warn(f"lexicon: {doubt}")
    with tables.atomic_folder(aligned) as temporary:
        for side, space in zip(SIDES, spaces, strict=True):
            (temporary / side).mkdir()
            write_space(temporary / side, space)
        write_summary(temporary, summary)


def doubts(used: Sequence[object], pairs: int, running: Sequence[int]) -> list[str]:
    """Reasons why there is no alignment, or why it should not be trusted."""
    reasons = []
    if not used:
        reasons.append(
            f"there is no alignment: of {pairs} seed pairs none has a vector on both sides. The corpora are too "
            "small for lexicon.vectors.least_count, or the seed dictionary is of other words."
        )
    few = [
        f"{number:,} ({side})" for side, number in zip(SIDES, running, strict=True) if number < LEAST_WORDS
    ]
    if used and few:
        reasons.append(
            f"the corpora are small: {' and '.join(few)} running words with a vector. Of fewer than "
            f"{LEAST_WORDS:,}, neighbours are often chance."
        )
    return reasons
