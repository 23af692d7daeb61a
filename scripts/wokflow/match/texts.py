"""The cutoff before embedding and pairing: the distinct English texts."""

from collections.abc import Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.match import schemas


def match_texts(
    *,
    translated: Sequence[str],
    data: str,
    digest: str,
    translations: str,
    translations_digest: str,
    job: Job,
) -> None:
    """Gather the shards of (title, text).

    `data` gets the distinct texts in the order of first occurrence, `translations` each title with its text and the
    text's row in `data`; the digests are of the texts alone, and of titles and texts. The text of a title without
    translation is the title itself.
    """
    table = pl.concat([tables.read(part) for part in translated])
    table = table.with_columns(
        text=pl.when(pl.col("text").str.strip_chars() == "").then("title").otherwise("text")
    )
    unique = table.select("text").unique(maintain_order=True)
    index = unique.with_row_index("text_index").with_columns(pl.col("text_index").cast(pl.Int32))
    table = table.join(index, on="text", how="left", maintain_order="left")
    tables.write(data, schemas.TEXTS, unique, job.metadata)
    tables.write(translations, schemas.TRANSLATIONS, table, job.metadata)
    tables.write_text(digest, tables.strings_digest(unique["text"]) + "\n")
    both = pl.concat([table["title"], table["text"]])
    tables.write_text(translations_digest, tables.strings_digest(both) + "\n")
