from wokflow.cluster.environment import keep_configuration
from wokflow.cluster.placement import check_jobs, limit_retries, replace_parts, translate_site_file
from wokflow.frame.alone import refuse_beside_jobs
from wokflow.frame.gpus import find_gpus

OWN_RULES = [rule for rule in workflow.rules if rule not in EARLIER_RULES]
for each in OWN_RULES:
    for resource, value in SITE.resources().items():
        if value is not None:
            each.resources.setdefault(resource, value)
    limit_retries(each, SITE)
if workflow.exec_mode == ExecMode.DEFAULT:
    # The executor reads the site file before any hook is called.
    if "snakemake_executor_plugin_slurm" in sys.modules:
        translate_site_file(SITE)
        keep_configuration()
    # Without --jobs, all jobs run on this machine: at once only as many as have GPUs of their own.
    if workflow.resource_settings.nodes is None and "gpu" not in workflow.global_resources:
        if gpus := find_gpus():
            workflow.global_resources["gpu"] = len(gpus)


onstart:  # the only one: Snakemake keeps the last handler of each kind
    if workflow.executor_plugin.name == "slurm":
        from wokflow.cluster.start import prepare_run

        try:
            check_jobs(SITE, [job for job in workflow.dag.needrun_jobs() if job.rule in OWN_RULES])
            prepare_run(globals().get("KEY_VARIABLES", ()))
            replace_parts(SITE, {rule.name for rule in OWN_RULES})
        except UserError as error:
            raise WorkflowError(str(error))
    else:
        try:
            refuse_beside_jobs(globals().get("RESULTS", "results"))
        except UserError as error:
            raise WorkflowError(str(error))
    globals().get("announce", lambda: None)()


onerror:
    if workflow.executor_plugin.name == "slurm":
        from wokflow.cluster.start import advice

        if text := advice(log):
            print(text, file=sys.stderr)
