"""COMET of one run (Rei et al. 2020), by a program in an environment of its own."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

from wokflow.evaluate import comet_worker
from wokflow.evaluate.command import run_command
from wokflow.evaluate.intervals import Metric, mean, skipped
from wokflow.evaluate.parts import Texts, one_line, write_parts
from wokflow.frame.job import Progress, UserError
from wokflow.models.texts import without_headings

KEY = "evaluate.comet.command"
WORKER = str(comet_worker.__file__)


def evaluate_comet(
    *,
    instances: str,
    predictions: str,
    parts: str,
    run: str,
    data: str,
    command: Sequence[str] | None,
    seconds: float | None = None,
    metadata: dict[str, str],
    progress: Progress | None = None,
) -> None:
    """Write schema evaluate/parts with metric comet, in percent; see parts.write_parts.

    `command` has the words {input}, a file of JSON lines with src, mt and ref, and {output}, where it writes a
    number a line; {worker} stands for comet_worker.py, to be run by a Python that has unbabel-comet. It may take
    `seconds`. Without a command the metric is skipped. An empty prediction scores 0 and is not sent to the command.
    Raises UserError if the command fails or does not write a number for each line.
    """

    def score(texts: Texts) -> list[Metric]:
        if not command:
            return [skipped("comet", len(texts.texts), f"No program for COMET is given ({KEY}).")]
        return [mean("comet", values(texts, command, seconds), signature=signature(command))]

    write_parts(
        instances,
        predictions,
        parts,
        run=run,
        data=data,
        score=score,
        metadata=metadata,
        progress=progress,
    )


def values(texts: Texts, command: Sequence[str], seconds: float | None) -> list[float]:
    """COMET's score of each text, about 0 to 1."""
    sources = (one_line(without_headings(source)) for source in texts.sources)
    rows = list(zip(sources, texts.texts, texts.references, strict=True))
    lines = [
        json.dumps({"src": source, "mt": text, "ref": reference}) + "\n"
        for source, text, reference in rows
        if text.strip()
    ]
    if not lines:
        return [0.0] * len(rows)
    numbers = _numbers(run_command(command, "".join(lines), key=KEY, seconds=seconds, worker=WORKER))
    if len(numbers) != len(lines):
        raise UserError(f"{KEY}: the program was given {len(lines)} lines and wrote {len(numbers)} numbers.")
    scores = iter(numbers)
    return [next(scores) if text.strip() else 0.0 for _, text, _ in rows]


def _numbers(text: str) -> list[float]:
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            found.append(float(line))
        except ValueError as error:
            raise UserError(
                f"{KEY}: line {number} of what the program wrote is no number: {line!r}."
            ) from error
        if not math.isfinite(found[-1]):
            raise UserError(f"{KEY}: line {number} of what the program wrote is {line}: there is no score.")
    return found


def signature(command: Sequence[str]) -> str:
    """The words of the command, which name the model, without files and without folders of programs and models."""
    words = (word for word in command if word not in ("{input}", "{output}", "{worker}"))
    return "command:" + " ".join(
        Path(word).name if word.startswith(("/", ".", "~")) else word for word in words
    )
