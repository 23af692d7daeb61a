"""Who listens on a TCP port of this machine, by what Linux says in /proc."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
LISTENING = "0A"  # a socket's state in /proc/net/tcp


def listens(port: int, session: int) -> bool | None:
    """Whether all sockets that listen on `port` belong to processes of a session; None if there are none."""
    sockets = set(_listening(port))
    if not sockets:
        return None
    return sockets <= set(_sockets(session))


def _listening(port: int) -> Iterator[str]:
    """Inodes of the sockets that listen on a port, at any address."""
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except FileNotFoundError:  # a machine without IPv6
            continue
        for fields in map(str.split, lines):
            if fields[3] == LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                yield fields[9]


def _sockets(session: int) -> Iterator[str]:
    """Inodes of the sockets that processes of a session hold open."""
    for process in PROC.iterdir():
        try:
            if not process.name.isdigit() or os.getsid(int(process.name)) != session:
                continue
            for file in (process / "fd").iterdir():
                if match := re.fullmatch(r"socket:\[(\d+)\]", str(file.readlink())):
                    yield match[1]
        except OSError:  # it has ended, or a file was closed
            continue
