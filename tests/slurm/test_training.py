"""Training that is stopped from outside goes on from its last checkpoint, and ends with the same model."""

import fcntl
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.slurm.cluster import Cluster
from tests.slurm.faults import (
    at_work,
    begins_soon,
    empty_queue,
    kill_node,
    preempting,
    processes,
    send,
    waits_again,
)
from tests.slurm.runs import Run, house_without, write_site
from tests.train.attack import listeners, plant, reached
from tests.workflow.conftest import digests

__all__ = ["empty_queue"]
pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("empty_queue")]

RUN = "train/model/tiny"
TARGET = f"results/{RUN}"
DISTURBED = 30.0  # seconds that are waited for what may come of a training whose store was overwritten
EPOCHS = 400  # so many take some 20 s
LONG = 2400  # and so many two minutes


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


def has_learnt(house: Path, cluster: Cluster, epochs: int = 20) -> None:
    """Wait until a training has gone so far that it has something to lose."""
    cluster.until(lambda: f"epoch {epochs}:" in log(house), "some epochs are over")


def went_on(house: Path) -> bool:
    return "continuing from the checkpoint after step" in log(house)


def preempted(house: Path, cluster: Cluster, job: str) -> None:
    with preempting(cluster):
        waits_again(cluster, job)
    begins_soon(cluster, job)


def requeued(house: Path, cluster: Cluster, job: str) -> None:
    cluster.run("scontrol", "requeue", job)
    waits_again(cluster, job)
    begins_soon(cluster, job)


def killed(house: Path, cluster: Cluster, job: str) -> None:
    """With -9, so that nothing can be saved any more."""
    send(signal.SIGKILL, house, job)


def node_lost(house: Path, cluster: Cluster, job: str) -> None:
    """The node dies with all that runs on it."""
    node = next(each["nodes"] for each in cluster.jobs() if each["id"] == job)
    kill_node(cluster, node, job)
    cluster.run("scontrol", "update", f"nodename={node}", "state=down", "reason=lost")
    waits_again(cluster, job)
    begins_soon(cluster, job)


@pytest.mark.parametrize("fault", [preempted, requeued, killed], ids=lambda fault: fault.__name__)
def test_training_goes_on(
    fault: Callable[[Path, Cluster, str], None], house: Path, cluster: Cluster, undisturbed: dict[str, str]
) -> None:
    run = Run(house, cluster, TARGET)
    job = run.job("train_model")["id"]
    at_work(cluster, job)
    has_learnt(house, cluster)
    fault(house, cluster, job)
    run.ends()
    assert went_on(house)
    assert trained(house) == undisturbed


def test_training_goes_on_where_its_node_is_lost(
    house: Path, cluster: Cluster, undisturbed: dict[str, str]
) -> None:
    run = Run(house, cluster, TARGET)
    job = run.job("train_model")
    at_work(cluster, job["id"])
    has_learnt(house, cluster)
    node_lost(house, cluster, job["id"])
    try:
        run.ends()
    finally:
        cluster.start_node(job["nodes"])
        cluster.run("scontrol", "update", f"nodename={job['nodes']}", "state=resume", check=False)
    assert went_on(house)
    assert trained(house) == undisturbed


def test_a_training_goes_on_in_as_many_windows_as_it_takes_without_a_retry(
    built: Path, cluster: Cluster, tmp_path: Path
) -> None:
    """The same job is queued again each time that its two minutes are nearly over."""
    house = with_settings(house_without(built, tmp_path / "house", RUN), f"model.epochs={LONG}")
    run = Run(house, cluster, TARGET, "--retries", "0", "--set-resources", "train_model:runtime=2")
    job = run.job("train_model")["id"]
    while run.process.poll() is None and ended_or_waits(cluster, job) == "PENDING":
        begins_soon(cluster, job)
        at_work(cluster, job)
    output = run.ends()
    assert output.count("has been submitted") == 1
    assert went_on(house)
    about = cluster.run("scontrol", "show", "job", job)
    assert int(about.partition("Restarts=")[2].split()[0]) >= 1


def ended_or_waits(cluster: Cluster, job: str) -> str:
    """Wait until a job has ended or is queued again, and give its state."""
    states: list[str] = []

    def there() -> bool:
        states[:] = [each["state"] for each in cluster.jobs() if each["id"] == job]
        return states[0] not in ("RUNNING", "COMPLETING")

    cluster.until(there, f"{job} has ended or is queued again", 900)
    return states[0]


def test_two_nodes_learn_what_one_does(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    losses = []
    for nodes in (1, 2):
        house = house_without(built, tmp_path / f"house{nodes}", RUN)
        with_settings(house, f"model.epochs=5; model.dropout=0.0; model.nodes={nodes}")
        Run(house, cluster, TARGET).ends()
        losses.append(last_loss(house))
    assert losses[0] == pytest.approx(losses[1], abs=1e-3)


@pytest.mark.parametrize("everywhere", [False, True], ids=["as torchrun's state", "under every key"])
def test_what_others_write_into_the_store_of_two_nodes_is_not_run(
    everywhere: bool, built: Path, cluster: Cluster, tmp_path: Path
) -> None:
    """The nodes' network must be trusted, since anybody may end a training there; but no code of others runs.

    tests/train/test_several.py has the same attack on torchrun's own rendezvous, where it does run.
    """
    house, made = house_without(built, tmp_path / "house", RUN), tmp_path / "made"
    epochs = 1000 * EPOCHS if everywhere else 3 * EPOCHS  # that they do not end before the store is found
    with_settings(house, f"model.epochs={epochs}; model.dropout=0.0; model.nodes=2")
    run = Run(house, cluster, "--retries", "0", TARGET)
    job = run.job("train_model")["id"]
    keys: set[str] = set()
    others: set[tuple[str, int]] = set()  # that are no stores
    planted = 0.0
    while run.process.poll() is None and not (
        everywhere and planted and time.monotonic() > planted + DISTURBED
    ):
        for place in listeners(*workers(cluster, job)) - others:
            if store := reached(*place):
                keys |= {*plant(store, made, [job, "none"], everywhere=everywhere)}
                planted = planted or time.monotonic()
            else:
                others.add(place)
        time.sleep(0.05)
    assert not made.exists()
    assert keys, f"the training ended before its store was reached:\n{run.output()}"
    if everywhere:  # what becomes of the training is open: it may wait for what was overwritten
        run.interrupt()
        cluster.run("scancel", job, check=False)
        run.wait()
    else:
        run.ends()
    assert not made.exists()


def workers(cluster: Cluster, job: str) -> Iterator[int]:
    """The processes that train. Others of a job listen, too (srun), and it takes seconds to find no store there."""
    for process in processes(cluster, job):
        with suppress(OSError):
            if b"wokflow.train.worker" in Path(f"/proc/{process}/cmdline").read_bytes():
                yield process


def last_loss(house: Path) -> float:
    lines = (house / TARGET / "curve.tsv").read_text(encoding="utf-8").splitlines()
    column = lines[0].split("\t").index("train_loss")
    return float(lines[-1].split("\t")[column])


def test_two_nodes_have_all_of_their_gpus(built: Path, cluster: Cluster, tmp_path: Path) -> None:
    """A training on two nodes of two GPUs; what Slurm gave it is asked of Slurm, since the GPUs are not real."""
    house = house_without(built, tmp_path / "house", RUN)
    with_settings(house, "model.epochs=5; model.nodes=2; model.device=cpu")
    write_site(house, account="lab", partitions="{high: {max_gpu: 2, max_nodes: 2, max_mem_mb: 16000}}")
    run = Run(house, cluster, "--set-resources", "train_model:gpu=2", "--", TARGET)
    job = run.job("train_model")
    run.ends()
    said = cluster.run("scontrol", "show", "job", job["id"])
    assert "gres/gpu=4" in said and "TresPerNode=gres:gpu:2" in said and "NumNodes=2" in said
