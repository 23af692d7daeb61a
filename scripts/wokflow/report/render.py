"""The page's templates: jinja2, with one gate through which every text passes before it is escaped."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from wokflow.frame.languages import CHINESE

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def visible(value: object) -> str:
    """Text in which invisible characters, noncharacters, and those that change its direction are written as \\x00."""
    return CONTROLS.sub(lambda match: ascii(match[0])[1:-1], str(value))


def number(value: float | None, digits: int = 0) -> str:
    return "–" if value is None else f"{value:z,.{digits}f}"  # z: no -0.00


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def shorten(value: str, length: int) -> str:
    return value if len(value) <= length else value[:length].rstrip() + " …"


def p_value(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def interval(low: float | None, high: float | None, digits: int = 1) -> str:
    return "" if low is None or high is None else f"{low:.{digits}f} to {high:.{digits}f}"


class Cell(NamedTuple):
    """A cell of a table: a text or a number (None: –), a note below it, a bar that fills `share` of the cell."""

    value: object = ""
    note: str = ""
    digits: int = 0
    lang: str = ""
    share: float | None = None
    kind: str = ""  # published, code
    heat: float | None = None  # 0 to 1: how strong its colour is in a table of shades
    number: bool = False  # a text that stands in a column of numbers

    @property
    def numeric(self) -> bool:
        return self.number or self.value is None or isinstance(self.value, int | float)

    @property
    def text(self) -> object:
        return number(self.value, self.digits) if isinstance(self.value, int | float | None) else self.value


class Table:
    """Headings and rows; what is no Cell becomes one. A column of numbers is aligned to the right."""

    def __init__(self, head: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
        self.rows = [[each if isinstance(each, Cell) else Cell(each) for each in row] for row in rows]
        self.head = [
            (label, bool(self.rows) and all(row[place].numeric for row in self.rows))
            for place, label in enumerate(head)
        ]

    def __bool__(self) -> bool:
        return bool(self.rows)


def share(value: float | None, note: str = "", most: float = 1.0) -> Cell:
    """A share in percent, with a bar that is full from `most` on; an empty cell if the share is not known."""
    return Cell("") if value is None else Cell(percent(value), note, share=min(1.0, value / most))


def language(text: str) -> str:
    """The language to show a text in: zh if it has a Chinese character."""
    return "zh" if CHINESE.search(text) else ""


class Templates:
    """The templates of a folder."""

    def __init__(self, folder: str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: value if isinstance(value, Markup) else visible(value),
        )
        self._environment.filters |= {"number": number, "percent": percent, "language": language}

    def render(self, name: str, /, **values: Any) -> Markup:
        """A template filled in; Markup, so that another template takes it as it is."""
        return Markup(self._environment.get_template(name).render(values))
