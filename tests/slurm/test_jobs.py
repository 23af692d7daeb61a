"""Faults of jobs, nodes and daemons while a job over old results is at work, and what Slurm refuses.

Each ends in the new result or in a failure, never in a success with the old one; then there is nothing more to do.
"""

import getpass
import re
import signal
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.faults import (
    begins_soon,
    configured,
    empty_queue,
    fill,
    jobs_of,
    kill_node,
    out_of_service,
    preempting,
    processes,
    send,
    small_disk,
    stopped,
    waits_again,
)
from tests.slurm.runs import Run, write_site
from tests.slurm.toy import MADE, NEW, is_at_work, key_of, leftovers, let_go, new_toy

__all__ = ["empty_queue"]
pytestmark = pytest.mark.usefixtures("empty_queue")

Fault = Callable[[Path, Cluster, Run, str], AbstractContextManager[None]]
COMPLETED = ["COMPLETED"]  # the same job ran again, or went on


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return new_toy(tmp_path / "house")


def at_work(house: Path, cluster: Cluster, run: Run) -> str:
    """Wait until a run's job is at work, and give its id; the old result is gone by then."""
    cluster.until(lambda: is_at_work(house) or not run.runs, "a job is at work")
    assert is_at_work(house), run.output()
    assert key_of(house) == ""
    return jobs_of(house, cluster)[-1]["id"]


def ends_well(house: Path, cluster: Cluster, run: Run) -> str:
    """Let the job end, and wait for the run's end; give its output."""
    let_go(house)
    output = run.ends()
    assert key_of(house) == "new" and not leftovers(house)
    assert "Nothing to be done" in Run(house, cluster, *NEW).ends()
    return output


# Each begins with the job at work, and is over when the run has ended.


@contextmanager
def cancelled(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    cluster.run("scancel", job)
    yield


@contextmanager
def killed(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    """With -9, and with garbage under the result's name."""
    (house / MADE).mkdir(parents=True)
    (house / MADE / "key").write_text("garbage")
    send(cluster, signal.SIGKILL, house, job)
    yield


@contextmanager
def requeued(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    cluster.run("scontrol", "requeue", job)
    begins_soon(cluster, job)
    yield


@contextmanager
def preempted(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    with preempting(cluster):
        waits_again(cluster, job)
    begins_soon(cluster, job)
    yield


@contextmanager
def node_down(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    with out_of_service(cluster, node_of(cluster, job), "down"):
        begins_soon(cluster, job)
        yield


@contextmanager
def accounting_down(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    with cluster.without("slurmdbd"):
        yield


@contextmanager
def node_dead(house: Path, cluster: Cluster, run: Run, job: str) -> Iterator[None]:
    node = node_of(cluster, job)
    kill_node(cluster, node, job)
    try:
        with configured(cluster, "SlurmdTimeout=60", "SlurmdTimeout=5"):
            waits_again(cluster, job)
        begins_soon(cluster, job)
        yield
    finally:
        cluster.restart_node(node)


@contextmanager
def controller_away(house: Path, cluster: Cluster, run: Run, job: str, how: int) -> Iterator[None]:
    """From before the job's end until after it."""
    with stopped(processes(cluster, job)):
        now = time.time()
        saved = cluster.home / "state" / "job_state"
        cluster.run("scontrol", "update", f"jobid={job}", "AdminComment=tested")  # something to save
        cluster.until(lambda: saved.stat().st_mtime > now, "the controller has saved what it knows")
        cluster.end("slurmctld", how)
    try:
        run.says("Slurm does not answer. The jobs go on by themselves")
        let_go(house)
        cluster.until(lambda: key_of(house), "the job has ended")
        assert run.runs
    finally:
        cluster.start_controller()
    yield


def node_of(cluster: Cluster, job: str) -> str:
    return next(each["nodes"] for each in cluster.jobs() if each["id"] == job)


@pytest.mark.parametrize(
    ("fault", "said", "states"),
    [
        (cancelled, "CANCELLED: somebody, or the cluster, cancelled it", ["CANCELLED", "COMPLETED"]),
        (killed, "FAILED: it was killed, most often for want of memory", ["FAILED", "COMPLETED"]),
        (requeued, "", COMPLETED),
        (preempted, "", COMPLETED),
        (node_down, "", COMPLETED),
        (node_dead, "", COMPLETED),
        (accounting_down, "", COMPLETED),
        *(
            pytest.param(
                partial(controller_away, how=how), "Slurm answers again.", COMPLETED, id=f"controller-{how}"
            )
            for how in (signal.SIGTERM, signal.SIGKILL)
        ),
    ],
)
def test_fault(fault: Fault, said: str, states: list[str], house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, *NEW)
    with fault(house, cluster, run, at_work(house, cluster, run)):
        output = ends_well(house, cluster, run)
    assert said in output
    assert [job["state"] for job in jobs_of(house, cluster)] == states


def test_preempted_for_good(tmp_path: Path, bare_cluster: Cluster) -> None:
    """Without accounting, too."""
    house = new_toy(tmp_path / "house", account=None)
    run = Run(house, bare_cluster, *NEW)
    at_work(house, bare_cluster, run)
    with preempting(bare_cluster):
        run.says("PREEMPTED: it had to give way to a job of higher priority.")
    ends_well(house, bare_cluster, run)
    assert [job["state"] for job in jobs_of(house, bare_cluster)] == ["PREEMPTED", "COMPLETED"]


def forgets_all(folder: Path, cluster: Cluster, account: str | None) -> dict[str, str]:
    """Outputs of runs whose jobs were forgotten before they were asked for: one `well`, one `killed`."""
    houses = {name: new_toy(folder / name, account=account) for name in ("well", "killed")}
    with configured(cluster, "MinJobAge=300", "MinJobAge=2"):
        runs = {name: Run(house, cluster, *NEW, latency=2) for name, house in houses.items()}
        jobs = {name: at_work(house, cluster, runs[name]) for name, house in houses.items()}
        with runs["well"].stopped(), runs["killed"].stopped():
            send(cluster, signal.SIGKILL, houses["killed"], jobs["killed"])
            let_go(houses["well"])
            cluster.until(lambda: not cluster.jobs(), "the jobs are forgotten")
            assert [key_of(house) for house in houses.values()] == ["new", ""]
            let_go(houses["killed"])
        outputs = {name: run.ends() for name, run in runs.items()}
    assert [key_of(house) for house in houses.values()] == ["new", "new"]
    assert outputs["well"].count("has been submitted") == 1
    assert outputs["killed"].count("has been submitted") == 2
    return outputs


def test_the_controller_forgets_jobs_that_accounting_knows(tmp_path: Path, cluster: Cluster) -> None:
    outputs = forgets_all(tmp_path, cluster, "lab")
    assert re.search(r"Slurm job \d+ .*: FAILED", outputs["killed"])


def test_the_controller_forgets_jobs_that_nobody_knows(tmp_path: Path, bare_cluster: Cluster) -> None:
    outputs = forgets_all(tmp_path, bare_cluster, None)
    assert "Slurm does not know it any more, and its outputs are not all there" in outputs["killed"]


def test_out_of_memory(house: Path, cluster: Cluster) -> None:
    with out_of_service(cluster, f"n[1-{cluster.nodes}]", "drain"):
        run = Run(house, cluster, *NEW)
        job = run.job("made", "PENDING")["id"]
        assert key_of(house) == "", "the old result goes when the job is submitted"
        cluster.run("scontrol", "update", f"jobid={job}", "MinMemoryNode=30")
    output = ends_well(house, cluster, run)
    jobs = jobs_of(house, cluster)
    state = jobs[0]["state"]  # OUT_OF_MEMORY, or FAILED if it is killed at once
    cause = "(it needed more memory than it had|it was killed, most often for want of memory)"
    assert re.search(rf"Slurm job {job} \(made dish\) on n\d .*: {state}: {cause}", output)
    assert [job["mem"] for job in jobs] == ["30M", "2000M"]


def test_over_the_time_limit(house: Path, cluster: Cluster) -> None:
    """An administrator lets the time of a job end soon, which makes its limit the shortest that Slurm has."""
    run = Run(house, cluster, *NEW)
    cluster.run("scontrol", "update", f"jobid={at_work(house, cluster, run)}", "EndTime=now+2")
    run.says("TIMEOUT: it needed more time than it had. A next try asks for more.")
    ends_well(house, cluster, run)
    assert [job["limit"] for job in jobs_of(house, cluster)] == ["1:00", "2:00:00"]


def test_a_job_whose_time_is_over_has_itself_queued_again_without_a_retry(
    house: Path, cluster: Cluster
) -> None:
    """From within its step, after it has asked Slurm for the time that it has left of its 60 minutes."""
    (house / "window").touch()
    run = Run(house, cluster, "--retries", "0", *NEW)
    job = run.job("made")["id"]
    waits_again(cluster, job)
    assert 0 < float((house / "minutes").read_text()) < 60
    begins_soon(cluster, job)
    ends_well(house, cluster, run)
    assert [job["state"] for job in jobs_of(house, cluster)] == COMPLETED
    assert "Restarts=1 " in cluster.run("scontrol", "show", "job", job)


def test_a_full_disk_stops_a_run_after_three_tries(house: Path, cluster: Cluster) -> None:
    let_go(house)
    with small_disk(house / "results", 1_000_000):
        fill(house / "results" / "filler")
        output = Run(house, cluster, *NEW, quick=True).fails()
        assert key_of(house) == ""
        tries = jobs_of(house, cluster)
        assert [job["mem"] for job in tries] == ["1000M", "2000M", "4000M"]
        for job in tries:
            log = house / "logs" / "slurm" / "rule_made" / "dish" / f"{job['id']}.log"
            assert re.search(
                rf"Slurm job {job['id']} .*: FAILED: OSError: .* No space left on device\n  log: {log}",
                output,
            )
            assert log.read_text().count("localrule made:") == 1
        (house / "results" / "filler").unlink()
        ends_well(house, cluster, Run(house, cluster, *NEW, quick=True))


REFUSED = (
    ("labb", "{}", [], "account labb appears to be invalid"),
    ("lab", "{cpus: {}}", [], "invalid partition specified: cpus"),
    ("lab", "{gpu: {max_gpu: 9}}", ["--set-resources", "made:gpu=7"], "configuration is not available"),
)


def test_what_slurm_refuses_is_told(house: Path, cluster: Cluster) -> None:
    let_go(house)
    for account, partitions, options, said in REFUSED:
        write_site(house, account=account, partitions=partitions)
        output = Run(house, cluster, *options, *NEW).fails()
        assert said in output
        assert "slurm/site.yaml" in output
        assert "has been submitted" not in output
    write_site(house, account="lab")
    ends_well(house, cluster, Run(house, cluster, *NEW, quick=True))


def test_more_jobs_than_an_account_may_submit_wait_without_a_retry(house: Path, cluster: Cluster) -> None:
    user = ("sacctmgr", "-i", "modify", "user", getpass.getuser(), "set")
    cluster.run(*user, "MaxSubmitJobs=1")
    try:
        run = Run(house, cluster, "--retries", "0", *NEW, "results/made/soup", quick=True)
        run.says(
            "Slurm takes no more jobs now: as many jobs as your account may have there are in the queue (Assoc"
        )
        assert len(jobs_of(house, cluster)) == 1
        let_go(house)
        output = run.ends()
    finally:
        cluster.run(*user, "MaxSubmitJobs=-1")
    assert "Slurm takes jobs again." in output and output.count("has been submitted") == 2
    assert [key_of(house), key_of(house, "results/made/soup")] == ["new", "new"]


@pytest.mark.parametrize("site", [{}, {"SBATCH_EXPORT": "NONE", "SLURM_EXPORT_ENV": "NONE"}])
def test_keys_reach_jobs_and_are_not_kept_by_the_controller(
    site: dict[str, str], house: Path, cluster: Cluster
) -> None:
    """The whole state of the controller is looked through while a job waits."""
    let_go(house)  # nodes that are back take it at once, and are idle only when it has ended
    key = "sk-a-key-that-nobody-else-has"
    kept = [key.encode(), b"LANG=C.UTF-8"]
    before = dict(cluster.environment)
    cluster.environment |= site | {"LAB_API_KEY": key, "HF_TOKEN": key, "LANG": "C.UTF-8"}
    try:
        with out_of_service(cluster, f"n[1-{cluster.nodes}]", "drain"):
            run = Run(house, cluster, *NEW, quick=True)
            run.job("made", "PENDING")
            files = [path.read_bytes() for path in (cluster.home / "state").rglob("*") if path.is_file()]
            assert [any(each in file for file in files) for each in kept] == [False, True]
            [file] = (house / ".snakemake").glob("wokflow.*.keys")
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        cluster.environment.clear()
        cluster.environment.update(before)
    assert key not in ends_well(house, cluster, run)
    assert key_of(house, "results/made/dish/lab_key") == key
    assert not [*(house / ".snakemake").glob("wokflow.*.keys")]


def test_a_job_longer_than_its_partition_is_told(house: Path, cluster: Cluster) -> None:
    let_go(house)
    write_site(house, account="lab", partitions="{short: {}}")
    run = Run(house, cluster, *NEW, quick=True)
    run.says("asks for more time than the partition allows: set max_runtime in slurm/site.yaml")
    run.interrupt()
    run.wait()
    write_site(house, account="lab", partitions="{short: {max_runtime: 1}}")
    ends_well(
        house,
        cluster,
        Run(house, cluster, "--set-resources", "made:runtime=1", "then:runtime=1", *NEW, quick=True),
    )
    assert [job["limit"] for job in jobs_of(house, cluster)] == ["1:00:00", "1:00"]


def test_accounting_is_down_from_the_start(house: Path, cluster: Cluster) -> None:
    with cluster.without("slurmdbd"):
        ends_well(house, cluster, Run(house, cluster, *NEW, quick=True))
