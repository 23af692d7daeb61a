"""Prepare a run before it submits its first job to Slurm."""

import atexit
import functools
import getpass
import math
import os
import re
import shlex
import threading
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import snakemake_executor_plugin_slurm as plugin
import snakemake_executor_plugin_slurm_jobstep as jobstep

from wokflow.cluster import environment, slurm
from wokflow.cluster.bundles import bundled, is_bundle, one_after_the_other
from wokflow.cluster.deferred import Deferred
from wokflow.cluster.job_outputs import members
from wokflow.cluster.states import States
from wokflow.cluster.submission import cancel_copies, prepare_jobs
from wokflow.cluster.window import SUBMITTED
from wokflow.frame.job import UserError
from wokflow.frame.patches import Part, check_parts

TESTED = ("2.8.0",)  # versions of the executor plugin
PLUGIN, EXECUTOR = "snakemake_executor_plugin_slurm", "snakemake_executor_plugin_slurm:Executor"
JOBSTEP = "snakemake_executor_plugin_slurm_jobstep"
STEP = Path(__file__).with_name("step.sh")
PERSISTENCE = "snakemake.persistence:PersistenceBase"
PARTS = (
    Part(PLUGIN, "query_job_status", ("command", "logger")),  # these twelve are replaced
    Part(PLUGIN, "get_min_job_age", ()),
    Part(PLUGIN, "validate_account", ("account", "logger")),
    Part(EXECUTOR, "run_jobs", ("self", "jobs")),
    Part(EXECUTOR, "check_active_jobs", ("self", "active_jobs")),
    Part(EXECUTOR, "cancel_jobs", ("self", "active_jobs")),
    Part(EXECUTOR, "run_job", ("self", "job")),
    Part(EXECUTOR, "shutdown", ("self",)),
    Part(EXECUTOR, "format_job_exec", ("self", "job")),
    Part(EXECUTOR, "additional_general_args", ("self",)),
    Part(EXECUTOR, "_report_job_error_threadsafe", ("self", "job_info", "msg")),
    Part(EXECUTOR, "_report_job_submission_threadsafe", ("self", "job_info")),
    Part(EXECUTOR, "run_job_pre", ("self", "job")),  # these are called
    Part("snakemake.jobs:GroupJob", "__init__", ("self", "id", "jobs", "global_resources")),
    Part("snakemake.jobs:Job", "check_protected_output", ("self",)),
    Part(JOBSTEP, "get_cpu_setting", ("job", "gpu")),
    Part(JOBSTEP, "get_gpu_setting", ("job",)),
    Part(JOBSTEP, "get_node_setting", ("job",)),
    Part(PERSISTENCE, "finished", ("self", "job")),
    Part(PERSISTENCE, "incomplete", ("self", "job")),
    Part(PERSISTENCE, "_clear_cache", ("self",)),
)
REFUSED = ("SLURM sbatch failed", "Job submission failed")  # in the log where Slurm refused a job
NAMED = 10  # jobs at most that a message names
LEFT = re.compile(r"(\d+)\|([A-Z_]+)\|([^|]*)\|(.*)")


def prepare_run(key_variables: Collection[str] = ()) -> None:
    """Refuse to start beside an earlier run's jobs; replace parts of the executor; keep keys out of the environment.

    `key_variables` are names of variables with keys, which jobs get by a file. Raises UserError where the executor is
    not as it was tested, or where jobs of an earlier run in this folder are still in the queue: they write the same
    files.
    """
    check_parts("snakemake-executor-plugin-slurm", TESTED, PARTS)
    if left := left_jobs(Path.cwd()):
        ids = " ".join(left)
        named = "".join(f"\n  {job}: {what}" for job, what in list(left.items())[:NAMED])
        more = f"\n  and {len(left) - NAMED} more" if len(left) > NAMED else ""
        raise UserError(
            f"{len(left)} jobs of an earlier run in this folder are still in the queue:{named}{more}\n"
            f"They write the same files as a new run. Wait until they have ended, or end them, then start again:\n"
            f"  scancel {ids}"
        )
    replace_parts(States())
    for name in environment.hand_over(os.environ, key_variables):
        del os.environ[name]
    atexit.register(environment.remove_keys)


def stock(name: str) -> Any:
    """A method of the executor as it was before it was replaced."""
    method = getattr(plugin.Executor, name)
    return getattr(method, "__wrapped__", method)


def replace_parts(states: States) -> None:
    """Have the executor ask `states`, prepare each job before its submission, and let refused jobs wait."""
    run_jobs, check_active_jobs, cancel_jobs = map(stock, ("run_jobs", "check_active_jobs", "cancel_jobs"))
    deferred = defer_refused()
    start_once()
    asked: list[
        Any
    ] = []  # jobs whose states the executor is asking for; meanwhile it has them in no list of its own

    @functools.wraps(run_jobs)
    def prepared(self: Any, jobs: Sequence[Any]) -> None:
        # By itself, the executor puts a job's command, with its paths, into a line for a shell of the login node.
        self.workflow.executor_settings.pass_command_as_script = True
        known = {info.external_jobid for info in (*self.active_jobs, *asked)}
        prepare_jobs(self, jobs, known)
        bundles, single = bundled(jobs)
        run_jobs(self, single)
        for bundle in bundles:
            for job in bundle:
                self.run_job_pre(job)
            self._job_submission_executor.submit(self.run_job, bundle)

    @functools.wraps(check_active_jobs)
    async def checked(self: Any, active_jobs: Sequence[Any]) -> AsyncIterator[Any]:
        asked[:] = active_jobs
        states.run = self.run_uuid
        states.latency = self.workflow.execution_settings.latency_wait
        states.jobs = {info.external_jobid: info.aux.get("bundle", info.job) for info in active_jobs}
        try:
            async for info in check_active_jobs(self, active_jobs):
                yield info
            if states.in_doubt:  # the executor would ask more and more rarely
                self.next_seconds_between_status_checks = (
                    self.workflow.executor_settings.init_seconds_before_status_checks
                )
        finally:
            asked.clear()

    @functools.wraps(cancel_jobs)
    def cancelled(self: Any, active_jobs: Sequence[Any]) -> None:
        deferred.close()
        cancel_jobs(self, [*active_jobs, *(info for info in asked if info not in active_jobs)])

    plugin.Executor.run_jobs = prepared
    plugin.Executor.check_active_jobs = checked
    plugin.Executor.cancel_jobs = cancelled
    plugin.query_job_status = states
    # Where MinJobAge is short, the executor would ask sacct alone, lest jobs be forgotten between two questions. It
    # would then wait for ever for jobs that are "CANCELLED by 0". States asks accounting itself, for each job that
    # squeue does not list, and reads its answers rightly, so that no job is lost by a short MinJobAge.
    plugin.get_min_job_age = lambda: math.inf
    # Once, and not before each submission: it asks the accounting database.
    plugin.validate_account = functools.cache(plugin.validate_account)


class Submission:
    """Submits a job and reports the outcome by the executor's own methods, from any number of threads."""

    def __init__(self) -> None:
        self.run_job = stock("run_job")
        self.report_error = stock("_report_job_error_threadsafe")
        self.report_submission = stock("_report_job_submission_threadsafe")
        self.ids: set[str] = set()  # of all jobs of the run
        self.thread = threading.local()  # `message`: of the failure of this thread's submission

    def submit(self, executor: Any, job: Any) -> str:
        """Submit a job; return the message of a failure, empty if there is none."""
        self.thread.message = ""
        try:
            self.run_job(executor, job)
        except Exception as error:  # the executor itself fails over an error of a group
            self.thread.message = f"Job submission failed with exception: {error.__context__ or error}"
        message: str = self.thread.message
        del self.thread.message
        return message

    def fail(self, executor: Any, job: Any, message: str) -> None:
        """Report that a job failed."""
        if job.is_group():  # Snakemake leaves out why it failed
            executor.logger.error(message)
        for member in members(job) if is_bundle(job) else (job,):
            self.report_error(executor, plugin.SubmittedJobInfo(member), message)

    def withdraw(self, executor: Any, job: Any) -> None:
        """Cancel a copy of a job that Slurm took without confirming it."""
        cancel_copies(executor, [job], self.ids)

    def note_error(self, executor: Any, job_info: Any, message: str) -> None:
        """Keep the message of a failure for `submit`, in a thread that submits; otherwise report it."""
        if hasattr(self.thread, "message"):
            self.thread.message = message
        else:
            self.report_error(executor, job_info, message)

    def note_submission(self, executor: Any, job_info: Any) -> None:
        """Report that Slurm took a job, or each job of a bundle."""
        self.ids.add(job_info.external_jobid)
        if not is_bundle(job_info.job):
            self.report_submission(executor, job_info)
            return
        about = {**job_info.aux, "bundle": job_info.job}
        for member in members(job_info.job):
            self.report_submission(executor, plugin.SubmittedJobInfo(member, job_info.external_jobid, about))


def defer_refused() -> Deferred:
    """Have the executor submit a job again, later, where Slurm refuses it for now."""
    own, shutdown = Submission(), stock("shutdown")
    deferred = Deferred(own.submit, own.fail, own.withdraw)

    @functools.wraps(own.run_job)
    def submit_or_wait(self: Any, job: Any) -> None:
        deferred(self, job)

    @functools.wraps(own.report_error)
    def note_error(self: Any, job_info: Any, msg: str) -> None:
        own.note_error(self, job_info, msg)

    @functools.wraps(own.report_submission)
    def note_submission(self: Any, job_info: Any) -> None:
        own.note_submission(self, job_info)

    @functools.wraps(shutdown)
    def closed(self: Any) -> None:
        deferred.close()
        shutdown(self)

    plugin.Executor.run_job = submit_or_wait
    plugin.Executor._report_job_error_threadsafe = note_error
    plugin.Executor._report_job_submission_threadsafe = note_submission
    plugin.Executor.shutdown = closed
    return deferred


def start_once() -> None:
    """Have a job start Snakemake once on its node. By itself, the executor starts another first, only to call srun.

    A mark in the command (SUBMITTED) tells jobs that the executor submitted them.
    """
    format_job_exec, additional_args = stock("format_job_exec"), stock("additional_general_args")

    def is_stock(executor: Any) -> bool:
        """Whether commands stay the executor's: it rewrites them for arrays of jobs."""
        return bool(executor.array_jobs)

    @functools.wraps(additional_args)
    def arguments(self: Any) -> str:
        args: str = additional_args(self) if is_stock(self) else ""
        return args

    @functools.wraps(format_job_exec)
    def command(self: Any, job: Any) -> str:
        python = f"{self.get_python_executable()} -m snakemake"
        mark = f"env {SUBMITTED}=1 {environment.VARIABLE}={shlex.quote(str(environment.keys_file()))}"
        gpu = bool(job.resources.get("gpu"))
        options = (
            jobstep.get_cpu_setting(job, gpu),
            jobstep.get_gpu_setting(job),
            jobstep.get_node_setting(job),
        )
        step = f"sh {shlex.quote(str(STEP))} -n1 --cpu-bind=q {' '.join(filter(None, options))}"
        before = mark if is_stock(self) else f"{mark} {step}"
        whole: str = format_job_exec(self, job)
        if is_bundle(job):
            whole = one_after_the_other(whole, job.threads)
        return whole.replace(python, f"{before} {python}", 1)

    plugin.Executor.additional_general_args = arguments
    plugin.Executor.format_job_exec = command


def left_jobs(folder: Path) -> dict[str, str]:
    """Jobs of Snakemake that wait or run in a folder: rule, wildcards and state by job id."""
    command = ["squeue", "--noheader", "--user", getpass.getuser(), "--format", "%A|%T|%k|%Z"]
    try:
        output = slurm.ask(*command)
    except slurm.SlurmError as error:
        raise UserError(f"Slurm does not answer: {error}\n`make check-site` says more.") from error
    left = {}
    for row in filter(None, map(LEFT.fullmatch, output.splitlines())):
        job, state, comment, workdir = row.groups()
        if comment.startswith(("rule_", "group_")) and Path(workdir) == folder:
            left[job] = f"{comment.replace('_wildcards_', ' ')}, {state}"
    return left


def _lines(log: str) -> Iterator[str]:
    with Path(log).open(encoding="utf-8", errors="replace") as file:
        yield from file


def advice(logs: list[str]) -> str:
    """What to do if, by the logs of a failed run, Slurm refused jobs; empty if it did not."""
    lines = chain.from_iterable(map(_lines, logs))
    if not any(words in line for line in lines for words in REFUSED):
        return ""
    return (
        "Slurm refused jobs; its reason is above. Where it does not like an account, a partition or what a job asks "
        "for, mend slurm/site.yaml (`make check-site` says what is wrong there). Then give the same command again."
    )
