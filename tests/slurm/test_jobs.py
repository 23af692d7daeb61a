"""Faults of single jobs, made from outside; after each the run ends in the same bytes."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster, missing
from tests.slurm.faults import (
    RELEASE,
    TARGET,
    at_work,
    begins_soon,
    fill,
    preempting,
    send,
    small_disk,
    waits_again,
)
from tests.slurm.runs import Run, house_without, results, write_site


def test_a_cancelled_job_is_tried_again(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, TARGET)
    cluster.run("scancel", run.job("export_pairs")["id"])
    output = run.ends()
    assert "CANCELLED: somebody, or the cluster, cancelled it" in output
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_job_out_of_memory_gets_twice_as_much(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run, job = starved(house, cluster, "MinMemoryNode=100")
    output = run.ends()
    jobs = jobs_of(house, cluster)
    said = {
        "OUT_OF_MEMORY": "it needed more memory than it had",
        "FAILED": "it was killed, most often for want of memory",
    }
    state = jobs[0]["state"]  # Slurm calls one that it kills at once FAILED
    assert re.search(rf"Slurm job {job} \(export_pairs zh-en\) on n\d .*: {state}: {said[state]}", output)
    assert [job["mem"] for job in jobs] == ["100M", "8000M"]
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_job_over_its_time_limit_gets_twice_as_much(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run, job = starved(house, cluster, "TimeLimit=1")
    at_work(cluster, job)
    send(signal.SIGSTOP, house, job)
    output = run.ends()
    assert f"Slurm job {job} " in output
    assert "TIMEOUT: it needed more time than it had. A next try asks for more." in output
    assert [job["limit"] for job in jobs_of(house, cluster)] == ["1:00", "2:00:00"]
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_preempted_job_that_is_queued_again_ends(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")["id"]
    at_work(cluster, job)
    with preempting(cluster):
        waits_again(cluster, job)
    begins_soon(cluster, job)
    run.ends()
    assert [job["id"] for job in jobs_of(house, cluster)] == [job]
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_job_preempted_for_good_is_tried_again(built: Path, tmp_path: Path) -> None:
    if reason := missing(accounting=False):
        pytest.skip(reason)
    house = house_without(built, tmp_path / "house", RELEASE, account=None)
    cluster = Cluster(tmp_path / "cluster", accounting=False, preempt_mode="CANCEL")
    try:
        cluster.start()
        run = Run(house, cluster, TARGET)
        at_work(cluster, run.job("export_pairs")["id"])
        with preempting(cluster):
            run.says("PREEMPTED: it had to give way to a job of higher priority.")
        run.ends()
        assert [job["state"] for job in jobs_of(house, cluster)] == ["PREEMPTED", "COMPLETED"]
    finally:
        cluster.stop()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_job_that_an_admin_queues_again_ends(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")["id"]
    at_work(cluster, job)
    cluster.run("scontrol", "requeue", job)
    waits_again(cluster, job)
    begins_soon(cluster, job)
    run.ends()
    assert [job["id"] for job in jobs_of(house, cluster)] == [job]
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_full_disk_stops_a_run_after_three_tries(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    with small_disk(house / "results", 8 << 20):
        filler = house / "results" / "filler"
        fill(filler)
        output = Run(house, cluster, TARGET).fails()
        tries = jobs_of(house, cluster)
        assert [job["mem"] for job in tries] == ["4000M", "8000M", "16000M"]
        for job in tries:
            log = house / "logs" / "slurm" / "rule_export_pairs" / "zh-en" / f"{job['id']}.log"
            assert re.search(
                rf"Slurm job {job['id']} .*: FAILED: OSError: .* No space left on device\n  log: {log}",
                output,
            )
            assert log.read_text().count("localrule export_pairs:") == 1
        filler.unlink()
        Run(house, cluster, TARGET).ends()
        assert results(house) == results(built)


@pytest.mark.cluster
def test_what_a_dying_job_leaves_is_made_anew(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    run = Run(house, cluster, TARGET)
    job = run.job("export_pairs")["id"]
    at_work(cluster, job)
    for folder in (house / TARGET, (house / TARGET).with_name(".zh-en.1.part")):
        (folder / "data").mkdir(parents=True)
        (folder / "data" / "train-00000-of-00001.parquet").write_bytes(b"garbage")
    send(signal.SIGKILL, house, job)
    run.ends()
    assert [job["state"] for job in jobs_of(house, cluster)] == ["FAILED", "COMPLETED"]
    assert results(house) == results(built)


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("account", "partitions", "options", "said"),
    [
        ("labb", "{}", [], "account labb appears to be invalid"),
        ("lab", "{cpus: {}}", [], "invalid partition specified: cpus"),
        ("lab", "{cpu: {}}", ["--set-resources", "export_pairs:gpu=7"], "configuration is not available"),
    ],
)
def test_what_slurm_refuses_is_told(
    account: str,
    partitions: str,
    options: list[str],
    said: str,
    built: Path,
    cluster: Cluster,
    tmp_path: Path,
) -> None:
    house = house_without(built, tmp_path / "house", RELEASE, account=account)
    write_site(house, account=account, partitions=partitions)
    output = Run(house, cluster, TARGET, *options).fails()
    assert said in output
    assert "slurm/site.yaml" in output
    assert "has been submitted" not in output
    write_site(house, account="lab")
    Run(house, cluster, TARGET).ends()
    assert results(house) == results(built)


@pytest.mark.cluster
def test_a_job_longer_than_its_partition_is_told(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    house = house_without(built, tmp_path / "house", RELEASE)
    write_site(house, account="lab", partitions="{short: {}}")
    run = Run(house, cluster, TARGET)
    run.says("asks for more time than the partition allows: set max_runtime in slurm/site.yaml")
    run.interrupt()
    run.wait()
    write_site(house, account="lab", partitions="{short: {max_runtime: 1}}")
    Run(house, cluster, TARGET).ends()
    assert [job["limit"] for job in jobs_of(house, cluster)] == ["1:00:00", "1:00"]
    assert results(house) == results(built)


def starved(house: Path, cluster: Cluster, limit: str) -> tuple[Run, str]:
    """A run whose job got a lower limit before it began, and the job's id."""
    with drained(cluster):
        run = Run(house, cluster, TARGET)
        job = run.job("export_pairs", "PENDING")["id"]
        cluster.run("scontrol", "update", f"jobid={job}", limit)
    return run, job


@contextmanager
def drained(cluster: Cluster) -> Iterator[None]:
    """The cluster with nodes that begin no job."""
    nodes = f"nodename=n[1-{cluster.nodes}]"
    cluster.run("scontrol", "update", nodes, "state=drain", "reason=test")
    try:
        yield
    finally:
        cluster.run("scontrol", "update", nodes, "state=resume")


def jobs_of(house: Path, cluster: Cluster) -> list[dict[str, str]]:
    """Slurm jobs of the runs in a house, oldest first: id, state, mem, time limit."""
    output = cluster.run("squeue", "-h", "-S", "i", "--states=all", "-o", "%i|%T|%m|%l|%Z")
    rows = [line.split("|") for line in output.splitlines()]
    names = ("id", "state", "mem", "limit")
    return [dict(zip(names, row[:4], strict=True)) for row in rows if row[4] == str(house)]
