# What YAML passes over in silence, or Snakemake without a name, is said before either reads the config.
from wokflow.frame.config_files import read_yaml
from wokflow.frame.job import UserError
from wokflow.frame.owned import take_records

DEFAULTS = str(ROOT / "config" / "config.yaml")
if workflow.exec_mode == ExecMode.DEFAULT and workflow.modifier.is_main_snakefile():
    try:
        take_records()  # dry runs, too, make Snakemake's folder
        for path in dict.fromkeys([DEFAULTS, *map(str, workflow.configfiles)]):
            read_yaml(path)
    except UserError as error:
        raise WorkflowError(str(error))


configfile: DEFAULTS
