"""Commands of Slurm, on the login node and in jobs, which need no package of Snakemake for it."""

import subprocess
from collections.abc import Mapping

from wokflow.frame.processes import ask_program

PATIENCE = 60  # seconds that an answer may take


class SlurmError(Exception):
    """Slurm refused something, or does not answer; the message is Slurm's own."""


def ask(*command: str, text: str = "", environment: Mapping[str, str] | None = None) -> str:
    """The output of a command of Slurm. Raises SlurmError where it fails, is not there or takes over a minute."""
    try:
        done = ask_program(command, text=text, environment=environment, patience=PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise SlurmError(f"{command[0]} gave no answer in {PATIENCE} s") from error
    except OSError as error:
        raise SlurmError(f"{command[0]} cannot be run: {error.strerror}") from error
    if done.returncode:
        raise SlurmError(
            (done.stderr.strip() or done.stdout.strip()) or f"{command[0]} failed without a message"
        )
    return done.stdout
