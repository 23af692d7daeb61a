"""Predictions of runs of family mined: base recipes with the edits that pivot.mined found."""

from collections.abc import Sequence

from wokflow.frame.digests import file_digest
from wokflow.frame.job import Job
from wokflow.generate.blocks import Shard
from wokflow.generate.plans import Draft, Edits, Insertion
from wokflow.generate.rewriting_runs import rewritten
from wokflow.generate.settings import MinedSettings
from wokflow.models.ranking import Ranker
from wokflow.models.sentence_rewriting import Original, Reader


def generate_mined(
    *,
    instances: str,
    mined: str,
    trained: str | list[str],
    predictions: str,
    shard: int,
    shards: int,
    settings: MinedSettings,
    job: Job,
) -> None:
    """Write the predictions (generate/predictions) of one shard of the instances; nothing is drawn.

    Of a pair's pivot actions nothing is read: `mined` is pivot/mined.
    """
    edits = Edits.read(mined, settings.pairs, settings.glossary)

    def write(reader: Reader, originals: Sequence[Original], seed: int) -> list[str]:
        return rewrite(
            reader, originals, edits, settings.max_source_tokens, settings.insertions, settings.batch
        )

    place = Shard(predictions, shard, shards, settings.run)
    rewritten(instances, trained, place, write, settings, job, file_digest(mined))


def rewrite(
    reader: Reader, originals: Sequence[Original], edits: Edits, most: int, insertions: int, batch: int
) -> list[str]:
    """The old texts, as far as `most` tokens, with the edits of their dishes; `batch` texts are ranked at once."""
    drafts = [
        edits.draft("".join(reader.pieces(one.text, 0, most)), one.dishes[0], one.dishes[1])
        for one in originals
    ]
    complete(drafts, [one.asked for one in originals], Ranker(reader, batch), insertions)
    return [draft.text.strip() for draft in drafts]


def complete(drafts: Sequence[Draft], prompts: Sequence[list[int]], ranker: Ranker, most: int) -> None:
    """Insert into each draft what it lacks, up to `most` actions, each where and as the model likes it best.

    Insertions go one after the other, and those of all drafts at once, so that the model reads them in batches. At
    last the added ingredient is named where nothing does.
    """
    waiting = [draft.wanted()[:most] for draft in drafts]
    for turn in range(max(map(len, waiting), default=0)):
        rest = [own[turn] if turn < len(own) else None for own in waiting]
        _insert(drafts, rest, prompts, ranker)
    _insert(drafts, [draft.naming() for draft in drafts], prompts, ranker)


def _insert(
    drafts: Sequence[Draft],
    insertions: Sequence[Insertion | None],
    prompts: Sequence[list[int]],
    ranker: Ranker,
) -> None:
    """The insertion of each draft, or none, at its best place in its best wording; of equals the first counts."""
    tried = [
        (draft, one, prompt, draft.options(one))
        for draft, one, prompt in zip(drafts, insertions, prompts, strict=True)
        if one
    ]
    shown = [(prompt, text) for draft, one, prompt, options in tried for text in draft.shown(one, options)]
    scores = iter(ranker(shown))
    for draft, one, _, options in tried:
        likelihoods = [next(scores) for _ in options]
        draft.insert(one, *options[likelihoods.index(max(likelihoods))])
