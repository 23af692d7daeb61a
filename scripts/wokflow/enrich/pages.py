"""Explanations of items from Wikipedia's API, for those that have none yet."""

from collections.abc import Sequence

import polars as pl

from wokflow.enrich.settings import PagesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import wikipedia
from wokflow.ingest.schemas import PAGES


def enrich_pages(
    *, lookups: str, given: Sequence[str], pages: str, settings: PagesSettings, job: Job
) -> None:
    """Write the first paragraphs of items' pages (schema ingest/pages), in the order of enrich/lookups.

    The API is asked for items that have the title of a page in a language, no summary in enrich/lookups, and no page
    in the tables `given`; `lang` of these tables is the Wikipedia's name (language_codes.wikipedia). Titles without
    an article are left out. Articles are kept in the folder `cache`: a run that was stopped goes on from there.
    Raises UserError where the API does not answer (see wikipedia.pages_of).
    """
    from wokflow.ingest.wikipedia import pages_of

    known = tables.read(given, ["qid", "lang"]) if given else pl.DataFrame(schema=["qid", "lang"])
    wanted = tables.read(lookups).filter(pl.col("summary").is_null(), pl.col("title").is_not_null())
    wanted = wanted.with_columns(pl.col("lang").map_elements(wikipedia, pl.String))
    wanted = wanted.unique(["qid", "lang"], keep="first", maintain_order=True)
    wanted = wanted.join(known.cast(pl.String), on=["qid", "lang"], how="anti").select("qid", "lang", "title")
    written = []
    if settings.cache is None:
        raise ValueError("enrich.pages without enrich.pages.cache: its rule always names a folder")
    for (lang,), rows in wanted.group_by("lang", maintain_order=True):
        articles = pages_of(
            rows["title"],
            str(lang),
            settings.contact,
            cache=settings.cache,
            longest=settings.longest,
            attempts=settings.attempts,
            timeout=settings.timeout_s,
            progress=job.progress,
        )
        written += [
            page._asdict() | {"qid": qid}
            for qid, _, title in rows.iter_rows()
            if (page := articles.get(title))
        ]
    tables.write(pages, PAGES, written, job.metadata)
    job.progress.say(f"{len(written)} of {wanted.height} pages were found by the API")
