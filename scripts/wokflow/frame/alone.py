"""One run at a time in a folder of results, by a lock that ends with the process that holds it."""

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError, keep_others_from_writing
from wokflow.frame.owned import owner, read_own, take_for_own

# Options with which Snakemake shows something and writes no results.
SHOWING = {
    *(
        "--lint",
        "--list",
        "--list-rules",
        "-l",
        "--list-target-rules",
        "--lt",
        "--summary",
        "-S",
        "-D",
        "--dag",
    ),
    *("--detailed-summary", "--rulegraph", "--filegraph", "--d3dag", "--report", "--print-compilation"),
}
NAMED = 10  # jobs at most that a message names
LOCK = "logs/.run.lock"  # below the results
MOST = 65_536  # bytes of it that are read
SAID = 200  # characters of it that are shown
RECORDS = [f".snakemake/{name}" for name in ("metadata", "incomplete", "locks", "scripts", "log", "wokflow")]
_held: list[int] = []  # descriptors of locks, which are kept until the process ends


def writes_results(options: Collection[str]) -> bool:
    """Whether Snakemake with these options of its command line changes results."""
    return not any(option.partition("=")[0] in SHOWING for option in options)


def take_folder(results: str, configfiles: Sequence[str] = ()) -> None:
    """Take the folder of results for this process until it ends; `configfiles` are those of its command.

    From then on nobody else may write there. Where the file system has no locks, another run is not noticed. Raises
    UserError while another process has taken the folder, and where something in it belongs to another user.
    """
    keep_others_from_writing()
    path = Path(results, LOCK)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    if (descriptor := _locked(results, path)) is not None:
        _held.append(descriptor)
        known = {
            "process": os.getpid(),
            "host": socket.gethostname(),
            "since": time.strftime("%Y-%m-%d %H:%M"),
        }
        with suppress(OSError):  # the file of another user, who is named below
            os.fchmod(descriptor, 0o644)  # whom it refuses must be able to read who has it
            os.truncate(descriptor, 0)
            os.write(descriptor, json.dumps(known | {"configfiles": list(configfiles)}).encode())
    changed = sum(take_for_own(folder) for folder in (results, *RECORDS) if os.path.isdir(folder))  # noqa: PTH112  (False where it cannot be seen)
    if changed:
        print(f"{changed} files and folders of {results} could be written by others, and now by you alone.")


def _locked(results: str, path: Path) -> int | None:
    """A descriptor of the lock's file, locked; None where there can be none."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o644)
        except PermissionError:  # another user's; a lock needs no right to write
            descriptor = os.open(path, os.O_RDONLY | flags)
    except PermissionError:
        return None  # in a folder of another user, who is named below
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UserError(f"{path} is a link, and not followed: remove it.") from None
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = _holder(descriptor)
        os.close(descriptor)
        raise UserError(
            f"Another run is writing into {results}{holder}. Wait until it has ended, or end it with Ctrl-C where it "
            "was started; --unlock would be wrong now. To run something else meanwhile, set another folder as "
            "`results`."
        ) from error
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def last_config(results: str) -> list[str]:
    """The config files of the last run that wrote into a folder of results; none where that is not known."""
    try:
        known = json.loads(read_own(Path(results, LOCK)))
        return [str(path) for path in known["configfiles"]]
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return []


def refuse_beside_jobs(results: str) -> None:
    """Raise UserError while jobs of an earlier run, which was killed itself, still write into the folder of results.

    A job holds a lock on its log. Where the file system has no locks, none is found.
    """
    alive = [
        f"{_job(log)}, {_holder_of(log)}"
        for log in sorted(Path(results, "logs").glob("*/*.log"))
        if _is_held(log)
    ]
    if alive:
        named = "".join(f"\n  {job}" for job in alive[:NAMED])
        more = f"\n  and {len(alive) - NAMED} more" if len(alive) > NAMED else ""
        raise UserError(
            f"{len(alive)} jobs of an earlier run still write into {results}:{named}{more}\n"
            "Wait until they have ended, or end these processes; then start again."
        )


def _is_held(log: Path) -> bool:
    try:
        with log.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _job(log: Path) -> str:
    return f"{log.parent.name} {log.stem}"


def _holder_of(log: Path) -> str:
    """Which process a log's first line names."""
    with log.open(encoding="utf-8", errors="replace") as file:
        _, begin, rest = file.readline().partition("(process ")
    return f"process {rest.partition(')')[0]}" if begin else "a process that is not known"


def _holder(descriptor: int) -> str:
    """Who has a lock: the user is whom its file belongs to, the rest is what the file says."""
    user = owner(os.fstat(descriptor).st_uid)
    try:
        known: dict[str, Any] = json.loads(os.pread(descriptor, MOST, 0))
        told = f"process {known['process']} on {known['host']}, since {known['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return f" (of {user})"
    return f" ({''.join(sign for sign in told if sign.isprintable())[:SAID]}, of {user})"
