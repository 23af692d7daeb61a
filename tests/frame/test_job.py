"""What a job says in its log."""

import io
import time
from types import SimpleNamespace

import pytest
from wokflow.frame import job
from wokflow.frame.job import Progress


def test_the_time_left_is_by_the_rate_since_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading a model takes 60 s, a step one."""
    now, log = [0.0], io.StringIO()
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: now[0], strftime=time.strftime))
    progress = Progress(log)
    for step in range(1, 101):
        now[0] = 60.0 + step
        progress(step, f"step {step}", of=100)
    said = [line.split(" ", 1)[1] for line in log.getvalue().splitlines()]
    assert said[:2] == ["step 1 (1 %)", "step 11 (11 %, 89 s left)"]
    assert said[-1] == "step 100 (100 %, 0 s left)"
    now[0] += 20
    progress(5, "the next phase", of=10)
    assert log.getvalue().endswith("the next phase (50 %)\n")
