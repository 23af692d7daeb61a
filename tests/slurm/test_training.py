"""Training that is stopped from outside goes on from its last checkpoint, and ends with the same model."""

import fcntl
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.slurm.cluster import PATIENCE, Cluster
from tests.slurm.faults import (
    at_work,
    begins_soon,
    empty_queue,
    ended,
    kill_node,
    processes,
    send,
)
from tests.slurm.runs import Run, house_without, write_site
from tests.train.attack import listeners, plant, reached
from tests.workflow.conftest import digests

__all__ = ["empty_queue"]
pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("empty_queue")]

RUN = "train/model/tiny"
TARGET = f"results/{RUN}"
DISTURBED = 30.0  # seconds that are waited for what may come of a training whose store was overwritten
EPOCHS = 200  # so many take some 10 s
ENDLESS = 1000 * EPOCHS
# Where a store listens, unlike workers' other ports, which may accept and never answer.
ANY = ("::", "0.0.0.0")


def with_settings(house: Path, settings: str) -> Path:
    """The house with other settings for its run `tiny`."""
    path = house / "data" / "runs.tsv"
    rows = path.read_text(encoding="utf-8").replace("zh-en\t\t\t13", f"zh-en\t\t{settings}\t13", 1)
    path.write_text(rows, encoding="utf-8")
    return house


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Path:
    return with_settings(house_without(built, tmp_path / "house", RUN), f"model.epochs={EPOCHS}")


@pytest.fixture(scope="session")
def undisturbed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of a model that nothing disturbed; the first worker that needs it trains it for all."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / "undisturbed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        house = shared / "undisturbed"
        if not house.exists():
            new = with_settings(
                house_without(built, tmp_path_factory.mktemp("undisturbed") / "house", RUN),
                f"model.epochs={EPOCHS}",
            )
            snakemake(new, "--", TARGET)
            shutil.move(new, house)
    return trained(house)


def trained(house: Path) -> dict[str, str]:
    return {path: digest for path, digest in digests(house).items() if path.startswith(f"{RUN}/")}


def log(house: Path) -> str:
    path = house / "results/logs/train_model/tiny.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def began_after(house: Path) -> int:
    """The step of the checkpoint that a training went on from, or 0; each attempt has a log of its own."""
    found = re.search(r"continuing from the checkpoint after step (\d+)", log(house))
    return int(found[1]) if found else 0


def has_learnt(house: Path, cluster: Cluster, after: int = -1) -> int:
    """Wait until a training that began after a later step than `after` has something to lose; give its step."""
    cluster.until(
        lambda: began_after(house) > after and log(house).count("epoch ") > 20, "some epochs are over"
    )
    return began_after(house)


def requeued(house: Path, cluster: Cluster, job: str) -> None:
    cluster.run("scontrol", "requeue", job)
    begins_soon(cluster, job)


def killed(house: Path, cluster: Cluster, job: str) -> None:
    """With -9, so that nothing can be saved any more."""
    send(cluster, signal.SIGKILL, house, job)
    assert ended(cluster, job) == "FAILED"


def node_lost(house: Path, cluster: Cluster, job: str) -> None:
    """The node dies with all that runs on it."""
    node = next(each["nodes"] for each in cluster.jobs() if each["id"] == job)
    kill_node(cluster, node, job)
    cluster.run("scontrol", "update", f"nodename={node}", "state=down", "reason=lost")
    begins_soon(cluster, job)


def test_training_goes_on(house: Path, cluster: Cluster, undisturbed: dict[str, str]) -> None:
    """After each fault; only one of them takes a retry."""
    run = Run(house, cluster, "--retries", "1", TARGET)
    after, lost = -1, run.job("train_model")
    try:
        for fault in (requeued, killed, node_lost):
            lost = run.job("train_model")
            at_work(cluster, lost["id"])
            after = has_learnt(house, cluster, after)
            send(
                cluster, signal.SIGSTOP, house, lost["id"]
            )  # it does not end before the fault; Slurm lets it go on
            fault(house, cluster, lost["id"])
        output = run.ends()
    finally:
        if not cluster.has(f"slurmd.{lost['nodes']}"):
            cluster.start_node(lost["nodes"])
            cluster.run("scontrol", "update", f"nodename={lost['nodes']}", "state=resume", check=False)
    assert began_after(house) > after
    assert output.count("has been submitted") == 2
    assert trained(house) == undisturbed


def test_two_nodes_have_all_of_their_gpus_and_learn_what_one_does(
    built: Path, cluster: Cluster, tmp_path: Path
) -> None:
    """What Slurm gave to the training is asked of Slurm, since the GPUs are not real."""
    one, two = (
        with_settings(
            house_without(built, tmp_path / f"house{nodes}", RUN),
            f"model.epochs=5; model.dropout=0.0; model.nodes={nodes}; model.device=cpu",
        )
        for nodes in (1, 2)
    )
    write_site(two, account="lab", partitions="{high: {max_gpu: 2, max_nodes: 2, max_mem_mb: 16000}}")
    run = Run(two, cluster, "--set-resources", "train_model:gpu=2", "--", TARGET)
    job = run.job("train_model")
    snakemake(one, "--", TARGET)
    run.ends()
    said = cluster.run("scontrol", "show", "job", job["id"])
    assert "gres/gpu=4" in said and "TresPerNode=gres:gpu:2" in said and "NumNodes=2" in said
    assert last_loss(one) == pytest.approx(last_loss(two), abs=1e-3)


def test_what_others_write_into_the_store_of_two_nodes_is_not_run(
    built: Path, cluster: Cluster, tmp_path: Path
) -> None:
    """The nodes' network must be trusted, since anybody may end a training there; but no code of others runs.

    tests/train/test_several.py has the same attack on torchrun's own rendezvous, where it does run.
    """
    house, made = house_without(built, tmp_path / "house", RUN), tmp_path / "made"
    with_settings(house, f"model.epochs={ENDLESS}; model.dropout=0.0; model.nodes=2")
    run = Run(house, cluster, "--retries", "0", TARGET)
    job = run.job("train_model")["id"]
    keys: set[str] = set()
    planted, limit = 0.0, time.monotonic() + PATIENCE
    while run.runs and not (planted and time.monotonic() > planted + DISTURBED):
        assert planted or time.monotonic() < limit, f"no store was reached in {PATIENCE} s"
        for host, port in listeners(*workers(cluster, job)):
            if host in ANY and (store := reached(host, port)):
                keys |= {*plant(store, made, [job, "none"], everywhere=True)}
                planted = planted or time.monotonic()
        time.sleep(0.05)
    assert not made.exists()
    assert keys, f"the training ended before its store was reached:\n{run.output()}"
    run.interrupt()  # what becomes of the training is open: it may wait for what was overwritten
    cluster.run("scancel", job, check=False)
    run.wait()
    assert not made.exists()


def workers(cluster: Cluster, job: str) -> Iterator[int]:
    """The processes that train. Others of a job listen, too (srun)."""
    for process in processes(cluster, job):
        with suppress(OSError):
            if b"wokflow.train.worker" in Path(f"/proc/{process}/cmdline").read_bytes():
                yield process


def last_loss(house: Path) -> float:
    lines = (house / TARGET / "curve.tsv").read_text(encoding="utf-8").splitlines()
    column = lines[0].split("\t").index("train_loss")
    return float(lines[-1].split("\t")[column])
