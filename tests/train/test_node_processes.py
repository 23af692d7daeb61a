"""The processes of a training on one node: how they end."""

import os
import socket
import sys
from types import SimpleNamespace

import pytest
from wokflow.train import worker
from wokflow.train.node_processes import run_processes
from wokflow.train.worker import began


def test_where_one_fails_the_others_are_ended_and_each_line_is_said() -> None:
    code = (
        "import os, sys, time\n"
        "rank = os.environ['RANK'] + os.environ['LOCAL_RANK'] + os.environ['WORLD_SIZE']\n"
        "sys.stdout.buffer.write(f'{rank} of '.encode() + b'\\xff\\n'); sys.stdout.flush()\n"
        "sys.exit(3) if rank.startswith('3') else time.sleep(600)"
    )
    lines: list[str] = []
    found = run_processes([sys.executable, "-c", code], 2, os.environ, lines.append, nodes=2, node=1)
    assert found == 3
    assert "314 of \ufffd" in lines
    assert set(lines) <= {"204 of \ufffd", "314 of \ufffd"}


def test_no_node_s_clock_is_compared_with_another_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: 7.0))
    assert began(socket.gethostname(), 3.0) == 3.0
    assert began("another-node", 1_000_000.0) == 7.0
