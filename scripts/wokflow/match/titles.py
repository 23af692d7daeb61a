"""The cutoff before translation: the distinct titles."""

from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.match import schemas


def match_titles(*, eligible: str, data: str, digest: str, job: Job) -> None:
    """Write the distinct titles in the order of first occurrence to `data`, and a digest of them alone."""
    unique = tables.read(eligible, ["title"]).unique(maintain_order=True)
    tables.write(data, schemas.TITLES, unique, job.metadata)
    tables.write_text(digest, tables.strings_digest(unique["title"]) + "\n")
