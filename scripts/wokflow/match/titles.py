"""The frontier before translation: each distinct title once."""

from wokflow import tables
from wokflow.match import schemas


def match_titles(eligible: str, titles: str, digest: str, *, metadata: dict[str, str]) -> None:
    """Distinct titles in the order of first occurrence, and a digest of them alone."""
    unique = tables.read(eligible, ["title"]).unique(maintain_order=True)
    tables.write(titles, schemas.TITLES, unique, metadata)
    tables.write_text(digest, tables.strings_digest(unique["title"]) + "\n")
