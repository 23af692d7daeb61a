"""One run at a time in a folder of results, by a lock that ends with the process that holds it."""

import errno
import fcntl
import json
import os
import re
import socket
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError, keep_others_from_writing
from wokflow.frame.owned import ForeignError, read_own, take_for_own
from wokflow.frame.secrets import shown
from wokflow.frame.tables import write_text

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
LOCK, RUN = "logs/.run.lock", "logs/.run.json"  # below the results: the lock, and who took it last
MOST = 65_536  # bytes of RUN that are read
SAID = 200  # characters of RUN that are shown, and of a log's first line that are read
HOLDER = re.compile(r"\(process (?P<process>\d{1,9}) on (?P<host>[^()]*)\)")  # in a log's first line
SLURM_LOGS = "logs/slurm"  # into which Slurm writes as the user
_held: list[int] = []  # descriptors of locks, which are kept until the process ends


def writes_results(options: Collection[str]) -> bool:
    """Whether Snakemake with these options of its command line changes results."""
    return not any(option.partition("=")[0] in SHOWING for option in options)


def take_folder(results: str, configfiles: Sequence[str] = ()) -> None:
    """Lock the folder of results for this process until it ends; `configfiles` are those of its command.

    From then on, no other run may write there. On a file system without locks, other runs are not noticed. Raises
    UserError while another process holds the lock, and if a file there belongs to another user.
    """
    keep_others_from_writing()
    with suppress(OSError):
        Path(results, LOCK).parent.mkdir(parents=True, exist_ok=True)
    try:
        if (descriptor := _locked(results)) is not None:
            _held.append(descriptor)
        for folder in filter(os.path.isdir, (results, SLURM_LOGS)):
            if changed := take_for_own(folder):
                print(
                    f"{changed} files and folders of {folder} could be written by others, and now by you alone. What "
                    "they held by then may be theirs."
                )
    except ForeignError as error:
        raise UserError(f"{error}{_last_run(results)}") from None
    known = {"process": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M")}
    with suppress(OSError):
        write_text(Path(results, RUN), json.dumps(known | {"configfiles": list(configfiles)}))


def _locked(results: str) -> int | None:
    """Lock the lock file and return its descriptor; None if it cannot be locked.

    Only its owner may read the file, since everybody who can open it could hold its lock.
    """
    path = Path(results, LOCK)
    try:
        descriptor = os.open(
            path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600
        )
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UserError(f"{path} is a link, and not followed: remove it.") from None
        return None
    try:
        if os.fstat(descriptor).st_nlink == 1:  # and no other file of the user's under this name
            os.fchmod(descriptor, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise UserError(
            f"Another run is writing into {results}{_holder(results)}. Wait until it has ended, or end it with "
            "Ctrl-C where it was started; --unlock would be wrong now. To run something else meanwhile, set another "
            "folder as `results`."
        ) from error
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def last_config(results: str) -> list[str]:
    """The config files of the last run that wrote into a folder of results; none if that is not known."""
    try:
        known = json.loads(read_own(Path(results, RUN)))
        return [str(path) for path in known["configfiles"]]
    except (OSError, ValueError, KeyError, TypeError, UserError):
        return []


def refuse_beside_jobs(results: str) -> None:
    """Raise UserError while jobs of an earlier run that was killed still write into the folder of results.

    A job holds a lock on its log. Where the file system has no locks, such jobs are not noticed.
    """
    alive = [
        _job(log) for log in sorted(Path(results, "logs").glob("*/*.log")) if _is_held(log) and _may_live(log)
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


def _may_live(log: Path) -> bool:
    """Whether the process named in a log may still run; the lock may be held by another process that can read the
    log.
    """
    named = _named(log)
    if not named or named["host"] != socket.gethostname():
        return True
    try:
        os.kill(int(named["process"]), 0)
    except (ProcessLookupError, PermissionError):  # none, or another user's
        return False
    return True


def _job(log: Path) -> str:
    """A job by its log, and its process."""
    named = _named(log)
    process = f"process {named['process']} on {named['host']}" if named else "a process that is not known"
    return f"{log.parent.name} {log.stem}, {process}"


def _named(log: Path) -> re.Match[str] | None:
    """The process that a log's first line names."""
    with log.open(encoding="utf-8", errors="replace") as file:
        return HOLDER.search(file.readline(SAID))


def _holder(results: str) -> str:
    """The process that started the last run, from the file RUN, in brackets; empty if unknown."""
    try:
        descriptor = os.open(Path(results, RUN), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            known: dict[str, Any] = json.loads(file.read(MOST))
        holder = f"process {known['process']} on {known['host']}, since {known['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f" ({shown(holder)[:SAID]})"


def _last_run(results: str) -> str:
    holder = _holder(results)
    return f" The last run there:{holder}." if holder else ""
