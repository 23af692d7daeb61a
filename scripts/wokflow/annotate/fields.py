"""The columns of a sheet, and the fields among them that a rater fills in."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

ID, RATER, COMMENT = "id", "rater", "comment"
PART, SOURCE, TARGET = "part", "source", "target"  # columns of recipes to adapt
PLACE, SPEAKER, TEXT = "place", "speaker", "text"  # columns of dialogues in which items are marked
ITEM, CATEGORY, FOREIGNNESS = "item", "category", "foreignness"
START = "start"  # where an item begins, in marks of Label Studio
STATE = "dialogue is"  # of a dialogue in Label Studio without an annotation: one of the first two
OPEN, SKIPPED, UNMARKED, MARKED = "not answered", "skipped", "without", "with marks"  # states of dialogues
WORDS = "words"  # what the adaptation of a check must have
MARKING = "marking"  # the kind of studies that mark items
ASKING = "asking"  # the kind of studies that ask how often actions occur in a dish
TASK = "task"  # the kind of a row of annotate/assigned that is no check
UTTERANCE = "utterance:"  # prefix of the place and the speaker of an utterance, among the texts of a dialogue
HUMAN = "human"  # the system that wrote the references
PTA = "pta"  # the data of studies that choose between translations of items
LETTERS = "ABCDEF"  # names of the compared texts in a sheet
SYSTEM = "system:"  # prefix of a system's name, among the texts of a tuple
BEST, WORST = ".best", ".worst"  # suffixes of a dimension by which texts are compared


def field(
    dimension: Mapping[str, Any],
    values: Sequence[str],
    means: Sequence[str] | None = None,
    accepted: Sequence[str] = (),
) -> dict[str, Any]:
    """A column whose cells hold one of `values`; `means` are the values of the dimension for these, in order.

    `accepted` are the right answers of a check. The question is the dimension's, if it has one.
    """
    name = dimension["name"]
    column = name.replace(BEST, ": best").replace(WORST, ": worst")
    asked = {"column": column, "dimension": name, "question": dimension.get("question", "")}
    return asked | {"values": list(values), "means": list(means or values), "accepted": list(accepted)}


def utterance(position: int, speaker: str, text: str) -> dict[str, str]:
    """An utterance among the texts that a task shows; people count places from 1."""
    return {"name": f"{UTTERANCE}{position + 1}:{speaker}", "text": text}


def utterances(shown: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Place, speaker and text of the utterances among the texts of a task."""
    spoken = [each for each in shown if each["name"].startswith(UTTERANCE)]
    return [
        {PLACE: place, SPEAKER: speaker, TEXT: each["text"]}
        for each in spoken
        for place, _, speaker in [each["name"].removeprefix(UTTERANCE).partition(":")]
    ]
