"""Metrics of single texts by a program in an environment of its own, as COMET and BLEURT need one."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wokflow.evaluate.contributions import Texts, one_line
from wokflow.evaluate.score_intervals import Metric, mean, skipped
from wokflow.frame.command import run_command
from wokflow.frame.job import UserError
from wokflow.models.recipe_texts import without_headings


@dataclass(frozen=True)
class Scorer:
    """A metric whose values, about 0 to 1, a program gives.

    `command` reads JSON lines with src, mt and ref and writes a number for each (see frame.command: {input} and
    {output} are files); {worker} stands for the file `worker`, which comes with Wokflow. It may take `seconds`. With
    `hub` it fetches its model from the Hugging Face hub by itself, and gets the token for that. Without `gpu` it sees
    none.
    """

    metric: str
    title: str
    worker: str
    command: Sequence[str]
    seconds: float | None
    hub: bool = False
    gpu: bool = True

    @property
    def key(self) -> str:
        """The command's key in the config."""
        return f"evaluate.{self.metric}.command"

    def score(self, texts: Texts) -> list[Metric]:
        """The metric in percent; skipped, with a note, without a command."""
        if not self.command:
            return [
                skipped(self.metric, len(texts.texts), f"No program for {self.title} is given ({self.key}).")
            ]
        return [mean(self.metric, self.values(texts, self.command), signature=signature(self.command))]

    def values(self, texts: Texts, command: Sequence[str]) -> list[float]:
        """The value of each text. An empty prediction has 0 and is not sent to the command.

        Raises UserError if the command fails or does not write a number for each line.
        """
        sources = (one_line(without_headings(source)) for source in texts.sources)
        rows = list(zip(sources, texts.texts, texts.references, strict=True))
        lines = [
            json.dumps({"src": source, "mt": text, "ref": reference}) + "\n"
            for source, text, reference in rows
            if text.strip()
        ]
        if not lines:
            return [0.0] * len(rows)
        written = run_command(
            command,
            "".join(lines),
            key=self.key,
            seconds=self.seconds,
            worker=self.worker,
            hub=self.hub,
            gpu=self.gpu,
        )
        numbers = self._numbers(written)
        if len(numbers) != len(lines):
            raise UserError(
                f"{self.key}: the program was given {len(lines)} lines and wrote {len(numbers)} numbers."
            )
        scores = iter(numbers)
        return [next(scores) if text.strip() else 0.0 for _, text, _ in rows]

    def _numbers(self, text: str) -> list[float]:
        scores = []
        for number, line in enumerate(text.splitlines(), start=1):
            where = f"{self.key}: line {number} of what the program wrote"
            try:
                scores.append(float(line))
            except ValueError as error:
                raise UserError(f"{where} is no number: {line!r}.") from error
            if not math.isfinite(scores[-1]):
                raise UserError(f"{where} is {line}: there is no score.")
        return scores


def signature(command: Sequence[str]) -> str:
    """The words of the command, which name the model, without files and without folders of programs and models."""
    words = (word for word in command if word not in ("{input}", "{output}", "{worker}"))
    return "command:" + " ".join(
        Path(word).name if word.startswith(("/", ".", "~")) else word for word in words
    )
