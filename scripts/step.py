"""The adapter of every rule: runs the step that stands in the rule's key (wokflow.frame.step says how)."""

import os
import signal
import sys

# The package beside this file, of which the rule's key tells, and no other copy that happens to be installed.
sys.path.insert(0, snakemake.scriptdir)

# Read by polars and by OpenMP when they are imported, so it stands before everything else.
for variable in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, str(max(snakemake.threads, 1)))

os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # a job writes its progress into its log

from wokflow.cluster.environment import load_keys  # noqa: E402
from wokflow.cluster.window import SUBMITTED, minutes_left  # noqa: E402
from wokflow.frame.gpus import take_gpus  # noqa: E402
from wokflow.frame.step import RuleJob, run  # noqa: E402


def plain(files):
    """Paths by name: a string for a single file, a list for several."""
    return {
        name: path if isinstance(path, str) else [str(each) for each in path] for name, path in files.items()
    }


inputs = plain(snakemake.input)
take_gpus(snakemake.resources.get("gpu", 0))
named = {path for files in inputs.values() for path in ([files] if isinstance(files, str) else files)}

# Before, Ctrl-C ends the process without a word (wokflow.frame.interrupts); afterwards there is nothing to end.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    run(
        RuleJob(
            key=snakemake.params.key,
            unkeyed=snakemake.params.unkeyed,
            inputs=inputs,
            outputs=plain(snakemake.output),
            wildcards=dict(snakemake.wildcards.items()),
            threads=snakemake.threads,
            minutes_left=lambda: minutes_left(snakemake.resources.runtime),
            log=snakemake.log[0],
            unnamed=tuple(str(path) for path in snakemake.input if str(path) not in named),
        ),
        prepare=load_keys if SUBMITTED in os.environ else lambda: None,
    )
finally:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
