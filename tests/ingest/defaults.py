"""Settings of stage ingest: the config's defaults, but for what is given."""

from pathlib import Path
from typing import Any

from wokflow.ingest.settings import DownloadSettings, PagesSettings, RecipesSettings, SentencesSettings


def recipes_settings(raw: str | Path = "none", **given: Any) -> RecipesSettings:
    return RecipesSettings(raw=str(raw), **given)


def sentences_settings(kind: str, raw: list[str], pair: str, **given: Any) -> SentencesSettings:
    return SentencesSettings(kind=kind, raw=tuple(raw), pair=pair, **given)


def pages_settings(raw: str | Path, **given: Any) -> PagesSettings:
    return PagesSettings(raw=str(raw), **given)


def download_settings(url: str, **given: Any) -> DownloadSettings:
    return DownloadSettings(url=url, **{"sha256": None, "contact": ""} | given)


CLEAN = recipes_settings()
OFF = recipes_settings(
    entities=False, emoji=False, symbols=False, spaces=False, empty_fields=False, duplicates=False
)


def only(**given: bool) -> RecipesSettings:
    """These steps of cleaning alone."""
    return OFF.model_copy(update=given)
