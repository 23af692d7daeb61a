"""Checks of raters: tasks with known answers, before the other tasks (comprehension) or among them (attention)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from wokflow.annotate.check_tables import ATTENTION, CHECKS, COMPREHENSION, KIND, NAME, check_rows
from wokflow.annotate.dialogue_checks import DialogueCheck, read_dialogue_checks
from wokflow.annotate.fields import LETTERS, SYSTEM, TASK, field, utterances
from wokflow.annotate.raters import Rater
from wokflow.annotate.schemas import LEFT_OUT
from wokflow.annotate.settings import RaterLimits
from wokflow.annotate.writing_checks import WritingCheck, read_writing_checks
from wokflow.frame.job import UserError


@dataclass(frozen=True)
class Check:
    """A row of the table. `options` names texts that get letters; `accepted` has the right answers by dimension."""

    name: str
    kind: str
    shown: Mapping[str, str]
    options: Sequence[str]
    dimensions: Sequence[Mapping[str, Any]]
    accepted: Mapping[str, Sequence[str]]

    def row(self, random: Random) -> dict[str, Any]:
        """The check in the form of a row of annotate/assigned."""
        order = list(self.options)
        random.shuffle(order)
        letters = dict(zip(LETTERS, order, strict=False))
        texts = {name: text for name, text in self.shown.items() if name not in order}
        texts |= {letter: self.shown[option] for letter, option in letters.items()}
        fields = []
        for each in self.dimensions:
            right = self.accepted[each["name"]]
            fields.append(
                field(each, list(letters), order, right)
                if order
                else field(each, each["values"], accepted=right)
            )
        shown = [{"name": name, "text": text} for name, text in texts.items()]
        return {"task_id": self.name, "kind": self.kind, "shown": shown, "fields": fields}


def read_checks(path: str, task: Mapping[str, Any]) -> list[Check] | list[DialogueCheck] | list[WritingCheck]:
    """The checks of a table, for tasks like `task`.

    Those of dialogues in which items are marked: see read_dialogue_checks. Of recipes to adapt: see
    read_writing_checks. Otherwise, its columns are name, kind, the texts that tasks show, and a column for each
    dimension with the right values, separated by blanks; empty: any. If tasks compare texts, further columns hold as
    many texts or more, of which the first ones are shown, and the right values are the names of these columns. In
    texts, a bar stands for a line break. Raises UserError, with the line, for a check that cannot be used.
    """
    if utterances(task["shown"]):
        return read_dialogue_checks(path, task)
    if not task["dimensions"]:
        return read_writing_checks(path, task)
    dimensions = task["dimensions"]
    names = [each["name"] for each in dimensions]
    context = [each["name"] for each in task["shown"] if not each["name"].startswith(SYSTEM)]
    count = len(task["shown"]) - len(context)
    checks = list[Check]()
    for where, row in check_rows(path, (*context, *names)):
        options = [name for name in row if name not in (NAME, KIND, *context, *names)][:count]
        if len(options) != count:
            raise UserError(f"{where}: tasks compare {count} texts, but the check has {len(options)}.")
        accepted = {name: row[name].split() for name in names}
        for each in dimensions:
            if unknown := set(accepted[each["name"]]) - set(options or each["values"]):
                raise UserError(f"{where}: {', '.join(sorted(unknown))} is not a value of {each['name']}.")
        if not any(accepted.values()):
            raise UserError(f"{where}: the check accepts every answer: fill in which are right.")
        shown = {name: row[name].replace(" | ", "\n") for name in (*context, *options)}
        checks.append(Check(row[NAME], row[KIND], shown, options, dimensions, accepted))
    return checks


def about_rater(
    rater: Rater, answers: Iterable[tuple[str, bool]], limits: RaterLimits, *, all_alike: bool = False
) -> dict[str, Any]:
    """A row of annotate/raters; `answers` are, for each row handed out, its kind and whether it is answered or, of a
    check, answered correctly.

    `left_out` is the first reason of LEFT_OUT that holds.
    """
    of_kind: dict[str, list[bool]] = {kind: [] for kind in (TASK, *CHECKS)}
    for kind, held in answers:
        of_kind[kind].append(held)
    tasks, examples, attention = (of_kind[kind] for kind in (TASK, COMPREHENSION, ATTENTION))
    holds = {
        "no_consent": not rater.consent,
        "excluded": rater.state == "excluded",
        "failed_comprehension": bool(examples) and sum(examples) / len(examples) < limits.comprehension,
        "failed_attention": attention.count(False) > limits.attention,
        "few_answers": bool(tasks) and sum(tasks) / len(tasks) < limits.answered,
        "all_alike": all_alike,
    }
    return {
        "rater": rater.name,
        "tasks": len(tasks),
        "answered": sum(tasks),
        "examples": len(examples),
        "examples_right": sum(examples),
        "attention": len(attention),
        "attention_failed": attention.count(False),
        "left_out": next((reason for reason in LEFT_OUT if holds[reason]), None),
    }
