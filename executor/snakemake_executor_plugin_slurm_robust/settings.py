"""The plugin's settings: those of Snakemake's executor for Slurm, and the site file."""

from dataclasses import dataclass, field
from pathlib import Path

import snakemake_executor_plugin_slurm as slurm


@dataclass
class ExecutorSettings(slurm.ExecutorSettings):  # type: ignore[misc]
    """Options `--slurm-robust-...`."""

    site: Path | None = field(
        default=None,
        metadata={
            "help": "A YAML file with the cluster's account, qos, constraint and partitions (limits and settings of "
            "each), by which every job gets its partition. README.md of the plugin describes it.",
            "env_var": False,
            "required": False,
            "type": Path,
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.site is not None:
            self.site = Path(self.site).absolute()  # before --directory changes the working folder
        self.status_command = "squeue"  # states.py asks it, and accounting for what it leaves out
        # Otherwise a job's command, with its paths, goes into a line for a shell of the login node.
        self.pass_command_as_script = True
