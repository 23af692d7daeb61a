"""The frontier before translation: each distinct title once."""

import hashlib

import polars as pl

from wokflow import tables
from wokflow.match import schemas


def match_titles(eligible: str, titles: str, digest: str, *, metadata: dict[str, str]) -> None:
    """Distinct titles in the order of first occurrence, and a digest of them alone."""
    unique = tables.read(eligible, ["title"]).unique(maintain_order=True)
    tables.write(titles, schemas.TITLES, unique, metadata)
    tables.write_text(digest, strings_digest(unique["title"]) + "\n")


def strings_digest(strings: pl.Series) -> str:
    """SHA-256 of strings in order, whatever file they lie in."""
    digest = hashlib.sha256()
    for string in strings:
        digest.update(string.encode() + b"\0")
    return digest.hexdigest()
