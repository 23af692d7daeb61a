"""What somebody does who reaches a node that trains: writes into PyTorch's stores what runs where it is unpickled."""

import base64
import pickle
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psutil
from torch.distributed import DistError, TCPStore

RENDEZVOUS = "torch.rendezvous.{}"  # under which torchrun keeps its state, by the id of its run
ENDED = (DistError, RuntimeError)  # of a store that is none, or has ended


class Code:
    """Makes a file where it is unpickled."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.made,)


def listeners(*processes: int | None) -> set[tuple[str, int]]:
    """Where processes and their children listen."""
    found = set()
    for process in processes:
        with suppress(psutil.Error):
            for one in (psutil.Process(process), *psutil.Process(process).children(recursive=True)):
                sockets = one.net_connections("tcp")
                found |= {tuple(each.laddr) for each in sockets if each.status == psutil.CONN_LISTEN}
    return found


def reached(host: str, port: int) -> TCPStore | None:
    """The store that answers there, if one does."""
    with suppress(*ENDED):
        return TCPStore(host, port, is_master=False, timeout=timedelta(seconds=2))
    return None


def plant(store: TCPStore, made: Path, runs: Iterable[str], *, everywhere: bool) -> list[str]:
    """Write what makes a file into a store: as the state of torchrun's `runs`, or also under every key that it has.

    Gives the keys that were there.
    """
    code = pickle.dumps(Code(made))
    with suppress(*ENDED):
        keys = [str(key) for key in store.list_keys()]
        for name in (*(RENDEZVOUS.format(run) for run in runs), *(keys if everywhere else ())):
            for value in (code, base64.b64encode(code)):
                store.set(name, value)
        return keys
    return []
