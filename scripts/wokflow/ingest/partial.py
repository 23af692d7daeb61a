"""A partial download: the part fetched so far, the description of its file, and its final name."""

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import httpx

from wokflow.frame.job import UserError
from wokflow.frame.owned import check_own

ENDING = ".part"  # ending of the part's name
REMOVE = "Remove it, or have the file fetched into a folder of your own."
SOURCE = ".part.json"  # ending of the name of the part's description


@contextmanager
def taken(path: str) -> Iterator[FileIO]:
    """The file `path`.part, for this process alone. Raises UserError while another process fetches the same file."""
    part = Path(path + ENDING)
    while True:
        with FileIO(_own(part), "r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(
                    f"{path} is being fetched by another process. Wait until it has ended."
                ) from None
            except OSError:
                pass  # a file system without locks
            if part.exists() and os.path.samestat(part.stat(), os.fstat(file.fileno())):
                try:
                    yield file
                finally:
                    if part.exists() and not part.stat().st_size:
                        part.unlink()
                return  # otherwise another process has completed and renamed it before the lock was taken


def _own(part: Path) -> int:
    """A descriptor of the part, created if missing. Raises UserError for another user's file, or a link."""
    try:
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EISDIR):
            raise
        raise UserError(f"{part} is not a file of yours ({error.strerror}). {REMOVE}") from None
    try:
        check_own(descriptor, part)
    except UserError as error:
        os.close(descriptor)
        raise UserError(f"{error} {REMOVE}") from None
    return descriptor


def finish(file: FileIO, target: Path) -> None:
    """Give the whole file its name."""
    os.fsync(file.fileno())
    Path(f"{target}{ENDING}").replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    Path(f"{target}{SOURCE}").unlink(missing_ok=True)


@dataclass(frozen=True)
class Source:
    """The description of the file that a part belongs to: digest of its URL, validators of the server, its size."""

    url: str
    etag: str | None
    modified: str | None
    size: int | None

    @classmethod
    def read(cls, path: Path) -> "Source | None":
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    @property
    def validator(self) -> str | None:
        """The value of If-Range."""
        return self.etag or self.modified

    def is_that_of(self, response: httpx.Response) -> bool:
        """Whether a response is about the same file: a server may ignore If-Range."""
        etag, modified = validators(response)
        if etag and self.etag:
            return etag == self.etag
        return not modified or modified == self.modified


def validators(response: httpx.Response) -> tuple[str | None, str | None]:
    """ETag, if it is a strong one, and Last-Modified."""
    etag = response.headers.get("ETag", "")
    return etag if etag.startswith('"') else None, response.headers.get("Last-Modified")
