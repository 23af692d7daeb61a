"""The partition that a job goes to; test_placement.py has what sbatch is given."""

import pytest
from snakemake_executor_plugin_slurm_robust.requests import Request, place, read_request
from snakemake_executor_plugin_slurm_robust.site import Site
from snakemake_interface_common.exceptions import WorkflowError

PARTITIONS = {
    "cpu": {"max_runtime": 2880, "max_mem_mb": 190_000},
    "gpu": {"max_runtime": 1440, "max_mem_mb": 500_000, "max_gpu": 4, "max_nodes": 2},
}


def test_a_retry_gets_no_less_than_the_attempt_before() -> None:
    """The partition that grants more of the memory grants less time than the job had."""
    partitions = {
        "even": {"max_runtime": 100, "max_mem_mb": 1000},
        "wide": {"max_runtime": 90, "max_mem_mb": 9000},
    }
    site = Site(partitions=partitions)
    granted = [place(site, Request(1000 * n, 100 * n), retry=n > 1) for n in (1, 2, 4)]
    assert granted == [("even", Request(1000, 100))] * 3


def test_jobs_without_a_gpu_leave_gpus_free_where_they_can() -> None:
    site = Site(partitions={"gpu": {"max_mem_mb": 4000, "max_gpu": 1}, "cpu": {"max_mem_mb": 9000}})
    assert place(site, Request(4000))[0] == "cpu"
    assert place(site, Request(4000, gpus=1))[0] == "gpu"
    assert place(Site(partitions={"gpu": {"max_gpu": 1}}), Request(4000))[0] == "gpu"


@pytest.mark.parametrize(
    "request_", [Request(gpus=5), Request(gpus=1, nodes=3), Request(gpus=1, minutes=1441), Request(500_001)]
)
def test_what_fits_nowhere_is_refused(request_: Request) -> None:
    with pytest.raises(WorkflowError, match=r"no partition in my\.yaml takes a job of"):
        place(Site(partitions=PARTITIONS, file="my.yaml"), request_)


def test_what_is_not_known_yet_counts_as_nothing() -> None:
    assert read_request({"mem_mb": "<TBD>", "runtime": 5}, 2) == Request(0, 5, 2)
