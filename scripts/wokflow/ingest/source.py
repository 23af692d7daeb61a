"""The description of a source file, its size and checksum: the cutoff before the steps that read the file."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from wokflow.frame.job import Job
from wokflow.frame.tables import write_text

CHUNK = 8 << 20


def ingest_source(*, raw: str | Sequence[str], data: str, job: Job) -> None:
    """Write the size in bytes and the SHA-256 of the file `raw` as JSON to `data`.

    The file's name and time do not count: a copy elsewhere, or a touched file, is the same source. For several files,
    it has the sum of their sizes, and the SHA-256 of their SHA-256s as lines of hexadecimal digits.
    """
    digests = []
    size = 0
    for path in [raw] if isinstance(raw, str) else raw:
        digest = hashlib.sha256()
        with Path(path).open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
                job.progress(size, f"{size >> 20} MiB hashed")
        digests.append(digest.hexdigest())
    (whole, *others) = digests
    if others:
        whole = hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()
    write_text(data, json.dumps({"bytes": size, "sha256": whole}) + "\n")
