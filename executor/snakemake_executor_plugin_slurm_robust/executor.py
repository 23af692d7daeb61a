"""The executor: Snakemake's for Slurm, with what README.md names beside it.

Every method below overrides one of the interface that Snakemake documents for executors, or adds to it.
PRIVATE_NAMES.md lists what is used beyond that.
"""

import os
import shlex
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import snakemake_executor_plugin_slurm as slurm
from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo

from snakemake_executor_plugin_slurm_robust import commands, slurm_questions
from snakemake_executor_plugin_slurm_robust.deferred import Deferred
from snakemake_executor_plugin_slurm_robust.jobs import Bundle, JobView, bundled, original, reported
from snakemake_executor_plugin_slurm_robust.placement import check_jobs, placed, request_of
from snakemake_executor_plugin_slurm_robust.self_check import SNAKEMAKE, SNAKEMAKE_TESTED, check_versions
from snakemake_executor_plugin_slurm_robust.site import Site, read_site
from snakemake_executor_plugin_slurm_robust.states import COMPLETED, ENDED, States
from snakemake_executor_plugin_slurm_robust.step_options import step_options
from snakemake_executor_plugin_slurm_robust.submission import cancel_copies, prepare_jobs

STEP = Path(__file__).with_name("step.sh")
# The environment variable by which a job knows that this executor submitted it.
MARK = "SNAKEMAKE_SLURM_ROBUST"
LONGER, LONGEST = 10, 180  # seconds: by how much pauses between questions grow, and up to what
REFUSED = (
    "Slurm refused jobs; its reason is above. If it does not like an account, a partition or what a job asks for, "
    "correct {site}. Then give the same command again."
)


class RobustExecutor(slurm.Executor):  # type: ignore[misc]
    """Submits jobs to Slurm and waits for them."""

    def __init__(self, workflow: Any, logger: Any) -> None:
        # The parent's constructor starts the thread that asks for states, so this goes before it.
        check_versions(logger)
        settings = workflow.executor_settings
        if getattr(settings, "array_jobs", None):  # since 2.6.0
            raise WorkflowError(
                "--slurm-robust-array-jobs: there are no job arrays here. Many jobs of a rule share jobs of Slurm."
            )
        self._site = read_site(settings.site) if settings.site else Site()
        if jobs := [job for job in workflow.dag.needrun_jobs() if not job.is_local]:
            check_jobs(self._site, jobs)
            commands.refuse_beside_jobs(Path.cwd())
        self._configuration = {
            name: os.environ[name] for name in commands.CONFIGURATION if name in os.environ
        }
        self._states = States(self._site.file)
        self._deferred = Deferred(self._submit, self._refuse, self._withdraw, logger)
        self._here = threading.local()  # `message`: of a failed submission
        # Jobs that are asked for now, which meanwhile stand in no list of the parent's.
        self._asked: list[Any] = []
        self._taken: set[str] = set()  # ids of all jobs that Slurm took
        self._accounts: dict[str, list[str]] = {}
        self._refused: set[Any] = set()  # jobs that Slurm refused for good, and has not taken since
        self._avoided = {name.strip() for name in (settings.exclude_failed_nodes or "").split(",")} - {""}
        settings.exclude_failed_nodes = None  # the parent adds them in another place in each version
        super().__init__(workflow, logger)

    def __post_init__(self, *arguments: Any) -> None:
        os.environ.update(self._configuration)  # the parent deletes it with other variables of Slurm
        super().__post_init__(*arguments)

    # Submission

    def run_jobs(self, jobs: Sequence[Any]) -> None:
        """Submit jobs: their old outputs are removed before, and many of one rule share jobs of Slurm."""
        known = {info.external_jobid for info in (*self.active_jobs, *self._asked)}
        prepare_jobs(self, jobs, known)
        bundles, single = bundled(jobs)
        super().run_jobs([*single, *bundles])

    def run_job_pre(self, job: Any) -> None:
        for each in reported(job):
            super().run_job_pre(each)

    def run_job(self, job: Any) -> None:
        """Submit a job to the partition that takes it; one that Slurm refuses for now waits."""
        if self.workflow.executor_settings.site:
            try:
                resources = placed(self._site, dict(job.resources.items()), request_of(job), job.attempt > 1)
            except Exception as error:  # a thread of the parent calls this, in which an error would be lost
                self._fail(job, f"{job.name}: {error}")
                return
            job = JobView(job, resources, job.threads)
        self._deferred(job)

    def _submit(self, job: Any) -> str:
        """Submit a job, but to no node that has failed; return the message of a failure, empty without one."""
        self._here.message = ""
        extra = str(job.resources.get("slurm_extra") or "")
        # Of two such options the last would count: a job's own stays.
        if self._avoided and "--exclude" not in extra and " -x" not in f" {extra}":
            excluded = shlex.quote(f"--exclude={','.join(sorted(self._avoided))}")  # a shell reads it
            resources = {**dict(job.resources.items()), "slurm_extra": f"{extra} {excluded}".strip()}
            job = JobView(job, resources, job.threads)
        try:
            super().run_job(job)
        except Exception as error:  # the parent itself fails over an error of a group
            self._here.message = f"Job submission failed with exception: {error.__context__ or error}"
        message: str = self._here.message
        del self._here.message
        return message

    def _fail(self, job: Any, message: str) -> None:
        """Report that a job failed."""
        if job.is_group():  # Snakemake leaves out why it failed
            self.logger.error(message)
        for each in reported(job):
            super().report_job_error(SubmittedJobInfo(each), message)

    def _refuse(self, job: Any, message: str) -> None:
        """Report that Slurm refused a job."""
        self._refused.update(reported(job))
        self._fail(job, message)

    def _withdraw(self, job: Any) -> None:
        """Cancel a copy of a job that Slurm took without confirming it."""
        cancel_copies(self, [job], self._taken)

    def report_job_error(self, job_info: Any, msg: str | None = None, **options: Any) -> None:
        """Keep the message of a failure for `_submit`, in a thread that submits; otherwise report it."""
        if hasattr(self._here, "message"):
            self._here.message = msg
            return
        super().report_job_error(job_info, msg, **options)

    def report_job_submission(self, job_info: Any, register_job: bool = True) -> None:
        """Report that Slurm took a job, or each job of a bundle."""
        self._taken.add(job_info.external_jobid)
        about = {**job_info.aux, "submitted": original(job_info.job)}
        for each in reported(job_info.job):
            info = SubmittedJobInfo(each, job_info.external_jobid, about)
            super().report_job_submission(info, register_job)
            self._refused.discard(each)

    def get_account_arg(self, job: Any) -> Iterator[str]:
        """The option for the account, which the parent looks up in the accounting database: once is enough."""
        account = str(job.resources.get("slurm_account") or "")
        if account not in self._accounts:
            self._accounts[account] = list(super().get_account_arg(job))
        yield from self._accounts[account]

    @property
    def max_array_size(self) -> int:
        """Any size, since there are no job arrays here: the parent does not start where a cluster allows none."""
        return sys.maxsize

    @max_array_size.setter
    def max_array_size(self, size: int) -> None:
        """What the parent finds out is not used."""

    # Commands

    def additional_general_args(self) -> str:
        """Nothing: the job runs in the Snakemake that srun starts. The parent would start another to call srun."""
        return ""

    def get_job_args(self, job: Any) -> str:
        """The options of a job's Snakemake: a bundle has the cores of one of its jobs, so that they run in turn."""
        given: str = super().get_job_args(job)
        return f"{given} --cores {job.threads}" if isinstance(original(job), Bundle) else given

    def format_job_exec(self, job: Any) -> str:
        """The command of a job: srun starts Snakemake, once."""
        whole: str = super().format_job_exec(job)
        python = f"{self.get_python_executable()} -m snakemake"
        step = f"sh {shlex.quote(str(STEP))} -n1 --cpu-bind=q {' '.join(step_options(job))}"
        if python not in whole:
            raise WorkflowError(
                f"Snakemake's command for this job has no `{python}`, which srun is to start: {whole}\n"
                f"Install a tested version: pip install {SNAKEMAKE}=={SNAKEMAKE_TESTED[1]}"
            )
        return whole.replace(python, f"env {MARK}=1 {step} {python}", 1)

    # Waiting

    async def check_active_jobs(self, active_jobs: Sequence[Any]) -> AsyncIterator[Any]:
        """Ask for the states of jobs, report those that ended, and yield the others."""
        first = self.workflow.executor_settings.init_seconds_before_status_checks
        if not active_jobs:
            self.next_seconds_between_status_checks = first
            return
        self._asked[:] = active_jobs
        self._states.run = self.run_uuid
        self._states.latency = self.workflow.execution_settings.latency_wait
        self._states.jobs = {info.external_jobid: info.aux["submitted"] for info in active_jobs}
        ended = False
        try:
            async with self.status_rate_limiter:
                states = await self._states.ask(self.logger)
            for info in active_jobs:
                state = states.get(info.external_jobid, "")
                if await self._has_ended(info, state):
                    ended = True
                else:
                    yield info
        finally:
            self._asked.clear()
        # While nothing ends, more and more rarely; but soon again if the end of a job is not certain.
        longer = min(self.next_seconds_between_status_checks + LONGER, LONGEST)
        self.next_seconds_between_status_checks = first if ended or self._states.in_doubt else longer

    async def _has_ended(self, info: Any, state: str) -> bool:
        """Whether a job has ended by its state in Slurm; if so, report how."""
        settings, log = self.workflow.executor_settings, info.aux.get("slurm_logfile")
        if state == "NODE_FAIL":
            node = (await slurm_questions.describe(info.external_jobid)).get("NodeList", "(null)")
            if node != "(null)" and node not in self._avoided:
                self._avoided.add(node)
                self.logger.warning(f"{node} failed. No job that is submitted from now on goes there.")
            if settings.requeue:  # Slurm starts it again
                return False
        if state not in ENDED:
            return False
        if state == COMPLETED:
            self.report_job_success(info)
            if log and not settings.keep_successful_logs:
                try:
                    log.unlink(missing_ok=True)
                except OSError as error:
                    self.logger.warning(f"{log} cannot be removed: {error.strerror}")
            return True
        message = f"SLURM-job '{info.external_jobid}' failed, SLURM status is: '{state}'."
        self.report_job_error(info, message, aux_logs=[str(log)] if log else [])
        return True

    def cancel_jobs(self, active_jobs: Sequence[Any]) -> None:
        """Cancel all jobs, those that are just being asked for, too, and submit no more."""
        self._deferred.close()
        jobs = {info.external_jobid: info for info in (*active_jobs, *self._asked)}
        super().cancel_jobs(list(jobs.values()))

    def shutdown(self) -> None:
        self._deferred.close()
        super().shutdown()
        if self._refused:
            self.logger.error(commands.hinted(REFUSED.format(site=self._site.file)))
