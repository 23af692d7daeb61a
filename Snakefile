# Results: results/export/release/<name>-<version> (what to publish), results/report/page/index.html (open it in a browser),
# and every stage's tables under results/<stage>/. Config: config/README.md. What a run will do: make plan.
# Each stage is a target, which makes what it needs, too; README.md lists them. A glossary to begin with: parse_induce.
# So is each paper, with its config: snakemake paper_001_ash --configfile config/papers/001-ash.yaml my.yaml
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.20")
ROOT = Path(str(workflow.current_basedir))  # this file's own folder, also where another workflow imports it
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "executor")]  # in a container, neither is installed
EARLIER_RULES = set(workflow.rules)  # an importing workflow's own

from snakemake.logging import logger
from snakemake.settings.types import ExecMode
from wokflow.frame.interrupts import hide_tracebacks
from wokflow.frame.screen import shorten_screen

if workflow.exec_mode == ExecMode.DEFAULT and workflow.modifier.is_main_snakefile():
    hide_tracebacks()
    if not workflow.output_settings.dryrun:
        shorten_screen(logger, lambda: {rule.name for rule in workflow.rules if rule.is_checkpoint})


include: "rules/config.smk"
include: "rules/common.smk"


if config["container"]:  # with --software-deployment-method apptainer, jobs run in it

    container: config["container"]


for stage in stages.STAGES:
    for path in stages.rule_files(ROOT, stage):

        include: path


include: "rules/cluster.smk"


refuse_moved(
    path
    for rule in OWN_RULES
    for path in (*rule.output, *rule.input)
    if "path_modified" in getattr(path, "flags", {})
)

if workflow.exec_mode == ExecMode.DEFAULT:
    restore_records(RESULTS, [[str(path) for path in rule.output] for rule in OWN_RULES])
    demand_digests()


rule all:
    default_target: not EARLIER_RULES
    input:
        [files for stage, files in TARGETS.items() if stage in WHOLE],


for stage, files in TARGETS.items():

    rule:
        name:
            stage
        input:
            files,


for short, paper in paper_settings.PAPERS.items():

    rule:
        name:
            paper.target
        input:
            paper_plan.files_of(short, RESULTS, TARGETS),


onsuccess:
    from snakemake.settings.enums import Quietness
    from wokflow.frame.secrets import shown
    from wokflow.report.outcome import Outcome

    if Quietness.ALL not in (workflow.output_settings.quiet or ()):
        outputs = {str(path) for job in workflow.dag.jobs for path in job.output}
        lost = [*NAMED.left_out(config)]
        outcome = Outcome(config, outputs, list(RUNS), RESERVED, list(RUNS.left_out), lost)
        print(shown(outcome.text()), file=sys.stderr)
