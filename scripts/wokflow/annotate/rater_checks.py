"""Checks of raters: tasks with known answers, before the other tasks (comprehension) or among them (attention)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from wokflow.annotate.fields import LETTERS, SYSTEM, field
from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_table

KINDS = ("comprehension", "attention")


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


def read_checks(path: str, task: Mapping[str, Any]) -> list[Check]:
    """The checks of a table, for tasks like `task`.

    Its columns are name, kind, the texts that tasks show, and a column for each dimension with the right values,
    separated by blanks; empty: any. If tasks compare texts, further columns hold as many texts, and the right values
    are the names of these columns. In texts, a bar stands for a line break. Raises UserError, with the line, for a
    check that cannot be used.
    """
    dimensions = task["dimensions"]
    names = [each["name"] for each in dimensions]
    context = [each["name"] for each in task["shown"] if not each["name"].startswith(SYSTEM)]
    count = len(task["shown"]) - len(context)
    checks = list[Check]()
    for line, row in read_table(path, ("name", "kind", *context, *names), comments=True):
        where = f"{path}, line {line}"
        options = [name for name in row if name not in ("name", "kind", *context, *names)] if count else []
        if not row["name"] or row["kind"] not in KINDS:
            raise UserError(f"{where}: a check needs a name, and a kind: {' or '.join(KINDS)}.")
        if row["name"] in (check.name for check in checks):
            raise UserError(f"{where}: the check {row['name']} occurs twice.")
        if len(options) != count:
            raise UserError(f"{where}: tasks compare {count} texts, but the check has {len(options)}.")
        accepted = {name: row[name].split() for name in names}
        for each in dimensions:
            if unknown := set(accepted[each["name"]]) - set(options or each["values"]):
                raise UserError(f"{where}: {', '.join(sorted(unknown))} is not a value of {each['name']}.")
        if not any(accepted.values()):
            raise UserError(f"{where}: the check accepts every answer: fill in which are right.")
        shown = {name: row[name].replace(" | ", "\n") for name in (*context, *options)}
        checks.append(Check(row["name"], row["kind"], shown, options, dimensions, accepted))
    return checks
