from wokflow.cluster.environment import hand_over
from wokflow.frame.alone import refuse_beside_jobs
from wokflow.frame.gpus import find_gpus
from wokflow.frame.scheduling import lift_default_rate
from snakemake_executor_plugin_slurm_robust import commands as slurm_commands
from snakemake_executor_plugin_slurm_robust.placement import limit_retries
from snakemake_executor_plugin_slurm_robust.site import Site, read_site

slurm_commands.hints[:] = ["`make check-site` says what is wrong there."]
OWN_RULES = [rule for rule in workflow.rules if rule not in EARLIER_RULES]
for each in OWN_RULES:
    limit_retries(each, SITE)
# Without --jobs, all jobs run on this machine: at once only as many as have GPUs of their own.
if workflow.exec_mode == ExecMode.DEFAULT:
    if workflow.resource_settings.nodes is None and "gpu" not in workflow.global_resources:
        if gpus := find_gpus():
            workflow.global_resources["gpu"] = len(gpus)


def refuse_other_site():
    """Retries are limited by slurm/site.yaml, so jobs must be submitted by the same settings."""
    path = workflow.executor_settings.site
    if SITE not in (Site(), read_site(path) if path else None):
        raise UserError(
            f"slurm/site.yaml has settings for jobs, but this run uses {path or 'no site file'}. Name slurm/site.yaml "
            "in your profile (slurm-robust-site: <its path>), or take its settings out."
        )


onstart:  # the only one: Snakemake keeps the last handler of each kind
    try:
        if workflow.executor_plugin.name == "slurm-robust":
            refuse_other_site()
            hand_over(globals().get("KEY_VARIABLES", ()))
        elif workflow.executor_plugin.name == "slurm":
            raise UserError("Runs on Slurm need the executor slurm-robust: --profile slurm names it.")
        else:
            refuse_beside_jobs(globals().get("RESULTS", "results"))
    except UserError as error:
        raise WorkflowError(str(error))
    lift_default_rate(workflow.scheduler)
    globals().get("announce", lambda: None)()
