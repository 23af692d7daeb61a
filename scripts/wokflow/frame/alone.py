"""One run at a time in a folder of results, by a lock that ends with the process that holds it."""

import fcntl
import json
import os
import socket
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError

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
_held: list[int] = []  # descriptors of locks, which are kept until the process ends


def writes_results(options: Collection[str]) -> bool:
    """Whether Snakemake with these options of its command line changes results."""
    return not any(option.partition("=")[0] in SHOWING for option in options)


def take_folder(results: str, configfiles: Sequence[str] = ()) -> None:
    """Take the folder of results for this process until it ends; `configfiles` are those of its command.

    Where the folder cannot be written or its file system has no locks, nothing happens. Raises UserError while
    another process has taken it.
    """
    path = Path(results, LOCK)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = _holder(path)
        os.close(descriptor)
        raise UserError(
            f"Another run is writing into {results}{holder}. Wait until it has ended, or end it with Ctrl-C where it "
            "was started; --unlock would be wrong now. To run something else meanwhile, set another folder as "
            "`results`."
        ) from error
    except OSError:
        os.close(descriptor)
        return
    known = {"process": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M")}
    known["configfiles"] = list(configfiles)
    os.truncate(descriptor, 0)
    os.write(descriptor, json.dumps(known).encode())
    _held.append(descriptor)


def last_config(results: str) -> list[str]:
    """The config files of the last run that wrote into a folder of results; none where that is not known."""
    try:
        known = json.loads(Path(results, LOCK).read_text(encoding="utf-8"))
        return [str(path) for path in known["configfiles"]]
    except (OSError, ValueError, KeyError, TypeError):
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


def _holder(path: Path) -> str:
    try:
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return f" (process {known['process']} on {known['host']}, since {known['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
