"""What a source file is, by content: its size and checksum. The cutoff before it is read."""

import hashlib
import json
from pathlib import Path

from wokflow.frame.job import Progress
from wokflow.frame.tables import write_text

CHUNK = 8 << 20


def ingest_source(*, raw: str, data: str, progress: Progress | None = None) -> None:
    """Write the size in bytes and the SHA-256 of the file `raw` as JSON to `data`.

    The file's name and time are left out: a copy elsewhere, or a touched file, is the same source.
    """
    digest = hashlib.sha256()
    size = 0
    with Path(raw).open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if progress:
                progress(size, f"{size >> 20} MiB hashed")
    write_text(data, json.dumps({"bytes": size, "sha256": digest.hexdigest()}) + "\n")
