"""Dialogues: lines of JSON with an utterance each, as ConvoKit has them or in a simple form of our own.

A .csv file is one of dialogues with marked items, as marked_csv describes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.ingest.json_lines import Line, Rejects, field, read_lines
from wokflow.ingest.marked_csv import is_marked_csv, utterance_lines
from wokflow.ingest.raw_records import Reject
from wokflow.ingest.schemas import UTTERANCES
from wokflow.ingest.settings import DialoguesSettings

CORPUS = "dialogues"
# Names of the same member: ours, ConvoKit's, and those of its first version.
DIALOGUE, SPEAKER = ("dialogue", "conversation_id", "root"), ("speaker", "user")
REPLY = ("reply-to", "reply_to")
NOTE = "transcript_with_note"  # of the Friends corpus: what a note says stands there alone


@dataclass(frozen=True)
class Utterance:
    """A line of the file.

    `replies`: whether it names the utterance that it replies to; `reply_to`: that utterance, None for the first.
    """

    line: Line
    dialogue: str
    name: str | None
    speaker: str
    text: str
    replies: bool
    reply_to: str | None


def ingest_dialogues(*, utterances: str, rejects: str, settings: DialoguesSettings, job: Job) -> None:
    """Write the utterances of a file as ingest/utterances, by dialogues in the order of their first lines.

    Each line that is not blank, or row of a CSV, becomes an utterance or a reject. Utterances are ordered by their
    replies or, if none names the utterance that it replies to, as in the file. A dialogue whose replies form no
    chain, and one of fewer or more utterances than the settings allow, is a reject with all of its lines. An
    utterance without text is a reject of its own, and so is a line that cannot be used. Since annotators count
    places, each leaves its place empty: in its own dialogue or, if that cannot be read, in the dialogue of the line
    before.

    Raises UserError where the file is cut off or damaged, and where it has no dialogue.
    """
    path = str(settings.path)
    left = Rejects(CORPUS)
    dialogues: dict[str, list[Utterance | None]] = {}  # None: a line that cannot be used
    last, counted = "", 0
    read = utterance_lines if is_marked_csv(path) else read_lines
    for line in read(path, left, "ingest.dialogues.path"):
        if last:
            dialogues[last] += [None] * (len(left.rows) - counted)
        one = None
        try:
            one = _utterance(line)
        except Reject as reject:
            left.add(line, reject)
        if last := _dialogue(line) or last:
            dialogues.setdefault(last, []).append(one)
        counted = len(left.rows)
    rows = [row for every in dialogues.values() for row in _rows(every, settings, left)]
    count = len({row["dialogue_id"] for row in rows})
    summary = f"{count} dialogues, {len(rows)} utterances, {len(left.rows)} rejects"
    if not rows:
        raise UserError(
            f"ingest.dialogues.path: {path} holds no dialogue ({summary}{left.most()}). Each line must be a "
            "JSON object, as in ConvoKit's utterances.jsonl or in docs/dialogues.md."
        )
    tables.write(utterances, UTTERANCES, rows, job.metadata)
    left.write(rejects, job.metadata)
    job.progress.say(summary)


def _dialogue(line: Line) -> str:
    """The dialogue that a line names; empty where it names none."""
    name = next((line.record[name] for name in DIALOGUE if name in line.record), None)
    return name if isinstance(name, str) and name.strip() else ""


def _utterance(line: Line) -> Utterance:
    record = line.record
    reply = next((name for name in REPLY if name in record), None)
    reply_to = field(record, (reply,)) if reply and record[reply] is not None else None
    text = field(record, ("text",))
    if not text.strip():
        meta = record.get("meta")
        text = field(meta, (NOTE,)) if isinstance(meta, Mapping) and meta.get(NOTE) is not None else ""
    name = field(record, ("id",)) if "id" in record else None
    speaker, dialogue = field(record, SPEAKER), field(record, DIALOGUE)
    if not speaker.strip() or not dialogue.strip():
        raise Reject("missing_field", "speaker" if dialogue.strip() else "dialogue")
    return Utterance(line, dialogue, name, speaker.strip(), text, reply is not None, reply_to)


def _rows(
    dialogue: Sequence[Utterance | None], settings: DialoguesSettings, left: Rejects
) -> Iterator[dict[str, Any]]:
    """The rows of a dialogue, in order."""
    seen, places = set[str](), list[Utterance | None]()
    for one in dialogue:
        if one and one.name is not None and one.name in seen:
            left.add(one.line, Reject("duplicate_id", one.name))
            places.append(None)  # as each rejected line
        else:
            places.append(one)
            seen |= {one.name} if one and one.name is not None else set()
    first = [one for one in places if one]
    if not first:
        return
    try:
        ordered = _ordered(first) if any(one.replies for one in first) else places
        if not settings.shortest <= len(ordered) <= settings.longest:
            raise Reject("dialogue_length", str(len(ordered)))
    except Reject as reject:
        for one in first:
            left.add(one.line, reject)
        return
    for position, one in enumerate(ordered):
        if one is None:
            continue
        if not one.text.strip():
            left.add(one.line, Reject("empty_text", one.speaker))
            continue
        yield {
            "dialogue_id": one.dialogue,
            "position": position,
            "utterance_id": one.name,
            "speaker": one.speaker,
            "text": one.text,
            "source_row": one.line.number,
        }


def _ordered(dialogue: Sequence[Utterance]) -> list[Utterance]:
    """The utterances, each after the one that it replies to. Raises Reject if their replies form no chain."""
    names = {one.name for one in dialogue}
    starts = [one for one in dialogue if one.reply_to is None]
    after: dict[str | None, Utterance] = {}
    for one in dialogue:
        if one.reply_to is not None and one.reply_to not in names:
            raise Reject(
                "no_order", f"{one.name or one.line.number} replies to {one.reply_to}, which is not there"
            )
        if one.reply_to in after:
            raise Reject("no_order", f"two utterances reply to {one.reply_to or 'nothing'}")
        after[one.reply_to] = one
    if len(starts) != 1:
        raise Reject("no_order", "the replies go in a circle")
    chain = starts
    while (following := after.get(chain[-1].name)) and chain[-1].name is not None:
        chain.append(following)
    if len(chain) != len(dialogue):
        raise Reject("no_order", "the replies go in a circle")
    return chain
