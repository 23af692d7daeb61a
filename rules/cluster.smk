for each in workflow.rules:
    for resource, value in SITE.resources().items():
        each.resources.setdefault(resource, value)


onstart:
    if workflow.executor_plugin.name == "slurm":
        from wokflow.cluster.start import prepare_run

        try:
            prepare_run()
        except UserError as error:
            raise WorkflowError(str(error))


onerror:
    if workflow.executor_plugin.name == "slurm":
        from wokflow.cluster.start import advice

        if text := advice(log):
            print(text, file=sys.stderr)
