from itertools import chain
from types import SimpleNamespace

import pytest
import torch
from wokflow.frame.job import UserError
from wokflow.models import devices
from wokflow.models.devices import describe, find_device, how_much_slower_bfloat16_is, use_bfloat16

SLURM = ("SLURM_JOB_ID", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE")
needs_no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@pytest.fixture(autouse=True)
def no_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SLURM:
        monkeypatch.delenv(name, raising=False)


def test_devices() -> None:
    assert find_device("cpu").type == "cpu"
    assert find_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert describe(find_device("cpu")) == "cpu"
    with pytest.raises(UserError, match="no device abacus"):
        find_device("abacus")


@needs_no_gpu
def test_a_gpu_that_is_asked_for_and_not_there_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(
        UserError, match=r"cuda is asked for, but PyTorch .* can use no GPU here.*device: cpu"
    ):
        find_device("cuda")


@needs_no_gpu
@pytest.mark.parametrize(
    "given",
    [{"SLURM_JOB_GPUS": "0"}, {"SLURM_STEP_GPUS": "2,3"}, {"SLURM_GPUS_ON_NODE": "1"}],
    ids=lambda given: next(iter(given)),
)
def test_a_job_does_not_fall_back_to_the_cpu_where_slurm_gave_it_a_gpu(
    given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert find_device("auto").type == "cpu"  # a variable that is left over, outside of jobs
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with pytest.raises(
        UserError, match=r"Slurm gave this job a GPU, but PyTorch .* cannot use it.*device: cpu"
    ):
        find_device("auto")
    assert find_device("cpu").type == "cpu"


@pytest.mark.parametrize("none", ["", "0"])
def test_a_job_of_slurm_without_a_gpu_computes_on_the_cpu(none: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_GPUS_ON_NODE", none)
    assert find_device("auto").type == "cpu"


def test_on_a_cpu_bfloat16_is_used_only_if_asked_for() -> None:
    cpu = torch.device("cpu")
    assert [use_bfloat16(name, cpu) for name in ("auto", "float32", "bfloat16")] == [False, False, True]


def test_how_fast_a_processor_is_in_bfloat16_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortest of three products counts: 2 s in float32, 3 s in bfloat16."""
    took = iter((4, 2, 3, 5, 9, 3))
    clock = chain.from_iterable((0.0, float(seconds)) for seconds in took)
    monkeypatch.setattr(devices, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert how_much_slower_bfloat16_is(torch.device("cpu")) == 1.5
