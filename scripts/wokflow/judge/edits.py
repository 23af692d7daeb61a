"""Edits of utterances, as models find them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wokflow.evaluate.edit_finding import kind_of
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.answers import cleaned
from wokflow.judge.reading import plain, refusal
from wokflow.judge.schemas import EDITS, RATING_REJECTS

ARROW = re.compile(r"→|⇒|➔|➜|➡\ufe0f?|⟶|-{1,3}>|={1,3}>|—>|–>")
_BEGIN = re.compile(  # marks of lists, and a label
    r"^(?:[-*•] |\(?\d{1,3}[.)] )?(?:[^\w→]{0,3}(?:edit|change)s?[^\w:→]{0,3}\d{0,3}[^\w:→]{0,3}:[^\w→]{0,3})?",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?<!\w)[#(\[]{0,3} ?(?:deletion|deleted|removed|addition|added|insertion|omitted|replacement|replaced)"
    r"[)\]]{0,3}$",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\bno (?:significant |lexical )?(?:edits?|changes?)\b|^[^\w\n]*none[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NOTHING = ("", "none", "null", "nothing", "empty", "na", "ø")  # said of a side without words
_REMARK = re.compile(r"\([^()]*\)\Z|\s[-–—]\s.*\Z", re.DOTALL)  # behind an edit
_EDGE = re.compile(r"(?<!\w)|(?!\w)")  # not within a word
_QUOTES = " \t\"'“”‘’`*_,;"
DIMENSION = "edits"  # in tables of rejects


class Found(NamedTuple):
    """An edit in a line of an answer, with the words of both sides; or the reason why the line is no edit."""

    original: str
    adapted: str
    reason: str = ""
    line: str = ""


def judge_edits(
    *,
    adaptations: Sequence[str],
    annotations: Sequence[str],
    tasks: str,
    answers: str,
    edits: str,
    rejects: str,
    job: Job,
) -> None:
    """Write the edits in a model's answers as judge/edits; lines without an edit are rejects.

    A line is an edit if an arrow stands between words of the utterance and other words of its adaptation; letter case
    does not count. One side may be empty, or say that it is ("# deletion"). `item`: whether the words of the
    utterance touch a culture-specific item (ingest/annotations), at some place where they stand.
    """
    texts = {
        (run, dialogue, position): (text, adapted)
        for run, dialogue, position, text, adapted in tables.read(adaptations)
        .select("run", "dialogue_id", "position", "text", "adapted")
        .iter_rows()
    }
    marks = _marks(annotations)
    kept, left = list[dict[str, Any]](), list[dict[str, Any]]()
    asked = tables.read(answers).join(tables.read(tasks, ["task_id", "item", "system"]), on="task_id")
    for row in asked.sort("task_id", "repetition").iter_rows(named=True):
        dialogue, position = _place(row["item"])
        text, adapted = texts[row["system"], dialogue, position]
        common = {"task_id": row["task_id"], "repetition": row["repetition"]}
        number = 0
        for one in read_edits(cleaned(row["answer"]), text, adapted, row["status"]):
            if one.reason:
                detail = {
                    "dimension": DIMENSION,
                    "reason": one.reason,
                    "detail": one.line,
                    "raw": row["answer"],
                }
                left.append(common | {"rater": row["asked"]} | detail)
                continue
            number += 1
            own = {"asked": row["asked"], "run": row["system"], "dialogue_id": dialogue, "position": position}
            kept.append(
                common
                | own
                | {"number": number, "kind": kind_of(one.original, one.adapted)}
                | {"original": one.original, "adapted": one.adapted}
                | {"item": touches(one.original, text, marks.get((dialogue, position), ()))}
            )
    for path, schema, rows in ((edits, EDITS, kept), (rejects, RATING_REJECTS, left)):
        tables.write(path, schema, rows, job.metadata)
    job.progress.say(f"{len(kept)} edits in {asked.height} utterances that differ, {len(left)} rejects")


def _place(item: str) -> tuple[str, int]:
    """Dialogue and position of the utterance that a task is about."""
    dialogue, _, position = item.partition(":")[2].rpartition(":")
    return dialogue, int(position)


def _marks(annotations: Sequence[str]) -> Mapping[tuple[str, int], Sequence[tuple[int, int]]]:
    """Places of items in each utterance."""
    places: dict[tuple[str, int], list[tuple[int, int]]] = {}
    columns = ["dialogue_id", "position", "start", "end"]
    for dialogue, position, start, end in (
        tables.read(annotations, columns).iter_rows() if annotations else ()
    ):
        places.setdefault((dialogue, position), []).append((start, end))
    return places


def touches(words: str, text: str, places: Sequence[tuple[int, int]]) -> bool:
    """Whether some place of the words in a text shares a character with one of the places."""
    spans = [match.span() for match in _matches(words, text)]
    return any(start < stop and begin < end for begin, stop in spans for start, end in places)


def _matches(words: str, text: str) -> Sequence[re.Match[str]]:
    """Where words stand in a text, whatever their case; within longer words only if they stand nowhere else."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    everywhere = [*re.finditer(pattern, text, re.IGNORECASE)] if pattern else []
    return [
        match for match in everywhere if all(_EDGE.match(text, place) for place in match.span())
    ] or everywhere


def read_edits(answer: str, text: str, adapted: str, status: str) -> Iterator[Found]:
    """The edits of an answer in the order of its lines; one reject where it has none and does not say so."""
    if status not in ("ok", "cut") or not answer:
        yield Found("", "", status if status not in ("ok", "cut") else "empty")
        return
    lines = answer.splitlines()
    arrows = [(number, line) for number, line in enumerate(lines) if ARROW.search(line)]
    seen = set[tuple[str, str]]()
    for number, line in arrows:
        if status == "cut" and number == len(lines) - 1:
            yield Found("", "", "cut", line.strip()[:200])
            continue
        one = _edit(line, text, adapted)
        if one.reason or (one.original, one.adapted) not in seen:
            yield one
        seen.add((one.original, one.adapted))
    if not arrows and not _NONE.search(answer):
        said = refusal(plain(answer), answer)
        first = next((line.strip() for line in lines if line.strip()), "")
        yield Found(
            "", "", "refused" if said else "cut" if status == "cut" else "missing", (said or first)[:200]
        )


def _edit(line: str, text: str, adapted: str) -> Found:
    """The edit of a line with an arrow."""
    sides = ARROW.split(_BEGIN.sub("", " ".join(line.split())))
    if len(sides) != 2:
        return Found("", "", "several", line.strip()[:200])
    one, other = (_side(side, whole) for side, whole in zip(sides, (text, adapted), strict=True))
    if one is None or other is None:
        return Found("", "", "not_in_text", line.strip()[:200])
    if " ".join(one.casefold().split()) == " ".join(other.casefold().split()):
        return Found("", "", "no_change", line.strip()[:200])
    return Found(one, other)


def _side(side: str, text: str) -> str | None:
    """The words of a side as they stand in the text: none where it says so; None if they do not stand there."""
    side = _TAG.sub("", side.strip(_QUOTES)).strip(_QUOTES)
    if re.sub(r"\W+", "", side).casefold() in _NOTHING:
        return ""
    for words in (side, side.rstrip(".!?:"), _REMARK.sub("", side).strip(_QUOTES)):
        if matches := _matches(words, text):
            return matches[0][0]
    return None
