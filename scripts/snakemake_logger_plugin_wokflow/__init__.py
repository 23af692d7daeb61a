"""Says with file and line what Snakemake could not read behind --configfile.

Snakemake imports every package with such a name before it looks at its command line, and reads config files before
any Snakefile: nowhere else can an error in one of them be explained. So this is done on import, but only where the
working folder has this workflow. The log handler, which a plugin must have, shows nothing: wokflow/frame/screen.py
says why.
"""

import logging
import sys
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase


class LogHandler(LogHandlerBase):
    """Shows nothing: `--logger wokflow` changes nothing."""

    writes_to_stream = writes_to_file = has_filter = has_formatter = needs_rulegraph = False

    def emit(self, record: logging.LogRecord) -> None:
        """Nothing is shown."""


def explain_config_files() -> None:
    """End the process with a message if it cannot read a config file that its command line names."""
    # Otherwise a run in another clone than that of the environment would have that one's code, but in its jobs.
    sys.path.insert(0, str(Path("scripts").resolve()))
    from wokflow.frame.config_files import behind_configfile, check_readable
    from wokflow.frame.job import UserError

    try:
        check_readable(behind_configfile(sys.argv[1:]))
    except UserError as error:
        sys.exit(str(error))


if Path("scripts", "snakemake_logger_plugin_wokflow").is_dir():
    explain_config_files()
