"""Snakemake as its command line has it, but for times: those between two questions for states, and until jobs that
Slurm refused are submitted again. They are short, and constant.

The executor waits ever longer, up to three minutes, while no job ends. What $PATCH has is run before all else.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

BETWEEN = 0.3  # seconds
PATIENCE = float(os.environ.get("PATIENCE_WITH_REFUSALS", "60"))
sys.path.append(str(Path(__file__).parents[2] / "scripts"))


async def sleep(executor: Any) -> None:
    await asyncio.sleep(BETWEEN)


if __name__ == "__main__":
    # Where tests run in the background, it is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    exec(os.environ.get("PATCH", ""))
    from snakemake_executor_plugin_slurm_robust import deferred, jobs

    RemoteExecutor.sleep = sleep
    deferred.FIRST = deferred.LONGEST = BETWEEN
    deferred.PATIENCE = PATIENCE
    jobs.MOST = int(os.environ.get("MOST_JOBS_OF_A_RULE", jobs.MOST))
    sys.argv[0] = "snakemake"
    main()
