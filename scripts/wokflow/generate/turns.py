"""The utterances of a model's answer, aligned with those of the dialogue that it adapts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

# What is set right, as the table of adaptations names it.
WORDS_AROUND, JOINED_LINES, SPLIT_LINES = "words_around", "joined_lines", "split_lines"
JOINED_UTTERANCES, SHORT_NAMES, RENAMED = "joined_utterances", "short_names", "renamed_speakers"
TELLING = 3  # utterances by which new speakers are known: "Sorry: I cannot." is none
# A line before the adaptation, where an answer first repeats the dialogue: "Adapted Version 3:".
_HEADING = re.compile(
    r"^\W*(?:(?:\w+ )?adapted (?:version|dialog(?:ue)?|text)s?\b[^:]{0,40}:?"
    r"|(?:\w+[^\w:]{1,3}){0,8}adapt(?:ed|ation)\b[^:]{0,40}:)\W*$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|`")
_BEGIN = r"^(?:[-*•>]+ |\(?\d{1,2}[.)] )?[*_\"“#>]{0,4}"  # marks of lists, bold and quotations
_OTHER = re.compile(
    rf"{_BEGIN}(?P<name>[^\W\d_][\w.'’-]*(?: \w[\w.'’-]*){{0,2}}) ?[:：][*_]{{0,3}} ?(?P<said>.*\w.*)"
)
_REMARK = re.compile(  # on the adaptation
    r"^\W*(?:please )?(?:note|explanation|changes?|adaptations?|cultural|key|here|original)\b", re.IGNORECASE
)


class Turn(NamedTuple):
    """An utterance: who speaks, and what is said."""

    speaker: str
    text: str


class Misfit(Exception):  # noqa: N818  (an outcome of one answer, not a fault)
    """An answer that is no adaptation, utterance by utterance; `reason` is one of schemas.REASONS."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


class Aligned(NamedTuple):
    """The utterances of an adaptation, one for each of the dialogue, and the repairs that it took to find them."""

    turns: Sequence[Turn]
    repairs: Sequence[str]


def aligned(dialogue: Sequence[Turn], answer: str, *, renamed: bool) -> Aligned:
    """The utterances of an answer, one for each of the dialogue.

    A line begins an utterance if a speaker's name and a colon begin it, with or without marks of lists and bold.
    Other lines belong to the one before, or are remarks: before the first utterance, and behind an empty line after
    the last one. Several utterances of a speaker in a row are one where the dialogue has one there. Where there would
    be too few, lines are parted before names of speakers within, unless texts of the dialogue have such names, too.
    Speakers may have a part of their names and, with `renamed`, other ones: each the same throughout, and none that
    of another speaker. Where nobody has the own name, at least TELLING utterances must come in the order of the
    dialogue's speakers.

    Raises Misfit where that leaves fewer or more utterances, other speakers, one who says nothing, or an utterance
    that has another one within.
    """
    reader = _Reader(dialogue)
    lines = [" ".join(_MARKUP.sub("", line).split()) for line in answer.splitlines()]
    try:
        return reader.aligned(lines, renamed)
    except Misfit as misfit:
        if misfit.reason != "fewer_utterances":
            raise
        try:
            turns, repairs = reader.aligned(reader.parted(lines), renamed)
        except Misfit:
            raise misfit from None
        return Aligned(turns, sorted([*repairs, SPLIT_LINES]))


@dataclass(frozen=True)
class _Reader:
    """Finds the utterances of a dialogue in lines."""

    dialogue: Sequence[Turn]

    @cached_property
    def speakers(self) -> list[str]:
        return list(dict.fromkeys(turn.speaker for turn in self.dialogue))

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Speakers by their names in small letters, and by those words of a name that no other speaker has."""
        words: dict[str, set[str]] = {}
        for name in self.speakers:
            for word in _key(name).split():
                words.setdefault(word, set()).add(name)
        own = {word: next(iter(of)) for word, of in words.items() if len(of) == 1 and len(word) > 1}
        return own | {_key(name): name for name in self.speakers}

    @cached_property
    def names(self) -> str:
        """A pattern for all spellings, the longest first."""
        longest_first = sorted(self.spellings, key=lambda name: (-len(name), name))
        return "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in longest_first)

    @cached_property
    def known(self) -> re.Pattern[str]:
        """A line that begins an utterance of the dialogue's own speakers; an aside may stand behind the name."""
        return re.compile(
            rf"{_BEGIN}(?P<name>{self.names})[*_]{{0,3}} ?(?P<aside>\([^()]*\)|\[[^\[\]]*\])? ?"
            r"[:：][*_]{0,3} ?(?P<said>.*)",
            re.IGNORECASE,
        )

    @cached_property
    def within(self) -> re.Pattern[str]:
        """A space within a line before a speaker's whole name and a colon."""
        whole = "|".join(re.escape(name) for name in self.speakers)
        return re.compile(rf"(?<=\S) (?=(?:{whole}) ?[:：])")

    def parted(self, lines: Sequence[str]) -> list[str]:
        """Lines that end where another utterance begins; the same ones if utterances of the dialogue seem to, too."""
        if any(self.within.search(turn.text) for turn in self.dialogue):
            return [*lines]
        return [part for line in lines for part in self.within.split(line)]

    def aligned(self, lines: Sequence[str], renamed: bool) -> Aligned:
        turns, gaps, repairs = self.found(lines)
        if any(turn.speaker in self.speakers for turn in turns):
            self.trim(turns, gaps, repairs)
        elif len(self.dialogue) < TELLING or _order(turns) != _order(self.dialogue):
            raise Misfit("no_utterances", next(filter(None, lines), "")[:200])
        for place, rest in enumerate(gaps):
            if rest:
                repairs.add(JOINED_LINES if place else WORDS_AROUND)
            if place:
                turns[place - 1] = _with(turns[place - 1], rest)
        if len(turns) != len(self.dialogue):
            turns = self.joined(turns)
            repairs.add(JOINED_UTTERANCES)
        if names := self.new_names(turns):
            repairs.add(RENAMED)
            if not renamed:
                raise Misfit("other_speakers", ", ".join(f"{new} for {old}" for old, new in names.items()))
        for theirs, ours in zip(self.dialogue, turns, strict=True):
            if re.search(r"\w", theirs.text) and not re.search(r"\w", ours.text):
                raise Misfit("empty_utterance", ours.speaker)
            if self.within.search(ours.text) and not self.within.search(theirs.text):
                raise Misfit("other_speakers", f"another one within the utterance of {ours.speaker}")
        return Aligned(turns, sorted(repairs))

    def trim(self, turns: list[Turn], gaps: list[list[str]], repairs: set[str]) -> None:
        """Leaves out what is too much before and behind: "Scene: a flat in Pune", "Diwali: in place of Thanksgiving".

        Raises Misfit if a speaker would lose only some utterances.
        """
        given, left = len(turns), set[str]()
        while len(turns) > len(self.dialogue):
            ends = [place for place in (0, -1) if turns[place].speaker not in self.speakers]
            if not ends:
                break
            left.add(turns.pop(ends[0]).speaker)
            gaps.pop(ends[0])
            repairs.add(WORDS_AROUND)
        if left & {turn.speaker for turn in turns}:
            raise Misfit("more_utterances", f"{given}, not {len(self.dialogue)}")

    def found(self, lines: Sequence[str]) -> tuple[list[Turn], list[list[str]], set[str]]:
        """The utterances after the last heading before one, the remarks before each of them, and the repairs."""
        begins = [number for number, line in enumerate(lines) if self.known.match(line)]
        headings = [
            number + 1
            for number, line in enumerate(lines)
            if _HEADING.match(line) and begins and number < begins[-1]
        ]
        begin = headings[-1] if headings else 0
        turns, gaps = list[Turn](), list[list[str]]()
        repairs = {WORDS_AROUND} if any(lines[:begin]) else set[str]()
        gap, rest = False, list[str]()  # an empty line, and lines behind it that begin no utterance
        for line in lines[begin:]:
            turn = self.turn(line, repairs)
            if turn:
                turns.append(turn)
                gaps.append(rest)
                gap, rest = False, []
            elif not line:
                gap = True
            elif turns and not gap and not _REMARK.match(line):
                repairs.add(JOINED_LINES)
                turns[-1] = _with(turns[-1], [line])
            else:
                gap = True
                rest.append(line)
        if rest:
            repairs.add(WORDS_AROUND)
        return turns, gaps, repairs

    def turn(self, line: str, repairs: set[str]) -> Turn | None:
        """The utterance that a line begins; None if it begins none."""
        match = self.known.match(line)
        name = _key(match["name"]) if match else ""
        speaker = self.spellings.get(name)  # none of İ for i, which the pattern takes for the same letter
        if match and speaker:
            if name != _key(speaker):
                repairs.add(SHORT_NAMES)
            return Turn(speaker, " ".join(filter(None, (match["aside"], match["said"]))))
        other = None if _REMARK.match(line) else _OTHER.match(line)
        return Turn(other["name"], other["said"]) if other and other["name"][0].isupper() else None

    def joined(self, turns: Sequence[Turn]) -> list[Turn]:
        """The utterances, with those joined that part what the dialogue has as one."""
        wanted, given = _runs(self.dialogue), _runs(turns)
        made = list[Turn]()
        if _order([some[0] for some in wanted]) == _order([some[0] for some in given]):
            for theirs, ours in zip(wanted, given, strict=True):
                one = [ours[0]._replace(text=" ".join(turn.text for turn in ours))]
                made += one if len(theirs) == 1 else ours
                if len(theirs) not in (1, len(ours)):
                    made.clear()
                    break
        if len(made) != len(self.dialogue):
            fewer = len(turns) < len(self.dialogue)
            reason = "fewer_utterances" if fewer else "more_utterances"
            raise Misfit(reason, f"{len(turns)}, not {len(self.dialogue)}")
        return made

    def new_names(self, turns: Sequence[Turn]) -> Mapping[str, str]:
        """The new names of speakers that have one. Raises Misfit unless each has one name, which nobody else has."""
        new: dict[str, str] = {}
        for one, other in zip(self.dialogue, turns, strict=True):
            if new.setdefault(one.speaker, other.speaker) != other.speaker:
                raise Misfit("other_speakers", f"{other.speaker} for {one.speaker}")
        changed = {one: other for one, other in new.items() if one != other}
        if wrong := [f"{other} for {one}" for one, other in changed.items() if other in self.speakers]:
            raise Misfit("other_speakers", ", ".join(wrong))
        if len({*new.values()}) < len(new):
            raise Misfit("other_speakers", f"one name for {' and '.join(changed)}")
        return changed


def _key(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())


def _with(turn: Turn, lines: Sequence[str]) -> Turn:
    """The utterance with more lines."""
    return turn._replace(text=" ".join([turn.text, *lines]).strip())


def _runs(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Utterances of a speaker in a row."""
    return [[*some] for _, some in groupby(turns, key=lambda turn: turn.speaker)]


def _order(turns: Sequence[Turn]) -> list[int]:
    """Speakers as numbers, by the order in which they first speak."""
    seen: dict[str, int] = {}
    return [seen.setdefault(turn.speaker, len(seen)) for turn in turns]
