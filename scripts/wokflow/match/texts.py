"""The frontier before embedding and pairing: each distinct English text once, whatever its titles."""

from collections.abc import Sequence

import polars as pl

from wokflow import tables
from wokflow.match import schemas


def match_texts(
    translated: Sequence[str],
    texts: str,
    translations: str,
    digest: str,
    translations_digest: str,
    *,
    metadata: dict[str, str],
) -> None:
    """Gather shards of (title, text).

    Writes the distinct texts in the order of first occurrence, each title's row among them, and digests of
    the texts alone and of titles with texts. A title that has no translation stands for itself.
    """
    table = pl.concat([tables.read(part) for part in translated])
    table = table.with_columns(
        text=pl.when(pl.col("text").str.strip_chars() == "").then("title").otherwise("text")
    )
    unique = table.select("text").unique(maintain_order=True)
    index = unique.with_row_index("text_index").with_columns(pl.col("text_index").cast(pl.Int32))
    table = table.join(index, on="text", how="left", maintain_order="left")
    tables.write(texts, schemas.TEXTS, unique, metadata)
    tables.write(translations, schemas.TRANSLATIONS, table, metadata)
    tables.write_text(digest, tables.strings_digest(unique["text"]) + "\n")
    both = pl.concat([table["title"], table["text"]])
    tables.write_text(translations_digest, tables.strings_digest(both) + "\n")
