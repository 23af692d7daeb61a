"""What is asked about edits: scores of each, and the strategy of those of culture-specific items."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.judge.dialogues import EDITS, STRATEGIES, shown, task, texts_of, write_tasks
from wokflow.judge.settings import EditTasksSettings
from wokflow.judge.tasks import read_dimensions

ALIGNER = "aligner"
PLACE = ["run", "dialogue_id", "position", "number"]


def judge_edit_tasks(
    *,
    adaptations: Sequence[str],
    edits: Sequence[str],
    changes: Sequence[str],
    scored: str,
    strategies: str,
    settings: EditTasksSettings,
    job: Job,
) -> None:
    """Write a task for each edit of each run to `scored`, and to `strategies` one for each that touches an item.

    Edits are those that models found (judge/edits) or, without such models, those of the aligner
    (evaluate/dialogues/changes). Preservation and creation are no strategies to ask for: an item without edit
    is preserved, and an edit without item may create one (Singh et al. 2024, section 5.2; Tables 8 and 9).
    """
    texts = texts_of(tables.read(adaptations).sort("run", "dialogue_id", "position"))
    scores, names = (read_dimensions(path) for path in (settings.dimensions, settings.strategies))
    asked, named = list[dict[str, Any]](), list[dict[str, Any]]()
    for row in _edits(edits, changes):
        context = shown(texts[row["run"], row["dialogue_id"]], settings)
        place = f"{row['dialogue_id']}:{row['position']}:{row['number']}:{row['asked']}"
        what = {**context, "edit": arrow(row["original"], row["adapted"]), "found_by": row["asked"]}
        asked.append(task(EDITS, f"edit:{place}", row["run"], what, scores))
        if row["item"]:
            named.append(task(STRATEGIES, f"strategy:{place}", row["run"], what, names))
    write_tasks(scored, asked, job)
    write_tasks(strategies, named, job)
    job.progress.say(f"{len(asked)} edits, of which {len(named)} touch a culture-specific item")


def _edits(edits: Sequence[str], changes: Sequence[str]) -> Iterator[dict[str, Any]]:
    columns = [*PLACE, "original", "adapted", "item"]
    if edits:
        rows = tables.read(edits, [*columns, "asked"])
    else:
        rows = tables.read(changes, columns).with_columns(asked=pl.lit(ALIGNER))
    yield from rows.sort("asked", *PLACE).iter_rows(named=True)


def arrow(original: str, adapted: str) -> str:
    """An edit as the paper's prompts have it."""
    if not original:
        return f"→ {adapted} # addition"
    return f"{original} → {adapted}" if adapted else f"{original} → # deletion"
