"""Parallel sentences of any published form as one table, and rejects."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import polars as pl

from wokflow.frame.job import Job, UserError
from wokflow.frame.language_codes import base, languages_of, letter_of
from wokflow.frame.tables import of_source
from wokflow.ingest import schemas
from wokflow.ingest.clean import without_entities
from wokflow.ingest.first_rejects import FirstRejects
from wokflow.ingest.mojibake import misread
from wokflow.ingest.parallel import READERS, Row
from wokflow.ingest.raw_records import Reject
from wokflow.ingest.row_parts import Parts
from wokflow.ingest.sentence_alignment import letters
from wokflow.ingest.settings import SentencesSettings
from wokflow.ingest.stream import Truncated
from wokflow.models.identify import alike, known, likeliest, other_language

ROWS = 20_000  # rows that are written at once
LOOKED_AT = 1_000  # rows of which it is asked whether they were read in a wrong encoding
RAW = 10_000  # characters of a reject that are kept
SMOOTHING = 15  # characters added to both lengths before they are compared, since short ones differ by chance
LINE_BY_LINE = ("moses", "samanantar")  # kinds whose sides are two files, perhaps of one archive
LETTERS = 40  # shortest sentence whose language is identified (see sentence_alignment.letters)
CERTAIN = 0.99  # probability of another language from which a sentence is rejected
_KEEP = "To go on with these pairs, set ingest.sentences.mostly_rejected: keep"
_SPACES = re.compile(r"\s+")


def ingest_sentences(
    *,
    source: str,
    sentences: Sequence[str],
    rejects: Sequence[str],
    corpus: str,
    settings: SentencesSettings,
    job: Job,
) -> None:
    """Read the files of a source of sentences; write every row to a part of `sentences` or `rejects`, in order.

    `source` is the description of the files by ingest_source. The settings say what a pair is rejected for; null or
    false leaves a check out. Raises UserError if a file is cut off, or one of two files has more lines, unless
    `truncated` is keep; and if there are no pairs, more rejects than pairs (duplicates aside) or mojibake, unless
    `mostly_rejected` is keep.
    """
    metadata = of_source(job.metadata, corpus, source)
    check = _Checks(settings)
    counts: Counter[str] = Counter()
    first = FirstRejects(rejects[0])
    looked_at: list[tuple[str, str]] = []
    with ExitStack() as stack:
        good = Parts(stack, sentences, schemas.SENTENCES, metadata)
        bad = Parts(stack, rejects, schemas.REJECTS, metadata)
        batch: list[tuple[Any, ...]] = []
        damage = None
        rows = READERS[settings.kind](settings.raw, settings.pair)
        number, position = 0, 0.0
        while True:
            try:
                row = next(rows, None)
            except Truncated as error:
                damage = str(error)
                row = Row(position, "", "", Reject("truncated_archive", damage))
                rows = iter(())
            if row is None:
                break
            # Of two files, the end of the second one comes behind the first one's: the place never goes back.
            before, position = position, max(position, row.position)
            if int(before * len(sentences)) != int(position * len(sentences)):  # the next part begins
                _write(before, batch, good, bad)
                batch = []
            if number < LOOKED_AT:
                looked_at.append((row.source, row.target))
            row = _cleaned(row, entities=settings.entities, spaces=settings.spaces)
            reject = row.reject or check(row)
            counts[reject.reason if reject else "kept"] += 1
            batch.append(_written(row, reject, corpus, settings.pair, number))
            if reject:
                first.add([(number, *batch[-1][-3:])])  # reason, detail, raw
            number += 1
            if len(batch) == ROWS:
                _write(position, batch, good, bad)
                batch = []
                job.progress(int(position * 1000), f"{corpus}: {_said(counts)}", of=1000)
        _write(1.0, batch, good, bad)
        begin = f"sources.{corpus}.path: {' and '.join(settings.raw)}"
        if settings.truncated == "refuse":
            _refuse_damage(begin, settings.kind, damage, counts, first)
        if settings.mostly_rejected == "refuse":
            if wrong := misread(looked_at, [base(lang) for lang in languages_of(settings.pair)]):
                raise UserError(f"{begin} {wrong}. {_KEEP}")
            _refuse_rejects(begin, counts, first)
        for parts in (good, bad):
            parts.note_rows(number)
    job.progress.say(f"{corpus}: {number} rows = {_said(counts)}")


def _cleaned(row: Row, *, entities: bool, spaces: bool) -> Row:
    if row.reject:
        return row
    sides = [row.source, row.target]
    if entities:
        sides = [without_entities(side) if "&" in side else side for side in sides]
    if spaces:
        sides = [_SPACES.sub(" ", side).strip() for side in sides]
    return row._replace(source=sides[0], target=sides[1])


def _written(row: Row, reject: Reject | None, corpus: str, pair: str, number: int) -> tuple[Any, ...]:
    if reject:
        raw = f"{row.source}\t{row.target}"[:RAW].encode("utf-8", "backslashreplace").decode()
        return corpus, number, None, None, None, None, reject.reason, reject.detail or None, raw
    return corpus, number, f"{corpus}:{number}", pair, row.source, row.target, None, None, None


COLUMNS = pl.Schema(
    {
        "corpus": pl.String(),
        "source_row": pl.Int64(),
        "sentence_id": pl.String(),
        "lang_pair": pl.String(),
        "source": pl.String(),
        "target": pl.String(),
        "reason": pl.String(),
        "detail": pl.String(),
        "raw": pl.String(),
    }
)


def _write(position: float, batch: Sequence[tuple[Any, ...]], good: Parts, bad: Parts) -> None:
    rows = pl.DataFrame(batch, COLUMNS, orient="row")
    good.write(position, rows.filter(pl.col("reason").is_null()))
    bad.write(position, rows.filter(pl.col("reason").is_not_null()))


def _said(counts: Counter[str]) -> str:
    rejects = ", ".join(f"{count} {reason}" for reason, count in counts.most_common() if reason != "kept")
    return f"{counts['kept']} pairs + {counts.total() - counts['kept']} rejects" + (
        rejects and f" ({rejects})"
    )


def _refuse_damage(
    begin: str, kind: str, damage: str | None, counts: Counter[str], first: FirstRejects
) -> None:
    go_on = "To go on with what could be read, set ingest.sentences.truncated: keep"
    if damage:
        raise UserError(
            f"{begin}: cut off or damaged after {counts.total() - 1} rows: {damage}. Fetch it again. {go_on}"
        )
    if counts["no_partner"] and kind in LINE_BY_LINE:
        raise UserError(
            f"{begin}: one file has {counts['no_partner']} lines more than the other. Where lines are missing in the "
            f"middle, all pairs behind them are wrong. {first.written()}Fetch both again. {go_on}"
        )


def _refuse_rejects(begin: str, counts: Counter[str], first: FirstRejects) -> None:
    if counts["kept"] * 2 >= max(counts.total() - counts["duplicate"], 1):
        return
    raise UserError(
        f"{begin}: of {counts.total()} rows {_said(counts)}. "
        f"{first.written()}Are `kind` and `pair` right, and the sides in the order of `pair`? {_KEEP}"
    )


class _Checks:
    """Returns the reject of a bad pair of sentences; None for a good one."""

    def __init__(self, settings: SentencesSettings) -> None:
        self._identical, self._ratio, self._longest = settings.identical, settings.ratio, settings.longest
        languages = languages_of(settings.pair)
        self._languages = [_identifier(lang) if settings.language else None for lang in languages]
        self._seen: set[int] | None = set() if settings.duplicates else None

    def __call__(self, row: Row) -> Reject | None:
        source, target = row.source, row.target
        if not (any(map(str.isalnum, source)) and any(map(str.isalnum, target))):
            return Reject("empty_side")
        if self._identical and source.casefold() == target.casefold():
            return Reject("identical_sides")
        if self._longest and max(len(source), len(target)) > self._longest:
            return Reject("length_ratio", f"{len(source)} and {len(target)} characters")
        if self._ratio and (ratio := length_ratio(source, target)) > self._ratio:
            return Reject("length_ratio", f"{ratio:.1f}")
        for text, identify in zip((source, target), self._languages, strict=True):
            if identify and (other := identify(text)):
                return Reject("wrong_language", other)
        if self._seen is not None:
            digest = _digest(source, target)
            if digest in self._seen:
                return Reject("duplicate")
            self._seen.add(digest)
        return None


def _digest(source: str, target: str) -> int:
    from hashlib import blake2b

    return int.from_bytes(
        blake2b(f"{len(source)} {source}{target}".encode(), digest_size=8).digest(), "little"
    )


def length_ratio(source: str, target: str) -> float:
    """The ratio of the longer side's length to the shorter's, in letters, smoothed; at least 1."""
    lengths = sorted(letters(text) + SMOOTHING for text in (source, target))
    return lengths[1] / lengths[0]


def _identifier(lang: str) -> Callable[[str], str | None] | None:
    """A function that names the language of a text that is certainly not in `lang`, or lacks letters of its script.

    None if neither the model nor languages.SCRIPTS knows `lang`.
    """
    script = letter_of(lang)
    lang = base(lang)
    if not known(lang) and not script:
        return None

    def identify(text: str) -> str | None:
        if letters(text) < LETTERS:
            return None
        if script and not script.search(text):
            return next(name for name in likeliest(text) if name not in alike(lang))
        return other_language(text, lang, CERTAIN)

    return identify
