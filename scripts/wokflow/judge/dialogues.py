"""What is asked about adapted dialogues: how good they are, and which words of their utterances were edited."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.schemas import TASKS
from wokflow.judge.settings import DialoguesSettings
from wokflow.judge.tasks import read_dimensions

DIALOGUES, UTTERANCES, EDITS, STRATEGIES = "dialogues", "utterances", "edits", "strategies"  # studies
Texts = Mapping[tuple[str, str], tuple[str, str]]  # by run and dialogue: the original and the adapted one


def judge_dialogues(
    *, adaptations: Sequence[str], dialogues: str, utterances: str, settings: DialoguesSettings, job: Job
) -> None:
    """Write a task for each adapted dialogue of each run to `dialogues`, and to `utterances` one for each utterance.

    Utterances that a run left as they were have no task: nothing is to be found in them. Prompts: Singh et al. 2024,
    Tables 7 and 10.
    """
    rows = tables.read(adaptations).sort("run", "dialogue_id", "position")
    dimensions = read_dimensions(settings.dimensions)
    asked = [
        task(DIALOGUES, f"dialogue:{dialogue}", run, shown(texts, settings), dimensions)
        for (run, dialogue), texts in texts_of(rows).items()
    ]
    spoken = [
        task(
            UTTERANCES,
            f"utterance:{row['dialogue_id']}:{row['position']}",
            row["run"],
            {
                "original": one_line(row["speaker"], row["text"]),
                "adapted": one_line(row["adapted_speaker"], row["adapted"]),
            },
            [],
        )
        for row in rows.iter_rows(named=True)
        if one_line(row["speaker"], row["text"]) != one_line(row["adapted_speaker"], row["adapted"])
    ]
    write_tasks(dialogues, asked, job)
    write_tasks(utterances, spoken, job)
    job.progress.say(f"{len(asked)} adapted dialogues, {len(spoken)} utterances that differ")


def task(
    study: str,
    item: str,
    run: str,
    shown: Mapping[str, str],
    dimensions: Sequence[Mapping[str, object]],
) -> dict[str, Any]:
    return {
        "task_id": f"{item}:{run}",
        "study": study,
        "item": item,
        "system": run,
        "shown": [{"name": name, "text": text} for name, text in shown.items()],
        "dimensions": list(dimensions),
    }


def shown(texts: tuple[str, str], settings: Any) -> dict[str, str]:
    """What prompts about a dialogue have places for; `settings` say for whom it is adapted, and what it is from."""
    context = {name: getattr(settings, name) for name in ("show", "culture", "people")}
    return {"original": texts[0], "adapted": texts[1], **context}


def texts_of(adaptations: pl.DataFrame) -> Texts:
    """The dialogues of each run as texts, an utterance a line."""
    by_dialogue: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    columns = ["run", "dialogue_id", "speaker", "text", "adapted_speaker", "adapted"]
    for run, dialogue, *sides in adaptations.select(columns).iter_rows():
        both = by_dialogue.setdefault((run, dialogue), ([], []))
        both[0].append(one_line(*sides[:2]))
        both[1].append(one_line(*sides[2:]))
    return {key: ("\n".join(one), "\n".join(other)) for key, (one, other) in by_dialogue.items()}


def one_line(speaker: str, text: str) -> str:
    return f"{speaker}: {' '.join(text.split())}"


def write_tasks(path: str, rows: Sequence[Mapping[str, Any]], job: Job) -> None:
    tables.write(path, TASKS, rows, job.metadata)
