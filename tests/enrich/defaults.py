"""Settings of stage enrich: the config's defaults, but for what is given."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wokflow.enrich.link import Linker
from wokflow.enrich.names import Names
from wokflow.enrich.phrases import Phrases
from wokflow.enrich.settings import CategoriseSettings, EntitiesSettings, LinkSettings, LookupSettings

from tests.conftest import ROOT

RESOURCES = ROOT / "resources" / "enrich"
REGIONS = str(RESOURCES / "regions.tsv")
PHRASES = str(RESOURCES / "phrases.tsv")


def entities_settings(raw: str | Path, languages: Sequence[str]) -> EntitiesSettings:
    return EntitiesSettings(raw=str(raw), languages=tuple(languages))


def link_settings(pair: str = "en-zh", **given: Any) -> LinkSettings:
    return LinkSettings(pair=pair, **{"phrases": PHRASES, "annotated": None} | given)


def categorise_settings(**given: Any) -> CategoriseSettings:
    tables = {name: str(RESOURCES / f"{name}.tsv") for name in ("topics", "classes")}
    return CategoriseSettings(**{"languages": (), "contact": ""} | tables | given)


def lookup_settings(languages: Sequence[str], **given: Any) -> LookupSettings:
    return LookupSettings(languages=tuple(languages), **{"contact": "", "regions": REGIONS} | given)


def linker_of(names: Names, phrases: Phrases | None = None) -> Linker:
    return Linker(names, link_settings(), phrases or Phrases(()))
