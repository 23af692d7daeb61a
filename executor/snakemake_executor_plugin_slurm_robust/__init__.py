"""Snakemake's executor for Slurm, for runs that survive lost jobs and refusals: `--executor slurm-robust`.

README.md says what it does beyond the executor that it extends.
"""

from snakemake_executor_plugin_slurm import common_settings

from snakemake_executor_plugin_slurm_robust.executor import RobustExecutor as Executor
from snakemake_executor_plugin_slurm_robust.settings import ExecutorSettings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]
