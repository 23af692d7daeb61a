"""The check of a site, on a private cluster broken from outside: each finding names the culprit and the cure."""

import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from snakemake_executor_plugin_slurm_robust.site import Site
from wokflow.cluster.nodes import choose
from wokflow.cluster.slurm import Node, amounts_of, gpus_of, minutes_of

from tests.conftest import copy_house
from tests.slurm.checks import (
    CPU,
    FITTING,
    NEEDS_ROOT,
    assert_clean,
    blind,
    check,
    command,
    findings,
    the,
)
from tests.slurm.cluster import PATIENCE, Cluster
from tests.slurm.faults import configured, out_of_service

SRUN = Path("/usr/bin/srun")


RULE = """
rule made:
    output: "results/made"
    threads: 8
    resources:
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=480,
    shell: "touch {output}"
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_house(tmp_path_factory.mktemp("check") / "house")


@pytest.fixture(scope="module")
def small_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house with one rule, for faults of the cluster: what Snakemake plans does not touch them."""
    house = copy_house(tmp_path_factory.mktemp("check") / "small")
    (house / "Snakefile").write_text(RULE)
    return house


def test_times_and_gpus_as_slurm_writes_them() -> None:
    times = {"infinite": None, "30:00": 30, "1:00": 1, "2:00:00": 120, "2-12:30:00": 3630}
    assert {text: minutes_of(text) for text in times} == times
    gres = {"(null)": 0, "gpu:2": 2, "gpu:fake:2": 2, "gpu:a100:4(S:0-1),gpu:t4:1,nvme:3": 5}
    assert {text: gpus_of(text) for text in gres} == gres
    amounts = {
        "cpu=8,gres/gpu=2,mem=1.50T": {"cpu": 8, "gres/gpu": 2, "mem": 1_572_864},
        "mem=10G": {"mem": 10_240},
        "": {},
    }
    assert {text: amounts_of(text) for text in amounts} == amounts


def test_a_site_as_it_should_be(cluster: Cluster, house: Path) -> None:
    code, output = check(house, cluster.environment, FITTING, python=sys.executable)
    found = findings(output)
    assert (code, found["PROBLEM"]) == (0, []), output
    assert the(found["ok"], "results folder").startswith("n1 n2 n3: ")
    assert the(found["ok"], "Python environment").startswith("n1 n2 n3: ")
    assert "n1: a GPU" in output
    assert "ready for" in output.splitlines()[-1]
    assert_clean(cluster, house)


def test_no_slurm_on_path(small_house: Path, tmp_path: Path) -> None:
    (tmp_path / "which").symlink_to(str(shutil.which("which")))  # Snakemake's executor calls it when imported
    code, output = check(small_house, {"PATH": str(tmp_path)}, "partitions: {}", python=sys.executable)
    assert code == 1
    said = the(findings(output)["PROBLEM"], "PATH")
    assert all(name in said for name in ("sbatch", "squeue", "scontrol", "login node", "module"))


def test_the_executor_is_not_installed(small_house: Path, tmp_path: Path) -> None:
    packages = Path(yaml.__file__).parents[1]
    for entry in packages.iterdir():
        if not entry.name.startswith("snakemake_executor_plugin_slurm"):
            (tmp_path / entry.name).symlink_to(entry)
    python = Path(sys.base_prefix) / "bin" / "python3"
    environment = {"PATH": "", "PYTHONPATH": f"scripts:{tmp_path}"}
    code, output = check(small_house, environment, "partitions: {}", python=str(python))
    assert code == 1
    assert "snakemake_executor_plugin_slurm_robust is not installed" in output and "make setup" in output


def test_the_controller_does_not_answer(bare_cluster: Cluster, small_house: Path) -> None:
    with bare_cluster.without("slurmctld"):
        code, output = check(small_house, bare_cluster.environment, CPU)
    assert code == 1
    assert "administrators" in the(findings(output)["PROBLEM"], "slurmctld")


def test_names_that_are_not_there(cluster: Cluster, small_house: Path) -> None:
    site = "{account: lba, qos: norml, partitions: {cpus: {}, gpu: {max_gpu: 2, account: la}}}"
    code, output = check(small_house, cluster.environment, site)
    found = findings(output)
    assert code == 1
    assert "lab" in the(found["PROBLEM"], "account lba", "Set account in slurm/site.yaml to lab")
    assert the(found["PROBLEM"], "account la:", "Set account in slurm/site.yaml to lab")
    assert the(found["PROBLEM"], "qos norml", "Set qos in slurm/site.yaml to normal")
    assert "cpu, gpu, high, short" in the(found["PROBLEM"], "partition cpus", "Write cpu under partitions")
    assert len(found["PROBLEM"]) == 4, output
    assert the(found["warning"], "no node was tried")


def test_a_constraint_that_no_node_has_and_an_account_without_accounting(
    bare_cluster: Cluster, small_house: Path
) -> None:
    code, output = check(small_house, bare_cluster.environment, f"{{constraint: fast, account: lab, {CPU}}}")
    found = findings(output)["PROBLEM"]
    assert code == 1
    assert "no node has any" in the(found, "Set constraint (now fast) in slurm/site.yaml")
    assert "Set account: null in slurm/site.yaml" in the(found, "account lab")


def test_limits_that_do_not_fit(cluster: Cluster, house: Path) -> None:
    site = "partitions: {short: {max_runtime: 600}, cpu: {max_threads: 99}, gpu: {max_gpu: 2, max_mem_mb: 99000}}"
    code, output = check(house, cluster.environment, site, "--nodes", "1")
    found = findings(output)
    assert code == 1
    said = the(found["PROBLEM"], "partition short", "max_runtime")
    assert "says 600" in said
    assert "does not start" in said and "asks for 480" in said
    assert "Set max_runtime: 1 for short, under partitions in slurm/site.yaml" in said
    assert "Set max_threads: 8 for cpu" in the(found["warning"], "max_threads")
    assert "Set max_mem_mb: 16000 for gpu" in the(found["warning"], "says 99000")
    assert the(found["warning"], "partition cpu", "Set max_mem_mb: 16000 for cpu")


RUNS = """\
name	stage	family	model	data	prompt	settings	seed
wide	train	seq2seq	a-model	zh-en		model.processes=4; model.nodes=2	13
"""


def test_no_partition_with_gpus(cluster: Cluster, house: Path, tmp_path: Path) -> None:
    code, output = check(house, cluster.environment, CPU, "--nodes", "1")
    said = the(findings(output)["warning"], "max_gpu in slurm/site.yaml")
    assert code == 0, output
    assert "match.search.device: cuda" in said
    assert "gpu, high, short have GPUs" in said

    (tmp_path / "runs.tsv").write_text(RUNS, encoding="utf-8")
    config = tmp_path / "mine.yaml"
    config.write_text(f"{{runs: {tmp_path}/runs.tsv, match: {{search: {{device: cuda, backend: torch}}}}}}")
    code, output = check(house, cluster.environment, CPU, "--nodes", "1", "--configfile", str(config))
    assert code == 1
    said = the(findings(output)["PROBLEM"], "match.search.device: cpu", "max_gpu in slurm/site.yaml")
    assert "need a GPU, as these do: generate_decode, match_search, train_model" in said
    assert "generate.decode.device: cpu" in said and "train.model.device: cpu" in said


def test_jobs_that_the_table_of_runs_asks_for(cluster: Cluster, house: Path, tmp_path: Path) -> None:
    """Their memory, GPUs and nodes depend on each run; no file of rules has these numbers."""
    (tmp_path / "runs.tsv").write_text(RUNS, encoding="utf-8")
    config = tmp_path / "mine.yaml"
    config.write_text(f"runs: {tmp_path}/runs.tsv")
    options = ("--nodes", "1", "--configfile", str(config))
    site = "partitions: {cpu: {max_mem_mb: 16000}, gpu: {max_gpu: 2, max_mem_mb: 16000, max_nodes: 1}}"
    code, output = check(house, cluster.environment, site, *options)
    said = the(findings(output)["PROBLEM"], "train_model: no partition in slurm/site.yaml takes a job of")
    assert code == 1 and "64000 MB of memory, 600 minutes, 8 CPUs, 4 GPUs on each of 2 nodes" in said
    assert (
        "gpu has max_mem_mb: 16000 and max_gpu: 2 and max_nodes: 1" in said
        and "max_gpu: 4, max_nodes: 2" in said
    )


def test_a_config_that_cannot_be_run(cluster: Cluster, house: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("sources: {recipenlg: {path: nowhere.csv}}")
    code, output = check(house, cluster.environment, CPU, "--configfile", str(config))
    assert code == 1 and the(findings(output)["PROBLEM"], "nowhere.csv")


def test_what_a_qos_allows(cluster: Cluster, small_house: Path) -> None:
    none = ("MaxWall=-1", "MaxTRESPerUser=cpu=-1", "MaxTRESPerJob=mem=-1")
    some = ("MaxWall=300", "MaxTRESPerUser=cpu=4", "MaxTRESPerJob=mem=10G")
    cluster.run("sacctmgr", "-i", "modify", "qos", "normal", "set", *some)
    try:
        code, output = check(small_house, cluster.environment, FITTING, "--nodes", "1")
    finally:
        cluster.run("sacctmgr", "-i", "modify", "qos", "normal", "set", *none)
    found = findings(output)
    assert code == 1
    assert "Set max_runtime: 300 for cpu" in the(
        found["PROBLEM"], "qos normal allows 300 minutes", "asks for 480"
    )
    assert "Set max_threads: 4 for cpu" in the(found["PROBLEM"], "qos normal allows 4 CPUs", "asks for 8")
    assert "at its last attempt" in the(
        found["warning"], "qos normal allows 10240 MB", "Set max_mem_mb: 10240"
    )


def test_a_gpu_that_the_job_does_not_see(cluster: Cluster, small_house: Path, tmp_path: Path) -> None:
    prolog = tmp_path / "prolog"
    prolog.write_text("#!/bin/sh\necho unset CUDA_VISIBLE_DEVICES\n")
    prolog.chmod(0o755)
    with configured(cluster, "TaskPlugin=task/none", f"TaskPlugin=task/none\nTaskProlog={prolog}"):
        code, output = check(small_house, cluster.environment, FITTING)
    found = findings(output)
    assert code == 1
    said = the(found["PROBLEM"], "partition gpu", "CUDA_VISIBLE_DEVICES is not set")
    assert said.startswith("n1: ")
    assert "take max_gpu from gpu in slurm/site.yaml" in said
    assert "gres.conf" in said


@NEEDS_ROOT
def test_nodes_where_the_environment_is_another_or_srun_does_not_work(
    cluster: Cluster, small_house: Path, tmp_path: Path
) -> None:
    packages = Path(yaml.__file__).parents[1]
    [numpy] = packages.glob("numpy-*.dist-info/METADATA")
    other = {
        numpy: "Metadata-Version: 2.1\nName: numpy\nVersion: 0.0.1\n",
        packages / "polars" / "__init__.py": "raise ImportError('no such library')\n",
        SRUN: "#!/bin/sh\necho srun: error: no address >&2\nexit 1\n",
    }
    mounts = []
    for number, (path, text) in enumerate(other.items()):
        file = tmp_path / f"{number}"
        file.write_text(text)
        file.chmod(0o755)
        mounts.append(f"--bind {shlex.quote(str(file))} {shlex.quote(str(path))}")
    with blind(cluster, "n1", *mounts[:2]), blind(cluster, "n2", mounts[2]):
        code, output = check(small_house, cluster.environment, CPU, python=sys.executable)
    found = findings(output)["PROBLEM"]
    assert code == 1
    assert the(found, "n1: other versions than here: numpy 0.0.1 (here ", "make setup")
    assert the(found, "n1: Python cannot import polars (ImportError: no such library)", "make setup")
    assert the(found, "n2: srun does not work within a job", "no address", "ask the administrators")


@NEEDS_ROOT
def test_what_nodes_do_not_see(
    cluster: Cluster, small_house: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """n1 has no srun and may not write, n2 has neither results nor project, n3 no Python."""
    hidden = tmp_path_factory.mktemp("hidden")
    (hidden / "environment").symlink_to(sys.prefix)
    results = tmp_path_factory.mktemp("elsewhere") / "results"
    empty = f"-t tmpfs none {shlex.quote(str(hidden))}"
    folders = [f"-t tmpfs none {shlex.quote(str(path))}" for path in (results.parent, small_house)]
    place = shlex.quote(str(results.parent))
    read_only = (f"--bind {place} {place}", f"-o remount,bind,ro {place}")
    with (
        blind(cluster, "n1", f"--bind /dev/null {SRUN}", *read_only),
        blind(cluster, "n2", *folders),
        blind(cluster, "n3", empty),
    ):
        python = str(hidden / "environment" / "bin" / "python")
        code, output = check(small_house, cluster.environment, CPU, "--results", str(results), python=python)
    assert code == 1
    assert not results.exists()
    assert_clean(cluster, small_house)
    found = findings(output)["PROBLEM"]
    folder = "Set `results` in your config"
    for node, words in (
        ("n1", ("no srun", "module")),
        ("n1", ("not written", folder)),
        ("n2", ("results folder is not shared", "/results", folder)),
        ("n2", (f"{small_house}/Snakefile", "Move the project")),
        ("n3", ("Python environment", "environment/bin/python", "make setup")),
    ):
        assert the(found, *words).startswith(f"{node}: ")


def test_a_results_folder_that_cannot_be_made(cluster: Cluster, small_house: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, output = check(
        small_house, cluster.environment, CPU, "--results", str(tmp_path / "file" / "results")
    )
    assert code == 1
    assert the(findings(output)["PROBLEM"], "results folder", "Set `results` in your config")


@contextmanager
def full(cluster: Cluster, node: str) -> Iterator[None]:
    """The cluster with a node without a free CPU."""
    options = ("--parsable", "-w", node, "-c", "8", "-o", "/dev/null")
    filler = cluster.run("sbatch", *options, "--wrap", "sleep 3600").strip()
    try:
        cluster.until(lambda: cluster.jobs("RUNNING"), f"{node} is full")
        yield
    finally:
        cluster.run("scancel", filler)


def test_nodes_that_are_down_or_full_are_not_tried(cluster: Cluster, small_house: Path) -> None:
    with out_of_service(cluster, "n3", "drain"), full(cluster, "n2"):
        code, output = check(small_house, cluster.environment, CPU, "--wait", "2")
    found = findings(output)
    assert code == 0, output
    assert the(found["warning"], "n2: not tried", "Resources", "--wait")
    assert the(found["ok"], "the results folder").startswith("n1: ")
    assert_clean(cluster, small_house)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_check_leaves_nothing(
    cluster: Cluster, small_house: Path, sent: signal.Signals, code: int
) -> None:
    (small_house / "slurm" / "site.yaml").write_text(CPU)
    environment = {**cluster.environment, "PYTHONPATH": "scripts"}
    with out_of_service(cluster, "n2", "drain"), full(cluster, "n1"):
        process = subprocess.Popen(command(), cwd=small_house, env=environment, stdout=subprocess.DEVNULL)
        cluster.until(lambda: cluster.jobs("PENDING"), "a trial job waits")
        process.send_signal(sent)
        assert process.wait(PATIENCE) == code
        assert not cluster.jobs("PENDING")
    assert_clean(cluster, small_house)


def test_nodes_are_chosen_evenly_and_those_with_gpus_first() -> None:
    def node(number: int, partition: str, gpus: int = 0, state: str = "idle") -> Node:
        return Node(f"{partition}{number}", partition, False, state, 8, 16000, gpus, None, "", "none")

    nodes = [node(number, "cpu") for number in range(12)] + [node(0, "gpu", 4), node(1, "gpu", 4, "down*")]
    places = choose(nodes, Site(partitions={"cpu": {}, "gpu": {"max_gpu": 4}}), 8)
    assert [(place.node, place.gpu) for place in places] == [
        ("gpu0", True),
        ("cpu0", False),
        ("cpu3", False),
        ("cpu6", False),
        ("cpu9", False),
    ]
