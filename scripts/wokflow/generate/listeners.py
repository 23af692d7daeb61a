"""Who listens on a TCP port of this machine, and who started a process."""

import os
from contextlib import suppress

import psutil


def listens(port: int, session: int) -> bool | None:
    """Whether all sockets that listen on `port` belong to processes of a session; None if there are none.

    The owner of another user's socket cannot be seen, so that it does not count as the session's.
    """
    sockets = [
        each.pid
        for each in psutil.net_connections("tcp")
        if each.status == psutil.CONN_LISTEN and each.laddr and each.laddr[1] == port
    ]
    return all(pid and _session(pid) == session for pid in sockets) if sockets else None


def _session(process: int) -> int | None:
    with suppress(ProcessLookupError):
        return os.getsid(process)
    return None


def keepers() -> tuple[int, ...]:
    """The parent of this process and, if that is a shell, the shell's parent."""
    parent = psutil.Process().parent()
    if parent is None:
        return ()
    with suppress(psutil.Error):
        if parent.name().endswith("sh"):
            return (parent.pid, parent.ppid())
    return (parent.pid,)
