"""A source is described by what it holds alone."""

import hashlib
import io
import json
from pathlib import Path

from wokflow.frame.job import Job, Progress
from wokflow.ingest.source import CHUNK, ingest_source


def described(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    ingest_source(raw=str(path), data=str(path.with_suffix(".json")), job=Job())
    return path.with_suffix(".json").read_bytes()


def test_size_and_checksum_are_written(tmp_path: Path) -> None:
    for data in (b"", b"rice", b"rice" * CHUNK):
        found = json.loads(described(tmp_path / "raw", data))
        assert found == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_name_and_time_do_not_matter(tmp_path: Path) -> None:
    one = described(tmp_path / "one.csv", b"rice")
    assert one == described(tmp_path / "another.csv.gz", b"rice")
    assert one != described(tmp_path / "one.csv", b"Rice")


def test_progress_is_said(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"x" * (2 << 20))
    log = io.StringIO()
    job = Job(progress=Progress(log, seconds=0))
    ingest_source(raw=str(tmp_path / "raw"), data=str(tmp_path / "source.json"), job=job)
    assert "2 MiB hashed" in log.getvalue()
