from wokflow.generate.prompt import prompt_run
from wokflow.generate.request import Settings
from wokflow.job import job
from wokflow.tables import provenance

files, told = snakemake.input, dict(snakemake.params.run)
settings = Settings(**told.pop("settings"))
with job(snakemake.log[0]) as progress:
    prompt_run(
        files.instances,
        snakemake.output.predictions,
        snakemake.output.calls,
        settings=settings,
        cache=f"{snakemake.config['results']}/generate/cache",
        server=files.server or None,
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
        **told,
    )
