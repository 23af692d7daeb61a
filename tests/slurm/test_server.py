"""The workflow's own server and the run that asks it are one Slurm job, and no server outlives its job."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import tables

from tests.conftest import ROOT
from tests.slurm.cluster import Cluster, alive
from tests.slurm.faults import begins_soon, empty_queue, ended, jobs_of, processes
from tests.slurm.runs import Run, house_without
from tests.workflow.changes import append, setting

__all__ = ["empty_queue"]
pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("empty_queue")]

TARGET = "results/generate/predictions/asked/part-00000.parquet"
OTHER = "results/generate/predictions/other/part-00000.parquet"
CALLS = "results/generate/calls/asked/part-00000.parquet"
ENDPOINTS = "results/generate/server"  # the folder of the files of servers
SAID = "Egg rice\nrice, egg\nFry the egg. Add the rice."  # what the server says, without its headings
GROUP = "generate_prompt_generate_server"
STEPS = {"generate_server", "generate_prompt"}
# As long as there is a file `hold` beside it, it answers no prompt.
SERVE = """\
import json, os, subprocess, sys, time
from pathlib import Path
from servers import Endpoint, well

data = Path(__file__).parent

def answer(handler, asked):
    if asked.body:
        (data / f"asked.{os.getpid()}").touch()
        while (data / "hold").exists():
            time.sleep(0.05)
    well()(handler, asked)

child = subprocess.Popen(["sleep", "600"])
about = {"pids": [os.getpid(), child.pid], "job": os.environ["SLURM_JOB_ID"], "model": sys.argv[2]}
about["gpus"] = os.environ.get("CUDA_VISIBLE_DEVICES")
with (data / "started").open("a") as file:
    file.write(json.dumps(about) + "\\n")
Endpoint(answer, port=int(sys.argv[1]), models=[sys.argv[2]]).run()
"""


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Path:
    """A house with two runs that name no endpoint, each behind a checkpoint; their servers hold answers back."""
    house = house_without(built, tmp_path / "house", "generate/instances")
    append("data/runs.tsv", "asked\tnone\tprompt\tgpt-9\tcounterfactual\trewrite\t\t\n")(house)
    append("data/runs.tsv", "other\tnone\tprompt\tgpt-8\tzh-en\tadapt-zh-en\t\t\n")(house)
    data = house / "data"
    shutil.copy(ROOT / "tests" / "generate" / "servers.py", data)
    (data / "serve.py").write_text(SERVE, encoding="utf-8")
    (data / "hold").touch()
    command = [sys.executable, str(data / "serve.py"), "{port}", "{model}"]
    settings = {"backend": "command", "command": command, "minutes": 1, "gpus": 1, "memory_mb": 2000}
    setting("generate.server", settings)(house)
    return house


def started(house: Path) -> list[dict[str, Any]]:
    """What each server said of itself as it started: pids, job, model and gpus."""
    file = house / "data" / "started"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def busy(house: Path, cluster: Cluster, servers: int = 1) -> str:
    """Wait until the last of so many servers of `asked` has a prompt to answer, and give its Slurm job."""

    def own() -> list[dict[str, Any]]:
        return [server for server in started(house) if server["model"] == "gpt-9"]

    def asked() -> bool:
        found = own()
        return len(found) == servers and (house / "data" / f"asked.{found[-1]['pids'][0]}").exists()

    cluster.until(asked, "a prompt is asked")
    return str(own()[-1]["job"])


def gone(house: Path) -> bool:
    """Whether no process is left of any server."""
    return not any(alive(pid) for server in started(house) for pid in server["pids"])


def steps(cluster: Cluster, job: str) -> int:
    """How many steps run in a job: each has a script of its own."""
    commands = [Path(f"/proc/{pid}/cmdline").read_text() for pid in processes(cluster, job)]
    return len(
        {script for command in commands for script in re.findall(r"scripts/tmp\w+\.step\.py", command)}
    )


def check_results(house: Path, cluster: Cluster) -> None:
    """All is written, nothing of a server is left, and there is nothing more to do."""
    instances = tables.read(f"{house}/results/generate/instances/counterfactual/part-00000.parquet")
    predictions = tables.read(f"{house}/{TARGET}")
    assert sorted(predictions["instance_id"]) == sorted(instances["instance_id"])
    assert predictions["prediction"].to_list() == [SAID] * 2
    assert tables.read(f"{house}/{CALLS}")["status"].to_list() == ["ok"] * 2
    assert gone(house) and not list((house / ENDPOINTS).glob("*.json"))
    servers = len(started(house))
    assert "Nothing to be done" in Run(house, cluster, TARGET).ends()
    assert len(started(house)) == servers


def test_a_run_and_its_server_are_one_job(house: Path, cluster: Cluster) -> None:
    """Checkpoints that end one after the other make Snakemake renew jobs of a group; each is there once."""
    run = Run(house, cluster, TARGET, OTHER)
    job = busy(house, cluster)
    assert steps(cluster, job) == len(STEPS)
    asked = cluster.run("scontrol", "show", "job", job)
    assert "NumCPUs=2 " in asked and "gres/gpu=1" in asked and "MinMemoryNode=6000M" in asked
    (house / "data" / "hold").unlink()
    output = run.ends()
    assert all(output.count(f"rule {name}:") == 2 for name in STEPS)
    rules = {each["id"]: each["rule"] for each in cluster.jobs()}
    own = {each["id"]: rules[each["id"]] for each in jobs_of(house, cluster)}
    groups = {id for id, rule in own.items() if rule.endswith(f"_{GROUP}")}
    assert len(groups) == 2 and groups == {server["job"] for server in started(house)}
    assert sorted(own[id] for id in own.keys() - groups) == ["generate_instances", "generate_rewrites"]
    assert {server["model"] for server in started(house)} == {"gpt-8", "gpt-9"}
    assert all(server["gpus"] in ("0", "1") for server in started(house))
    assert (house / OTHER).exists()
    check_results(house, cluster)


def test_runs_of_one_model_are_one_job_with_one_server(house: Path, cluster: Cluster) -> None:
    append("data/runs.tsv", "warm\tnone\tprompt\tgpt-9\tzh-en\tadapt-zh-en\tprompt.temperature=1\t\n")(house)
    (house / "data" / "hold").unlink()
    warm = OTHER.replace("other", "warm")
    Run(house, cluster, TARGET, warm, quick=True).ends()
    (server,) = started(house)
    assert server["model"] == "gpt-9" and (house / warm).exists()
    rules = {each["id"]: each["rule"] for each in cluster.jobs()}
    own = [each["id"] for each in jobs_of(house, cluster)]
    assert [id for id in own if rules[id].endswith(f"_{GROUP}")] == [server["job"]]
    check_results(house, cluster)


def cancelled(house: Path, cluster: Cluster, run: Run, job: str) -> Run:
    """The job alone; the run tries it again."""
    cluster.run("scancel", job)
    return run


def requeued(house: Path, cluster: Cluster, run: Run, job: str) -> Run:
    cluster.run("scontrol", "requeue", job)
    begins_soon(cluster, job)
    return run


def interrupted(house: Path, cluster: Cluster, run: Run, job: str) -> Run:
    """The run, by Ctrl-C, which cancels its job; a second run is given."""
    run.interrupt()
    run.fails()
    assert ended(cluster, job) == "CANCELLED"
    return Run(house, cluster, TARGET)


def test_a_job_that_is_ended_leaves_no_server(house: Path, cluster: Cluster) -> None:
    run = Run(house, cluster, TARGET)
    for servers, fault in enumerate((cancelled, requeued, interrupted), 1):
        job = busy(house, cluster, servers)
        last = started(house)[-1]["pids"]
        assert all(map(alive, last))
        run = fault(house, cluster, run, job)
        cluster.until(lambda pids=last: not any(map(alive, pids)), "the server is gone")
    (house / "data" / "hold").unlink()
    run.ends()
    assert len(started(house)) == 4
    check_results(house, cluster)
