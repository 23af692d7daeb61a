"""What a source file is, by content: size and checksum. The frontier before reading it."""

import hashlib
import json
from pathlib import Path

from wokflow.job import Progress
from wokflow.tables import write_text

CHUNK = 8 << 20


def source(raw: str, description: str, *, progress: Progress | None = None) -> None:
    """Write the size in bytes and the SHA-256 of the file `raw` as JSON to `description`.

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
    write_text(description, json.dumps({"bytes": size, "sha256": digest.hexdigest()}) + "\n")
