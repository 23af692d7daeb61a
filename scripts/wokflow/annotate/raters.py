"""The table of raters. It holds pseudonyms and no other personal data."""

import re
from dataclasses import dataclass

from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_table

COLUMNS = {
    "rater": "A pseudonym: letters, digits, _ and -, the first a letter. No real name, and no nickname that "
    "others know.",
    "consent": "`yes`: the rater has consented to the study's text. Without it, there is no sheet, and no answer "
    "counts.",
    "state": "Empty: takes part. `excluded`: the answers do not count. `withdrawn`: no data of the rater is kept.",
    "replaces": "A rater further up in the table, whose tasks this one gets. Empty: the next open tasks.",
}
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# Words that spreadsheet programs turn into dates or truth values.
MONTHS = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
)
TAKEN = re.compile(rf"({MONTHS}|dec(ember)?)[-_]?\d+|true|false", re.I)
YES = ("yes", "y", "true", "1", "x", "是")
STATES = ("", "excluded", "withdrawn")


@dataclass(frozen=True)
class Rater:
    """A row of the table; `share` is the number of the rater's share of the tasks, from 0."""

    name: str
    consent: bool
    state: str
    share: int

    @property
    def takes_part(self) -> bool:
        return self.consent and not self.state


def read_raters(path: str) -> list[Rater]:
    """The raters of a table, in its order. Raises UserError, with the line, for a row that cannot be used."""
    raters: dict[str, Rater] = {}
    shares = 0
    for line, row in read_table(path, COLUMNS, "raters", comments=True, whole=False):
        name, consent, state, replaces = (row[column].strip() for column in COLUMNS)
        where = f"{path}, line {line}"
        if not NAME.fullmatch(name):
            raise UserError(
                f"{where}: {name!r} is not a valid pseudonym: use letters, digits, _ and -, and begin with a letter."
            )
        if TAKEN.fullmatch(name):
            raise UserError(
                f"{where}: spreadsheet programs turn {name} into something else. Choose another pseudonym."
            )
        if name.casefold() in (known.casefold() for known in raters):
            raise UserError(f"{where}: the pseudonym {name} occurs twice.")
        if state not in STATES:
            raise UserError(
                f"{where}: state {state!r} is neither excluded nor withdrawn; it is empty for raters who take part."
            )
        if replaces and replaces not in raters:
            raise UserError(f"{where}: {name} replaces {replaces!r}, who is in no earlier line.")
        share = raters[replaces].share if replaces else shares
        shares += not replaces
        raters[name] = Rater(name, consent.casefold() in YES, state, share)
    if not raters:
        raise UserError(f"{path} names no raters.")
    return list(raters.values())
