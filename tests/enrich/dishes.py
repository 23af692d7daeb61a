"""Two dozen items of one country, and looking them up at an endpoint with short times."""

import functools
import io
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from wokflow.enrich.lookup import enrich_lookup
from wokflow.frame.job import Job, Progress

from tests.enrich.defaults import lookup_settings
from tests.enrich.endpoints import Endpoint, served
from tests.enrich.facts import categorised, entity, store_of

LANGUAGES = ["zh", "en"]
ITEMS = [
    entity(
        f"Q{number}",
        {"en": f"dish {number}", "zh": f"菜{number}"},
        aliases={"en": [f"food {number}", "dish"]},
        titles={"en": f"Dish {number}"},
        origins=["Q148"],
    )
    for number in range(1000, 1024)
]
QIDS = [one["id"] for one in ITEMS]
COUNTRY = entity("Q148", {"en": "China", "zh": "中国"})


@functools.cache
def store() -> ox.Store:
    return store_of([*ITEMS, COUNTRY])


@functools.cache
def expected() -> bytes:
    """The table that a good endpoint leads to."""
    with tempfile.TemporaryDirectory() as folder, served(store()) as server:
        table = Lookup(Path(folder))(server)
    assert len(server.asked) == 7  # six for items, one for countries
    check(server)
    return table


class Lookup:
    """Looks all items up and gives the bytes of the table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = io.StringIO()

    def usual(self) -> dict[str, Any]:
        """Settings of enrich_lookup."""
        return {
            "languages": LANGUAGES,
            "backend": "endpoint",
            "contact": "cook@example.org",
            "batch": 4,
            "timeout_s": 5,
            "backoff_s": 0.01,
            "cache": str(self.folder / "cache"),
        }

    def files(self) -> dict[str, str]:
        """Tables of enrich_lookup."""
        categories = categorised(self.folder / "categories.parquet", QIDS)
        return {"categories": categories, "entities": "", "lookups": str(self.folder / "lookups.parquet")}

    def __call__(self, server: Endpoint, *, categories: str = "", **given: Any) -> bytes:
        """What is not given is as usual."""
        files = self.files() | ({"categories": categories} if categories else {})
        settings = lookup_settings(**self.usual() | {"endpoint": server.url} | given)
        enrich_lookup(**files, settings=settings, job=Job(progress=Progress(self.log, seconds=0)))
        return (self.folder / "lookups.parquet").read_bytes()


def check(server: Endpoint, *, concurrency: int = 1) -> None:
    """Each item was answered once, and the endpoint's limits were kept.

    Of several requests one may be on its way when another is told to wait: the endpoint cannot know.
    """
    assert server.answered == Counter([*QIDS, "Q148"])
    assert server.most_at_once <= concurrency
    assert concurrency > 1 or not server.early
