"""The partition that a job goes to, beside what the real executor makes of the same site file and the same job."""

from pathlib import Path
from typing import Any

import pytest
from snakemake.iocontainers import ResourceList
from snakemake_executor_plugin_slurm import partitions as executor_partitions
from snakemake_executor_plugin_slurm.utils import set_gres_string
from snakemake_executor_plugin_slurm_robust.placement import placed
from snakemake_executor_plugin_slurm_robust.requests import Request, doubled, place, read_request
from snakemake_executor_plugin_slurm_robust.site import LIMITS, Site, read_site
from snakemake_interface_common.exceptions import WorkflowError

from tests.cluster.test_placement import SITE

PARTITIONS = {
    "cpu": {"max_runtime": 2880, "max_mem_mb": 190_000},
    "gpu": {"max_runtime": 1440, "max_mem_mb": 500_000, "max_gpu": 4, "max_nodes": 2},
}


def attempts(first: Request, site: Site) -> list[tuple[str, int, int]]:
    """Partition, minutes and MB of memory at each of three attempts."""
    found = []
    for attempt in (1, 2, 3):
        memory, minutes = (doubled(value)(None, attempt) for value in (first.mem_mb, first.minutes))
        name, granted = place(
            site, Request(memory, minutes, first.threads, first.gpus, first.nodes), retry=attempt > 1
        )
        found.append((name, granted.minutes, granted.mem_mb))
    return found


def test_retries_of_a_gpu_job_stay_where_gpus_are() -> None:
    found = attempts(Request(16_000, 600, 8, gpus=4, nodes=2), Site(partitions=PARTITIONS))
    assert found == [("gpu", 600, 16_000), ("gpu", 1200, 32_000), ("gpu", 1440, 64_000)]


def test_a_retry_gets_no_less_than_the_attempt_before() -> None:
    """The partition that grants more of the memory grants less time than the job had."""
    partitions = {
        "even": {"max_runtime": 100, "max_mem_mb": 1000},
        "wide": {"max_runtime": 90, "max_mem_mb": 9000},
    }
    assert attempts(Request(1000, 100), Site(partitions=partitions)) == [("even", 100, 1000)] * 3


def test_jobs_without_a_gpu_leave_gpus_free_where_they_can() -> None:
    site = Site(partitions={"gpu": {"max_mem_mb": 4000, "max_gpu": 1}, "cpu": {"max_mem_mb": 9000}})
    assert place(site, Request(4000))[0] == "cpu"
    assert place(site, Request(4000, gpus=1))[0] == "gpu"
    assert place(Site(partitions={"gpu": {"max_gpu": 1}}), Request(4000))[0] == "gpu"


@pytest.mark.parametrize(
    "request_", [Request(gpus=5), Request(gpus=1, nodes=3), Request(gpus=1, minutes=1441), Request(500_001)]
)
def test_what_fits_nowhere_is_refused(request_: Request) -> None:
    with pytest.raises(WorkflowError, match=r"no partition in slurm/site\.yaml takes a job of"):
        place(Site(partitions=PARTITIONS), request_)


def test_what_is_not_known_yet_counts_as_nothing() -> None:
    assert read_request({"mem_mb": "<TBD>", "runtime": 5}, 2) == Request(0, 5, 2)


class Job:
    """As much of a job as the executor's own choice of partitions looks at."""

    name = "job"

    def __init__(self, threads: int, **resources: Any) -> None:
        self.threads, self.resources = threads, ResourceList(fromdict=resources)


@pytest.mark.parametrize(
    ("threads", "resources"),
    [
        (1, {"mem_mb": 1000, "runtime": 20}),
        (8, {"mem_mb": 9000, "runtime": 20}),
        (8, {"mem_mb": 9000, "runtime": 900}),
        (8, {"mem_mb": 9000, "runtime": 100, "gpu": 4, "nodes": 2}),
        (16, {"mem_mb": 9000, "runtime": 100}),
        (17, {"mem_mb": 9000, "runtime": 100}),
        (1, {"mem_mb": 9000, "runtime": 100, "gpu": 5}),
        (1, {"mem_mb": 9000, "runtime": 100, "gpu": 1, "nodes": 3}),
    ],
)
def test_a_partition_is_taken_if_and_only_if_the_executor_takes_it(
    threads: int, resources: dict[str, int], tmp_path: Path
) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(SITE, encoding="utf-8")
    site = read_site(file)
    job = Job(threads, **resources)
    fits = {}
    for name, keys in site.partitions.items():
        limits = executor_partitions.PartitionLimits(**{key: keys[key] for key in LIMITS if key in keys})
        fits[name] = executor_partitions.Partition(name=name, limits=limits).score_job_fit(job) is not None
    try:
        chosen, _ = place(site, read_request(resources, threads))
    except WorkflowError:
        chosen = None
    assert (chosen is not None) == any(fits.values()) and (chosen is None or fits[chosen])


def test_options_of_the_executor_for_gpus_of_one_and_two_nodes(tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(SITE, encoding="utf-8")
    given = []
    for nodes in (1, 2):
        request = Request(1000, 10, 1, 4, nodes)
        resources = placed(read_site(file), {"gpu": 4, "nodes": nodes}, request, retry=False)
        given.append(set_gres_string(Job(1, **resources)).strip())
        assert executor_partitions.parse_gpu_requirements(Job(1, **resources)) == (4, "a100")
    assert given == ["--gpus=a100:4", "--gres=gpu:a100:4"]
