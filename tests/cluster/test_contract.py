"""The real executor, driven by `snakemake --profile slurm`; what Slurm's commands say is written by each test.

The toy house has results of the key `old`, and is run with the key `new`: no run may succeed with an old one.
"""

import json
import logging
import os
import shutil
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import snakemake_executor_plugin_slurm as slurm
from snakemake_executor_plugin_slurm_robust.executor import RobustExecutor
from snakemake_interface_common.exceptions import WorkflowError
from wokflow.cluster.window import SUBMITTED

from tests.cluster.toy import EVERY, FORGOTTEN, MADE, RUNS, House, unbuilt
from tests.conftest import snakemake


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house with all results of the key `old`."""
    house = unbuilt(tmp_path_factory.mktemp("contract") / "house")
    snakemake(house, "--config", "key=old", "--", *EVERY, cores=2)
    return house


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Any:
    def make(*jobs: dict[str, Any], **plan: Any) -> House:
        shutil.copytree(built, tmp_path / "house")
        return House(tmp_path / "house", {"jobs": jobs, **plan})

    return make


def test_no_old_output_is_taken_for_that_of_a_forgotten_job(house: Any) -> None:
    """Of a file, a checkpoint's folder and a group."""
    toy = house(FORGOTTEN)
    succeeded, output = toy.run(MADE, "results/folder", "results/second.txt", retries=0)
    assert not succeeded and toy.submitted() == 3
    assert "Slurm does not know it any more, and its outputs are not all there" in output
    results = (MADE, "results/folder", "results/first.txt", "results/second.txt")
    assert [toy.text(path) for path in results] == [""] * 4


def test_a_checkpoint_a_folder_a_group_and_a_pipe_run(house: Any) -> None:
    toy = house(RUNS)
    (toy.folder / "results/poured.txt").unlink()
    succeeded, output = toy.run(*EVERY)
    assert succeeded, output
    assert [toy.text(path) for path in EVERY] == ["new"] * 4


def test_a_forgotten_job_that_succeeded_is_done(house: Any) -> None:
    toy = house(RUNS | FORGOTTEN)
    succeeded, output = toy.run(latency=30)
    assert succeeded, output
    assert toy.text() == "new" and toy.calls() == ["sbatch 1 rule_made"]
    assert "Nothing to be done" in toy.run()[1]


def test_what_a_forgotten_job_left_half_done_is_not_taken(house: Any) -> None:
    toy = house(FORGOTTEN | {"leaves": {MADE: "half"}}, RUNS)
    succeeded, output = toy.run()
    assert succeeded, output
    assert toy.text() == "new" and toy.submitted() == 2


def test_a_live_job_is_cancelled_before_its_retry(house: Any) -> None:
    """squeue leaves out a job that runs; `run` refuses a submission beside a live copy."""
    toy = house(RUNS | FORGOTTEN | {"sleep": 60}, RUNS)
    assert toy.run()[0] and toy.text() == "new"
    assert toy.calls() == ["sbatch 1 rule_made", "scancel 1", "sbatch 2 rule_made"]


@pytest.mark.parametrize("target", [MADE, "results/second.txt"], ids=["job", "group"])
def test_what_was_taken_although_sbatch_failed_is_cancelled_before_it_is_submitted_again(
    target: str, house: Any
) -> None:
    toy = house({"fails": True, "lives": True}, RUNS)
    succeeded, output = toy.run(target, retries=0)
    assert succeeded, output
    assert toy.text(target) == "new"
    assert "Cancelling what an earlier try left in the queue: 1" in output
    assert [call.split()[0] for call in toy.calls()] == ["sbatch", "scancel", "sbatch"]


def test_no_later_job_goes_to_a_node_that_failed(house: Any) -> None:
    toy = house({"listed": ["NODE_FAIL"], "node": "n7"}, RUNS)
    profile = toy.folder / "slurm/config.yaml"
    profile.write_text(
        profile.read_text().replace("slurm-robust-requeue: true", "slurm-robust-requeue: false")
    )
    succeeded, output = toy.run(options=("--slurm-robust-exclude-failed-nodes", "n1"))
    assert succeeded and toy.text() == "new", output
    sent = [json.loads((toy.slurm / f"sent.{number}").read_text()) for number in (1, 2)]
    excluded = [[word for word in words if word.startswith("--exclude")] for words in sent]
    assert excluded == [["--exclude=n1"], ["--exclude=n1,n7"]]


def test_a_job_starts_snakemake_once(house: Any) -> None:
    """With the mark by which its step knows that it was submitted (scripts/step.py)."""
    toy = house(RUNS)
    assert toy.run("results/made.txt", "results/second.txt")[0]
    for number in (1, 2):
        command = (toy.slurm / f"script.{number}").read_text()
        assert command.count("-m snakemake") == 1 and "slurm-jobstep" not in command
        assert "step.sh -n1 --cpu-bind=q --cpus-per-task=1 --nodes=1" in command
        assert f"env {SUBMITTED}=1 sh " in command


def test_job_arrays_are_refused() -> None:
    """Before anything else: there is no job of Slurm then whose id `States` would read."""
    workflow = SimpleNamespace(executor_settings=SimpleNamespace(array_jobs="all"))
    with pytest.raises(WorkflowError, match="there are no job arrays here"):
        RobustExecutor(workflow, logging.getLogger())


def test_a_cluster_that_has_job_arrays_switched_off_runs_jobs(house: Any) -> None:
    toy = house(RUNS, config="MaxArraySize            = 1")
    succeeded, output = toy.run()
    assert succeeded and toy.text() == "new", output


def test_a_command_that_srun_could_not_start_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = object.__new__(RobustExecutor)
    monkeypatch.setattr(slurm.Executor, "get_python_executable", lambda self: "/venv/python")
    monkeypatch.setattr(
        slurm.Executor, "format_job_exec", lambda self, job: "/venv/python -X utf8 -m snakemake"
    )
    job = SimpleNamespace(threads=1, resources={})
    with pytest.raises(WorkflowError, match="has no `/venv/python -m snakemake`"):
        executor.format_job_exec(job)


def test_no_shell_reads_a_command_out_of_the_name_of_a_file(house: Any) -> None:
    """On the login node no shell reads paths; quotes keep them from that of the node."""
    toy = house(RUNS)
    source = toy.folder / "a $(touch read) `touch read`" / "source"
    source.parent.mkdir()
    source.write_text("new")
    succeeded, output = toy.run("results/copied.txt")
    assert succeeded, output
    assert toy.text("results/copied.txt") == "new"
    assert not [*toy.folder.rglob("read")] and "touch" in (toy.slurm / "script.1").read_text()


SHARDS = [f"results/shards/{shard}.txt" for shard in range(5)]


def test_many_jobs_of_a_rule_share_jobs_of_slurm_one_after_the_other(house: Any) -> None:
    """Of five shards two jobs of Slurm are made; `mkdir alone` fails where two run at once."""
    toy = house(RUNS, one_by_one=True)
    toy.environment["MOST_JOBS_OF_A_RULE"] = "2"
    succeeded, output = toy.run(*SHARDS, retries=0)
    assert succeeded, output
    assert toy.submitted() == 2 and {toy.text(path) for path in SHARDS} == {"new"}
    arguments = json.loads((toy.slurm / "sent.1").read_text())
    assert {"--cpus-per-task=2", "60", "2000"} <= set(arguments)
    assert "Nothing to be done" in toy.run(*SHARDS)[1]


def test_a_shard_that_fails_in_a_shared_job_is_retried_and_so_are_its_neighbours(house: Any) -> None:
    toy = house(RUNS, one_by_one=True)
    toy.environment["MOST_JOBS_OF_A_RULE"] = "2"
    (toy.folder / "refuse.1").touch()
    succeeded, output = toy.run(*SHARDS)
    assert succeeded, output
    assert toy.submitted() in (4, 5), toy.calls()  # the first two, and those of the one that failed
    assert {toy.text(path) for path in SHARDS} == {"new"}


def test_a_shared_job_that_is_forgotten_is_decided_by_all_its_outputs(house: Any) -> None:
    half = FORGOTTEN | {"leaves": {SHARDS[0]: "new"}}
    toy = house(half, RUNS, one_by_one=True)
    toy.environment["MOST_JOBS_OF_A_RULE"] = "2"
    succeeded, output = toy.run(*SHARDS)
    assert succeeded, output
    assert toy.submitted() in (4, 5), toy.calls()  # the first two, and those of the one that failed
    assert {toy.text(path) for path in SHARDS} == {"new"}


FULL = (
    "QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: "
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
)
INVALID = "Batch job submission failed: Invalid account or account/partition combination specified"


def test_while_one_job_waits_all_others_wait_behind_it_and_running_jobs_are_asked_for(house: Any) -> None:
    """Of five jobs Slurm takes one at a time, no more than one of which is tried between two questions.

    None uses up a retry.
    """
    refused = {"refused": FULL}
    toy = house(RUNS, refused, refused, RUNS)
    succeeded, output = toy.run(*EVERY, retries=0)
    assert succeeded, output
    assert [toy.text(path) for path in EVERY] == ["new"] * 4
    assert toy.submitted() <= 6, toy.calls()
    assert output.count("Slurm takes no more jobs now") == 1 and "QOSMaxSubmitJobPerUserLimit" in output
    assert output.count("Slurm takes jobs again.") == 1


def test_a_job_that_is_refused_for_good_fails_at_once_and_with_advice_unless_it_is_taken_later(
    house: Any,
) -> None:
    refused = {"refused": INVALID}
    toy = house(refused, refused, RUNS)
    succeeded, output = toy.run(retries=0)
    assert not succeeded and toy.submitted() == 1
    assert "Slurm takes no more jobs now" not in output and INVALID in output
    assert "correct slurm/site.yaml." in output and "`make check-site` says" in output
    succeeded, output = toy.run(retries=1)
    assert succeeded and INVALID in output and "Slurm refused jobs" not in output


CPU = "partitions: {cpu: {max_runtime: 100, max_mem_mb: 4000, max_threads: 4}}\n"


def test_a_group_that_no_partition_takes_was_not_refused_by_slurm(house: Any) -> None:
    """Its two jobs of 60 minutes run one after the other."""
    toy = house(RUNS)
    (toy.folder / "slurm/site.yaml").write_text(CPU)
    succeeded, output = toy.run("results/second.txt", retries=0)
    assert not succeeded and toy.submitted() == 0
    assert "120 minutes" in output and "Slurm refused jobs" not in output


def test_a_profile_that_does_not_name_the_site_file_is_refused_where_that_says_something(house: Any) -> None:
    toy = house(RUNS)
    (toy.folder / "slurm/site.yaml").write_text(CPU)
    profile = toy.folder / "slurm/config.yaml"
    profile.write_text(profile.read_text().replace("slurm-robust-site:", "#"))
    succeeded, output = toy.run()
    assert not succeeded and toy.submitted() == 0
    assert "this run uses no site file" in output and "slurm-robust-site" in output


def test_the_executor_that_this_one_extends_is_refused(house: Any) -> None:
    toy = house(RUNS)
    succeeded, output = toy.run(options=("--executor", "slurm"))
    assert not succeeded and toy.submitted() == 0
    assert "Runs on Slurm need the executor slurm-robust" in output


def test_a_job_that_is_refused_for_ever_fails_with_slurms_words(house: Any) -> None:
    toy = house({"refused": FULL})
    toy.environment["PATIENCE_WITH_REFUSALS"] = "1"
    succeeded, output = toy.run(retries=0)
    assert not succeeded
    assert "Slurm has taken no job for" in output and "QOSMaxSubmitJobPerUserLimit" in output


def test_ctrl_c_ends_a_run_whose_job_waits_to_be_submitted(house: Any) -> None:
    toy = house({"refused": FULL})
    process = toy.start()
    while toy.submitted() < 3:
        time.sleep(0.05)
        assert process.exitcode is None
    os.kill(process.pid, signal.SIGINT)
    toy.end(process)
    with pytest.raises(ProcessLookupError):  # nothing is left that could submit it
        os.killpg(process.pid, 0)


def test_a_group_that_cannot_be_submitted_fails(house: Any) -> None:
    toy = house(RUNS)
    succeeded, output = toy.run(
        "results/second.txt", options=("--set-resources", "first:slurm_extra='--mem=5'"), retries=0
    )
    assert not succeeded and toy.submitted() == 0
    assert "is not allowed in the 'slurm_extra' parameter" in output


def test_back_to_the_old_key_after_snakemake_was_killed_and_its_job_was_not(house: Any) -> None:
    """The job goes on, so that the result is new; the old key is made anew from there."""
    toy = house(RUNS)
    process = toy.start()
    toy.until(toy.slurm / "job.1")
    os.killpg(process.pid, signal.SIGKILL)
    toy.end(process)
    toy.until(toy.slurm / "code.1")
    assert toy.text() == "new"
    snakemake(toy.folder, "--unlock")
    assert toy.run(key="old")[0]
    assert toy.text() == "old" and toy.submitted() == 2


def test_ctrl_c_while_squeue_is_asked_cancels_the_job(house: Any) -> None:
    toy = house(RUNS | {"sleep": 60}, slow=True)
    process = toy.start()
    toy.until(toy.slurm / "asked")
    os.kill(process.pid, signal.SIGINT)
    (toy.slurm / "answer").touch()
    toy.end(process)
    assert "scancel 1" in toy.calls()


VERSION = "Metadata-Version: 2.1\nName: snakemake-executor-plugin-slurm\nVersion: 9.9.0\n"
PATH = "import sys\nsys.path.insert(0, 'python')\n"
LACKS = "from snakemake_executor_plugin_slurm import Executor\ndel Executor.get_account_arg\n"


def patched(tmp_path: Path, code: str) -> House:
    """A house with an old result, whose runs begin with some code."""
    toy = House(unbuilt(tmp_path / "house"), {"jobs": [RUNS]})
    (toy.folder / MADE).parent.mkdir()
    (toy.folder / MADE).write_text("old")
    toy.environment["PATCH"] = code
    return toy


def test_an_executor_that_lacks_what_is_needed_is_refused(tmp_path: Path) -> None:
    toy = patched(tmp_path, LACKS)
    succeeded, output = toy.run(options=("--forcerun", "made"))
    assert not succeeded and toy.submitted() == 0 and toy.text() == "old"
    assert "there is no snakemake_executor_plugin_slurm:Executor.get_account_arg(self, job)" in output
    assert "pip install snakemake-executor-plugin-slurm==" in output


def test_an_untested_version_of_the_executor_runs_with_a_warning(tmp_path: Path) -> None:
    toy = patched(tmp_path, PATH)
    metadata = toy.folder / "python" / "snakemake_executor_plugin_slurm-9.9.0.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(VERSION)
    succeeded, output = toy.run(options=("--forcerun", "made"))
    assert succeeded and toy.text() == "new", output
    assert "snakemake-executor-plugin-slurm 9.9.0 is not among the tested versions" in output
