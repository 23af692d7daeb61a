"""Prompts: templates with places for a recipe."""

import re
from dataclasses import dataclass
from pathlib import Path

from wokflow.frame.job import UserError

PLACES = ("source", "title", "base")
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Prompt:
    """A template with the places {source}, {title} and {base}; any other use of braces stands for itself."""

    path: str
    template: str

    @classmethod
    def read(cls, path: str) -> "Prompt":
        """From a UTF-8 file, without the line breaks at its end.

        Raises UserError where it cannot be read, has an unknown place or none at all.
        """
        known = ", ".join(f"{{{name}}}" for name in PLACES)
        try:
            template = Path(path).read_text(encoding="utf-8-sig").rstrip("\r\n")
        except OSError as error:
            raise UserError(f"The prompt {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise UserError(
                f"The prompt {path} is not UTF-8: save it again as Unicode (UTF-8) text."
            ) from error
        names = _PLACE.findall(template)
        for name in names:
            if name not in PLACES:
                raise UserError(f"The prompt {path} has the place {{{name}}}; known are {known}.")
        if not names:
            raise UserError(f"The prompt {path} has no place for a recipe: put one of {known} into it.")
        return cls(path, template)

    def fill(self, *, source: str, title: str, base: str | None) -> str:
        """The prompt of one instance, filled in one pass: braces of a recipe are left as they are.

        Raises UserError where the template asks for a base dish and there is none.
        """
        if base is None and "{base}" in self.template:
            raise UserError(
                f"The prompt {self.path} has the place {{base}}, but only counterfactual recipes have a base dish. "
                "Remove it, or take another prompt for this run in runs.tsv."
            )
        values = {"source": source, "title": title, "base": base or ""}
        return _PLACE.sub(lambda match: values[match[1]], self.template)
