"""Prompts: templates with places for a recipe, or for a sentence and its items."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wokflow.frame.job import UserError
from wokflow.frame.text_files import read_prose

PLACES = {  # what can be filled in, and which instances have it
    "source": "all have it",
    "title": "only recipes have a title",
    "base": "only counterfactual recipes have a base dish",
    "replaced": "only sentences have it",
    "items": "only sentences have items",
    "dictionary": "only sentences have items",
    "explanations": "only sentences have items",
    "source_language": "only sentences have it, where scripts/wokflow/frame/languages.py names their language",
    "target_language": "only sentences have it, where scripts/wokflow/frame/languages.py names their language",
    "culture": "only dialogues have one",
    "people": "only dialogues have them",
    "exemplars": "only dialogues have them",
}
ANSWER = "{answer}"  # between two questions of a prompt
OPTIONAL = ("dictionary", "explanations")  # a line that introduces one is left out where there is none
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Prompt:
    """A template with places such as {source} (PLACES); any other use of braces stands for itself.

    {answer} between two lines makes two questions of them: the second is asked after the answer to the first.
    """

    path: str
    template: str

    @classmethod
    def read(cls, path: str) -> "Prompt":
        """From a UTF-8 file, without the line breaks at its end.

        Raises UserError where it cannot be read, has an unknown place or none at all.
        """
        known = ", ".join(f"{{{name}}}" for name in PLACES)
        template = read_prose(path, "a prompt").rstrip("\r\n")
        prompt = cls(path, template)
        names = [name for question in prompt.questions for name in _PLACE.findall(question.template)]
        for name in names:
            if name not in PLACES:
                raise UserError(f"The prompt {path} has the place {{{name}}}; known are {known}.")
        if not names:
            raise UserError(f"The prompt {path} has no place for a recipe: put one of {known} into it.")
        return prompt

    @property
    def questions(self) -> "list[Prompt]":
        """What is asked one after another: what stands before and behind {answer}, without line breaks around it."""
        if ANSWER not in self.template:
            return [self]
        return [Prompt(self.path, part.strip("\r\n")) for part in self.template.split(ANSWER)]

    def fill(self, **values: str | None) -> str:
        """The prompt of one instance, filled in one pass: braces of a recipe or a sentence are left as they are.

        Where there is no dictionary or explanation, lines that introduce it, and do not hold the source too, are
        left out. Raises UserError where the template has a place whose value is None or missing.
        """
        for name in _PLACE.findall(self.template):
            if values.get(name) is None:
                raise UserError(
                    f"The prompt {self.path} has the place {{{name}}}, but {PLACES[name]}. "
                    "Remove it, or take another prompt for this run in the table of runs."
                )
        lines = [line for line in self.template.split("\n") if not _is_empty(line, values)]
        return _PLACE.sub(lambda match: values[match[1]] or "", "\n".join(lines))


def _is_empty(line: str, values: Mapping[str, str | None]) -> bool:
    names = _PLACE.findall(line)
    return "source" not in names and any(name in OPTIONAL and not values[name] for name in names)


@dataclass(frozen=True)
class Dialogue:
    """A prompt with exemplars before it: `before` has their questions and answers, in turn."""

    prompt: Prompt
    before: Sequence[str] = ()

    @property
    def turns(self) -> int:
        """How often the model answers."""
        return len(self.prompt.questions)

    def said(self, values: Mapping[str, str | None], *answers: str) -> list[str]:
        """All questions and answers, in turn, up to the question that follows these answers."""
        said = list(self.before)
        for number, question in enumerate(self.prompt.questions[: len(answers) + 1]):
            said += [question.fill(**values), *answers[number : number + 1]]
        return said


def one_text(said: Sequence[str]) -> str:
    """A dialogue as one text for a model that continues texts: each turn on a line of its own, or after the colon
    that asks for it.
    """
    text = said[0]
    for number, turn in enumerate(said[1:], start=1):
        text += turn if number % 2 and text.endswith(":") else f"\n{turn}"
    return text
