"""Ctrl-C without tracebacks, in the run and in its jobs: the terminal sends it to all of them at once."""

import inspect
import signal
import sys
from types import TracebackType
from typing import IO

from snakemake_executor_plugin_slurm_robust.self_check import Part

SCRIPT = "step.py"
# Runs before Snakemake's own lines, which import for some tenths of a second; step.py has a handler of its own.
QUIET = f"import signal; signal.signal({int(signal.SIGINT)}, signal.SIG_DFL)\n"
WRITE = Part("snakemake.script:PythonScript", "write_script", ("self", "preamble", "fd"))
GO_ON = "Give the same command again to go on: what is done stays, and a training resumes from its last checkpoint."


def hide_tracebacks() -> None:
    """Have Ctrl-C end a run that has no jobs yet, and jobs that are only starting, without a traceback.

    A version of Snakemake that writes scripts in another way is left as it is.
    """
    before = sys.excepthook

    def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            print(f"Stopped by Ctrl-C. {GO_ON}", file=sys.stderr)
        else:
            before(kind, error, trace)

    sys.excepthook = end

    from snakemake.script import PythonScript

    write = WRITE.find()
    if write is None or tuple(inspect.signature(write).parameters) != WRITE.parameters:
        return

    def write_script(self: PythonScript, preamble: str, fd: IO[bytes]) -> None:
        own = self.path.get_filename() == SCRIPT  # and not a script of a workflow that imports this one
        write(self, QUIET + preamble if own else preamble, fd)

    PythonScript.write_script = write_script
