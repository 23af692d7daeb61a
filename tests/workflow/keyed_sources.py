"""Whose keys settings of sources change that the workflow fetches."""

from tests.workflow.changes import Settings, setting

FETCHED = Settings(
    {
        "sources.fetched.kind": "moses",
        "sources.fetched.pair": "en-zh",
        "sources.fetched.url": "https://example.org/lines.zip",
    }
)
OF_SOURCES: dict[str, tuple[Settings, Settings, set[str]]] = {
    **{
        f"ingest.download.{name}, which changes no file": (
            FETCHED,
            setting(f"ingest.download.{name}", value),
            set(),
        )
        for name, value in {"attempts": 2, "timeout_s": 5}.items()
    },
    **{
        f"sources.lines.{name}, beside a path": (
            setting("contact", "me@example.org"),
            setting(f"sources.lines.{name}", value),
            set(),
        )
        for name, value in {"url": "https://example.org/lines.zip", "sha256": "0" * 64}.items()
    },
}
