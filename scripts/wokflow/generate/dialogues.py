"""Instances of adaptation within a language: dialogues. A cutoff."""

import json

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.text_files import read_prose
from wokflow.generate import schemas
from wokflow.generate.settings import DialoguesSettings

DATASET = "dialogues"


def generate_dialogues(
    *, utterances: str, data: str, digest: str, settings: DialoguesSettings, job: Job
) -> None:
    """Write the dialogues of ingest/utterances as generate/instances to `data`, and a `digest` of what models read.

    Each utterance is one line: white space in it becomes single spaces, since a line break would begin another
    utterance.
    """
    shown = read_prose(settings.exemplars, "exemplars").strip()
    rows = (
        with_lines(tables.read(utterances, ["dialogue_id", "position", "speaker", "text"]))
        .sort("dialogue_id", "position")
        .group_by("dialogue_id", maintain_order=True)
        .agg(source=pl.concat_str("speaker", "text", separator=": ").str.join("\n"))
        .select(
            instance_id="dialogue_id",
            dataset=pl.lit(DATASET),
            source="source",
            culture=pl.lit(settings.culture),
            people=pl.lit(settings.people),
            exemplars=pl.lit(shown),
        )
    )
    tables.write(data, schemas.DIALOGUES, rows, job.metadata)
    read = pl.concat([rows["instance_id"], rows["source"]])
    asked = pl.Series([json.dumps([settings.culture, settings.people, shown], ensure_ascii=False)])
    tables.write_text(digest, tables.strings_digest(pl.concat([read, asked])) + "\n")
    job.progress.say(f"{rows.height} dialogues are to be adapted for {settings.culture}")


def with_lines(utterances: pl.DataFrame) -> pl.DataFrame:
    """Utterances whose speakers and texts have single spaces alone."""
    plain = pl.col("speaker", "text").str.replace_all(r"\s+", " ").str.strip_chars()
    return utterances.with_columns(plain)
