"""Checks that files are the user's own: they belong to the user, and nobody else may write them.

Results, records and caches lie in folders that other members of a group may be allowed to write. Whoever writes there
could feed a run false data, or have it overwrite a file of the user's own through a link.
"""

import errno
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from wokflow.frame.job import OTHERS, UserError
from wokflow.frame.secrets import shown

CACHE = "generate/cache"  # below results: answers, each of which is checked when it is read
WRITTEN = ("logs", "benchmarks")  # below results: Snakemake writes there itself, and follows links
NAMED = 3  # entries that a message names
_of_device: dict[tuple[int, int], tuple[int, bool]] = {}  # by device and user


class ForeignError(UserError):
    """A file that is not the user's own, or that others may write."""


def read_own(path: str | Path) -> bytes:
    """The bytes of a file of the user's own. Raises ForeignError for another one or a link; OSError as open does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ForeignError(f"{path} is a link, and not followed.") from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        check_own(descriptor, path)
        return file.read()


def check_own(descriptor: int, path: str | Path) -> None:
    """Raise ForeignError if an open file is not a regular file of the user, or others may write it."""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise ForeignError(f"{path} is not a file.")
    uid, modes = _created(about.st_dev, str(Path(path).parent))
    if about.st_uid not in (os.geteuid(), uid):
        raise ForeignError(f"{path} belongs to {owner(about.st_uid)}.")
    if about.st_mode & OTHERS and modes:
        raise ForeignError(f"others may write {path}.")


def owner(uid: int) -> str:
    """A user's name, or number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def take_for_own(folder: str | Path) -> int:
    """Remove others' right to write from a folder and all below it; return the number of entries changed.

    Raises ForeignError if an entry belongs to somebody else. Answers in a cache are left out.
    """
    folder = str(folder)
    uid, modes = _created(Path(folder).stat().st_dev, folder)
    foreign: list[str] = []
    changed = 0
    for path, about in _entries(folder):
        if about.st_uid not in (os.geteuid(), uid):
            foreign.append(f"{shown(path)} ({owner(about.st_uid)})")
        elif stat.S_ISLNK(about.st_mode):
            if path != folder and path.removeprefix(f"{folder}/").split("/")[0] in WRITTEN:
                raise ForeignError(f"{shown(path)} is a link, and not followed: remove it.")
        elif modes and about.st_mode & OTHERS and path != folder:
            changed += _take_right(path)
    if foreign:
        raise ForeignError(_refusal(folder, foreign))
    return changed


def take_records(folder: str | Path = ".snakemake") -> None:
    """Keep others out of Snakemake's folder, if there is one: Snakemake runs scripts and trusts records there.

    Raises ForeignError where it belongs to another user.
    """
    try:
        about = Path(folder).lstat()
    except FileNotFoundError:
        return
    if about.st_uid != os.geteuid() and about.st_uid != _created(about.st_dev, str(folder))[0]:
        raise ForeignError(
            f"{Path(folder).absolute()} belongs to {owner(about.st_uid)}: a clone has one user at a time. Use a "
            "clone of your own, or another folder (--directory)."
        )
    with suppress(OSError):
        Path(folder).chmod(0o700)


def _take_right(path: str) -> bool:
    """Remove others' right to write; True if that succeeded. A link that came there meanwhile is not followed."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.fchmod(descriptor, stat.S_IMODE(os.fstat(descriptor).st_mode) & ~OTHERS)
            return True
        finally:
            os.close(descriptor)
    return False


def _entries(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """A folder and all below it, each with its stat; no link is followed but the folder itself."""
    yield folder, Path(folder).lstat()
    yield f"{folder}/", Path(folder).stat()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except PermissionError:  # it is another user's, and was named before
            continue
        for entry in entries:
            below = entry.is_dir(follow_symlinks=False)
            if below:
                waiting.append(entry.path)
            if below or not f"{here}/".startswith(f"{folder}/{CACHE}/"):
                with suppress(FileNotFoundError):
                    yield entry.path, entry.stat(follow_symlinks=False)


def _refusal(folder: str, foreign: list[str]) -> str:
    more = f" and {len(foreign) - NAMED} more" if len(foreign) > NAMED else ""
    return (
        f"{folder} holds what belongs to others: {', '.join(foreign[:NAMED])}{more}. Whoever writes there can change "
        "what comes out, so that a folder of results has one owner, and a clone one user at a time. Set another "
        "folder as `results`, in a clone of your own. To go on from results that you trust, copy them (cp -r)."
    )


def _created(device: int, folder: str) -> tuple[int, bool]:
    """The owner of a new file of this process on a device, and whether its mode keeps others from writing.

    Some file systems show all files as one user's, or as writable by all; nothing can be told there.
    """
    known = (device, os.geteuid())
    if known not in _of_device:
        try:
            with TemporaryFile(dir=folder) as file:
                about = os.fstat(file.fileno())
        except OSError:
            return os.geteuid(), True
        _of_device[known] = about.st_uid, not about.st_mode & OTHERS
    return _of_device[known]
