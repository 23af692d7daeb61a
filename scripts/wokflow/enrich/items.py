"""Culture-specific items: those with a category and a country of origin, and all that is known of them."""

from collections.abc import Sequence

import polars as pl

from wokflow.enrich.entities import number_of
from wokflow.enrich.naming import NAMING
from wokflow.enrich.schemas import ITEMS
from wokflow.enrich.settings import ItemsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import wikipedia


def enrich_items(
    *,
    categories: str,
    lookups: str,
    pages: Sequence[str],
    dictionary: str,
    settings: ItemsSettings,
    job: Job,
) -> None:
    """Write the items that have a category and a country of origin as enrich/items, a row for each of `languages`.

    They are in the order of their ids and of `languages`. An explanation is the summary in enrich/lookups, or else
    the first paragraph in the tables `pages` (schema ingest/pages, whose `lang` is the Wikipedia's name), the first
    of several. Paper: Yao et al. 2024, sections 3.2 and 3.3.
    """
    places = {lang: place for place, lang in enumerate(settings.languages)}
    wikipedias = {lang: wikipedia(lang) for lang in settings.languages}
    known = tables.read(lookups).with_columns(wiki=pl.col("lang").replace_strict(wikipedias))
    named = known.filter(pl.col("lang") == NAMING).select("qid", english="country_of_origin")
    articles = pl.DataFrame(schema={"qid": pl.String, "lang": pl.String, "paragraph": pl.String})
    if pages:
        paragraphs = tables.scan(pages, ["qid", "lang", "summary"]).rename({"summary": "paragraph"})
        asked = known.lazy().select("qid", lang="wiki")
        articles = paragraphs.join(asked, on=["qid", "lang"], how="semi", maintain_order="left").collect()
        articles = articles.unique(["qid", "lang"], keep="first", maintain_order=True)
    rows = (
        tables.read(categories)
        .drop_nulls("category")
        .join(known.drop_nulls("country_qid"), on="qid")
        .join(named, on="qid", how="left")
        .join(articles, left_on=["qid", "wiki"], right_on=["qid", "lang"], how="left")
        .with_columns(
            country_of_origin=pl.coalesce("english", "country_of_origin", "country_qid"),
            translations=pl.concat_list("label", "aliases")
            .list.drop_nulls()
            .list.unique(maintain_order=True),
            explanation=pl.coalesce("summary", "paragraph"),
            number=pl.col("qid").map_elements(number_of, pl.Int64),
            place=pl.col("lang").replace_strict(places),
        )
        .sort("number", "place")
    )
    tables.write(dictionary, ITEMS, rows, job.metadata)
    job.progress.say(f"{rows['qid'].n_unique()} items with a category and a country of origin")
