"""Settings of stage ingest: the config's defaults, but for what is given."""

from pathlib import Path
from typing import Any

from wokflow.ingest.settings import DownloadSettings, PagesSettings, RecipesSettings, SentencesSettings


def of_recipes(raw: str | Path = "none", **given: Any) -> RecipesSettings:
    return RecipesSettings(raw=str(raw), **given)


def of_sentences(kind: str, raw: list[str], pair: str, **given: Any) -> SentencesSettings:
    return SentencesSettings(kind=kind, raw=tuple(raw), pair=pair, **given)


def of_pages(raw: str | Path, **given: Any) -> PagesSettings:
    return PagesSettings(raw=str(raw), **given)


def of_download(url: str, **given: Any) -> DownloadSettings:
    return DownloadSettings(url=url, **{"sha256": None, "contact": ""} | given)


CLEAN = of_recipes()
OFF = of_recipes(
    entities=False, emoji=False, symbols=False, spaces=False, empty_fields=False, duplicates=False
)


def only(**given: bool) -> RecipesSettings:
    """These steps of cleaning alone."""
    return OFF.model_copy(update=given)
