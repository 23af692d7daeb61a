"""Statistics of a corpus of culture-specific items (Yao et al. 2024, Table 2, Figures 5 and 6)."""

from collections.abc import Sequence

import polars as pl

from wokflow.enrich.schemas import SHARES, STATISTICS
from wokflow.enrich.settings import StatisticsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import languages_of


def enrich_statistics(
    *,
    sentences: Sequence[str],
    dictionary: str,
    statistics: str,
    shares: str,
    table: str,
    settings: StatisticsSettings,
    job: Job,
) -> None:
    """Write a row for each corpus, also as TSV (`table`), and the frequencies of categories, topics and countries.

    `pairs` has the name and the languages of each corpus, in the order of `sentences`. `dictionary` is enrich/items.
    """
    known = tables.read(dictionary)
    counted, shared = [], []
    for part, (corpus, pair) in zip(sentences, settings.pairs, strict=True):
        rows = tables.read(part)
        mentioned = rows.select("items").explode("items").unnest("items")
        named = known.filter(pl.col("lang") == languages_of(pair)[1])
        every = mentioned.join(named.drop("category"), on="qid")
        translated = every.filter(pl.col("translations").list.len() > 0)
        types, translated_types = every["qid"].n_unique(), translated["qid"].n_unique()
        counted.append((corpus, pair, rows.height, every.height, types, translated.height, translated_types))
        for kind, names in (
            ("category", every["category"]),
            ("topic", every["topics"].list.first()),
            ("country", every["country_of_origin"]),
        ):
            frequencies = (
                names.rename("name")
                .value_counts(name="count")
                .sort("count", "name", descending=[True, False])
            )
            shared += [(corpus, kind, name, count) for name, count in frequencies.iter_rows()]
    made = tables.frame(STATISTICS, counted)
    tables.write(statistics, STATISTICS, made, job.metadata)
    tables.write_text(table, made.write_csv(separator="\t"))
    tables.write(shares, SHARES, shared, job.metadata)
